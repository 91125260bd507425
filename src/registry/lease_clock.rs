//! The time that leases go by: monotonic time without the pauses of this process.
//!
//! Java's eviction timer adds its own lateness to every lease for that one run
//! (`EvictionTask.getCompensationTimeMs`). Here a pause (a stopped or starved process, a frozen
//! machine) is taken out for good, so that nobody is evicted because the *server* was away. The clock
//! does not run further ahead of its last beat than a busy machine explains: whatever comes first after
//! a pause, a reader or a round of eviction, finds the leases as they were before it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::clock::Monotonic;

/// Milliseconds of the lease clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeaseMillis(pub u64);

impl LeaseMillis {
    /// Where there are times before the clock began, too.
    pub(super) fn signed(self) -> i64 {
        i64::try_from(self.0).unwrap_or(i64::MAX)
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct LeaseClock {
    /// All pauses so far, in milliseconds; only grows, and before `last_beat` does.
    paused: AtomicU64,
    /// Monotonic milliseconds of the last beat; 0 before the first.
    last_beat: AtomicU64,
    /// Held by whoever beats.
    beating: Mutex<()>,
}

impl LeaseClock {
    /// How often [`Self::beat`] is to be called.
    pub const BEAT: Duration = Duration::from_secs(1);
    /// Milliseconds between two beats up to which the machine was only busy.
    const LONGEST: u64 = 2_000;

    /// The lease time at a monotonic time.
    pub fn at(&self, mono: Monotonic) -> LeaseMillis {
        // In this order: who sees a later beat sees the pause before it.
        let limit = match self.last_beat.load(Ordering::Acquire) {
            0 => u64::MAX,
            last => last.saturating_add(Self::LONGEST),
        };
        LeaseMillis(mono.0.min(limit).saturating_sub(self.paused.load(Ordering::Relaxed)))
    }

    /// Notes that the process is running; a beat that comes much too late ends a pause. Gives its
    /// length.
    pub fn beat(&self, now: Monotonic) -> Option<Duration> {
        let _one_at_a_time = self.beating.lock();
        let last = self.last_beat.load(Ordering::Relaxed);
        let now = now.0.max(1);
        if last == 0 || now <= last {
            self.last_beat.store(now.max(last), Ordering::Release);
            return None;
        }
        let pause = (now - last).saturating_sub(Self::LONGEST);
        self.paused.fetch_add(pause, Ordering::Relaxed);
        self.last_beat.store(now, Ordering::Release);
        (pause > 0).then(|| Duration::from_millis(pause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_taken_out_and_a_busy_machine_is_not() {
        let clock = LeaseClock::default();
        assert_eq!(clock.at(Monotonic(500_000)), LeaseMillis(500_000), "nobody beats yet");
        assert_eq!(clock.beat(Monotonic(1_000)), None);
        assert_eq!(clock.beat(Monotonic(2_900)), None);
        assert_eq!(clock.at(Monotonic(3_000)), LeaseMillis(3_000));
        assert_eq!(clock.at(Monotonic(124_000)), LeaseMillis(4_900), "it waits for the beat");
        assert_eq!(clock.beat(Monotonic(124_900)), Some(Duration::from_mins(2)));
        assert_eq!(clock.at(Monotonic(124_900)), LeaseMillis(4_900));
        assert_eq!(clock.at(Monotonic(125_000)), LeaseMillis(5_000));
    }

    #[test]
    fn a_beat_that_was_overtaken_changes_nothing() {
        let clock = LeaseClock::default();
        clock.beat(Monotonic(1_000));
        assert_eq!(clock.beat(Monotonic(63_000)), Some(Duration::from_mins(1)));
        assert_eq!(clock.beat(Monotonic(60_000)), None);
        assert_eq!(clock.beat(Monotonic(63_500)), None);
        assert_eq!(clock.at(Monotonic(63_500)), LeaseMillis(3_500));
    }
}
