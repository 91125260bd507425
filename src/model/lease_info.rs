//! The lease as the client asks for it and as a reader sees it (`LeaseInfo`).

use super::WallMillis;

/// What a client asks for. Java's defaults stand where it asks for nothing or for less than 1 s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseRequest {
    /// Seconds between heartbeats.
    pub renewal_interval_secs: i32,
    /// Seconds without a heartbeat after which the lease lapses.
    pub duration_secs: i32,
}

impl LeaseRequest {
    /// `LeaseInfo.DEFAULT_LEASE_RENEWAL_INTERVAL` and `DEFAULT_LEASE_DURATION`.
    pub const DEFAULT: Self = Self { renewal_interval_secs: 30, duration_secs: 90 };

    /// Zero and negative values become the default (`LeaseInfo.Builder`).
    pub fn new(renewal_interval_secs: i32, duration_secs: i32) -> Self {
        let or_default = |value, default| if value > 0 { value } else { default };
        Self {
            renewal_interval_secs: or_default(renewal_interval_secs, Self::DEFAULT.renewal_interval_secs),
            duration_secs: or_default(duration_secs, Self::DEFAULT.duration_secs),
        }
    }
}

impl Default for LeaseRequest {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The server's own lease times, shown beside what the client asked for. 0 stands for "never".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeaseTimes {
    /// When the lease was granted.
    pub registration: WallMillis,
    /// When it was last renewed.
    pub last_renewal: WallMillis,
    /// When it was cancelled or expired.
    pub eviction: WallMillis,
    /// When the instance was first seen UP.
    pub service_up: WallMillis,
}
