//! The sorted copy of the registry that documents are written from.
//!
//! It may show remote regions beside what is registered here. Of an instance that several have, one is
//! shown: that of this server, else that of the first region. (In Java the last region wins, and a delta
//! may hold what the list of the same moment does not.) The delta shows of each instance that any of them
//! changed what is shown of it now, so that it leads to the list of the same version.

mod source;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Monotonic;
use crate::model::{AppName, Instance, InstanceId, InstanceStatus};
use crate::registry::{CatchUp, Cause, Change, Lease, RecentChanges, RegionSet, Registry, Version};

use super::What;
use super::page::Page;
use super::pages::Pages;
use super::vip_index::VipIndex;

pub(super) use source::Source;
pub use source::hash_code;

/// Tells two states of one list apart: the version that last touched it, and how often the delta was
/// swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp(Version, u64);

/// What all lists depend on: the registry's version, and how often the delta was swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) version: Version,
    pub(super) swept: u64,
}

impl Moment {
    /// Whether this is the other moment or a later one.
    pub(super) fn reaches(self, other: Self) -> bool {
        self.version >= other.version && self.swept >= other.swept
    }
}

/// See the module. It is as of one version, in all its parts.
#[derive(Debug)]
pub(super) struct ReadModel {
    /// The remote regions that it shows.
    regions: RegionSet,
    version: Version,
    /// The last version that changed anything in it.
    touched: Version,
    pages: Pages,
    apps: HashMap<AppName, App>,
    vips: VipIndex,
    secure_vips: VipIndex,
    counts: BTreeMap<InstanceStatus, usize>,
    /// What others have of instances that are shown, first come first: of those that several have.
    hidden: HashMap<(AppName, InstanceId), Vec<Arc<Lease>>>,
    recent: RecentChanges,
    most_recent: usize,
    swept: u64,
}

/// An application that has instances.
#[derive(Debug)]
struct App {
    instances: usize,
    touched: Version,
}

impl ReadModel {
    pub(super) fn new(most_recent: usize, regions: RegionSet) -> Self {
        Self {
            regions,
            version: Version::EMPTY,
            touched: Version::EMPTY,
            pages: Pages::default(),
            apps: HashMap::new(),
            vips: VipIndex::default(),
            secure_vips: VipIndex::default(),
            counts: BTreeMap::new(),
            hidden: HashMap::new(),
            recent: RecentChanges::merged(most_recent),
            most_recent,
            swept: 0,
        }
    }

    /// Applies what happened since; gives the moment that the model is at then.
    pub(super) fn catch_up(&mut self, registry: &Registry) -> Moment {
        if registry.version() == self.version {
            return self.moment();
        }
        let (version, missed) = registry.catch_up(self.version);
        match missed {
            CatchUp::Changes(changes) => {
                for change in changes {
                    self.apply(change);
                }
            }
            CatchUp::Everything { leases, recent } => {
                tracing::debug!(from = self.version.0, to = version.0, "the change log has a gap, reading everything");
                *self = Self { swept: self.swept, touched: version, ..Self::new(self.most_recent, self.regions) };
                let regions = self.regions;
                if regions.is_empty() {
                    let own: Vec<_> = leases.into_iter().filter(|lease| lease.region.is_none()).collect();
                    for lease in &own {
                        self.note(None, &lease.instance, version);
                    }
                    self.pages = Pages::of(own);
                } else {
                    for lease in leases.into_iter().filter(|lease| shows(regions, lease)) {
                        if let Some(shown) = self.replace(&lease, Some(&lease)) {
                            self.put(shown, version);
                        }
                    }
                }
                for change in recent.into_iter().filter(|change| shows(regions, &change.lease)) {
                    let shown = self.shown(&change.lease.instance).cloned();
                    self.recent.push(changed_to(change, shown));
                }
            }
        }
        self.version = version;
        self.moment()
    }

    fn moment(&self) -> Moment {
        Moment { version: self.version, swept: self.swept }
    }

    /// Drops old changes from the delta; gives the moment after that.
    pub(super) fn sweep(&mut self, now: Monotonic, retention: Duration) -> Moment {
        if self.recent.sweep(now, retention) {
            self.swept += 1;
        }
        self.moment()
    }

    /// The state that a list is in; none for a name that no instance has.
    pub(super) fn stamp(&self, what: &What) -> Option<Stamp> {
        match what {
            What::Apps => Some(Stamp(self.touched, 0)),
            What::Delta => Some(Stamp(self.touched, self.swept)),
            What::App(name) => self.apps.get(name).map(|app| Stamp(app.touched, 0)),
            What::Vip(name) => self.vips.touched(name).map(|version| Stamp(version, 0)),
            What::SecureVip(name) => self.secure_vips.touched(name).map(|version| Stamp(version, 0)),
            What::Part(part) if part.of == What::Apps && !part.only.apps.is_empty() => {
                Some(self.stamp_of(&part.only.apps))
            }
            What::Part(part) => self.stamp(&part.of),
        }
    }

