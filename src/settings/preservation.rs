//! When the server stops believing that silent instances are gone.

use std::time::Duration;

use super::reader::Reader;
use super::value::{self, Unit};

/// Settings of self-preservation.
#[derive(Clone, Debug, PartialEq)]
pub struct PreservationSettings {
    /// `eureka.server.enable-self-preservation`: default true.
    pub enabled: bool,
    /// `eureka.server.renewal-percent-threshold`: the part of the expected renewals that must come,
    /// from 0 to 1. Default 0.85.
    pub renewal_percent: f64,
    /// `eureka.server.renewal-threshold-update-interval-ms`: the time between counts of the expected
    /// clients, and how long an expired lease counts as a loss. Default 15 min, at least 1 ms.
    pub threshold_update_interval: Duration,
    /// `eureka.server.expected-client-renewal-interval-seconds`: one heartbeat interval for all
    /// clients, at least 1 s (Java takes a 0, with which nothing ever expires). Default none: each
    /// client's own interval counts.
    pub expected_interval: Option<Duration>,
    /// `eurekad.self-preservation.accept-after`, in seconds: when all remaining leases have renewed
    /// on time for so long, the loss is accepted. Default 30 min; none (0): never.
    pub accept_after: Option<Duration>,
    /// `eureka.instance.registry.expected-number-of-clients-sending-renews`, else
    /// `eureka.server.expectedNumberOfRenewsPerMin`: the count of expected clients at start.
    /// Default none (Java: 1).
    pub initial_clients: Option<u32>,
}

impl Default for PreservationSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            renewal_percent: 0.85,
            threshold_update_interval: Duration::from_mins(15),
            expected_interval: None,
            accept_after: Some(Duration::from_mins(30)),
            initial_clients: None,
        }
    }
}

impl PreservationSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        Self {
            enabled: reader.get(&["eureka.server.enable-self-preservation"], value::boolean).unwrap_or(default.enabled),
            renewal_percent: reader
                .get(&["eureka.server.renewal-percent-threshold"], value::ratio)
                .unwrap_or(default.renewal_percent),
            threshold_update_interval: reader
                .get(
                    &["eureka.server.renewal-threshold-update-interval-ms"],
                    value::duration(Unit::Millis, Duration::from_millis(1)),
                )
                .unwrap_or(default.threshold_update_interval),
            expected_interval: reader.get(
                &["eureka.server.expected-client-renewal-interval-seconds"],
                value::duration(Unit::Seconds, Duration::from_secs(1)),
            ),
            accept_after: reader
                .get(&["eurekad.self-preservation.accept-after"], value::duration(Unit::Seconds, Duration::ZERO))
                .map_or(default.accept_after, |time| Some(time).filter(|time| !time.is_zero())),
            initial_clients: reader.get(
                &[
                    "eureka.instance.registry.expected-number-of-clients-sending-renews",
                    "eureka.server.expected-number-of-renews-per-min",
                ],
                value::whole(0..=i64::from(i32::MAX)),
            ),
        }
    }
}
