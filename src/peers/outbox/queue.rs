//! What waits: changes in their order, heartbeats in theirs, and instances that the peer lacks.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Monotonic;
use crate::model::{AppName, InstanceId};
use crate::registry::{Lease, Told};

use super::task::{OutboxLimits, Task, What};
use super::{BATCH, GATHER, REGISTER_AFTER};

/// Places in a batch that changes leave to heartbeats.
pub(super) const PLACES_FOR_HEARTBEATS: usize = BATCH / 5;
/// Bytes of registrations after which a batch takes no more changes: 250 usual ones have fewer. An instance may
/// be ten megabytes long, and a peer takes no larger bodies.
pub(super) const ENOUGH_BYTES: usize = 2 << 20;

/// See the module.
#[derive(Debug)]
pub(super) struct Queue {
    limits: OutboxLimits,
    /// The bit of this peer in each lease.
    bit: u64,
    /// Changes by their place.
    changes: BTreeMap<i64, Task>,
    places: HashMap<Key, i64>,
    heartbeats: VecDeque<Task>,
    /// Instances that the peer lacks, and when they are to be sent.
    lacking: VecDeque<(Monotonic, AppName, InstanceId)>,
    pub(super) expired: u64,
    pub(super) overflowed: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    app: AppName,
    id: InstanceId,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Register,
    Cancel,
    StatusUpdate,
    DeleteStatusOverride,
}

impl Queue {
    pub(super) fn new(limits: OutboxLimits, bit: u64) -> Self {
        Self {
            limits,
            bit,
            changes: BTreeMap::new(),
            places: HashMap::new(),
            heartbeats: VecDeque::new(),
            lacking: VecDeque::new(),
            expired: 0,
            overflowed: 0,
        }
    }

    /// Takes a change in, at the end.
    pub(super) fn put(&mut self, told: Told, lease: Arc<Lease>, now: Monotonic) {
        let expires = match told {
            Told::Register => now.after(renewal_interval(&lease)),
            Told::Cancel | Told::StatusUpdate(_) | Told::DeleteStatusOverride(_) => now.after(self.limits.longest),
        };
        let place = self.changes.last_key_value().map_or(0, |(last, _)| last + 1);
        if let Some(earlier) = self.places.insert(key(&lease, told), place) {
            self.changes.remove(&earlier);
        }
        self.changes.insert(place, Task { what: What::Change(told), lease, since: now, expires });
        self.make_room();
    }

    /// Takes a heartbeat in, of a lease in which the bit was just set.
    pub(super) fn beat(&mut self, lease: Arc<Lease>, now: Monotonic) {
        let expires = now.after(renewal_interval(&lease));
        self.heartbeats.push_back(Task { what: What::Heartbeat, lease, since: now, expires });
        self.make_room();
    }

    /// Notes that the peer lacks an instance. It is sent after a moment, in which a cancel that crossed
    /// the heartbeat may arrive.
    pub(super) fn lacks(&mut self, lease: &Lease, now: Monotonic) {
        let instance = &lease.instance;
        self.lacking.push_back((now.after(REGISTER_AFTER), instance.app.clone(), instance.id.clone()));
        self.make_room();
    }

    /// Turns instances that the peer lacks into changes when their time has come.
    pub(super) fn register_lacking(
        &mut self,
        now: Monotonic,
        held: impl Fn(&AppName, &InstanceId) -> Option<Arc<Lease>>,
    ) {
        while self.lacking.front().is_some_and(|(due, ..)| *due <= now) {
            if let Some((_, app, id)) = self.lacking.pop_front()
                && let Some(lease) = held(&app, &id)
            {
                self.put(Told::Register, lease, now);
            }
        }
    }

