//! The only place that knows the time.
//!
//! Leases go by a **monotonic** time, so that a jump of the wall clock evicts nobody; the **wall**
//! time is only shown. Monotonic time is tokio's, which tests pause and advance; a clock made with
//! [`Clock::held`] derives its wall time from it, so that a test holds both in its hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use crate::model::WallMillis;

/// Milliseconds since the clock was made; never goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Monotonic(pub u64);

impl Monotonic {
    /// How long ago `earlier` was; zero if it lies ahead.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// The time after such a wait.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)))
    }
}

/// A reading of both times at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    /// For durations and what ends after one; never goes back.
    pub mono: Monotonic,
    /// For people, logs and the wire; may jump either way.
    pub wall: WallMillis,
}

/// Hands out the time. Copies share their origin.
#[derive(Clone, Debug)]
pub struct Clock {
    origin: Instant,
    wall: Wall,
}

#[derive(Clone, Debug)]
enum Wall {
    System,
    /// The wall time at the origin.
    Held(Arc<AtomicI64>),
}

impl Clock {
    /// The system's clocks.
    pub fn system() -> Self {
        Self { origin: Instant::now(), wall: Wall::System }
    }

    /// A clock for tests: its wall time is `start` plus what tokio's (paused) time has moved on.
    pub fn held(start: WallMillis) -> Self {
        Self { origin: Instant::now(), wall: Wall::Held(Arc::new(AtomicI64::new(start))) }
    }

    /// Moves the wall clock of a held clock and leaves the monotonic one alone, as an operator or
    /// a time service does. Does nothing to the system's clock.
    pub fn jump_wall(&self, millis: i64) {
        if let Wall::Held(start) = &self.wall {
            start.fetch_add(millis, Ordering::Relaxed);
        }
    }

    /// Both times.
    #[expect(clippy::disallowed_methods, reason = "the one reading of the wall clock that everybody else is sent to")]
    pub fn now(&self) -> Now {
        let mono = self.mono();
        let wall = match &self.wall {
            // A clock set before 1970 shows 0.
            Wall::System => SystemTime::now()
                .duration_since(SystemTime::UNIX_EPOCH)
                .map_or(0, |elapsed| i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)),
            Wall::Held(start) => start.load(Ordering::Relaxed).saturating_add_unsigned(mono.0),
        };
        Now { mono, wall }
    }

    /// The monotonic time.
    pub fn mono(&self) -> Monotonic {
        Monotonic(u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}
