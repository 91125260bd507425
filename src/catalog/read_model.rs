//! The sorted copy of the registry that documents are written from.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Monotonic;
use crate::codec::{Document, Group, Shown};
use crate::model::{AppName, Instance, InstanceId, InstanceStatus};
use crate::registry::{CatchUp, Change, Lease, RecentChanges, Registry, Version};

use super::What;
use super::vip_index::VipIndex;

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
    version: Version,
    apps: BTreeMap<AppName, App>,
    vips: VipIndex,
    secure_vips: VipIndex,
    counts: BTreeMap<InstanceStatus, usize>,
    recent: RecentChanges,
    most_recent: usize,
    swept: u64,
}

#[derive(Debug)]
struct App {
    instances: BTreeMap<InstanceId, Arc<Lease>>,
    touched: Version,
}

impl ReadModel {
    pub(super) fn new(most_recent: usize) -> Self {
        Self {
            version: Version::EMPTY,
            apps: BTreeMap::new(),
            vips: VipIndex::default(),
            secure_vips: VipIndex::default(),
            counts: BTreeMap::new(),
            recent: RecentChanges::new(most_recent),
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
                *self = Self { swept: self.swept, ..Self::new(self.most_recent) };
                for lease in leases {
                    self.put(lease, version);
                }
                for change in recent {
                    self.recent.push(change);
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
            What::Apps => Some(Stamp(self.version, 0)),
            What::Delta => Some(Stamp(self.version, self.swept)),
            What::App(name) => self.apps.get(name).map(|app| Stamp(app.touched, 0)),
            What::Vip(name) => self.vips.touched(name).map(|version| Stamp(version, 0)),
            What::SecureVip(name) => self.secure_vips.touched(name).map(|version| Stamp(version, 0)),
        }
    }

    /// What a list shows; none for an application without instances.
    pub(super) fn document(&self, what: &What) -> Option<Document> {
        Some(match what {
            What::Apps => Document::Applications {
                version: 1,
                hash: self.hash(),
                apps: self.apps.iter().map(|(name, app)| app.group(name)).collect(),
            },
            What::Delta => Document::Applications {
                version: i64::try_from(self.version.0).unwrap_or(i64::MAX),
                hash: self.hash(),
                apps: groups_in_order(self.recent.iter().map(|change| &*change.lease)),
            },
            What::App(name) => Document::Application(self.apps.get(name)?.group(name)),
            What::Vip(name) => self.vip_document(self.vips.members(name)),
            What::SecureVip(name) => self.vip_document(self.secure_vips.members(name)),
        })
    }

    fn vip_document<'a>(&self, members: impl Iterator<Item = &'a (AppName, InstanceId)>) -> Document {
        let leases = members.filter_map(|(app, id)| self.apps.get(app)?.instances.get(id).map(|lease| &**lease));
        let apps = groups_in_order(leases);
        let mut counts = BTreeMap::new();
        for shown in apps.iter().flat_map(|app| &app.instances) {
            *counts.entry(shown.instance.status).or_default() += 1;
        }
        Document::Applications { version: -1, hash: hash_code(&counts), apps }
    }

    fn hash(&self) -> String {
        hash_code(&self.counts)
    }

    fn apply(&mut self, change: Change) {
        let lease = &change.lease;
        if change.is_removal() {
            self.remove(&lease.instance, change.version);
        } else {
            self.put(Arc::clone(lease), change.version);
        }
        self.recent.push(change);
    }

    fn put(&mut self, lease: Arc<Lease>, version: Version) {
        let instance = Arc::clone(&lease.instance);
        let app = self
            .apps
            .entry(instance.app.clone())
            .or_insert_with(|| App { instances: BTreeMap::new(), touched: version });
        app.touched = version;
        let earlier = app.instances.insert(instance.id.clone(), lease);
        let earlier = earlier.as_ref().map(|lease| &*lease.instance);
        if let Some(count) = earlier.and_then(|earlier| self.counts.get_mut(&earlier.status)) {
            *count -= 1;
        }
        *self.counts.entry(instance.status).or_default() += 1;
        self.vips.change(earlier, &instance, |instance| instance.vip_address.as_ref(), version);
        self.secure_vips.change(earlier, &instance, |instance| instance.secure_vip_address.as_ref(), version);
    }

    fn remove(&mut self, instance: &Instance, version: Version) {
        let Some(app) = self.apps.get_mut(&instance.app) else {
            return;
        };
        app.touched = version;
        let removed = app.instances.remove(&instance.id);
        if app.instances.is_empty() {
            self.apps.remove(&instance.app);
        }
        let Some(removed) = removed else {
            return;
        };
        let removed = &removed.instance;
        if let Some(count) = self.counts.get_mut(&removed.status) {
            *count -= 1;
        }
        self.vips.remove(removed.vip_address.as_ref(), removed, version);
        self.secure_vips.remove(removed.secure_vip_address.as_ref(), removed, version);
    }
}

impl App {
    fn group(&self, name: &AppName) -> Group {
        Group { name: name.clone(), instances: self.instances.values().map(|lease| shown(lease)).collect() }
    }
}

fn shown(lease: &Lease) -> Shown {
    Shown { instance: Arc::clone(&lease.instance), times: lease.times() }
}

/// Applications in the order in which they first occur.
fn groups_in_order<'a>(leases: impl Iterator<Item = &'a Lease>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut places = HashMap::new();
    for lease in leases {
        let name = &lease.instance.app;
        let place = *places.entry(name.clone()).or_insert_with(|| {
            groups.push(Group { name: name.clone(), instances: Vec::new() });
            groups.len() - 1
        });
        groups[place].instances.push(shown(lease));
    }
    groups
}

/// `Applications.getReconcileHashCode`: each status that occurs with its count, sorted by name.
fn hash_code(counts: &BTreeMap<InstanceStatus, usize>) -> String {
    let occurring = counts.iter().filter(|(_, count)| **count > 0);
    occurring.fold(String::new(), |hash, (status, count)| hash + &format!("{status}_{count}_"))
}
