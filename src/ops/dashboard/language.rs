//! Numbers and times as a reader's language has them (`Accept-Language`), as far as Java's pages depend on it: the
//! grouping and the digits of integers, and the times of lists.
//!
//! Java takes the first choice of the browser and knows hundreds of languages. Those here are the ones whose numbers
//! differ; all others read as in English. Times are as Java has them in English, German, French and Japanese, else
//! ISO 8601. The words of the pages are English.

use std::fmt::Write as _;

use http::header::ACCEPT_LANGUAGE;
use http::{HeaderMap, HeaderValue};
use jiff::Zoned;
use jiff::fmt::strtime;

/// How a language writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Language {
    /// As the reader asked for it, where it is known; letters, digits and hyphens.
    tag: String,
    grouping: char,
    zero: char,
    times: Times,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    American,
    British,
    German,
    French,
    Japanese,
    Iso,
}

/// A comma as in English.
const COMMA: &[&str] = &["en", "ja", "zh", "ko", "th", "he", "iw", "hi", "es-mx", "es-us"];
const POINT: &[&str] =
    &["de", "es", "it", "nl", "pt", "da", "tr", "el", "ro", "hr", "sr", "bs", "sl", "id", "in", "vi", "ca", "gl", "mk"];
const BLANK: &[&str] = &[
    "ru", "uk", "be", "bg", "pl", "cs", "sk", "hu", "sv", "nb", "nn", "no", "fi", "et", "lv", "lt", "sq", "ka", "hy",
    "kk", "af", "de-at", "pt-pt", "fr-ca", "en-za",
];
const APOSTROPHE: &[&str] = &["de-ch", "de-li", "it-ch", "en-ch"];
/// With the sign for thousands and the digit 0.
const OTHER_DIGITS: &[(&str, char, char)] = &[
    ("ar", '\u{66C}', '\u{660}'),
    ("fa", '\u{66C}', '\u{6F0}'),
    ("bn", ',', '\u{9E6}'),
    ("mr", ',', '\u{966}'),
    ("ne", ',', '\u{966}'),
    ("my", ',', '\u{1040}'),
];

/// Longer tags mean nothing that numbers depend on.
const LONGEST_TAG: usize = 35;

impl Language {
    /// The reader's first choice; English where there is none, or it is not known.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let asked = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        first_choice(asked).and_then(Self::known).unwrap_or_else(Self::english)
    }

    fn english() -> Self {
        Self { tag: "en".to_owned(), grouping: ',', zero: '0', times: Times::American }
    }

    fn known(tag: &str) -> Option<Self> {
        let lower = tag.to_ascii_lowercase();
        let language = lower.split('-').next()?;
        // A country's own way before that of its language.
        let (grouping, zero) = [lower.as_str(), language].into_iter().find_map(|name| {
            let latin =
                [(COMMA, ','), (POINT, '.'), (BLANK, '\u{A0}'), (APOSTROPHE, '\u{2019}'), (&["fr"], '\u{202F}')];
            let latin = latin.into_iter().find(|(names, _)| names.contains(&name)).map(|(_, sign)| (sign, '0'));
            latin.or_else(|| {
                OTHER_DIGITS.iter().find(|(other, ..)| *other == name).map(|(_, sign, zero)| (*sign, *zero))
            })
        })?;
        let times = match (language, lower.as_str()) {
            ("en", "en" | "en-us") => Times::American,
            ("en", "en-gb") => Times::British,
            ("de", _) => Times::German,
            ("fr", _) => Times::French,
            ("ja", _) => Times::Japanese,
            _ => Times::Iso,
        };
        Some(Self { tag: tag.to_owned(), grouping, zero, times })
    }

    /// For `Content-Language`.
    pub(super) fn header(&self) -> HeaderValue {
        HeaderValue::from_str(&self.tag).unwrap_or(HeaderValue::from_static("en"))
    }

    /// An integer with its thousands apart.
    pub(super) fn number(&self, number: u64) -> String {
        let digits = number.to_string();
        let mut text = String::with_capacity(2 * digits.len());
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                text.push(self.grouping);
            }
            let other = u32::from(self.zero) + u32::from(digit) - u32::from('0');
            text.push(char::from_u32(other).unwrap_or(digit));
        }
        text
    }

    /// The same of how many there are.
    pub(super) fn count(&self, count: usize) -> String {
        self.number(u64::try_from(count).unwrap_or(u64::MAX))
    }

    /// A time in Java's medium form.
    pub(super) fn time(&self, at: &Zoned) -> String {
        const FRENCH: [&str; 12] =
            ["janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."];
        let format = match self.times {
            Times::American => "%b %-d, %Y, %-I:%M:%S %p",
            Times::British => "%-d %b %Y, %H:%M:%S",
            Times::German => "%d.%m.%Y, %H:%M:%S",
            Times::Japanese => "%Y/%m/%d %-H:%M:%S",
            Times::Iso => "%Y-%m-%d %H:%M:%S",
            Times::French => {
                let month = usize::try_from(at.month() - 1).ok().and_then(|month| FRENCH.get(month));
                let mut text = format!("{} {} {}", at.day(), month.unwrap_or(&""), at.year());
                let _infallible = write!(text, ", {:02}:{:02}:{:02}", at.hour(), at.minute(), at.second());
                return text;
            }
        };
        strtime::format(format, at).unwrap_or_default()
    }
}

