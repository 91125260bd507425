//! What a value's text may be, and what it must be when it is something else.
//!
//! Each function gives a reader of texts. Its error ends the sentence "must be …", with an example.
//! The forms are Spring's (`ApplicationConversionService`) and the plain number in the property's
//! own unit that Eureka's `…-in-ms` and `…-in-seconds` take. Blanks around a value do not count.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Nothing lasts longer: a longer time is taken for this one, so that times can be added up without
/// overflow. People write the largest number that Java takes for "never".
pub const LONGEST: Duration = Duration::from_hours(24 * 365 * 100);

/// The unit of a number that stands alone.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unit {
    Millis,
    Seconds,
}

/// Spring's words for yes and no.
pub(super) fn boolean(text: &str) -> Result<bool, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Ok(true),
        "false" | "off" | "no" | "0" => Ok(false),
        _ => Err("true or false".to_owned()),
    }
}

/// A whole number within bounds.
pub(super) fn whole<T>(range: RangeInclusive<i64>) -> impl Fn(&str) -> Result<T, String>
where
    T: TryFrom<i64>,
{
    move |text| {
        let number = text.trim().parse().ok().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| within(&range, "a whole number"))
    }
}

fn within(range: &RangeInclusive<i64>, what: &str) -> String {
    match (*range.start(), *range.end()) {
        (start, i64::MAX) => format!("{what} from {start}"),
        (start, end) if end == i64::from(i32::MAX) => format!("{what} from {start}"),
        (start, end) => format!("{what} from {start} to {end}"),
    }
}

/// A part of a whole.
pub(super) fn ratio(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "a ratio from 0 to 1 (0.85 is 85 %)".to_owned())
}

/// A time of at least `shortest` and at most [`LONGEST`]: a number in the unit, or with a unit of
/// its own (`500ms`, `30s`, `5m`, `12h`, `1d`), or ISO 8601 (`PT30S`).
pub(super) fn duration(unit: Unit, shortest: Duration) -> impl Fn(&str) -> Result<Duration, String> {
    move |text| {
        let text = text.trim();
        let time = simple(text, unit).or_else(|| iso(text)).filter(|time| *time >= shortest);
        time.map(|time| time.min(LONGEST)).ok_or_else(|| {
            let least = match shortest {
                Duration::ZERO => String::new(),
                _ => format!(" of at least {shortest:?}"),
            };
            match unit {
                Unit::Millis => format!("a time{least}, in milliseconds or with a unit (30000, 30s, PT30S)"),
                Unit::Seconds => format!("a time{least}, in seconds or with a unit (30, 30s, PT30S)"),
            }
        })
    }
}

/// A time as settings have it, a plain number in seconds: `30m`, `90`, `PT2H`. The error says what is right.
pub fn time_span(text: &str) -> Result<Duration, String> {
    duration(Unit::Seconds, Duration::from_secs(1))(text)
}

/// `DurationStyle.SIMPLE`.
fn simple(text: &str, unit: Unit) -> Option<Duration> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let (number, suffix) = digits.split_at_checked(end)?;
    let nanos: u128 = match (suffix.to_ascii_lowercase().as_str(), unit) {
        ("", Unit::Millis) | ("ms", _) => 1_000_000,
        ("", Unit::Seconds) | ("s", _) => 1_000_000_000,
        ("ns", _) => 1,
        ("us", _) => 1000,
        ("m", _) => 60 * 1_000_000_000,
        ("h", _) => 3600 * 1_000_000_000,
        ("d", _) => 86_400 * 1_000_000_000,
        _ => return None,
    };
    let longest = LONGEST.as_nanos();
    let number: u128 = number.parse().ok()?;
    u64::try_from(number.saturating_mul(nanos).min(longest)).ok().map(Duration::from_nanos)
}

/// `java.time.Duration.parse`, without signs: `P1DT2H3M4.5S`.
fn iso(text: &str) -> Option<Duration> {
    let upper = text.to_ascii_uppercase();
    let (days, times) = match upper.strip_prefix('P')?.split_once('T') {
        Some((days, times)) if !times.is_empty() => (days, times),
        Some(_) => return None,
        None => (upper.strip_prefix('P')?, ""),
    };
    let mut seconds = Some(0.0).filter(|_| !days.is_empty() || !times.is_empty())?;
    for (mut rest, units) in [(days, [("D", 86_400.0)].as_slice()), (times, &[("H", 3600.0), ("M", 60.0), ("S", 1.0)])]
    {
        for (letter, worth) in units {
            if let Some((number, after)) = rest.split_once(letter) {
                let fraction = *letter == "S";
                if !number.bytes().all(|byte| byte.is_ascii_digit() || fraction && byte == b'.') {
                    return None;
                }
                seconds += number.parse::<f64>().ok()? * worth;
                rest = after;
            }
        }
        if !rest.is_empty() {
            return None;
        }
    }
    Duration::try_from_secs_f64(seconds.min(LONGEST.as_secs_f64())).ok()
}

