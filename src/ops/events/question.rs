//! What a reader asks for.

use std::time::Duration;

use http::{HeaderMap, Uri};

use crate::codec::{quoted, shortened};
use crate::model::{AppName, EventKind};

use super::Events;
use super::filter::Filter;
use super::id::EventId;

/// The query, and the header by which browsers go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) filter: Filter,
    /// The last event that the reader has, as it says.
    pub(super) since: Option<String>,
    /// Whether it wants all instances first, or after a gap.
    pub(super) snapshot: bool,
    /// How long a long poll waits.
    pub(super) wait: Duration,
    /// How many events a long poll gives at most.
    pub(super) limit: usize,
}

/// Where a reader begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// With what happens from now on.
    Now,
    /// After the last event that it has.
    After(u64),
    /// It has missed something, for this reason.
    Gap(&'static str),
}

const LONGEST_WAIT: Duration = Duration::from_mins(1);
const MOST_EVENTS: usize = 10_000;

impl Question {
    /// Reads it; the error names the parameter.
    pub(super) fn of(uri: &Uri, headers: &HeaderMap) -> Result<Self, String> {
        let mut question = Self {
            filter: Filter::default(),
            since: None,
            snapshot: false,
            wait: Duration::from_secs(30),
            limit: 1_000,
        };
        for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
            let wrong = |expected: &str| Err(format!("{name}: expected {expected}, found {}", quoted(&value)));
            let number = || value.parse().ok();
            match &*name {
                "app" => question.filter.apps.extend(listed(&value).map(AppName::new)),
                "kind" => {
                    let kinds: Option<Vec<_>> = listed(&value).map(EventKind::from_name).collect();
                    let Some(kinds) = kinds else { return wrong(&format!("some of {}", EventKind::names())) };
                    question.filter.kinds.extend(kinds);
                }
                "since" if value.is_empty() => {}
                "since" if value.parse::<EventId>().is_err() => return wrong("the id of an event"),
                "since" => question.since = Some(value.trim().to_owned()),
                "snapshot" => match &*value {
                    "true" | "" => question.snapshot = true,
                    "false" => question.snapshot = false,
                    _ => return wrong("true or false"),
                },
                "wait" => match number() {
                    Some(seconds) => question.wait = Duration::from_secs(seconds).min(LONGEST_WAIT),
                    None => return wrong("seconds"),
                },
                "limit" => match number().and_then(|most| usize::try_from(most).ok()).filter(|most| *most > 0) {
                    Some(most) => question.limit = most.min(MOST_EVENTS),
                    None => return wrong("a number from 1"),
                },
                _ => {}
            }
        }
        // The header is that of a reader that goes on, with the query with which it once began.
        let last = headers.get("last-event-id").map(|value| String::from_utf8_lossy(value.as_bytes()));
        if let Some(last) = last.filter(|last| !last.trim().is_empty()) {
            question.since = Some(shortened(last.trim()).to_string());
        }
        Ok(question)
    }

    /// Where the reader begins, by what is kept now.
    pub(super) fn begin(&self, events: &Events) -> Begin {
        let Some(since) = &self.since else { return Begin::Now };
        match since.parse::<EventId>() {
            Ok(id) if id.epoch != events.epoch() => Begin::Gap("another process"),
            Ok(id) if events.reaches(id.sequence) => Begin::After(id.sequence),
            Ok(_) => Begin::Gap("not kept any more"),
            Err(()) => Begin::Gap("no id of an event"),
        }
    }
}

fn listed(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(str::trim).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use http::HeaderValue;

    use super::*;

    fn question(query: &str) -> Result<Question, String> {
        Question::of(&format!("/eureka/events?{query}").parse().unwrap(), &HeaderMap::new())
    }

    #[test]
    fn reads_filters_in_any_letter_case() {
        let asked =
            question("app=orders,Billing&app=stock&kind=Status,expired&snapshot=true&wait=900&limit=5").unwrap();
        assert_eq!(asked.filter.apps, ["ORDERS", "BILLING", "STOCK"].map(AppName::new).into());
        assert_eq!(asked.filter.kinds, [EventKind::Status, EventKind::Expired]);
        assert_eq!((asked.snapshot, asked.wait, asked.limit), (true, Duration::from_mins(1), 5));
        assert_eq!(question("").unwrap().filter, Filter::default());
        assert_eq!(question("app=&kind=&since=&more=x").unwrap().filter, Filter::default());
    }

    #[test]
    fn a_mistake_is_named() {
        for (query, named) in [
            ("kind=status,gone", "kind: expected some of registered"),
            ("since=yesterday", "since: expected the id of an event"),
            ("snapshot=perhaps", "snapshot: expected true or false"),
            ("wait=long", "wait: expected seconds"),
            ("limit=0", "limit: expected a number from 1"),
        ] {
            let mistake = question(query).unwrap_err();
            assert!(mistake.contains(named), "{mistake}");
        }
    }

    #[test]
    fn the_header_of_a_browser_wins_over_the_query_and_is_never_a_mistake() {
        let uri: Uri = "/eureka/events?since=0000000000000007-1".parse().unwrap();
        let asked = |id: &'static [u8]| {
            let headers = HeaderMap::from_iter([(
                http::HeaderName::from_static("last-event-id"),
                HeaderValue::from_bytes(id).unwrap(),
            )]);
            Question::of(&uri, &headers).unwrap().since
        };
        assert_eq!(asked(b"0000000000000007-9").as_deref(), Some("0000000000000007-9"));
        assert_eq!(asked(b"").as_deref(), Some("0000000000000007-1"));
        assert_eq!(asked(b"\xff").as_deref(), Some("\u{fffd}"));
    }
}
