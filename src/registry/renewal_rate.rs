//! Renewals of the last full minute (`MeasuredRate`).

use std::sync::atomic::{AtomicU64, Ordering};

use crate::clock::Monotonic;

/// Counts renewals in whole one-minute buckets that begin at the opening for traffic. What comes
/// before lands in the first bucket.
///
/// Buckets move on with the first count or reading in a later minute, so no timer is needed and a
/// late one can lose nothing. A count that races with the move may land in either minute.
#[derive(Debug, Default)]
pub(super) struct RenewalRate {
    /// The minute that is being counted, 0 before the opening.
    minute: AtomicU64,
    /// All since the start.
    total: AtomicU64,
    /// How many there were when that minute began.
    before: AtomicU64,
    last: AtomicU64,
    /// Monotonic milliseconds of the opening plus one; 0 before it.
    opened: AtomicU64,
}

const MINUTE: u64 = 60_000;

impl RenewalRate {
    /// Begins the first bucket.
    pub(super) fn open(&self, now: Monotonic) {
        self.opened.store(now.0 + 1, Ordering::Relaxed);
    }

    /// Counts one renewal.
    pub(super) fn count(&self, now: Monotonic) {
        self.turn(now);
        self.total.fetch_add(1, Ordering::Relaxed);
    }

    /// The count since the start.
    pub(super) fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// The count of the last full bucket.
    pub(super) fn last_minute(&self, now: Monotonic) -> u64 {
        self.turn(now);
        self.last.load(Ordering::Relaxed)
    }

    fn turn(&self, now: Monotonic) {
        let opened = self.opened.load(Ordering::Relaxed);
        if opened == 0 {
            return;
        }
        let minute = now.0.saturating_sub(opened - 1) / MINUTE;
        let seen = self.minute.load(Ordering::Relaxed);
        if minute > seen && self.minute.compare_exchange(seen, minute, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            let total = self.total();
            let count = total.saturating_sub(self.before.swap(total, Ordering::Relaxed));
            self.last.store(if minute == seen + 1 { count } else { 0 }, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_last_full_bucket() {
        let rate = RenewalRate::default();
        rate.count(Monotonic(10));
        assert_eq!(rate.last_minute(Monotonic(500_000)), 0);
        rate.open(Monotonic(1_000));
        rate.count(Monotonic(60_000));
        assert_eq!(rate.last_minute(Monotonic(60_999)), 0);
        assert_eq!(rate.last_minute(Monotonic(61_000)), 2);
        rate.count(Monotonic(62_000));
        assert_eq!(rate.last_minute(Monotonic(120_999)), 2);
        assert_eq!(rate.last_minute(Monotonic(121_000)), 1);
        assert_eq!(rate.last_minute(Monotonic(181_000)), 0);
    }

    #[test]
    fn a_minute_without_any_call_counts_nothing() {
        let rate = RenewalRate::default();
        rate.open(Monotonic(0));
        rate.count(Monotonic(1_000));
        assert_eq!(rate.last_minute(Monotonic(125_000)), 0);
    }
}