/// A number of bytes within bounds, as `DataSize` is written: `16384`, `16KB`, `10MB`; a K is 1024.
pub(super) fn size(range: RangeInclusive<i64>) -> impl Fn(&str) -> Result<usize, String> {
    move |text| {
        let upper = text.trim().to_ascii_uppercase();
        let end = upper.find(|c: char| !c.is_ascii_digit()).unwrap_or(upper.len());
        let parsed = upper.split_at_checked(end).and_then(|(number, unit)| {
            let bytes: i64 = match unit {
                "" | "B" => 1,
                "KB" => 1 << 10,
                "MB" => 1 << 20,
                "GB" => 1 << 30,
                "TB" => 1 << 40,
                _ => return None,
            };
            number.parse::<i64>().ok()?.checked_mul(bytes).filter(|size| range.contains(size))
        });
        parsed
            .and_then(|size| usize::try_from(size).ok())
            .ok_or_else(|| format!("{}, in bytes or with a unit (10MB)", within(&range, "a size")))
    }
}

/// A text as it is.
#[expect(clippy::unnecessary_wraps, reason = "the shape of all readers of values")]
pub(super) fn text(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

/// Texts with commas between them.
#[expect(clippy::unnecessary_wraps, reason = "the shape of all readers of values")]
pub(super) fn list(text: &str) -> Result<Vec<String>, String> {
    Ok(text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use proptest::prelude::*;

    use super::*;

    fn millis(text: &str) -> Option<u128> {
        duration(Unit::Millis, Duration::ZERO)(text).ok().map(|time| time.as_millis())
    }

    #[test]
    fn springs_booleans() {
        for text in ["true", "on", "YES", "1", " True "] {
            assert_eq!(boolean(text), Ok(true), "{text}");
        }
        for text in ["false", "off", "no", "0"] {
            assert_eq!(boolean(text), Ok(false), "{text}");
        }
        assert_eq!(boolean("ture"), Err("true or false".to_owned()));
    }

    #[test]
    fn durations_in_all_forms() {
        for (text, expected) in [
            ("1500", 1500),
            ("500ms", 500),
            ("30s", 30_000),
            ("+30S", 30_000),
            ("2m", 120_000),
            ("1h", 3_600_000),
            ("1d", 86_400_000),
            ("1000000ns", 1),
            ("1000us", 1),
            (" 5 ", 5),
            ("PT30S", 30_000),
            ("pt1m0.5s", 60_500),
            ("P1DT2H", 93_600_000),
            ("P2D", 172_800_000),
            ("0", 0),
        ] {
            assert_eq!(millis(text), Some(expected), "{text}");
        }
        for text in ["", "-1", "30x", "s", "P", "PT", "P1DT", "PT1S1M", "PTS", "1.5", "PT-1S", "30 s", "1e3", "PT1.5M"]
        {
            assert_eq!(millis(text), None, "{text}");
        }
        assert_eq!(duration(Unit::Seconds, Duration::ZERO)("30"), Ok(Duration::from_secs(30)));
    }

    #[test]
    fn never_is_a_hundred_years() {
        for text in ["9223372036854775807", "99999999999999999999999999d", "PT99999999999999999999999H"] {
            assert_eq!(duration(Unit::Millis, Duration::ZERO)(text), Ok(LONGEST), "{text}");
        }
    }

    #[test]
    fn a_duration_too_short_says_what_is_right() {
        let error = duration(Unit::Millis, Duration::from_millis(1))("0").unwrap_err();
        assert_eq!(error, "a time of at least 1ms, in milliseconds or with a unit (30000, 30s, PT30S)");
    }

    #[test]
    fn numbers_sizes_and_ratios_within_bounds() {
        assert_eq!(whole::<u16>(0..=65_535)("8761"), Ok(8761));
        assert_eq!(whole::<u16>(0..=65_535)("65536"), Err("a whole number from 0 to 65535".to_owned()));
        assert_eq!(whole::<u32>(0..=i64::from(i32::MAX))("-1"), Err("a whole number from 0".to_owned()));
        assert_eq!(whole::<u16>(0..=i64::MAX)("70000").ok(), None);
        assert_eq!(size(1..=i64::MAX)("10MB"), Ok(10 << 20));
        assert_eq!(size(1..=i64::MAX)("16kb"), Ok(16 << 10));
        assert_eq!(size(1..=i64::MAX)("123"), Ok(123));
        for text in ["0", "-1", "10MiB", "MB", "9999999999999TB", "1.5MB"] {
            assert!(size(1..=i64::MAX)(text).is_err(), "{text}");
        }
        assert_eq!(ratio("0.49"), Ok(0.49));
        for text in ["1.01", "-0.1", "NaN", "85", "85%"] {
            assert!(ratio(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*|P?[0-9.]*[DTHMS0-9.]*|[0-9]{0,30}[a-zA-Z]{0,2}") {
            let _ = millis(&text);
            let _ = size(0..=i64::MAX)(&text);
            let _ = ratio(&text);
            let _ = whole::<u16>(0..=i64::MAX)(&text);
        }

        #[test]
        fn plain_numbers_are_in_the_unit(number in 0..=i32::MAX) {
            prop_assert_eq!(millis(&number.to_string()), u128::try_from(number).ok());
        }
    }
}