/// The tag with the greatest weight, the first of several.
fn first_choice(asked: &str) -> Option<&str> {
    let mut best: Option<(&str, f32)> = None;
    for range in asked.split(',') {
        let (tag, parameters) = range.split_once(';').unwrap_or((range, ""));
        let weight = parameters.trim().strip_prefix("q=").map_or(Some(1.0), |weight| weight.trim().parse::<f32>().ok());
        let (tag, weight) = (tag.trim(), weight.filter(|weight| *weight > 0.0)?);
        let is_tag =
            (1..=LONGEST_TAG).contains(&tag.len()) && tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if is_tag && best.is_none_or(|(_, of_best)| weight > of_best) {
            best = Some((tag, weight));
        }
    }
    best.map(|(tag, _)| tag)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;

    fn language(asked: &str) -> Language {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_str(asked).unwrap());
        Language::of(&headers)
    }

    #[test]
    fn integers_are_grouped_as_java_groups_them() {
        assert_eq!(Language::of(&HeaderMap::new()).number(1705), "1,705");
        for (asked, number) in [
            ("en", "1,705"),
            ("ja", "1,705"),
            ("de", "1.705"),
            ("de-DE,de;q=0.9,en;q=0.8", "1.705"),
            ("de-CH", "1\u{2019}705"),
            ("fr", "1\u{202F}705"),
            ("ar", "\u{661}\u{66C}\u{667}\u{660}\u{665}"),
            ("en;q=0.5, de", "1.705"),
            ("tlh", "1,705"),
            ("*", "1,705"),
            ("de;q=x", "1,705"),
            ("<script>", "1,705"),
        ] {
            assert_eq!(language(asked).number(1705), number, "{asked}");
        }
        let numbers = [0, 999, 1000, 1_000_000].map(|number| language("en").number(number));
        assert_eq!(numbers, ["0", "999", "1,000", "1,000,000"]);
    }

    #[test]
    fn the_answer_says_which_language_it_is() {
        for (asked, tag) in [("de-DE,en", "de-DE"), ("tlh", "en"), ("", "en"), ("en-GB", "en-GB")] {
            assert_eq!(language(asked).header(), tag);
        }
    }

    #[test]
    fn times_are_as_java_writes_them() {
        let evening = date(2026, 11, 29).at(21, 17, 28, 0).to_zoned(TimeZone::UTC).unwrap();
        for (asked, time) in [
            ("en", "Nov 29, 2026, 9:17:28 PM"),
            ("en-US", "Nov 29, 2026, 9:17:28 PM"),
            ("de", "29.11.2026, 21:17:28"),
            ("fr", "29 nov. 2026, 21:17:28"),
            ("en-GB", "29 Nov 2026, 21:17:28"),
            ("ja", "2026/11/29 21:17:28"),
            ("pl", "2026-11-29 21:17:28"),
        ] {
            assert_eq!(language(asked).time(&evening), time, "{asked}");
        }
    }
}
