//! Whose requests are being answered: one at a time of each peer, and one of all whom this node does not know.
//!
//! An answer walks what is held, and anybody can say that it is a node of our own. A node that does not know
//! the one that asks is no fault (its list of peers may be another one), so strangers are answered as well, but
//! all of them together cost no more than one peer, and keep no peer from being answered. Which node somebody is
//! stands in each of its answers; that it is that node shows the stream of its batches, which its peers alone know.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::peers::identity::NodeId;

/// See the module. Copies share it.
#[derive(Clone, Debug, Default)]
pub struct Askers {
    /// None: a stranger. Held for one look-up.
    answering: Arc<Mutex<BTreeSet<Option<NodeId>>>>,
}

/// The turn of one who asks, until it is dropped.
#[derive(Debug)]
pub struct Admitted {
    asker: Option<NodeId>,
    askers: Askers,
}

impl Askers {
    /// Admits a peer, or a stranger (none), unless one like it is being answered.
    pub fn admit(&self, asker: Option<NodeId>) -> Option<Admitted> {
        let is_its_turn = self.answering.lock().insert(asker);
        is_its_turn.then(|| Admitted { asker, askers: self.clone() })
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.askers.answering.lock().remove(&self.asker);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_peer_has_one_turn_and_strangers_have_one_together() {
        let askers = Askers::default();
        let (one, other) = (Some(NodeId::of(1)), Some(NodeId::of(2)));
        let admitted = [askers.admit(one), askers.admit(other), askers.admit(None)];
        assert!(admitted.iter().all(Option::is_some));
        for asker in [one, other, None] {
            assert!(askers.admit(asker).is_none());
        }
        drop(admitted);
        assert!(askers.admit(one).is_some());
        assert!(askers.admit(None).is_some());
    }
}
