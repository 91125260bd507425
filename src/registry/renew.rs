//! Heartbeats.

use std::sync::Arc;

use crate::clock::Now;
use crate::model::{Instance, InstanceStatus, WallMillis};

use super::agreement::OverrideStamp;
use super::lease::Lease;
use super::overrides::effective_status;
use super::{Cause, Origin, Registry};

/// How a heartbeat was taken.
#[derive(Clone, Debug)]
pub enum Renewal {
    /// 200.
    Renewed,
    /// 404: there is no such lease, its status is UNKNOWN, or the caller has newer data; it is to
    /// register (again).
    RegisterAgain,
    /// 503: there is no such lease yet, and a peer's list may bring it any moment. Java says 404, so that the clients
    /// of a node that is started again register anew.
    NotYet,
    /// 409: the peer that asks has older data than this.
    Newer(Arc<Lease>),
}

impl Registry {
    /// Renews a lease (`InstanceResource.renewLease`). `last_dirty` is the caller's version of the
    /// instance, `brought` the status that a peer says was set from outside.
    ///
    /// A heartbeat that finds its lease counts and renews it even when it is answered 404 or 409
    /// because of its version. It takes no lock unless it changes the instance.
    pub fn renew(
        &self,
        app: &str,
        id: &str,
        last_dirty: Option<WallMillis>,
        brought: Option<InstanceStatus>,
        origin: Origin,
    ) -> Renewal {
        self.renew_stamped(app, id, last_dirty, brought, None, origin)
    }

    /// The same for one of our own nodes, which says when its override was set or taken back: a later one stays.
    pub fn renew_stamped(
        &self,
        app: &str,
        id: &str,
        last_dirty: Option<WallMillis>,
        brought: Option<InstanceStatus>,
        stamp: Option<OverrideStamp>,
        origin: Origin,
    ) -> Renewal {
        let now = self.clock.now();
        // Looked at first: a copy is taken in as a whole before the opening.
        let is_awaited = origin == Origin::Client && self.gate.awaits_copy(now.mono);
        let Some(mut lease) = self.lease(app, id) else {
            return if is_awaited { Renewal::NotYet } else { Renewal::RegisterAgain };
        };
        let status = effective_status(lease.instance.status, lease.override_status);
        if status == InstanceStatus::Unknown {
            return Renewal::RegisterAgain;
        }
        if status != lease.instance.status {
            match self.follow_status(app, id, origin, now) {
                Some(changed) => lease = changed,
                None => return Renewal::RegisterAgain,
            }
        }
        let (lease_now, length) = self.lease_time(now);
        let had_lapsed = lease.lapsed(lease_now, length);
        self.renewals.count(now.mono);
        self.renew_lease(&lease, lease_now, now);
        // A lapsed lease may just have been ended by eviction; then this sign of life went nowhere.
        if had_lapsed && !self.lease(app, id).is_some_and(|held| held.shares_renewals(&lease)) {
            return Renewal::RegisterAgain;
        }
        tracing::trace!(app, id, "lease renewed");
        if origin == Origin::Client {
            self.replicas.renewed(&lease, now.mono);
        }

        let Some(theirs) = last_dirty.filter(|_| self.rules.load().leases.sync_when_timestamp_differs) else {
            return Renewal::Renewed;
        };
        let ours = lease.instance.last_dirty;
        if theirs > ours {
            if let Some(status) = brought.filter(|_| origin == Origin::Peer) {
                self.store_override(app, id, status, stamp, now);
            }
            Renewal::RegisterAgain
        } else if theirs < ours && origin == Origin::Peer {
            Renewal::Newer(lease)
        } else {
            Renewal::Renewed
        }
    }

    /// Lets the status follow an override that came with an earlier heartbeat. The action stays as
    /// it was, as in Java: for readers nothing was done to the instance.
    fn follow_status(&self, app: &str, id: &str, origin: Origin, now: Now) -> Option<Arc<Lease>> {
        let mut commit = self.commit.lock();
        let held = self.lease(app, id)?;
        let status = effective_status(held.instance.status, held.override_status);
        if status != held.instance.status {
            let instance = Instance { status, last_updated: now.wall, ..Instance::clone(&held.instance) };
            let changed = held.changed(Arc::new(instance), held.override_status, held.service_up());
            self.put(&mut commit, changed, Cause::StatusFollowed, origin, now);
        }
        self.lease(app, id)
    }

    /// Keeps the override that a peer holds and this node does not
    /// (`storeOverriddenStatusIfRequired`); the status follows with the next heartbeat.
    fn store_override(&self, app: &str, id: &str, status: InstanceStatus, stamp: Option<OverrideStamp>, now: Now) {
        if status == InstanceStatus::Unknown {
            return;
        }
        let mut commit = self.commit.lock();
        let Some(held) = self.lease(app, id).filter(|held| held.override_status != Some(status)) else { return };
        if stamp.is_some_and(|stamp| stamp <= held.override_stamp.believed(now.wall)) {
            return;
        }
        let instance = Instance { overridden_status: status, ..Instance::clone(&held.instance) };
        let changed = held.changed(Arc::new(instance), Some(status), held.service_up());
        let changed = changed.stamped(stamp.unwrap_or(held.override_stamp));
        self.put(&mut commit, changed, Cause::StatusFollowed, Origin::Peer, now);
    }
}