    /// Takes a batch out: changes, and after them heartbeats with their leases as they are now. Drops what
    /// has expired or was overtaken.
    pub(super) fn take(
        &mut self,
        most: usize,
        now: Monotonic,
        held: impl Fn(&AppName, &InstanceId) -> Option<Arc<Lease>>,
    ) -> Vec<Task> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        let reserved = self.heartbeats.len().min(PLACES_FOR_HEARTBEATS).min(most / 2);
        while batch.len() < most - reserved
            && bytes < ENOUGH_BYTES
            && let Some(task) = self.pop_change()
        {
            if task.expires < now {
                self.expired += 1;
            } else if !self.is_overtaken(&task, &held) {
                bytes += task.bytes();
                batch.push(task);
            }
        }
        while batch.len() < most
            && let Some(heartbeat) = self.heartbeats.pop_front()
        {
            heartbeat.lease.clear_waiting(self.bit);
            if heartbeat.expires < now {
                self.expired += 1;
            } else if let Some(lease) = held(&heartbeat.lease.instance.app, &heartbeat.lease.instance.id) {
                batch.push(Task { lease, ..heartbeat });
            }
        }
        batch
    }

    /// Whether a peer told meanwhile that it is otherwise: an instance that was to be registered has left, or has
    /// lapsed; one that left is back in a newer version. Told all the same, it would be there again, or be gone.
    fn is_overtaken(&self, task: &Task, held: impl Fn(&AppName, &InstanceId) -> Option<Arc<Lease>>) -> bool {
        let Lease { instance, .. } = &*task.lease;
        match task.what {
            What::Change(Told::Register) => held(&instance.app, &instance.id).is_none(),
            What::Change(Told::Cancel) => {
                let is_newer = |held: Arc<Lease>| held.instance.last_dirty > instance.last_dirty;
                // Where it came back here, its registration follows.
                !self.places.contains_key(&key(&task.lease, Told::Register))
                    && held(&instance.app, &instance.id).is_some_and(is_newer)
            }
            What::Change(Told::StatusUpdate(_) | Told::DeleteStatusOverride(_)) | What::Heartbeat => false,
        }
    }

    /// Puts back what was sent in vain, unless something newer of its kind came in.
    pub(super) fn take_back(&mut self, sent: &[Task]) {
        for task in sent.iter().rev() {
            match task.what {
                What::Heartbeat => {
                    if task.lease.note_waiting(self.bit) != 0 {
                        self.heartbeats.push_front(task.clone());
                    }
                }
                What::Change(told) => {
                    let place = self.changes.first_key_value().map_or(0, |(first, _)| first - 1);
                    if let Entry::Vacant(free) = self.places.entry(key(&task.lease, told)) {
                        free.insert(place);
                        self.changes.insert(place, task.clone());
                    }
                }
            }
        }
        self.make_room();
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.heartbeats.iter().for_each(|task| task.lease.clear_waiting(self.bit));
        *self = Self::new(OutboxLimits { tasks: 0, ..self.limits }, self.bit);
    }

    pub(super) fn changes(&self) -> usize {
        self.changes.len()
    }

    pub(super) fn heartbeats(&self) -> usize {
        self.heartbeats.len()
    }

    /// When heartbeats have been gathered for long enough.
    pub(super) fn gathered(&self) -> Option<Monotonic> {
        self.oldest_heartbeat().map(|since| since.after(GATHER))
    }

    /// When the oldest heartbeat came in.
    fn oldest_heartbeat(&self) -> Option<Monotonic> {
        self.heartbeats.front().map(|task| task.since)
    }

    /// When the next instance is due that the peer lacks.
    pub(super) fn next_lacking(&self) -> Option<Monotonic> {
        self.lacking.front().map(|(due, ..)| *due)
    }

    /// When the oldest of all came in.
    pub(super) fn oldest(&self) -> Option<Monotonic> {
        let change = self.changes.first_key_value().map(|(_, task)| task.since);
        change.into_iter().chain(self.oldest_heartbeat()).min()
    }

    pub(super) fn len(&self) -> usize {
        self.changes.len() + self.heartbeats.len() + self.lacking.len()
    }

    /// The oldest heartbeat goes before any change: the next one tells the same.
    fn make_room(&mut self) {
        while self.len() > self.limits.tasks {
            let dropped = match self.heartbeats.pop_front() {
                Some(heartbeat) => {
                    heartbeat.lease.clear_waiting(self.bit);
                    true
                }
                None => self.lacking.pop_front().is_some() || self.pop_change().is_some(),
            };
            if !dropped {
                return;
            }
            self.overflowed += 1;
        }
    }

    fn pop_change(&mut self) -> Option<Task> {
        let (_, task) = self.changes.pop_first()?;
        if let What::Change(told) = task.what {
            self.places.remove(&key(&task.lease, told));
        }
        Some(task)
    }
}

fn key(lease: &Lease, told: Told) -> Key {
    let kind = match told {
        Told::Register => Kind::Register,
        Told::Cancel => Kind::Cancel,
        Told::StatusUpdate(_) => Kind::StatusUpdate,
        Told::DeleteStatusOverride(_) => Kind::DeleteStatusOverride,
    };
    Key { app: lease.instance.app.clone(), id: lease.instance.id.clone(), kind }
}

fn renewal_interval(lease: &Lease) -> Duration {
    Duration::from_secs(u64::try_from(lease.instance.lease.renewal_interval_secs).unwrap_or_default())
}
