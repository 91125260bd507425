//! What operators did on this node, so that it can be undone. Bounded; the oldest is forgotten first.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::model::{AppName, InstanceId, InstanceStatus, OverrideNote, WallMillis};
use crate::registry::Former;

/// Operations at most.
const MOST: usize = 1_000;
/// Instances of all of them at most.
const MOST_INSTANCES: usize = 200_000;

/// See the module. Copies are the same one.
#[derive(Clone, Debug, Default)]
pub struct Memory(Arc<Mutex<Remembered>>);

/// Guarded by one lock, which is held for one look-up.
#[derive(Debug, Default)]
struct Remembered {
    operations: VecDeque<Arc<Operation>>,
    instances: usize,
    forgotten: u64,
}

/// Instances that were taken out of traffic together.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) id: String,
    pub(super) at: WallMillis,
    pub(super) status: InstanceStatus,
    /// On each override that it set.
    pub(super) note: Arc<OverrideNote>,
    /// Each instance, and what was there before.
    pub(super) instances: Vec<(AppName, InstanceId, Former)>,
    pub(super) undone: Mutex<bool>,
}

impl Memory {
    pub(super) fn put(&self, operation: Operation) {
        let remembered = &mut *self.0.lock();
        remembered.instances += operation.instances.len();
        remembered.operations.push_back(Arc::new(operation));
        while remembered.operations.len() > MOST
            || remembered.instances > MOST_INSTANCES && remembered.operations.len() > 1
        {
            let Some(oldest) = remembered.operations.pop_front() else { return };
            remembered.instances -= oldest.instances.len();
            remembered.forgotten += 1;
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<Arc<Operation>> {
        self.0.lock().operations.iter().rev().find(|operation| operation.id == id).cloned()
    }

    /// All that is remembered, newest first, and how many were forgotten.
    pub(super) fn all(&self) -> (Vec<Arc<Operation>>, u64) {
        let remembered = self.0.lock();
        (remembered.operations.iter().rev().cloned().collect(), remembered.forgotten)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten_and_counted() {
        let memory = Memory::default();
        for id in 0..=MOST {
            let note = OverrideNote { reason: "".into(), owner: "".into(), since: 0, until: None };
            let (instances, undone) = (Vec::new(), Mutex::new(false));
            let (id, status) = (id.to_string(), InstanceStatus::OutOfService);
            memory.put(Operation { id, at: 0, status, note: Arc::new(note), instances, undone });
        }
        let (all, forgotten) = memory.all();
        assert_eq!((all.len(), forgotten), (MOST, 1));
        assert!(memory.get("0").is_none() && memory.get("1").is_some());
        assert_eq!(all.first().map(|newest| &*newest.id), Some("1000"));
    }
}
