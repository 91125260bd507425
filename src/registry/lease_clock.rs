//! The time that leases go by: monotonic time without the pauses of this process.
//!
//! Java's eviction timer adds its own lateness to every lease for that one run
//! (`EvictionTask.getCompensationTimeMs`). Here a pause (a stopped or starved process, a frozen
//! machine) is taken out for good, as soon as it is noticed, so that nobody is evicted because the
//! *server* was away.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::clock::Monotonic;

/// Milliseconds of the lease clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeaseMillis(pub u64);

/// See the module.
#[derive(Debug, Default)]
pub struct LeaseClock {
    /// All pauses so far, in milliseconds; only grows.
    paused: AtomicU64,
    /// The last beat; written by the beat's task alone.
    last_beat: Mutex<Option<Monotonic>>,
}

impl LeaseClock {
    /// How often [`Self::beat`] is to be called.
    pub const BEAT: Duration = Duration::from_secs(1);
    /// Lateness up to this is a busy machine and no pause.
    const TOLERANCE: Duration = Duration::from_secs(1);

    /// The lease time at a monotonic time.
    pub fn at(&self, mono: Monotonic) -> LeaseMillis {
        LeaseMillis(mono.0.saturating_sub(self.paused.load(Ordering::Relaxed)))
    }

    /// Notes that the process is running; a beat that comes much too late was a pause. Gives its
    /// length.
    pub fn beat(&self, now: Monotonic) -> Option<Duration> {
        let last = self.last_beat.lock().replace(now)?;
        let late = now.since(last).saturating_sub(Self::BEAT);
        if late <= Self::TOLERANCE {
            return None;
        }
        self.paused.fetch_add(u64::try_from(late.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
        Some(late)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_taken_out_and_a_busy_machine_is_not() {
        let clock = LeaseClock::default();
        assert_eq!(clock.beat(Monotonic(1_000)), None);
        assert_eq!(clock.beat(Monotonic(2_900)), None);
        assert_eq!(clock.at(Monotonic(3_000)), LeaseMillis(3_000));
        assert_eq!(clock.beat(Monotonic(123_900)), Some(Duration::from_mins(2)));
        assert_eq!(clock.at(Monotonic(124_000)), LeaseMillis(4_000));
    }
}
