//! What is remembered of leases that ended, so that no other node's copy brings them back.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use crate::model::{AppName, InstanceId, WallMillis};

use super::agreement::OverrideStamp;
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
        u64::try_from(now.signed().saturating_sub(self.at)).unwrap_or(0)
    }

    pub(super) fn counts(&self, now: LeaseMillis) -> bool {
        now.signed() <= self.until()
    }

    /// Lease time until which it counts.
    fn until(&self) -> i64 {
        self.at.saturating_add_unsigned(self.keep)
    }
}

/// At most so many; then the oldest goes. Nothing here takes longer the more there are, but for the part that
/// is asked for.
#[derive(Debug, Default)]
pub(super) struct Tombstones {
    by_app: BTreeMap<AppName, BTreeMap<InstanceId, (u64, Tombstone)>>,
    /// In the order of the ends.
    order: BTreeMap<u64, (AppName, InstanceId)>,
    /// Lease times until which they count, with their places in the order.
    until: BTreeSet<(i64, u64)>,
    last: u64,
}

impl Tombstones {
    /// As many as are dropped while writers wait: some 0.1 ms.
    pub(super) const A_TURN: usize = 200;

    pub(super) fn put(&mut self, app: &AppName, id: &InstanceId, tombstone: Tombstone) {
        self.take(app, id);
        self.last += 1;
        self.by_app.entry(app.clone()).or_default().insert(id.clone(), (self.last, tombstone));
        self.order.insert(self.last, (app.clone(), id.clone()));
        self.until.insert((tombstone.until(), self.last));
        if self.order.len() > MOST
            && let Some((_, (app, id))) = self.order.pop_first()
        {
            self.take(&app, &id);
        }
    }

    /// Takes one out: the instance is back.
    pub(super) fn take(&mut self, app: &AppName, id: &InstanceId) -> Option<Tombstone> {
        let of_app = self.by_app.get_mut(app)?;
        let (place, tombstone) = of_app.remove(id)?;
        if of_app.is_empty() {
            self.by_app.remove(app);
        }
        self.order.remove(&place);
        self.until.remove(&(tombstone.until(), place));
        Some(tombstone)
    }

    pub(super) fn get(&self, app: &AppName, id: &InstanceId, now: LeaseMillis) -> Option<Tombstone> {
        let (_, tombstone) = self.by_app.get(app)?.get(id)?;
        tombstone.counts(now).then_some(*tombstone)
    }

    /// Those of an application after an id, in their order, whether they count or not.
    pub(super) fn after<'a>(
        &'a self,
        app: &AppName,
        id: &'a str,
    ) -> impl Iterator<Item = (&'a InstanceId, &'a Tombstone)> {
        let range = (Bound::Excluded(id), Bound::Unbounded);
        let of_app = self.by_app.get(app).into_iter().flat_map(move |of_app| of_app.range::<str, _>(range));
        of_app.map(|(id, (_, tombstone))| (id, tombstone))
    }

    /// Forgets those that count no more, at most so many. Gives whether there may be more.
    pub(super) fn sweep(&mut self, now: LeaseMillis, most: usize) -> bool {
        for _ in 0..most {
            let past = self.until.first().filter(|(until, _)| *until < now.signed());
            let Some((app, id)) = past.and_then(|(_, place)| self.order.get(place)).cloned() else { return false };
            self.take(&app, &id);
        }
        true
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
        assert!(!tombstones.sweep(LeaseMillis(51), 10));
        assert!(is_empty(&tombstones));
        for n in 0..=MOST {
            tombstones.put(&app, &id(n), ended(0));
        }
        assert!(tombstones.get(&app, &id(0), LeaseMillis(0)).is_none());
        assert!(tombstones.take(&app, &id(1)).is_some());
        assert_eq!(tombstones.after(&app, "").count(), MOST - 1);
        assert!(tombstones.sweep(LeaseMillis(101), MOST - 2), "a piece at a time");
        assert_eq!(tombstones.after(&app, "").count(), 1);
        assert!(!tombstones.sweep(LeaseMillis(101), MOST));
        assert!(is_empty(&tombstones));
    }

    #[test]
    fn one_that_comes_and_goes_takes_no_room_of_others() {
        let (app, mut tombstones) = (AppName::new("A"), Tombstones::default());
        let (quiet, restless) = (InstanceId::new("quiet"), InstanceId::new("restless"));
        tombstones.put(&app, &quiet, ended(0));
        for _ in 0..=MOST {
            tombstones.put(&app, &restless, ended(0));
        }
        for _ in 0..=MOST {
            tombstones.take(&app, &restless);
            tombstones.put(&app, &restless, ended(0));
        }
        assert!(tombstones.get(&app, &quiet, LeaseMillis(0)).is_some());
        assert_eq!((tombstones.order.len(), tombstones.until.len()), (2, 2));
    }

    fn is_empty(tombstones: &Tombstones) -> bool {
        tombstones.by_app.is_empty() && tombstones.order.is_empty() && tombstones.until.is_empty()
    }
}
