//! How leases end, and how many there may be.

use std::time::Duration;

use super::reader::Reader;
use super::value::{self, Unit};

/// Settings of leases and their eviction.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaseSettings {
    /// `eureka.server.eviction-interval-timer-in-ms`: the time between eviction runs. Default 60 s,
    /// at least 1 ms.
    pub eviction_interval: Duration,
    /// `eurekad.lease.java-length`: whether a renewed lease lasts twice its duration, as in Java.
    /// Default false.
    pub java_length: bool,
    /// `eureka.server.sync-when-timestamp-differs`: whether a renewal compares `lastDirtyTimestamp`.
    /// Default true.
    pub sync_when_timestamp_differs: bool,
    /// `eurekad.limits.instances`: more are refused. Default 500,000, which is what another node copies at
    /// its start.
    pub most: usize,
    /// `eurekad.limits.instances-per-application`: default the same.
    pub most_in_app: usize,
}

const MOST: usize = 500_000;

impl Default for LeaseSettings {
    fn default() -> Self {
        Self {
            eviction_interval: Duration::from_mins(1),
            java_length: false,
            sync_when_timestamp_differs: true,
            most: MOST,
            most_in_app: MOST,
        }
    }
}

impl LeaseSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let count = value::whole(1..=i64::from(i32::MAX));
        Self {
            eviction_interval: reader
                .get(
                    &["eureka.server.eviction-interval-timer-in-ms"],
                    value::duration(Unit::Millis, Duration::from_millis(1)),
                )
                .unwrap_or(default.eviction_interval),
            java_length: reader.get(&["eurekad.lease.java-length"], value::boolean).unwrap_or(default.java_length),
            sync_when_timestamp_differs: reader
                .get(&["eureka.server.sync-when-timestamp-differs"], value::boolean)
                .unwrap_or(default.sync_when_timestamp_differs),
            most: reader.get(&["eurekad.limits.instances"], &count).unwrap_or(default.most),
            most_in_app: reader
                .get(&["eurekad.limits.instances-per-application"], &count)
                .unwrap_or(default.most_in_app),
        }
    }
}
