//! A token bucket (`com.netflix.discovery.util.RateLimiter`).
//!
//! All that it knows is when it will be full again (the generic cell rate algorithm), so one is a number and
//! taking from it is one exchange of that number.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::clock::Monotonic;
use crate::settings::Rate;

const NANOS_A_MILLI: u64 = 1_000_000;
const NANOS_A_SECOND: u64 = 1_000_000_000;

/// The time at which a bucket will be full again, in nanoseconds of the clock. The default is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FullAt(u64);

impl FullAt {
    /// The same after a token was taken; none if there is no token.
    pub(super) fn less_one(self, rate: Rate, now: Monotonic) -> Option<Self> {
        if rate.is_unlimited() {
            return Some(self);
        }
        let now = now.0.saturating_mul(NANOS_A_MILLI);
        let token = NANOS_A_SECOND / u64::from(rate.per_second);
        let full_at = self.0.max(now).saturating_add(token);
        (full_at - now <= token * u64::from(rate.burst)).then_some(Self(full_at))
    }

    /// Whether it is full, so that nothing need be known of it.
    pub(super) fn is_full(self, now: Monotonic) -> bool {
        self.0 <= now.0.saturating_mul(NANOS_A_MILLI)
    }
}

/// One that many take from.
#[derive(Debug, Default)]
pub(super) struct Bucket(AtomicU64);

impl Bucket {
    /// Takes a token; false if there is none.
    pub(super) fn take(&self, rate: Rate, now: Monotonic) -> bool {
        rate.is_unlimited()
            || self
                .0
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |full_at| {
                    FullAt(full_at).less_one(rate, now).map(|FullAt(full_at)| full_at)
                })
                .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(bucket: &Bucket, rate: Rate, millis: u64, times: usize) -> usize {
        (0..times).filter(|_| bucket.take(rate, Monotonic(millis))).count()
    }

    #[test]
    fn a_burst_at_once_and_the_rate_on_average() {
        let (bucket, rate) = (Bucket::default(), Rate { burst: 10, per_second: 5 });
        assert_eq!(taken(&bucket, rate, 60_000, 100), 10);
        assert_eq!(taken(&bucket, rate, 60_199, 100), 0);
        assert_eq!(taken(&bucket, rate, 60_200, 100), 1);
        let steady: usize = (0..1_000).map(|step| taken(&bucket, rate, 60_200 + step * 10, 1)).sum();
        assert_eq!(steady, 49, "five a second for ten seconds");
        assert_eq!(taken(&bucket, rate, 500_000, 100), 10, "no more gather than fit in");
    }

    #[test]
    fn a_rate_that_changes_counts_at_once() {
        let bucket = Bucket::default();
        assert_eq!(taken(&bucket, Rate { burst: 10, per_second: 1 }, 0, 100), 10);
        assert_eq!(taken(&bucket, Rate { burst: 10, per_second: 1 }, 500, 1), 0);
        assert_eq!(taken(&bucket, Rate { burst: 0, per_second: 1 }, 500, 100), 100, "0 is no limit");
        assert_eq!(taken(&bucket, Rate { burst: 10, per_second: 0 }, 500, 100), 100, "0 is no limit");
        assert_eq!(taken(&bucket, Rate { burst: 100, per_second: 1 }, 500, 100), 90);
    }

    #[test]
    fn the_largest_numbers_overflow_nothing() {
        let (bucket, most) = (Bucket::default(), u32::MAX);
        for (burst, per_second) in [(most, most), (most, 1), (1, most)] {
            assert!(bucket.take(Rate { burst, per_second }, Monotonic(u64::MAX)));
            assert!(bucket.take(Rate { burst, per_second }, Monotonic(u64::MAX)));
        }
    }
}
