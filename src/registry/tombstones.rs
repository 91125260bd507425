//! What is remembered of leases that ended, so that no other node's copy brings them back.

use std::collections::{HashMap, VecDeque};

use crate::model::{AppName, InstanceId, WallMillis};

use super::agreement::OverrideStamp;
use super::lease::signed;
use super::lease_clock::LeaseMillis;

/// Names come from clients.
const MOST: usize = 100_000;

/// The end of a lease.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tombstone {
    /// At its instance's wish; otherwise it was silent for too long.
    pub(super) cancelled: bool,
    /// The version of the instance's data.
    pub(super) last_dirty: WallMillis,
    /// Of the override that ended with it; unknown if there never was one.
    pub(super) stamp: OverrideStamp,
    /// Lease time of the end; below 0 if it was another node's, before this one began.
    pub(super) at: i64,
    /// Milliseconds for which it counts: two lease lengths.
    pub(super) keep: u64,
}

impl Tombstone {
    /// Milliseconds since the end.
    pub(super) fn age(&self, now: LeaseMillis) -> u64 {
        u64::try_from(signed(now).saturating_sub(self.at)).unwrap_or(0)
    }
}

type Key = (AppName, InstanceId);

/// At most so many; then the oldest goes.
#[derive(Debug, Default)]
pub(super) struct Tombstones {
    by_instance: HashMap<Key, (u64, Tombstone)>,
    /// In the order of the ends; one that was taken out again keeps its place until it comes up.
    order: VecDeque<(u64, Key)>,
    last: u64,
}

impl Tombstones {
    pub(super) fn put(&mut self, app: &AppName, id: &InstanceId, tombstone: Tombstone) {
        self.last += 1;
        let key = (app.clone(), id.clone());
        self.by_instance.insert(key.clone(), (self.last, tombstone));
        self.order.push_back((self.last, key));
        while self.order.len() > MOST {
            self.drop_oldest();
        }
    }

    /// Takes one out: the instance is back.
    pub(super) fn take(&mut self, app: &AppName, id: &InstanceId) -> Option<Tombstone> {
        if self.by_instance.is_empty() {
            return None;
        }
        self.by_instance.remove(&(app.clone(), id.clone())).map(|(_, tombstone)| tombstone)
    }

    pub(super) fn get(&self, app: &AppName, id: &InstanceId, now: LeaseMillis) -> Option<Tombstone> {
        let (_, tombstone) = self.by_instance.get(&(app.clone(), id.clone()))?;
        (tombstone.age(now) <= tombstone.keep).then_some(*tombstone)
    }

    /// Those that count, in no order.
    pub(super) fn iter(&self, now: LeaseMillis) -> impl Iterator<Item = (&AppName, &InstanceId, &Tombstone)> {
        let counting = self.by_instance.iter().filter(move |(_, (_, tombstone))| tombstone.age(now) <= tombstone.keep);
        counting.map(|((app, id), (_, tombstone))| (app, id, tombstone))
    }

    /// Forgets those that count no more.
    pub(super) fn sweep(&mut self, now: LeaseMillis) {
        let by_instance = &mut self.by_instance;
        by_instance.retain(|_, (_, tombstone)| tombstone.age(now) <= tombstone.keep);
        self.order.retain(|(place, key)| by_instance.get(key).is_some_and(|(of, _)| of == place));
    }

    fn drop_oldest(&mut self) {
        if let Some((place, key)) = self.order.pop_front()
            && self.by_instance.get(&key).is_some_and(|(of, _)| *of == place)
        {
            self.by_instance.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(at: i64) -> Tombstone {
        Tombstone { cancelled: true, last_dirty: 0, stamp: OverrideStamp::UNKNOWN, at, keep: 100 }
    }

    #[test]
    fn they_count_for_their_time_and_are_bounded() {
        let (app, mut tombstones) = (AppName::new("A"), Tombstones::default());
        let id = |n: usize| InstanceId::new(n.to_string());
        tombstones.put(&app, &id(0), ended(-50));
        assert!(tombstones.get(&app, &id(0), LeaseMillis(50)).is_some());
        assert!(tombstones.get(&app, &id(0), LeaseMillis(51)).is_none());
        tombstones.sweep(LeaseMillis(51));
        assert_eq!((tombstones.by_instance.len(), tombstones.order.len()), (0, 0));
        for n in 0..=MOST {
            tombstones.put(&app, &id(n), ended(0));
        }
        assert!(tombstones.get(&app, &id(0), LeaseMillis(0)).is_none());
        assert!(tombstones.take(&app, &id(1)).is_some());
        assert_eq!(tombstones.iter(LeaseMillis(0)).count(), MOST - 1);
    }
}
