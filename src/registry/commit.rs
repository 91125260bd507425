//! Changes of the map and of the log: made under the commit lock, so that both always tell the same.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use dashmap::DashMap;

use super::Registry;
use super::change_log::{Cause, ChangeLog, Origin};
use super::early::Early;
use super::last_leases::LastLeases;
use super::lease::Lease;
use super::override_ends::OverrideEnds;
use super::preservation::{Losses, Population};
use super::replicas::Told;
use super::tombstones::Tombstones;
use crate::clock::Now;
use crate::model::InstanceStatus;

/// An application's map has few shards: heartbeats only read it, and there may be thousands.
const APP_SHARDS: usize = 4;

/// What the commit lock guards.
#[derive(Debug)]
pub(super) struct Commit {
    pub(super) log: ChangeLog,
    pub(super) population: Population,
    pub(super) losses: Losses,
    pub(super) registered: LastLeases,
    pub(super) cancelled: LastLeases,
    /// Empty after the opening.
    pub(super) early: Early,
    /// Leases that ended, for as long as another node may still hold them.
    pub(super) tombstones: Tombstones,
    /// When overrides end by themselves.
    pub(super) override_ends: OverrideEnds,
}

impl Registry {
    /// Tells the peers, unless a peer told this. Holding the commit lock is what keeps the order.
    pub(super) fn tell(&self, origin: Origin, told: Told, lease: &Arc<Lease>, now: Now) {
        if matches!(origin, Origin::Client | Origin::Operator) {
            self.replicas.changed(told, lease, now.mono);
        }
    }

    /// Puts a lease in and appends the change. Holding `commit` is what makes it atomic.
    pub(super) fn put(&self, commit: &mut Commit, lease: Lease, cause: Cause, origin: Origin, now: Now) -> Arc<Lease> {
        let lease = Arc::new(lease);
        let instance = &lease.instance;
        let leases = match self.apps.get(instance.app.as_str()) {
            Some(leases) => Arc::clone(&leases),
            None => Arc::clone(
                &self
                    .apps
                    .entry(instance.app.clone())
                    .or_insert_with(|| Arc::new(DashMap::with_shard_amount(APP_SHARDS))),
            ),
        };
        commit.tombstones.take(&instance.app, &instance.id);
        let earlier = leases.insert(instance.id.clone(), Arc::clone(&lease));
        commit.override_ends.follow(earlier.as_deref(), Some(&lease));
        let before = earlier.as_ref().map(|earlier| earlier.instance.status);
        if let Some(earlier) = earlier {
            commit.population.remove(earlier.instance.lease.renewal_interval_secs);
        }
        commit.population.add(instance.lease.renewal_interval_secs);
        self.append(commit, Arc::clone(&lease), before, (cause, origin), now);
        lease
    }

    /// Puts in a lease with another stamp of its override, or something else behind it, without an entry in the log:
    /// no reader of lists can tell. Holding `commit` is what makes it atomic.
    pub(super) fn restamp(&self, commit: &mut Commit, lease: Lease) -> Arc<Lease> {
        let lease = Arc::new(lease);
        let instance = &lease.instance;
        if let Some(leases) = self.apps.get(instance.app.as_str()) {
            let earlier = leases.insert(instance.id.clone(), Arc::clone(&lease));
            commit.override_ends.follow(earlier.as_deref(), Some(&lease));
        }
        self.restamps.fetch_add(1, Ordering::Release);
        lease
    }

    /// Takes a lease out and appends its tombstone.
    pub(super) fn take(&self, commit: &mut Commit, lease: &Arc<Lease>, cause: Cause, origin: Origin, now: Now) {
        let instance = &lease.instance;
        // The guard on the outer map must be gone before the outer map is changed.
        let emptied = self.apps.get(instance.app.as_str()).is_some_and(|leases| {
            leases.remove(&instance.id);
            leases.is_empty()
        });
        if emptied {
            self.apps.remove(&instance.app);
        }
        commit.override_ends.follow(Some(lease), None);
        commit.population.remove(instance.lease.renewal_interval_secs);
        let before = Some(instance.status);
        self.append(commit, Arc::new(lease.tombstone(now.wall)), before, (cause, origin), now);
    }

    /// Appends a change of what was `before`; whoever follows the changes hears of it.
    pub(super) fn append(
        &self,
        commit: &mut Commit,
        lease: Arc<Lease>,
        before: Option<InstanceStatus>,
        (cause, origin): (Cause, Origin),
        now: Now,
    ) {
        let (version, over) = commit.log.append(now, cause, origin, before, lease);
        if over {
            tracing::debug!(
                most = self.rules.load().catalog.delta_entries,
                "the delta is full, its oldest change was dropped"
            );
        }
        self.version.store(version.0, Ordering::Release);
        self.news.send_replace(version);
    }
}
