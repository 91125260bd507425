//! What a list shows, read off the sorted copy.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::codec::{Document, Group};
use crate::model::{AppName, InstanceId, InstanceStatus};
use crate::registry::Lease;

use super::ReadModel;
use crate::catalog::What;
use crate::catalog::page::{Page, shown};

/// What a list is written from.
#[derive(Debug)]
pub(in crate::catalog) enum Source {
    /// The whole registry.
    Pages {
        /// `apps__hashcode`.
        hash: String,
        /// All instances.
        pages: Vec<Arc<Page>>,
    },
    /// Any other list.
    Document(Document),
}

impl ReadModel {
    /// What a list shows, of a part all that it is chosen from; none for an application without instances.
    pub(in crate::catalog) fn source(&self, what: &What) -> Option<Source> {
        let document = match what {
            What::Apps => return Some(Source::Pages { hash: self.hash(), pages: self.pages.list() }),
            What::Part(part) => return self.source(&part.of),
            What::Delta => Document::Applications {
                version: i64::try_from(self.touched.0).unwrap_or(i64::MAX),
                hash: self.hash(),
                apps: groups_in_order(self.recent.iter().map(|change| &*change.lease)),
            },
            What::App(name) => {
                self.apps.get(name)?;
                Document::Application(self.nearest(name))
            }
            What::Vip(name) => self.vip_document(self.vips.members(name)),
            What::SecureVip(name) => self.vip_document(self.secure_vips.members(name)),
        };
        Some(Source::Document(document))
    }

    fn vip_document<'a>(&self, members: impl Iterator<Item = &'a (AppName, InstanceId)>) -> Document {
        let leases = members.filter_map(|(app, id)| self.pages.get(app, id).map(|lease| &**lease));
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

    /// The instances of an application here, or in the first region that has some.
    fn nearest(&self, name: &AppName) -> Group {
        let nearest = self.pages.of_app(name).map(|lease| lease.region).min().flatten();
        let instances = self.pages.of_app(name).filter(|lease| lease.region == nearest);
        Group { name: name.clone(), instances: instances.map(|lease| shown(lease)).collect() }
    }
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
pub fn hash_code(counts: &BTreeMap<InstanceStatus, usize>) -> String {
    let occurring = counts.iter().filter(|(_, count)| **count > 0);
    occurring.fold(String::new(), |hash, (status, count)| hash + &format!("{status}_{count}_"))
}
