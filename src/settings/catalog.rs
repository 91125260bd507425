//! What readers get, and how old it may be.

use std::time::Duration;

use super::reader::Reader;
use super::value::{self, Unit};

/// Settings of ready answers and of the delta.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogSettings {
    /// The time between copies for readers (`eureka.server.response-cache-update-interval-ms`,
    /// default 30 s, at least 1 ms), when `eureka.server.use-read-only-response-cache` is *set* to
    /// true. Default none: reads follow writes at once (Java: true).
    pub read_only_copy: Option<Duration>,
    /// `eureka.server.response-cache-auto-expiration-in-seconds`: how long an answer is kept before
    /// it is encoded again for its lease times. Default 180 s, at least 1 s; a 0 is taken for 1 s.
    pub auto_expiration: Duration,
    /// The opposite of `eureka.server.disable-delta`: default true.
    pub delta_enabled: bool,
    /// `eureka.server.retention-time-in-ms-in-delta-queue`: how long a change stays in the delta.
    /// Default 180 s; may be zero.
    pub delta_retention: Duration,
    /// `eureka.server.delta-retention-timer-interval-in-ms`: the time between sweeps of old changes.
    /// Default 30 s, at least 1 ms.
    pub delta_sweep: Duration,
    /// `eurekad.delta.max-entries`: how many changes are kept at most. Default 200000, at least 1.
    pub delta_entries: usize,
    /// `eurekad.history.max-entries`: how many changes are kept one by one at most, for event streams and for whoever
    /// asks what happened to an instance. Default 10000, at least 1.
    pub history_changes: usize,
    /// `eurekad.history.max-size`: how long these may be in all, as JSON, in bytes. Default 16 MB, at least 1 MB.
    pub history_bytes: usize,
    /// The opposite of `eureka.server.disable-transparent-fallback-to-other-region`: whether whoever names
    /// no regions reads the instances of all. Default true.
    pub all_regions: bool,
}

impl Default for CatalogSettings {
    fn default() -> Self {
        Self {
            read_only_copy: None,
            auto_expiration: Duration::from_mins(3),
            delta_enabled: true,
            delta_retention: Duration::from_mins(3),
            delta_sweep: Duration::from_secs(30),
            delta_entries: 200_000,
            history_changes: 10_000,
            history_bytes: 16 * 1024 * 1024,
            all_regions: true,
        }
    }
}

impl CatalogSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let timer = value::duration(Unit::Millis, Duration::from_millis(1));
        Self {
            read_only_copy: read_only_copy(reader),
            auto_expiration: reader
                .get(
                    &["eureka.server.response-cache-auto-expiration-in-seconds"],
                    value::duration(Unit::Seconds, Duration::ZERO),
                )
                .map_or(default.auto_expiration, |time| time.max(Duration::from_secs(1))),
            delta_enabled: !reader
                .get(&["eureka.server.disable-delta"], value::boolean)
                .unwrap_or(!default.delta_enabled),
            delta_retention: reader
                .get(
                    &["eureka.server.retention-time-in-ms-in-delta-queue"],
                    value::duration(Unit::Millis, Duration::ZERO),
                )
                .unwrap_or(default.delta_retention),
            delta_sweep: reader
                .get(&["eureka.server.delta-retention-timer-interval-in-ms"], &timer)
                .unwrap_or(default.delta_sweep),
            delta_entries: reader
                .get(&["eurekad.delta.max-entries"], value::whole(1..=i64::from(i32::MAX)))
                .unwrap_or(default.delta_entries),
            history_changes: reader
                .get(&["eurekad.history.max-entries"], value::whole(1..=i64::from(i32::MAX)))
                .unwrap_or(default.history_changes),
            history_bytes: reader
                .get(&["eurekad.history.max-size"], value::size(1024 * 1024..=i64::from(i32::MAX)))
                .unwrap_or(default.history_bytes),
            all_regions: !reader
                .get(&["eureka.server.disable-transparent-fallback-to-other-region"], value::boolean)
                .unwrap_or(!default.all_regions),
        }
    }
}

fn read_only_copy(reader: &mut Reader<'_>) -> Option<Duration> {
    const INTERVAL: &[&str] = &["eureka.server.response-cache-update-interval-ms"];
    if reader.get(&["eureka.server.use-read-only-response-cache"], value::boolean) == Some(true) {
        let interval = reader.get(INTERVAL, value::duration(Unit::Millis, Duration::from_millis(1)));
        return Some(interval.unwrap_or(Duration::from_secs(30)));
    }
    // Java starts no timer then, so that a 0 is no mistake.
    if reader.get(INTERVAL, value::duration(Unit::Millis, Duration::ZERO)).is_some() {
        reader.detail(
            "eureka.server.response-cache-update-interval-ms is satisfied: reads follow writes at once \
             unless eureka.server.use-read-only-response-cache is set to true",
        );
    }
    None
}
