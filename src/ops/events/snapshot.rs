//! All instances as they were at one number, for a reader who begins.

use std::sync::Arc;

use crate::registry::{CatchUp, Lease, Registry, Version};

use super::event;
use super::filter::Filter;

/// Leases that are looked at in one go, whether or not they are wanted.
const LOOKED_AT: usize = 512;

/// See the module. Readers share one; each writes it piece by piece as fast as it reads.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) version: Version,
    /// The last event that is in it already.
    pub(super) sequence: u64,
    /// By application and id; those of remote regions after those here.
    pub(super) leases: Vec<Arc<Lease>>,
}

impl Snapshot {
    /// All leases, and the version of which they are. Blocks for as long as they are collected.
    pub(super) fn leases_of(registry: &Registry) -> (Version, Vec<Arc<Lease>>) {
        // Before the first change: whatever the log has left, or the map.
        let (version, missed) = registry.catch_up(Version(0));
        let mut leases: Vec<_> = match missed {
            CatchUp::Everything { leases, .. } => leases,
            CatchUp::Changes(changes) => {
                let held = changes.into_iter().filter(|change| !change.is_removal());
                held.map(|change| change.lease).collect()
            }
        };
        leases.sort_by(|a, b| {
            let key = |lease: &Lease| (lease.region, lease.instance.app.clone(), lease.instance.id.clone());
            key(a).cmp(&key(b))
        });
        (version, leases)
    }

    /// Writes the next wanted instances from a place on, about so many bytes, and moves the place behind them. There
    /// are none only at the end.
    pub(super) async fn write_frames(
        &self,
        place: &mut usize,
        filter: &Filter,
        registry: &Registry,
        bytes: usize,
    ) -> Vec<u8> {
        let each = |frame: &mut Vec<u8>, lease: &Lease| {
            event::write_snapshot_frame(frame, lease, self.version, registry);
        };
        self.write(place, filter, bytes, each).await
    }

    /// The same as members of a JSON list; a comma comes before each but the first of all that are wanted.
    pub(super) async fn write_members(
        &self,
        place: &mut usize,
        filter: &Filter,
        registry: &Registry,
        bytes: usize,
        is_first: &mut bool,
    ) -> Vec<u8> {
        let each = |json: &mut Vec<u8>, lease: &Lease| {
            if !std::mem::take(is_first) {
                json.push(b',');
            }
            event::write_snapshot(json, lease, self.version, registry);
        };
        self.write(place, filter, bytes, each).await
    }

    async fn write(
        &self,
        place: &mut usize,
        filter: &Filter,
        bytes: usize,
        mut each: impl FnMut(&mut Vec<u8>, &Lease),
    ) -> Vec<u8> {
        let mut written = Vec::new();
        while written.is_empty() && *place < self.leases.len() {
            // Whoever wants few of them must not hold up others while they are looked for.
            tokio::task::yield_now().await;
            for lease in self.leases.iter().skip(*place).take(LOOKED_AT) {
                *place += 1;
                if filter.wants_app(&lease.instance.app) {
                    each(&mut written, lease);
                }
                if written.len() >= bytes {
                    break;
                }
            }
        }
        written
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::pin::pin;

    use super::*;
    use crate::clock::Clock;
    use crate::model::{AppName, DataCenter, GivenDataCenter, NonAmazon, Registration};
    use crate::registry::{LeaseMillis, Rules};
    use crate::settings::Settings;

    #[tokio::test]
    async fn whoever_wants_few_instances_holds_up_nobody_while_they_are_looked_for() {
        let Settings { leases, preservation, opening, catalog, .. } = Settings::default();
        let registry = Registry::new(Rules { leases, preservation, opening, catalog }, Clock::held(0));
        let mut registration = Registration::new("ORDERS");
        registration.host_name = Some("localhost".into());
        registration.ip_addr = Some("127.0.0.1".into());
        registration.data_center = GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn));
        let instance = registration.accept(&AppName::new("ORDERS"), 0).unwrap();
        let lease = Arc::new(Lease::grant(Arc::new(instance), None, 0, LeaseMillis(0), 0));
        let snapshot = Snapshot { version: Version(1), sequence: 1, leases: vec![lease; 10 * LOOKED_AT] };
        let filter = Filter { apps: [AppName::new("OTHER")].into(), ..Filter::default() };
        let mut place = 0;
        let mut yielded = 0;
        {
            let mut writing = pin!(snapshot.write_frames(&mut place, &filter, &registry, usize::MAX));
            let written = std::future::poll_fn(|task| {
                let polled = writing.as_mut().poll(task);
                yielded += usize::from(polled.is_pending());
                polled
            });
            assert!(written.await.is_empty());
        }
        assert_eq!((place, yielded), (10 * LOOKED_AT, 10));
    }
}
