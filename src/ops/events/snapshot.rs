//! All instances as they were at one number, for a reader who begins.

use std::sync::Arc;

use crate::registry::{CatchUp, Lease, Registry, Version};

use super::event;
use super::filter::Filter;

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

    /// Writes the next instances from a place on, about so many bytes; gives the place after them.
    pub(super) fn write_frames(
        &self,
        from: usize,
        filter: &Filter,
        registry: &Registry,
        bytes: usize,
    ) -> (Vec<u8>, usize) {
        self.write(from, filter, bytes, |frame, lease| {
            event::write_snapshot_frame(frame, lease, self.version, registry);
        })
    }

    /// The same as members of a JSON list; a comma comes before each but the first of all that are wanted.
    pub(super) fn write_members(
        &self,
        from: usize,
        filter: &Filter,
        registry: &Registry,
        bytes: usize,
        is_first: &mut bool,
    ) -> (Vec<u8>, usize) {
        self.write(from, filter, bytes, |json, lease| {
            if !std::mem::take(is_first) {
                json.push(b',');
            }
            event::write_snapshot(json, lease, self.version, registry);
        })
    }

    fn write(
        &self,
        from: usize,
        filter: &Filter,
        bytes: usize,
        mut each: impl FnMut(&mut Vec<u8>, &Lease),
    ) -> (Vec<u8>, usize) {
        let mut written = Vec::new();
        let mut next = from;
        for lease in self.leases.iter().skip(from) {
            next += 1;
            if filter.wants_app(&lease.instance.app) {
                each(&mut written, lease);
            }
            if written.len() >= bytes {
                break;
            }
        }
        (written, next)
    }
}