    /// The state that these applications are in. An instance that comes or changes makes the version greater, so
    /// that beside an equal one an application can only be gone: the second number is how many there are.
    fn stamp_of(&self, apps: &[AppName]) -> Stamp {
        let touched = apps.iter().filter_map(|name| self.apps.get(name)).map(|app| app.touched);
        Stamp(touched.clone().max().unwrap_or(Version::EMPTY), u64::try_from(touched.count()).unwrap_or(u64::MAX))
    }

    fn apply(&mut self, change: Change) {
        let lease = &change.lease;
        if !shows(self.regions, lease) {
            return;
        }
        self.touched = change.version;
        if !self.regions.is_empty() {
            self.apply_among(change);
            return;
        }
        if change.is_removal() {
            self.remove(&lease.instance, change.version);
        } else {
            self.put(Arc::clone(lease), change.version);
        }
        self.recent.push(change);
    }

    /// Applies a change of an instance that others may have as well.
    fn apply_among(&mut self, change: Change) {
        let now = (!change.is_removal()).then_some(&change.lease);
        let before = self.shown(&change.lease.instance).cloned();
        let after = self.replace(&change.lease, now);
        match &after {
            // What happened is hidden.
            Some(after) if before.is_some_and(|before| Arc::ptr_eq(&before, after)) => return,
            Some(after) => self.put(Arc::clone(after), change.version),
            None => self.remove(&change.lease.instance, change.version),
        }
        self.recent.push(changed_to(change, after));
    }

    /// Puts `now` in the place of what the holder of `lease` had. Gives what is to be shown of the instance.
    fn replace(&mut self, lease: &Lease, now: Option<&Arc<Lease>>) -> Option<Arc<Lease>> {
        let shown = self.shown(&lease.instance);
        if self.hidden.is_empty() && shown.is_none_or(|shown| shown.region == lease.region) {
            return now.cloned();
        }
        let shown = shown.cloned();
        let key = (lease.instance.app.clone(), lease.instance.id.clone());
        let mut held = self.hidden.remove(&key).unwrap_or_default();
        held.extend(shown);
        held.retain(|other| other.region != lease.region);
        held.extend(now.cloned());
        // This server's comes before those of the regions.
        held.sort_unstable_by_key(|lease| lease.region);
        if held.is_empty() {
            return None;
        }
        let first = held.remove(0);
        if !held.is_empty() {
            self.hidden.insert(key, held);
        }
        Some(first)
    }

    fn shown(&self, instance: &Instance) -> Option<&Arc<Lease>> {
        self.pages.get(&instance.app, &instance.id)
    }

    fn put(&mut self, lease: Arc<Lease>, version: Version) {
        let instance = Arc::clone(&lease.instance);
        let earlier = self.pages.put(lease);
        self.note(earlier.as_ref().map(|lease| &*lease.instance), &instance, version);
    }

    /// Notes in everything but the pages that an instance takes the place of an earlier one.
    fn note(&mut self, earlier: Option<&Instance>, instance: &Instance, version: Version) {
        let app = self.apps.entry(instance.app.clone()).or_insert(App { instances: 0, touched: version });
        app.touched = version;
        app.instances += usize::from(earlier.is_none());
        if let Some(count) = earlier.and_then(|earlier| self.counts.get_mut(&earlier.status)) {
            *count -= 1;
        }
        *self.counts.entry(instance.status).or_default() += 1;
        self.vips.change(earlier, instance, |instance| instance.vip_address.as_ref(), version);
        self.secure_vips.change(earlier, instance, |instance| instance.secure_vip_address.as_ref(), version);
    }

    fn remove(&mut self, instance: &Instance, version: Version) {
        let Some(removed) = self.pages.remove(&instance.app, &instance.id) else {
            return;
        };
        if let Some(app) = self.apps.get_mut(&instance.app) {
            app.touched = version;
            app.instances -= 1;
            if app.instances == 0 {
                self.apps.remove(&instance.app);
            }
        }
        let removed = &removed.instance;
        if let Some(count) = self.counts.get_mut(&removed.status) {
            *count -= 1;
        }
        self.vips.remove(removed.vip_address.as_ref(), removed, version);
        self.secure_vips.remove(removed.secure_vip_address.as_ref(), removed, version);
    }

    /// How many instances each application has.
    pub(super) fn applications(&self) -> BTreeMap<AppName, usize> {
        self.apps.iter().map(|(name, app)| (name.clone(), app.instances)).collect()
    }

    /// The lease of an instance.
    pub(super) fn get(&self, app: &AppName, id: &InstanceId) -> Option<&Arc<Lease>> {
        self.pages.get(app, id)
    }

    /// All leases of an application.
    pub(super) fn of_app<'a>(&'a self, app: &'a AppName) -> impl Iterator<Item = &'a Arc<Lease>> {
        self.pages.of_app(app)
    }

    /// The pages of the whole registry.
    pub(super) fn pages(&self) -> Vec<Arc<Page>> {
        self.pages.list()
    }
}

fn shows(regions: RegionSet, lease: &Lease) -> bool {
    lease.region.is_none_or(|region| regions.contains(region))
}

/// A change after which this is shown; none: nothing is.
fn changed_to(change: Change, shown: Option<Arc<Lease>>) -> Change {
    match shown {
        Some(lease) => Change { cause: Cause::Registered, lease, ..change },
        None => change,
    }
}
