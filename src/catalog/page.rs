//! One page of the list of all instances, and its bytes in each form that was asked for.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::clock::Monotonic;
use crate::codec::pieces::Edges;
use crate::codec::{Group, Shown};
use crate::model::{AppName, Instance, InstanceId};
use crate::registry::Lease;

use super::Form;
use super::answer::Content;
use super::pages::{PAGE, compare};
use super::ready::Age;

/// Instances in their order. A copy has no bytes yet: it is made to be changed.
#[derive(Debug, Default)]
pub(super) struct Page {
    leases: Vec<Arc<Lease>>,
    /// Their lengths as full JSON, about.
    weight: usize,
    /// Held for a look; never while bytes are made.
    made: Mutex<Vec<(Form, Made)>>,
}

/// The bytes of a page in one form.
#[derive(Debug)]
struct Made {
    content: Content,
    edges: Edges,
    at: Monotonic,
}

impl Clone for Page {
    fn clone(&self) -> Self {
        Self { leases: self.leases.clone(), weight: self.weight, made: Mutex::default() }
    }
}

impl Page {
    pub(super) fn leases(&self) -> &[Arc<Lease>] {
        &self.leases
    }

    pub(super) fn is_empty(&self) -> bool {
        self.leases.is_empty()
    }

    pub(super) fn weight(&self) -> usize {
        self.weight
    }

    pub(super) fn first(&self) -> Option<&Instance> {
        self.leases.first().map(|lease| &*lease.instance)
    }

    pub(super) fn last(&self) -> Option<&Instance> {
        self.leases.last().map(|lease| &*lease.instance)
    }

    /// Where an instance is, or belongs.
    pub(super) fn find(&self, app: &AppName, id: &InstanceId) -> Result<usize, usize> {
        self.leases.binary_search_by(|lease| compare(lease, app, id))
    }

    /// Adds one that comes after all others.
    pub(super) fn push(&mut self, lease: Arc<Lease>) {
        self.insert(self.leases.len(), lease);
    }

    pub(super) fn insert(&mut self, at: usize, lease: Arc<Lease>) {
        self.changed();
        self.weight += weight(&lease.instance);
        self.leases.insert(at, lease);
    }

    pub(super) fn replace(&mut self, at: usize, lease: Arc<Lease>) -> Arc<Lease> {
        self.changed();
        self.weight += weight(&lease.instance);
        let earlier = std::mem::replace(&mut self.leases[at], lease);
        self.weight -= weight(&earlier.instance);
        earlier
    }

    pub(super) fn remove(&mut self, at: usize) -> Arc<Lease> {
        self.changed();
        let removed = self.leases.remove(at);
        self.weight -= weight(&removed.instance);
        removed
    }

    /// Gives the second half away; none if there is but one instance.
    pub(super) fn split(&mut self) -> Option<Self> {
        if self.leases.len() < 2 {
            return None;
        }
        self.changed();
        let mut half = 0;
        let place = self.leases.iter().position(|lease| {
            half += weight(&lease.instance);
            half > self.weight / 2
        });
        let place = place.unwrap_or_default().clamp(1, self.leases.len() - 1);
        let leases = self.leases.split_off(place);
        let weight = leases.iter().map(|lease| weight(&lease.instance)).sum();
        self.weight -= weight;
        Some(Self { leases, weight, made: Mutex::default() })
    }

    /// Its bytes in a form, if they are there, with these edges and not too old.
    pub(super) fn get(&self, form: Form, edges: Edges, age: Age) -> Option<(Content, Monotonic)> {
        let made = self.made.lock();
        let (_, made) = made.iter().find(|(other, _)| *other == form)?;
        let right = made.edges == edges && age.now.since(made.at) <= age.most;
        right.then(|| (made.content.clone(), made.at))
    }

    /// Makes its bytes in a form. Takes about a millisecond.
    pub(super) fn make(&self, form: Form, edges: Edges, now: Monotonic) -> Content {
        let content = Content::of(form, &self.groups(), edges);
        let mut made = self.made.lock();
        made.retain(|(other, _)| *other != form);
        made.push((form, Made { content: content.clone(), edges, at: now }));
        content
    }

    /// Forgets its bytes in a form.
    pub(super) fn forget(&self, form: Form) {
        self.made.lock().retain(|(other, _)| *other != form);
    }

    fn changed(&mut self) {
        self.made.get_mut().clear();
    }

    fn groups(&self) -> Vec<Group> {
        let same = |a: &Arc<Lease>, b: &Arc<Lease>| a.instance.app == b.instance.app;
        let group = |leases: &[Arc<Lease>]| {
            Some(Group {
                name: leases.first()?.instance.app.clone(),
                instances: leases.iter().map(|lease| shown(lease)).collect(),
            })
        };
        self.leases.chunk_by(same).filter_map(group).collect()
    }
}

/// An instance as it is to be shown now.
pub(super) fn shown(lease: &Lease) -> Shown {
    Shown { instance: Arc::clone(&lease.instance), times: lease.times() }
}

/// Its length as full JSON, about, but no more than a page.
pub(super) fn weight(instance: &Instance) -> usize {
    instance.json_length().min(PAGE)
}
