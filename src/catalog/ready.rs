//! Answers that are ready to be sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use parking_lot::Mutex;

use crate::clock::Monotonic;

use super::read_model::{Moment, Stamp};
use super::{Answer, Form, What};

/// All ready answers, by what and form.
#[derive(Debug, Default)]
pub(super) struct ReadyAnswers {
    slots: DashMap<(What, Form), Arc<Slot>>,
    /// Bytes of the answers that depend on a name in the path, about: an answer that is being written
    /// while all are dropped is counted wrongly.
    named_bytes: AtomicI64,
}

/// Room for answers that depend on a name in the path; going over it drops them all, they are made
/// again when asked for. (The whole registry and the delta have one answer a form.)
const MOST_NAMED_BYTES: i64 = 64 * 1024 * 1024;

/// The place of one answer.
#[derive(Debug, Default)]
pub(super) struct Slot {
    built: Mutex<Option<Built>>,
    building: tokio::sync::Mutex<()>,
}

/// How old an answer may be: lease times in lists are those of the writing, so older ones are written
/// again (`response-cache-auto-expiration-in-seconds`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Age {
    pub(super) now: Monotonic,
    pub(super) most: Duration,
}

/// An answer with what it takes to know whether it is still right.
#[derive(Clone, Debug)]
pub(super) struct Built {
    /// What it was made of.
    pub(super) stamp: Stamp,
    /// The latest moment that it is known to be right for.
    pub(super) moment: Moment,
    /// When it was written.
    pub(super) at: Monotonic,
    pub(super) answer: Answer,
}

impl ReadyAnswers {
    /// The place of an answer, if there is one.
    pub(super) fn get(&self, what: &What, form: Form) -> Option<Arc<Slot>> {
        self.slots.get(&(what.clone(), form)).map(|slot| Arc::clone(&slot))
    }

    /// The place of an answer. Only names that an instance has get one.
    pub(super) fn slot(&self, what: &What, form: Form) -> Arc<Slot> {
        Arc::clone(&self.slots.entry((what.clone(), form)).or_default())
    }

    /// Puts an answer in its place.
    pub(super) fn keep(&self, what: &What, slot: &Slot, built: Built) {
        let length = |built: &Built| i64::try_from(built.answer.length).unwrap_or(i64::MAX);
        let now = length(&built);
        let more = now - slot.built.lock().replace(built).map_or(0, |earlier| length(&earlier));
        if matches!(what, What::Apps | What::Delta) {
            return;
        }
        if self.named_bytes.fetch_add(more, Ordering::Relaxed) + more > MOST_NAMED_BYTES {
            tracing::debug!(most = MOST_NAMED_BYTES, "ready answers by name take too much room, dropping them");
            self.slots.retain(|(what, _), _| matches!(what, What::Apps | What::Delta));
            self.named_bytes.store(0, Ordering::Relaxed);
        }
    }
}

impl Slot {
    /// The answer if nothing at all has happened since.
    pub(super) fn as_of(&self, moment: Moment, age: Age) -> Option<Answer> {
        self.get(age, |built| built.moment.reaches(moment))
    }

    /// The answer if nothing has happened to what it shows; it is then known to be right for
    /// `moment`.
    pub(super) fn same(&self, stamp: Stamp, moment: Moment, age: Age) -> Option<Answer> {
        self.get(age, |built| {
            let same = built.stamp == stamp;
            if same && moment.reaches(built.moment) {
                built.moment = moment;
            }
            same
        })
    }

    fn get(&self, age: Age, right: impl FnOnce(&mut Built) -> bool) -> Option<Answer> {
        let mut built = self.built.lock();
        let built = built.as_mut()?;
        (age.now.since(built.at) <= age.most && right(built)).then(|| built.answer.clone())
    }

    /// Waits until nobody else writes this answer.
    pub(super) async fn building(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.building.lock().await
    }
}
