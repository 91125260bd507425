//! When the registry may be read (`PeerAwareInstanceRegistryImpl.shouldAllowAccess`).

use std::sync::OnceLock;
use std::time::Duration;

use crate::clock::Monotonic;

/// The gate before the reads of whole lists. Registrations, heartbeats and single instances pass at
/// any time.
///
/// It opens with the opening for traffic. When the opening found nobody and the user wants nobody
/// assumed (`default-open-for-traffic-count=0`), readers wait for
/// `wait-time-in-ms-when-sync-empty` more, so that clients have time to register.
#[derive(Debug)]
pub(super) struct Gate {
    wait_when_empty: Duration,
    opened: OnceLock<Opened>,
}

#[derive(Debug)]
struct Opened {
    at: Monotonic,
    empty: bool,
}

impl Gate {
    /// A closed gate.
    pub(super) fn new(wait_when_empty: Duration) -> Self {
        Self { wait_when_empty, opened: OnceLock::new() }
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
