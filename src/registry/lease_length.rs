//! How long a lease lasts, and what it counts from.

use std::time::Duration;

use crate::model::LeaseRequest;

/// What a lease goes back to. Java's doubled length depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SignOfLife {
    /// None: this node held it before it was restarted, or the one of our own that it copied.
    Remembered,
    /// None: a peer held it when this node started, and said nothing of its age.
    Copied,
    /// A registration.
    Registered,
    /// A heartbeat, or an operator who changed its status.
    Renewed,
}

impl SignOfLife {
    /// As a number: in atomics, and between nodes.
    pub const fn number(self) -> u8 {
        match self {
            // Nodes tell each other nothing of those that are remembered.
            Self::Remembered | Self::Copied => 0,
            Self::Registered => 1,
            Self::Renewed => 2,
        }
    }

    /// The sign with this number; any other counts as the weakest.
    pub const fn of_number(number: u8) -> Self {
        match number {
            1 => Self::Registered,
            2 => Self::Renewed,
            _ => Self::Copied,
        }
    }

    /// As a lease keeps it.
    pub(super) const fn stored(self) -> u8 {
        match self {
            Self::Remembered => 3,
            other => other.number(),
        }
    }

    /// The same back.
    pub(super) const fn of_stored(number: u8) -> Self {
        if number == Self::Remembered.stored() { Self::Remembered } else { Self::of_number(number) }
    }

    /// Whether nothing was heard of the instance since this node began.
    pub const fn is_hearsay(self) -> bool {
        matches!(self, Self::Remembered | Self::Copied)
    }
}

/// How long leases last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseLength {
    /// `max(duration, 2 × renewal interval)` after the last renewal, so that one lost heartbeat is no
    /// end. After a registration `max(duration, 1.1 × renewal interval)`: by then a client that lives
    /// has renewed once.
    Documented,
    /// As in Java: one duration after a registration, two after a renewal (`Lease.renew` adds the
    /// duration that `isExpired` adds again).
    Java,
}

impl LeaseLength {
    /// Milliseconds after the last sign of life.
    pub fn lasts(self, asked: LeaseRequest, sign: SignOfLife) -> u64 {
        let (duration, interval) = (seconds(asked.duration_secs), seconds(asked.renewal_interval_secs));
        match (self, sign) {
            (Self::Documented, SignOfLife::Renewed) => duration.max(2 * interval),
            (Self::Documented, _) => duration.max(interval + interval / 10),
            (Self::Java, SignOfLife::Renewed) => 2 * duration,
            (Self::Java, _) => duration,
        }
    }
}

/// Seconds of a lease request, which are never negative, in milliseconds.
pub(super) fn seconds(secs: i32) -> u64 {
    u64::try_from(secs).map_or(0, |secs| u64::try_from(Duration::from_secs(secs).as_millis()).unwrap_or(u64::MAX))
}
