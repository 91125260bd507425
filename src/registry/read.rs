//! What may be asked of the registry itself: single instances, figures, and what a read model needs.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::MutexGuard;
use tokio::sync::{broadcast, watch};

use crate::clock::Now;
use crate::model::{AppName, InstanceId, InstanceStatus, Selection};

use super::last_leases::LeaseEvent;
use super::lease::Lease;
use super::{AppLeases, Change, Commit, PreservationNews, RegionId, Registry, Tally, Version};

/// Changes that are looked at while writers wait.
const LOOKED_AT: usize = 256;

/// What a read model has missed.
#[derive(Debug)]
pub enum CatchUp {
    /// The latest change of each instance that changed since.
    Changes(Vec<Change>),
    /// The log does not go back that far: everything, with the log as it is.
    Everything {
        /// All leases, those of remote regions among them.
        leases: Vec<Arc<Lease>>,
        /// The recent changes, oldest first.
        recent: Vec<Change>,
    },
}

impl Registry {
    /// One instance with its live lease; none when its lease has lapsed and leases may expire
    /// (`getInstanceByAppAndId`).
    pub fn instance(&self, app: &str, id: &str) -> Option<Arc<Lease>> {
        let lease = self.lease(app, id)?;
        self.visible_now(&lease).then_some(lease)
    }

    /// One lease, lapsed or not.
    pub fn held(&self, app: &AppName, id: &InstanceId) -> Option<Arc<Lease>> {
        self.lease(app.as_str(), id.as_str())
    }

    /// The first instance with this id in any application, by name (`getInstancesById`; Java takes them
    /// in the order of its hash map).
    pub fn instance_anywhere(&self, id: &str) -> Option<Arc<Lease>> {
        // The map's guards must be gone before the commit lock is asked for: writers take them in
        // the other order.
        let mut all: Vec<_> =
            self.apps.iter().filter_map(|leases| leases.get(id).map(|lease| Arc::clone(&lease))).collect();
        all.sort_unstable_by(|a, b| a.instance.app.cmp(&b.instance.app));
        all.into_iter().find(|lease| self.visible_now(lease))
    }

    /// Whether the opening for traffic is over.
    pub fn was_opened(&self) -> bool {
        self.gate.was_opened()
    }

    /// Whether whole lists may be read.
    pub fn is_open(&self) -> bool {
        self.gate.is_open(self.clock.mono())
    }

