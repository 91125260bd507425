//! What the status document and the dashboard say of the process (`StatusUtil`, `com.netflix.eureka.util.StatusInfo`).

use std::fs;
use std::time::Duration;

use crate::peers::PeerReport;

const MB: u64 = 1024 * 1024;

/// Names and values in Java's order. Memory is that of the machine (or its container) and what this
/// process holds of it, where Java shows its heap; both are 0 where the system does not tell.
pub(crate) fn general(uptime: Duration) -> Vec<(&'static str, String)> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let (total, used) = (total_memory() / MB, resident_memory().unwrap_or_default() / MB);
    let percent = (used * 100).checked_div(total).unwrap_or_default();
    vec![
        ("num-of-cpus", processors.to_string()),
        ("total-avail-memory", format!("{total}mb")),
        ("current-memory-usage", format!("{used}mb ({percent}%)")),
        ("server-uptime", uptime_text(uptime)),
    ]
}

/// Which peers there are, and which of them answer, as Java lists their URLs: one list with a blank, the
/// others with a comma after each. (Java looks whether a peer has registered itself, under the same
/// application and with the host name of its URL.)
pub(crate) fn replicas(peers: &[PeerReport]) -> Vec<(&'static str, String)> {
    let all: Vec<_> = peers.iter().map(|peer| peer.url.as_str()).collect();
    let those = |available: bool| {
        let urls = peers.iter().filter(|peer| peer.is_available() == available);
        urls.flat_map(|peer| [peer.url.as_str(), ","]).collect()
    };
    vec![
        ("registered-replicas", all.join(", ")),
        ("available-replicas", those(true)),
        ("unavailable-replicas", those(false)),
    ]
}

/// `HH:MM`, with the days before it when there are any.
fn uptime_text(uptime: Duration) -> String {
    let minutes = uptime.as_secs() / 60;
    let (days, hours, minutes) = (minutes / (24 * 60), minutes / 60 % 24, minutes % 60);
    match days {
        0 => format!("{hours:02}:{minutes:02}"),
        1 => format!("1 day {hours:02}:{minutes:02}"),
        days => format!("{days} days {hours:02}:{minutes:02}"),
    }
}

/// The container's limit if it has one, else the machine's memory.
fn total_memory() -> u64 {
    let limit = fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    let machine = field("/proc/meminfo", "MemTotal:");
    limit.unwrap_or(u64::MAX).min(machine.unwrap_or_default())
}

/// Memory that the process really takes, in bytes, if the system tells.
pub(super) fn resident_memory() -> Option<u64> {
    field("/proc/self/status", "VmRSS:")
}

/// A line `Name:  123 kB` of a file of the kernel, in bytes.
fn field(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uptime_shows_days_only_when_there_are_some() {
        assert_eq!(uptime_text(Duration::from_secs(59)), "00:00");
        assert_eq!(uptime_text(Duration::from_secs(3_665)), "01:01");
        assert_eq!(uptime_text(Duration::from_hours(25)), "1 day 01:00");
        assert_eq!(uptime_text(Duration::from_secs(200_000)), "2 days 07:33");
    }
}
