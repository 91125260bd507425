//! Copies of what other regions hold (`RemoteRegionRegistry`).
//!
//! A copy is for readers alone: nobody renews, changes or cancels what is in it, no peer is told of it, and
//! it counts for neither self-preservation nor the opening. Its changes are numbered in the registry's own
//! log, so that an answer that shows several regions has one version like any other. Copies lie apart from
//! the registry's map, and heartbeats and writes never see them.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RwLock;

use crate::clock::Now;
use crate::model::{ActionType, AppName, Instance, InstanceId, LeaseTimes};

use super::lease::Lease;
use super::{Cause, Commit, Origin, Registry};

/// A remote region, by its place among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegionId(u8);

/// Some of the remote regions. What is here belongs to every set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RegionSet(u64);

impl RegionSet {
    /// What is registered here alone.
    pub const NONE: Self = Self(0);

    /// The same regions, and this one.
    #[must_use]
    pub fn with(self, region: RegionId) -> Self {
        Self(self.0 | 1 << region.0)
    }

    /// Whether a region is among them.
    pub fn contains(self, region: RegionId) -> bool {
        self.0 & 1 << region.0 != 0
    }

    /// Whether there is no region.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// An instance as its region shows it.
#[derive(Clone, Debug)]
pub struct RemoteInstance {
    /// The instance.
    pub instance: Instance,
    /// Its lease there.
    pub times: LeaseTimes,
}

/// What happened in a region.
#[derive(Clone, Debug)]
pub enum RegionChange {
    /// An instance is as it is now.
    Put(Box<RemoteInstance>),
    /// An instance is gone.
    Removed(AppName, InstanceId),
}

/// One region and the copy of it.
#[derive(Debug)]
pub(super) struct Region {
    name: String,
    /// Whether a whole copy was ever made.
    loaded: AtomicBool,
    /// Written under the commit lock only; read by anybody for one look-up.
    apps: RwLock<BTreeMap<AppName, BTreeMap<InstanceId, Arc<Lease>>>>,
}

/// So many changes are made at a time, that writers need not wait for a whole region.
const AT_A_TIME: usize = 200;

impl Registry {
    /// The same registry with these remote regions, 64 at most; names are in lower case.
    #[must_use]
    pub fn with_regions<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        let region =
            |name: &str| Region { name: name.to_owned(), loaded: AtomicBool::new(false), apps: RwLock::default() };
        self.regions = names.into_iter().take(64).map(region).collect();
        self
    }

    /// All remote regions.
    pub fn all_regions(&self) -> RegionSet {
        self.region_ids().fold(RegionSet::NONE, RegionSet::with)
    }

    /// The remote region with this name, in lower case.
    pub fn region(&self, name: &str) -> Option<RegionId> {
        self.region_ids().zip(&self.regions).find(|(_, region)| region.name == name).map(|(id, _)| id)
    }

    /// The name of a remote region.
    pub fn region_name(&self, region: RegionId) -> Option<&str> {
        self.regions.get(usize::from(region.0)).map(|region| region.name.as_str())
    }

    /// Whether a whole copy of the region was ever made.
    pub fn is_region_loaded(&self, region: RegionId) -> bool {
        self.regions.get(usize::from(region.0)).is_some_and(|region| region.loaded.load(Ordering::Acquire))
    }

    /// How many instances the copy of a region has.
    pub fn region_len(&self, region: RegionId) -> usize {
        let count = |region: &Region| region.apps.read().values().map(BTreeMap::len).sum();
        self.regions.get(usize::from(region.0)).map_or(0, count)
    }

    /// An instance of the first region that has it.
    pub fn remote_instance(&self, app: &str, id: &str) -> Option<Arc<Lease>> {
        self.regions.iter().find_map(|region| region.apps.read().get(app)?.get(id).cloned())
    }

    /// The first instance with this id in the first region that has one.
    pub fn remote_instance_anywhere(&self, id: &str) -> Option<Arc<Lease>> {
        self.regions.iter().find_map(|region| region.apps.read().values().find_map(|app| app.get(id)).cloned())
    }

    /// Makes the copy of a region anew. Readers see an instance that stays at all times.
    pub fn replace_region(&self, region: RegionId, all: Vec<RemoteInstance>) {
        let Some(copy) = self.regions.get(usize::from(region.0)) else { return };
        let mut gone: HashSet<(AppName, InstanceId)> = {
            let apps = copy.apps.read();
            apps.iter().flat_map(|(app, ids)| ids.keys().map(|id| (app.clone(), id.clone()))).collect()
        };
        for listed in &all {
            gone.remove(&(listed.instance.app.clone(), listed.instance.id.clone()));
        }
        let puts = all.into_iter().map(|listed| RegionChange::Put(Box::new(listed)));
        let removals = gone.into_iter().map(|(app, id)| RegionChange::Removed(app, id));
        self.change_region(region, puts.chain(removals));
        copy.loaded.store(true, Ordering::Release);
    }

    /// Follows what happened in a region. One task at a time does this for a region.
    pub fn change_region(&self, region: RegionId, changes: impl IntoIterator<Item = RegionChange>) {
        let Some(copy) = self.regions.get(usize::from(region.0)) else { return };
        let mut changes = changes.into_iter().peekable();
        while changes.peek().is_some() {
            let now = self.clock.now();
            let mut commit = self.commit.lock();
            for change in changes.by_ref().take(AT_A_TIME) {
                match change {
                    RegionChange::Put(listed) => self.put_remote(&mut commit, copy, region, *listed, now),
                    RegionChange::Removed(app, id) => self.remove_remote(&mut commit, copy, &app, &id, now),
                }
            }
        }
    }

    fn put_remote(&self, commit: &mut Commit, copy: &Region, region: RegionId, listed: RemoteInstance, now: Now) {
        let RemoteInstance { mut instance, times } = listed;
        // A delta of one without an action would be passed over by clients.
        if instance.action != Some(ActionType::Modified) {
            instance.action = Some(ActionType::Added);
        }
        let mut apps = copy.apps.write();
        let ids = apps.entry(instance.app.clone()).or_default();
        if let Some(held) = ids.get(&instance.id).filter(|held| *held.instance == instance) {
            held.note_times(&times);
            return;
        }
        let lease = Arc::new(Lease::remote(Arc::new(instance), region, &times));
        let earlier = ids.insert(lease.instance.id.clone(), Arc::clone(&lease));
        let before = earlier.map(|earlier| earlier.instance.status);
        drop(apps);
        self.append(commit, lease, before, (Cause::Registered, Origin::Region), now);
    }

    fn remove_remote(&self, commit: &mut Commit, copy: &Region, app: &AppName, id: &InstanceId, now: Now) {
        let mut apps = copy.apps.write();
        let Some(ids) = apps.get_mut(app) else { return };
        let Some(lease) = ids.remove(id) else { return };
        if ids.is_empty() {
            apps.remove(app);
        }
        drop(apps);
        let tombstone = lease.tombstone(now.wall);
        self.append(commit, Arc::new(tombstone), Some(lease.instance.status), (Cause::Cancelled, Origin::Region), now);
    }

    /// All that the copies hold. Of one version only while the commit lock is held.
    pub(super) fn remote_leases(&self) -> Vec<Arc<Lease>> {
        let copies = self.regions.iter().map(|region| region.apps.read());
        copies.flat_map(|apps| apps.values().flat_map(|ids| ids.values().cloned()).collect::<Vec<_>>()).collect()
    }

    fn region_ids(&self) -> impl Iterator<Item = RegionId> {
        (0..64).map(RegionId).take(self.regions.len())
    }
}