    /// All statuses set from outside, by application and instance.
    pub fn overrides(&self) -> Vec<(AppName, InstanceId, InstanceStatus)> {
        let mut all: Vec<_> = self
            .own_apps()
            .iter()
            .flat_map(|leases| {
                leases
                    .iter()
                    .filter_map(|lease| {
                        let status = lease.override_status?;
                        Some((lease.instance.app.clone(), lease.instance.id.clone(), status))
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        all.sort_unstable();
        all
    }

    /// The leases of the instances that are meant, lapsed or not, by application and instance.
    pub fn select(&self, selection: &Selection) -> Vec<Arc<Lease>> {
        let of_app = |leases: &Arc<AppLeases>| {
            let meant = leases.iter().filter(|lease| selection.matches(&lease.instance));
            meant.map(|lease| Arc::clone(&lease)).collect::<Vec<_>>()
        };
        let apps: Vec<_> = match &*selection.apps {
            [] => self.own_apps(),
            named => named.iter().filter_map(|app| self.apps.get(app).map(|leases| Arc::clone(&leases))).collect(),
        };
        let mut all: Vec<_> = apps.iter().flat_map(of_app).collect();
        let key = |lease: &Arc<Lease>| (lease.instance.app.clone(), lease.instance.id.clone());
        all.sort_by_cached_key(key);
        all.dedup_by_key(|lease| key(lease));
        all
    }

    /// How many leases are held.
    pub fn len(&self) -> usize {
        self.commit.lock().population.leases()
    }

    /// Whether none is held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Renewals a minute that must be exceeded for leases to expire by Java's rule.
    pub fn renewal_threshold(&self) -> u64 {
        self.commit.lock().population.threshold()
    }

    /// Renewals counted in the last full minute.
    pub fn renewals_last_minute(&self) -> u64 {
        self.renewals.last_minute(self.clock.mono())
    }

    /// Renewals since the start.
    pub fn renewals(&self) -> u64 {
        self.renewals.total()
    }

    /// Whether leases may expire by Java's rule: what the dashboard calls "lease expiration enabled".
    pub fn expiry_enabled(&self) -> bool {
        let renewals = self.renewals_last_minute();
        self.commit.lock().population.expiry_enabled(renewals)
    }

    /// The last leases that were granted, newest first.
    pub fn last_registered(&self) -> Vec<LeaseEvent> {
        self.commit.lock().registered.newest_first().cloned().collect()
    }

    /// The last leases that ended, newest first.
    pub fn last_cancelled(&self) -> Vec<LeaseEvent> {
        self.commit.lock().cancelled.newest_first().cloned().collect()
    }

    /// Every change after a version, oldest first; nothing when some of them are not kept any more
    /// (`eurekad.history.max-entries`, `eurekad.history.max-size`).
    pub fn changes_since(&self, version: Version) -> Option<Vec<Change>> {
        Some(self.commit.lock().log.history().since(version)?.cloned().collect())
    }

    /// What happened to an instance, newest first, as far as it is kept.
    pub fn changes_of(&self, app: &AppName, id: &InstanceId) -> Vec<Change> {
        let is_of_it = |change: &&Change| {
            let instance = &change.lease.instance;
            instance.id == *id && instance.app == *app && change.lease.region.is_none()
        };
        let (mut found, mut before) = (Vec::new(), None);
        loop {
            let commit = self.commit.lock();
            let mut looked_at = 0;
            for change in commit.log.history().newest_first(before).take(LOOKED_AT) {
                (looked_at, before) = (looked_at + 1, Some(change.version));
                found.extend(is_of_it(&change).then(|| change.clone()));
            }
            // Who waits for it has its turn now; without that this one would often take it again first.
            MutexGuard::unlock_fair(commit);
            if looked_at < LOOKED_AT {
                return found;
            }
        }
    }

    /// Tells the version of each change from now on, the last of several at once.
    pub fn news(&self) -> watch::Receiver<Version> {
        self.news.subscribe()
    }

    /// Tells from now on when self-preservation begins to keep lapsed leases, and when it ends that.
    pub fn preservation_news(&self) -> broadcast::Receiver<PreservationNews> {
        self.preservation_news.subscribe()
    }

    /// How many changes there were since the start.
    pub fn tally(&self) -> Tally {
        self.commit.lock().log.tally().clone()
    }

    /// What happened after a version, and the version that it leads to. Writers never wait while all leases
    /// are collected, unless more happens meanwhile than the log keeps.
    pub fn catch_up(&self, from: Version) -> (Version, CatchUp) {
        {
            let commit = self.commit.lock();
            if let Some(changes) = commit.log.recent().since(from) {
                return (commit.log.version(), CatchUp::Changes(changes.cloned().collect()));
            }
        }
        let (version, leases, recent) = self.everything();
        (version, CatchUp::Everything { leases, recent })
    }

    /// All leases of one version, and the recent changes.
    pub(super) fn everything(&self) -> (Version, Vec<Arc<Lease>>, Vec<Change>) {
        // What has a later version than this may be among the leases or not, and is in the log.
        let begun = self.version();
        let leases = self.all_leases();
        self.completed(begun, leases)
    }

    /// Everything, of leases that were collected while changes after `begun` were made.
    fn completed(&self, begun: Version, mut leases: Vec<Arc<Lease>>) -> (Version, Vec<Arc<Lease>>, Vec<Change>) {
        let commit = self.commit.lock();
        let (version, recent) = (commit.log.version(), commit.log.recent());
        let meanwhile: Option<Vec<Change>> = recent.since(begun).map(|changes| changes.cloned().collect());
        if meanwhile.is_none() {
            leases = self.all_leases();
        }
        let recent = recent.iter().cloned().collect();
        drop(commit);
        if let Some(changes) = meanwhile.filter(|changes| !changes.is_empty()) {
            let changed: HashSet<_> = changes.iter().map(|change| holder_and_instance(&change.lease)).collect();
            leases.retain(|lease| !changed.contains(&holder_and_instance(lease)));
            leases.extend(changes.iter().filter(|change| !change.is_removal()).map(|change| Arc::clone(&change.lease)));
        }
        (version, leases, recent)
    }

    /// All applications, to be walked over. A guard on the outer map would hold up whoever registers a new one, and
    /// with it all who wait for the commit lock.
    pub(super) fn own_apps(&self) -> Vec<Arc<AppLeases>> {
        self.apps.iter().map(|leases| Arc::clone(&leases)).collect()
    }

    /// All leases, those of remote regions among them. Of one version only while the commit lock is held.
    fn all_leases(&self) -> Vec<Arc<Lease>> {
        let apps = self.own_apps();
        let own = apps.iter().flat_map(|leases| leases.iter().map(|lease| Arc::clone(&lease)).collect::<Vec<_>>());
        own.chain(self.remote_leases()).collect()
    }

    /// Takes no lock for a lease that has not lapsed.
    fn visible_now(&self, lease: &Lease) -> bool {
        let now = self.clock.now();
        let (lease_now, length) = self.lease_time(now);
        !lease.lapsed(lease_now, length) || self.visible(&self.commit.lock(), lease, now)
    }

    pub(super) fn visible(&self, commit: &Commit, lease: &Lease, now: Now) -> bool {
        let (lease_now, length) = self.lease_time(now);
        !lease.lapsed(lease_now, length) || !commit.population.expiry_enabled(self.renewals.last_minute(now.mono))
    }
}

/// An instance in the list of whoever holds it.
fn holder_and_instance(lease: &Lease) -> (Option<RegionId>, &AppName, &InstanceId) {
    (lease.region, &lease.instance.app, &lease.instance.id)
}

#[cfg(test)]
mod tests;
