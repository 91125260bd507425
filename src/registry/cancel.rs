//! Instances that leave.

use std::sync::Arc;

use crate::clock::Now;
use crate::model::{AppName, Instance, InstanceId};

use super::agreement::OverrideStamp;
use super::early::Event;
use super::last_leases::LeaseEvent;
use super::lease::Lease;
use super::lease_length::SignOfLife;
use super::tombstones::Tombstone;
use super::{Cause, Commit, Origin, Registry, Told};

impl Registry {
    /// Ends a lease at the instance's own wish (`internalCancel`); its override goes with it. False if
    /// there was none.
    pub fn cancel(&self, app: &AppName, id: &InstanceId, origin: Origin) -> bool {
        let now = self.clock.now();
        let mut commit = self.commit.lock();
        // As in Java, the list of the last cancelled leases shows attempts as well.
        commit.cancelled.push(LeaseEvent::new(now.wall, (app, id), Cause::Cancelled, origin));
        if !self.gate.was_opened() {
            commit.early.note(app, id, Event::Cancelled);
        }
        let Some(lease) = self.lease(app.as_str(), id.as_str()) else {
            return false;
        };
        self.end(&mut commit, &lease, Cause::Cancelled, origin, now);
        self.tell(origin, Told::Cancel, &lease, now);
        drop(commit);
        tracing::info!(%app, %id, origin = origin.as_str(), "instance cancelled");
        true
    }

    /// Takes a lease out; what is left of it is a tombstone in the log.
    pub(super) fn end(&self, commit: &mut Commit, lease: &Arc<Lease>, cause: Cause, origin: Origin, now: Now) {
        self.bury(commit, lease, (cause, origin), 0, now);
    }

    /// The same for an end so many milliseconds ago, at another node.
    pub(super) fn bury(
        &self,
        commit: &mut Commit,
        lease: &Arc<Lease>,
        (cause, origin): (Cause, Origin),
        age: u64,
        now: Now,
    ) {
        let (lease_now, length) = self.lease_time(now);
        let ended_at = now.wall.saturating_sub_unsigned(age);
        // Where no override ends, nothing happened that others have to hear of.
        let stamp = match lease.override_status {
            Some(_) if lease.override_stamp != OverrideStamp::UNKNOWN => lease.override_stamp.next(ended_at),
            _ => lease.override_stamp,
        };
        let Instance { app, id, last_dirty, lease: asked, .. } = &*lease.instance;
        let ended = Tombstone {
            cancelled: cause == Cause::Cancelled,
            last_dirty: *last_dirty,
            stamp,
            at: lease_now.signed().saturating_sub_unsigned(age),
            keep: length.lasts(*asked, SignOfLife::Renewed).saturating_mul(2),
        };
        commit.tombstones.put(app, id, ended);
        self.take(commit, lease, cause, origin, now);
    }
}
