//! A reader that lives on deltas, as Java's client does (`DiscoveryClient.updateDelta`).

use std::collections::BTreeMap;

use crate::server::list::{List, Record, hash_code};

/// Its copy of the registry: application and id to record.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Follower(BTreeMap<(String, String), Record>);

impl Follower {
    /// The copy of one who has just fetched everything.
    pub(crate) fn of(full: &List) -> Self {
        let mut follower = Self::default();
        for record in &full.records {
            let earlier = follower.0.insert(key(record), record.clone());
            assert_eq!(earlier, None, "listed twice");
        }
        follower
    }

    /// Applies a delta as Java does: whatever was added or modified replaces, whatever was deleted goes.
    pub(crate) fn apply(&mut self, delta: &List) {
        for record in &delta.records {
            match &*record.action {
                "ADDED" | "MODIFIED" => {
                    self.0.insert(key(record), record.clone());
                }
                "DELETED" => {
                    self.0.remove(&key(record));
                }
                other => panic!("no action: {other}"),
            }
        }
    }

    /// Applies a delta and finds what it has then to be complete, as its hash code says.
    pub(crate) fn catch_up(&mut self, delta: &List) {
        self.apply(delta);
        assert_eq!(self.hash(), delta.hash, "the delta lacks something");
    }

    /// The hash code of what it holds.
    pub(crate) fn hash(&self) -> String {
        hash_code(self.0.values().map(|record| &*record.status))
    }
}

fn key(record: &Record) -> (String, String) {
    (record.app.clone(), record.id.clone())
}
