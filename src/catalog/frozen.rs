//! The copy that is renewed on a timer only (Java's read-only response cache).

use std::collections::HashMap;

use parking_lot::Mutex;

use super::{Answer, Form, What};

/// Answers as they were at the last tick. What was not asked for before is looked up live and kept
/// until the next tick, a miss too, as in Java; names that nobody has are forgotten at the tick, so that
/// they take no room from others for long.
#[derive(Debug, Default)]
pub(super) struct Frozen(Mutex<HashMap<(What, Form), Kept>>);

/// What the last tick found: an answer, or that there was none.
#[derive(Clone, Debug)]
pub(super) struct Kept(pub(super) Option<Answer>);

/// Names come from the paths of requests; beyond so many, names are not remembered.
const MOST: usize = 10_000;

impl Frozen {
    pub(super) fn get(&self, what: &What, form: Form) -> Option<Kept> {
        self.0.lock().get(&(what.clone(), form)).cloned()
    }

    pub(super) fn keep(&self, what: What, form: Form, answer: Option<Answer>) {
        let mut kept = self.0.lock();
        if kept.len() < MOST || kept.contains_key(&(what.clone(), form)) {
            kept.insert((what, form), Kept(answer));
        }
    }

    pub(super) fn forget(&self, what: &What, form: Form) {
        self.0.lock().remove(&(what.clone(), form));
    }

    pub(super) fn asked_for(&self) -> Vec<(What, Form)> {
        self.0.lock().keys().cloned().collect()
    }
}
