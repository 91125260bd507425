//! Answers that are ready to be sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use parking_lot::Mutex;

use crate::clock::Monotonic;

use super::part::Members;
use super::read_model::{Moment, Stamp};
use super::{Answer, Form, What};

/// All ready answers, by what and form.
#[derive(Debug)]
pub(super) struct ReadyAnswers {
    slots: DashMap<(What, Form), Arc<Slot>>,
    /// Room for those that depend on a name in the path, or on a filter.
    capacity: Capacity,
    /// Bytes of those, about: an answer that is being written while others are dropped is counted wrongly until
    /// the next time.
    named_bytes: AtomicI64,
    /// How often anything was asked for.
    asked: AtomicU64,
}

/// Room for answers that depend on what callers write; going over it drops those that nobody asked for for the
/// longest time, they are made again when asked for. (The whole registry and the delta have one answer a form.)
#[derive(Clone, Copy, Debug)]
pub(super) struct Capacity {
    pub(super) bytes: i64,
    pub(super) answers: usize,
}

impl Capacity {
    /// For answers that depend on a name in the path: there are no more of them than names.
    const OF_NAMES: Self = Self { bytes: 64 * 1024 * 1024, answers: usize::MAX };

    /// What is left when some were dropped, so that not every further answer drops some.
    fn enough(self) -> Self {
        Self { bytes: self.bytes / 4 * 3, answers: self.answers / 4 * 3 }
    }
}

impl Default for ReadyAnswers {
    fn default() -> Self {
        Self::with(Capacity::OF_NAMES)
    }
}

/// The place of one answer.
#[derive(Debug, Default)]
pub(super) struct Slot {
    built: Mutex<Option<Built>>,
    building: tokio::sync::Mutex<()>,
    /// The number of the last question for it.
    asked: AtomicU64,
    /// When that was, in monotonic milliseconds.
    asked_at: AtomicU64,
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
    /// What a part of a list shows; empty for whole lists.
    pub(super) members: Members,
    pub(super) answer: Answer,
}

impl ReadyAnswers {
    /// None yet.
    pub(super) fn with(capacity: Capacity) -> Self {
        Self { slots: DashMap::new(), capacity, named_bytes: AtomicI64::new(0), asked: AtomicU64::new(0) }
    }

    /// The place of an answer, if there is one.
    pub(super) fn get(&self, what: &What, form: Form, now: Monotonic) -> Option<Arc<Slot>> {
        let slot = self.slots.get(&(what.clone(), form)).map(|slot| Arc::clone(&slot))?;
        self.ask(&slot, now);
        Some(slot)
    }

    /// The place of an answer. Only names that an instance has get one.
    pub(super) fn slot(&self, what: &What, form: Form, now: Monotonic) -> Arc<Slot> {
        let slot = Arc::clone(&self.slots.entry((what.clone(), form)).or_default());
        self.ask(&slot, now);
        if self.slots.len() > self.capacity.answers {
            self.drop_some();
        }
        slot
    }

