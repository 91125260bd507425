//! Times for people who read pages.

use std::time::Duration;

use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::model::WallMillis;

/// Writes times in the server's own zone.
#[derive(Clone, Debug)]
pub(super) struct Moments(TimeZone);

impl Moments {
    /// In the system's zone: `TZ`, else `/etc/localtime`, else UTC.
    pub(super) fn local() -> Self {
        Self(TimeZone::system())
    }

    /// In that zone.
    pub(super) fn zoned(&self, at: WallMillis) -> Zoned {
        Timestamp::from_millisecond(at).unwrap_or_default().to_zoned(self.0.clone())
    }

    /// As Spring's page has the current time: `2026-11-29T20:11:29 +0000`.
    pub(super) fn spring(&self, at: WallMillis) -> String {
        strtime::format("%Y-%m-%dT%H:%M:%S %z", &self.zoned(at)).unwrap_or_default()
    }

    /// To the second; a time that is none is a hyphen.
    pub(super) fn second(&self, at: WallMillis) -> String {
        if at <= 0 {
            "–".to_owned()
        } else {
            strtime::format("%Y-%m-%d %H:%M:%S", &self.zoned(at)).unwrap_or_default()
        }
    }
}

/// How long something lasts, in its two largest units.
pub(super) fn length(time: Duration) -> String {
    let seconds = time.as_secs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, ..) => format!("{hours} h {minutes} min"),
        (1, ..) => format!("1 day {hours} h"),
        _ => format!("{days} days {hours} h"),
    }
}

/// The time between two readings of the wall clock, which may have been set back meanwhile.
pub(super) fn between(earlier: WallMillis, later: WallMillis) -> Duration {
    Duration::from_millis(u64::try_from(later.saturating_sub(earlier)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_two_units() {
        let lengths = [0, 59, 61, 3_600, 90_000, 200_000].map(|seconds| length(Duration::from_secs(seconds)));
        assert_eq!(lengths, ["0 s", "59 s", "1 min 1 s", "1 h 0 min", "1 day 1 h", "2 days 7 h"]);
    }

    #[test]
    fn no_time_is_too_strange_to_show() {
        let moments = Moments(TimeZone::UTC);
        assert_eq!(moments.spring(1_795_983_089_000), "2026-11-29T20:11:29 +0000");
        assert_eq!(moments.second(0), "–");
        for at in [i64::MIN, -1, i64::MAX] {
            assert!(!moments.second(at).is_empty());
        }
    }
}
