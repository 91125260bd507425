//! What several pages tell of the server itself, its peers and self-preservation.

use std::collections::HashMap;
use std::time::Duration;

use crate::ops::figures;
use crate::peers::{PeerReport, PeerState};
use crate::registry::{PreservationReport, PreservationState};

use super::moments::length;
use super::{Asker, Dashboard};

/// The blocks above and below the list of instances.
pub(super) struct System {
    pub(super) environment: String,
    pub(super) datacenter: String,
    pub(super) time: String,
    pub(super) uptime: String,
    pub(super) expiry_enabled: bool,
    pub(super) threshold: String,
    pub(super) renewals: String,
    /// What Java warns of, if it would.
    pub(super) warning: Option<&'static str>,
    /// The same and more in plain words.
    pub(super) preservation: String,
    /// Whether lapsed leases are kept.
    pub(super) keeps: bool,
    /// What there is to say of instances that are known from before a restart alone.
    pub(super) unconfirmed: Option<String>,
    pub(super) peers: Vec<Peer>,
    /// Names and values, in Java's order.
    pub(super) general: Vec<(&'static str, String)>,
    pub(super) own_ip: String,
    pub(super) own_status: &'static str,
}

/// A peer.
pub(super) struct Peer {
    /// As Spring's page names it, with the port where there are several on one host.
    pub(super) name: String,
    /// Its own dashboard.
    pub(super) home: String,
    pub(super) url: String,
    pub(super) state: &'static str,
    pub(super) is_down: bool,
    pub(super) last_success: String,
    pub(super) last_heard: String,
    pub(super) lag: String,
    pub(super) queue: String,
    pub(super) last_failure: String,
}

/// Java's three warnings in plain words. Its own cry of emergency says what is not so: that the list is wrong.
const OFF: &str = "The self preservation mode is turned off. This may not protect instance expiry in case of network \
                   or other problems.";
const OFF_AND_BELOW: &str = "Renewals are lesser than the threshold. The self preservation mode is turned off. This \
                             may not protect instance expiry in case of network or other problems.";
const BELOW: &str = "Renewals are lesser than threshold and hence the instances are not being expired just to be safe.";

impl Dashboard {
    pub(super) fn system(&self, asker: &Asker) -> System {
        let context = &self.context;
        let (environment, datacenter, grace) = {
            let settings = context.settings.borrow();
            let labels = (settings.own.environment.clone(), settings.own.datacenter.clone());
            (labels.0, labels.1, settings.opening.wait_when_sync_empty)
        };
        let preservation = context.registry.preservation();
        let uptime = asker.now.mono.since(context.started);
        let reports = context.peers.reports();
        let general = figures::general(uptime);
        let figure = |name: &str| {
            let found = general.iter().find(|(figure, _)| *figure == name);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let names = ["total-avail-memory", "num-of-cpus", "current-memory-usage", "server-uptime"];
        let mut all: Vec<_> = names.into_iter().map(|name| (name, figure(name))).collect();
        let mut replicas = figures::replicas(&reports);
        // The status document has the last two the other way round.
        replicas.sort_by_key(|(name, _)| *name == "available-replicas");
        all.append(&mut replicas);
        System {
            environment,
            datacenter,
            time: self.moments.spring(asker.now.wall),
            uptime: figure("server-uptime"),
            expiry_enabled: preservation.expiry_enabled,
            threshold: asker.language.number(preservation.threshold),
            renewals: asker.language.number(preservation.renewals),
            warning: warning(&preservation, uptime > grace),
            preservation: preservation.sentence(),
            keeps: preservation.state.keeps(),
            unconfirmed: preservation.unconfirmed_sentence(),
            peers: peers(&reports, asker),
            general: all,
            own_ip: context.own.ip_addr.to_string(),
            own_status: context.own.status.as_str(),
        }
    }
}

/// Which of Java's warnings fits. Java holds back what it says of renewals until clients have had time to register.
fn warning(report: &PreservationReport, is_late: bool) -> Option<&'static str> {
    let below = is_late && report.threshold > 0 && report.renewals <= report.threshold;
    match report.state {
        PreservationState::Off if below => Some(OFF_AND_BELOW),
        PreservationState::Off => Some(OFF),
        state if below && state.keeps() => Some(BELOW),
        _ => None,
    }
}

fn peers(reports: &[PeerReport], asker: &Asker) -> Vec<Peer> {
    let mut on_host = HashMap::new();
    for report in reports {
        *on_host.entry(report.url.host()).or_insert(0) += 1;
    }
    let ago = |time: Option<Duration>| time.map_or_else(|| "never".to_owned(), |time| format!("{} ago", length(time)));
    let mut peers: Vec<_> = reports
        .iter()
        .map(|report| Peer {
            name: match on_host.get(report.url.host()) {
                Some(1) => report.url.host().to_owned(),
                _ => format!("{}:{}", report.url.host(), report.url.port()),
            },
            home: home_of(report.url.as_str()),
            url: report.url.as_str().to_owned(),
            state: match &report.state {
                PeerState::Unknown => "not known yet",
                PeerState::Up if report.is_silent => "up, but tells nothing",
                PeerState::Up => "up",
                PeerState::Down { .. } => "down",
            },
            is_down: matches!(report.state, PeerState::Down { .. }),
            last_success: ago(report.last_success),
            last_heard: ago(report.last_heard),
            lag: length(report.lag),
            queue: asker.language.count(report.queue),
            last_failure: report
                .last_failure
                .as_ref()
                .map_or_else(|| "none".to_owned(), |(time, failure)| format!("{failure} ({} ago)", length(*time))),
        })
        .collect();
    peers.sort_by(|a, b| a.name.cmp(&b.name));
    peers
}

/// Where a peer's dashboard is: beside its API. Spring's page led to the API, where there is no page.
fn home_of(url: &str) -> String {
    let root = ["/eureka/v2/", "/eureka/"].into_iter().find_map(|api| url.strip_suffix(api));
    root.map_or_else(|| url.to_owned(), |root| format!("{root}/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(state: PreservationState, renewals: u64) -> PreservationReport {
        PreservationReport {
            state,
            leases: 10,
            silent: 5,
            unconfirmed: 0,
            lapsed: 5,
            renewals,
            expected: 20,
            threshold: 17,
            expiry_enabled: renewals > 17,
            accepted_in: None,
            apps: Vec::new(),
        }
    }

    #[test]
    fn case_049_each_situation_has_its_own_words() {
        use PreservationState::{EnoughRenewals, Keeping, Off, SmallLoss};
        for (state, renewals, late, words) in [
            (EnoughRenewals, 18, true, None),
            (Off, 18, true, Some(OFF)),
            (Off, 17, false, Some(OFF)),
            (Off, 17, true, Some(OFF_AND_BELOW)),
            (Keeping, 10, true, Some(BELOW)),
            (Keeping, 10, false, None),
            (SmallLoss, 17, true, None),
        ] {
            assert_eq!(warning(&report(state, renewals), late), words, "{state:?} {renewals}");
        }
        for words in [OFF, OFF_AND_BELOW, BELOW] {
            assert!(!words.to_uppercase().contains("EMERGENCY"));
        }
    }

    #[test]
    fn case_076_a_replica_link_leads_to_its_page() {
        for (url, home) in [
            ("http://eureka-b.test:8761/eureka/", "http://eureka-b.test:8761/"),
            ("http://eureka-b.test/ctx/eureka/v2/", "http://eureka-b.test/ctx/"),
            ("http://eureka-b.test/myeureka/", "http://eureka-b.test/myeureka/"),
        ] {
            assert_eq!(home_of(url), home);
        }
    }
}