    /// Drops whole lists and parts of lists that nobody has asked for in so long; gives the forms in which nobody needs pages of
    /// the whole registry any more.
    pub(super) fn drop_unread(&self, age: Age) -> Vec<Form> {
        let mut dropped = Vec::new();
        self.slots.retain(|(what, form), slot| {
            let asked = Monotonic(slot.asked_at.load(Ordering::Relaxed));
            let is_dropped = matches!(what, What::Apps | What::Delta | What::Part(_));
            let unread = is_dropped && age.now.since(asked) > age.most;
            if unread && matches!(what, What::Part(_)) {
                self.named_bytes.fetch_sub(slot.length(), Ordering::Relaxed);
            }
            if unread && *what == What::Apps {
                dropped.push(*form);
            }
            !unread
        });
        let lists = self.slots.iter().filter(|slot| slot.key().0 == What::Apps);
        let read: Vec<Form> = lists.map(|slot| slot.key().1).collect();
        let is_needed = |form: &Form| read.iter().any(|read| read == form || read.packed() == *form);
        dropped.into_iter().flat_map(|form| [form, form.packed()]).filter(|form| !is_needed(form)).collect()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    fn ask(&self, slot: &Slot, now: Monotonic) {
        slot.asked_at.store(now.0, Ordering::Relaxed);
        slot.asked.store(self.asked.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Puts an answer in its place.
    pub(super) fn keep(&self, what: &What, slot: &Slot, built: Built) {
        let now = built.length();
        let more = now - slot.built.lock().replace(built).map_or(0, |earlier| earlier.length());
        if matches!(what, What::Apps | What::Delta) {
            return;
        }
        if self.named_bytes.fetch_add(more, Ordering::Relaxed) + more > self.capacity.bytes {
            tracing::debug!(most = self.capacity.bytes, "ready answers by name take too much room, dropping some");
            self.drop_some();
        }
    }

    /// Keeps what was asked for last, and the very last whatever its size.
    fn drop_some(&self) {
        let named = self.slots.iter().filter(|slot| !matches!(slot.key().0, What::Apps | What::Delta));
        let mut named: Vec<_> =
            named.map(|slot| (slot.asked.load(Ordering::Relaxed), slot.length(), slot.key().clone())).collect();
        named.sort_unstable_by_key(|(asked, ..)| std::cmp::Reverse(*asked));
        let enough = self.capacity.enough();
        let mut kept = 0;
        for (place, (_, length, key)) in named.into_iter().enumerate() {
            let fits = length > 0 && kept + length <= enough.bytes && place < enough.answers;
            if place == 0 || fits {
                kept += length;
            } else {
                self.slots.remove(&key);
            }
        }
        self.named_bytes.store(kept, Ordering::Relaxed);
    }
}

impl Built {
    fn length(&self) -> i64 {
        i64::try_from(self.answer.kept() + self.members.kept()).unwrap_or(i64::MAX)
    }
}

impl Slot {
    fn length(&self) -> i64 {
        self.built.lock().as_ref().map_or(0, Built::length)
    }

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

    /// The answer if it shows these instances, as they are now; it is then right for `stamp` and `moment`.
    pub(super) fn showing(&self, members: &Members, stamp: Stamp, moment: Moment, age: Age) -> Option<Answer> {
        self.get(age, |built| {
            let same = built.members.are(members);
            if same {
                (built.stamp, built.moment) = (stamp, moment);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Coding;
    use crate::catalog::read_model::ReadModel;
    use crate::codec::{Detail, Format};
    use crate::registry::{RegionSet, Version};

    const MOST_NAMED_BYTES: i64 = Capacity::OF_NAMES.bytes;
    const FORM: Form = Form { format: Format::Json, detail: Detail::Full, coding: Coding::Plain };

    fn keep(ready: &ReadyAnswers, what: &What, length: i64) {
        let stamp = ReadModel::new(1, RegionSet::NONE).stamp(&What::Apps);
        let answer = Answer::of(Version::EMPTY, vec![vec![0; usize::try_from(length).unwrap_or(0)].into()]);
        let moment = Moment { version: Version::EMPTY, swept: 0 };
        if let Some(stamp) = stamp {
            ready.keep(
                what,
                &ready.slot(what, FORM, Monotonic(0)),
                Built { stamp, moment, at: Monotonic(0), members: Members::default(), answer },
            );
        }
    }

    fn vip(n: i64) -> What {
        What::Vip(n.to_string().into())
    }

    #[test]
    fn pages_of_a_form_that_others_are_made_of_are_kept() {
        let (plain, packed) = (FORM, FORM.packed());
        let minute = Duration::from_mins(1);
        let ready = ReadyAnswers::default();
        let read = |form, seconds: u64| drop(ready.slot(&What::Apps, form, Monotonic(seconds * 1_000)));
        let dropped = |seconds: u64| ready.drop_unread(Age { now: Monotonic(seconds * 1_000), most: minute });
        read(plain, 0);
        read(packed, 0);
        read(plain, 50);
        assert_eq!(dropped(61), [], "a long plain list is made of them");
        read(packed, 100);
        assert_eq!(dropped(111), [plain]);
        assert_eq!(dropped(161), [packed, packed]);
    }

    #[test]
    fn what_nobody_asked_for_longest_makes_room() {
        let ready = ReadyAnswers::default();
        keep(&ready, &What::Apps, MOST_NAMED_BYTES);
        for n in 0..16 {
            keep(&ready, &vip(n), MOST_NAMED_BYTES / 16);
        }
        assert!((0..16).all(|n| ready.slots.contains_key(&(vip(n), FORM))), "they fit");
        assert!(ready.get(&vip(0), FORM, Monotonic(0)).is_some(), "asked for again");
        keep(&ready, &vip(16), MOST_NAMED_BYTES / 16);
        let kept: Vec<_> = (0..17).filter(|n| ready.slots.contains_key(&(vip(*n), FORM))).collect();
        assert_eq!(kept, [0, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
        assert!(ready.slots.contains_key(&(What::Apps, FORM)));
        keep(&ready, &vip(17), MOST_NAMED_BYTES + 1);
        assert!(ready.slots.contains_key(&(vip(17), FORM)), "an answer never drops itself");
        assert_eq!((ready.slots.len(), ready.named_bytes.load(Ordering::Relaxed)), (2, MOST_NAMED_BYTES + 1));
    }
}
