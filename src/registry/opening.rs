//! When the registry may be read (`PeerAwareInstanceRegistryImpl.shouldAllowAccess`), and when whoever is not in it
//! may be told so.

use std::sync::OnceLock;
use std::time::Duration;

use crate::clock::Monotonic;

/// How long after the start whoever renews a lease that is not here is asked to try the next server: a peer's list will
/// have it. A client's interval is longer. After that it is told to register, so that it is here if no list comes.
const COPY_AWAITED: Duration = Duration::from_secs(10);

/// The gate before the reads of whole lists. Registrations, heartbeats and single instances pass at
/// any time; only a heartbeat of whom the first copy may bring has to go elsewhere for some seconds.
///
/// It opens with the opening for traffic. When the opening found nobody and the user wants nobody
/// assumed (`default-open-for-traffic-count=0`), readers wait for
/// `wait-time-in-ms-when-sync-empty` more, so that clients have time to register.
#[derive(Debug)]
pub(super) struct Gate {
    wait_when_empty: Duration,
    /// Made when the server began.
    closed_since: Monotonic,
    opened: OnceLock<Opened>,
}

#[derive(Debug)]
struct Opened {
    at: Monotonic,
    empty: bool,
}

impl Gate {
    /// A closed gate.
    pub(super) fn new(wait_when_empty: Duration, now: Monotonic) -> Self {
        Self { wait_when_empty, closed_since: now, opened: OnceLock::new() }
    }

    /// Whether a lease that is not here may come with the first copy any moment.
    pub(super) fn awaits_copy(&self, now: Monotonic) -> bool {
        !self.was_opened() && now.since(self.closed_since) < COPY_AWAITED
    }

    /// Opens it; the first call counts.
    pub(super) fn open(&self, now: Monotonic, empty: bool) {
        let _already = self.opened.set(Opened { at: now, empty });
    }

    /// Whether the opening for traffic is over.
    pub(super) fn was_opened(&self) -> bool {
        self.opened.get().is_some()
    }

    /// Whether lists may be read.
    pub(super) fn is_open(&self, now: Monotonic) -> bool {
        self.opened.get().is_some_and(|opened| !opened.empty || now.since(opened.at) > self.wait_when_empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_a_peers_list_may_bring_is_asked_to_wait_for_some_seconds_at_most() {
        let gate = Gate::new(Duration::ZERO, Monotonic(1_000));
        assert_eq!([1_000, 10_999, 11_000].map(|at| gate.awaits_copy(Monotonic(at))), [true, true, false]);
        gate.open(Monotonic(1_500), false);
        assert!(!gate.awaits_copy(Monotonic(1_501)), "the list has been taken in");
    }
}
