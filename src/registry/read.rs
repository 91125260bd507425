//! What may be asked of the registry itself: single instances, figures, and what a read model needs.

use std::sync::Arc;

use crate::clock::Now;
use crate::model::{AppName, InstanceId, InstanceStatus};

use super::last_leases::LeaseEvent;
use super::lease::Lease;
use super::{Change, Commit, Registry, Version};

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
            .apps
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

    /// What happened after a version, and the version that it leads to.
    pub fn catch_up(&self, from: Version) -> (Version, CatchUp) {
        let commit = self.commit.lock();
        let recent = commit.log.recent();
        let missed = match recent.since(from) {
            Some(changes) => CatchUp::Changes(changes.cloned().collect()),
            None => CatchUp::Everything {
                leases: self
                    .apps
                    .iter()
                    .flat_map(|leases| leases.iter().map(|lease| Arc::clone(&lease)).collect::<Vec<_>>())
                    .chain(self.remote_leases())
                    .collect(),
                recent: recent.iter().cloned().collect(),
            },
        };
        (commit.log.version(), missed)
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
