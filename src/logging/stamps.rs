//! Times and days as logs show them.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

use crate::clock::Clock;
use crate::model::WallMillis;

/// Writes times in a zone.
#[derive(Clone, Debug)]
pub(super) struct Stamps {
    clock: Clock,
    zone: TimeZone,
}

impl Stamps {
    /// In the system's zone: `TZ`, else `/etc/localtime`, else UTC.
    pub(super) fn local(clock: Clock) -> Self {
        Self { clock, zone: TimeZone::system() }
    }

    #[cfg(test)]
    pub(super) fn fixed(clock: Clock, hours: i8) -> Self {
        Self { clock, zone: TimeZone::fixed(jiff::tz::offset(hours)) }
    }

    /// The time of now.
    pub(super) fn now(&self) -> WallMillis {
        self.clock.now().wall
    }

    /// ISO 8601 with milliseconds and offset, as Spring writes it: `2026-01-31T13:05:06.007+01:00`,
    /// in UTC with `Z`.
    pub(super) fn iso(&self, at: WallMillis) -> String {
        let offset = if self.zone.to_offset(timestamp(at)).is_zero() { "Z" } else { "%:z" };
        self.formatted(at, &format!("%Y-%m-%dT%H:%M:%S.%3f{offset}"))
    }

    /// The same in UTC.
    pub(super) fn iso_utc(at: WallMillis) -> String {
        format!("{:.3}", timestamp(at))
    }

    /// As `strftime` says; empty where that is nonsense.
    pub(super) fn formatted(&self, at: WallMillis, format: &str) -> String {
        strtime::format(format, &timestamp(at).to_zoned(self.zone.clone())).unwrap_or_default()
    }

    /// The day.
    pub(super) fn day(&self, at: WallMillis) -> Date {
        timestamp(at).to_zoned(self.zone.clone()).date()
    }

    /// The day of now.
    pub(super) fn today(&self) -> Date {
        self.day(self.now())
    }
}

/// A time that no calendar has is shown as 1970.
fn timestamp(at: WallMillis) -> Timestamp {
    Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_springs() {
        let clock = Clock::held(0);
        let at = 1_769_861_106_007;
        assert_eq!(Stamps::fixed(clock.clone(), 1).iso(at), "2026-01-31T13:05:06.007+01:00");
        assert_eq!(Stamps::fixed(clock.clone(), 0).iso(at), "2026-01-31T12:05:06.007Z");
        assert_eq!(Stamps::iso_utc(at), "2026-01-31T12:05:06.007Z");
        assert_eq!(Stamps::iso_utc(1_769_861_106_000), "2026-01-31T12:05:06.000Z");
        let stamps = Stamps::fixed(clock, 1);
        assert_eq!(stamps.formatted(at, "[%d/%b/%Y:%H:%M:%S %z]"), "[31/Jan/2026:13:05:06 +0100]");
        assert_eq!(stamps.formatted(at, "%"), "");
        assert_eq!(stamps.day(at + 11 * 3_600_000).to_string(), "2026-02-01");
        assert_eq!(stamps.iso(i64::MAX), "1970-01-01T01:00:00.000+01:00");
    }
}
