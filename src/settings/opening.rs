//! When a server that just started lets clients read.

use std::time::Duration;

use super::reader::Reader;
use super::value::{self, Unit};

/// Settings of the opening for traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct OpeningSettings {
    /// `eureka.instance.registry.default-open-for-traffic-count`, else
    /// `eureka.server.defaultOpenForTrafficCount`: the count of expected clients at opening when no
    /// peer gave any. Default none (Java: 1). A 0 closes the gate for
    /// [`wait_when_sync_empty`](Self::wait_when_sync_empty).
    pub default_count: Option<u32>,
    /// `eureka.server.wait-time-in-ms-when-sync-empty`: how long reads are refused after a start
    /// without instances, and the red message is held back. Default 5 min; may be zero.
    pub wait_when_sync_empty: Duration,
}

impl Default for OpeningSettings {
    fn default() -> Self {
        Self { default_count: None, wait_when_sync_empty: Duration::from_mins(5) }
    }
}

impl OpeningSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            default_count: reader.get(
                &[
                    "eureka.instance.registry.default-open-for-traffic-count",
                    "eureka.server.default-open-for-traffic-count",
                ],
                value::whole(0..=i64::from(i32::MAX)),
            ),
            wait_when_sync_empty: reader
                .get(&["eureka.server.wait-time-in-ms-when-sync-empty"], value::duration(Unit::Millis, Duration::ZERO))
                .unwrap_or(Self::default().wait_when_sync_empty),
        }
    }
}
