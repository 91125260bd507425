//! Latencies, each one kept, and what is read from them.

use std::time::Duration;

/// Latencies in nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct Latencies(Vec<u64>);

impl Latencies {
    pub(crate) fn add(&mut self, latency: Duration) {
        self.0.push(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
    }

    pub(crate) fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// How many there were a second.
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^52")]
    pub(crate) fn per_second(&self, elapsed: Duration) -> f64 {
        self.0.len() as f64 / elapsed.as_secs_f64()
    }

    /// In milliseconds: that of which so many of a thousand are at most as long.
    pub(crate) fn millis(&mut self, per_mille: usize) -> f64 {
        self.0.sort_unstable();
        let place = (self.0.len() * per_mille).div_ceil(1000).saturating_sub(1);
        self.0.get(place).map_or(f64::NAN, |nanos| Duration::from_nanos(*nanos).as_secs_f64() * 1e3)
    }
}
