//! Bodies of requests: read, and checked before anything is done.

use std::convert::Infallible;

use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;

use crate::access::Visitor;
use crate::codec::shortened;
use crate::model::{OverrideNote, WallMillis};
use crate::ops::Context;
use crate::ops::body::Whole;
use crate::registry::Lease;
use crate::settings::time_span;

use super::error::OperationError;

/// A body as its handler finds it.
pub(super) struct Body(Result<Bytes, OperationError>);

impl FromRequest<Context> for Body {
    type Rejection = Infallible;

    async fn from_request(request: Request, context: &Context) -> Result<Self, Infallible> {
        if !is_json(request.headers()) {
            return Ok(Self(Err(OperationError::NotJson)));
        }
        Ok(Self(Whole::from_request(request, context).await.map(|Whole(body)| body).map_err(OperationError::from)))
    }
}

/// Whether a body says that it is JSON: a browser asks first whether it may send that, and sends text without asking.
fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    media_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// Reads a body; the error names the member that is wrong.
pub(super) fn read<T: DeserializeOwned>(body: Body) -> Result<T, OperationError> {
    let body = body.0?;
    let mut document = serde_json::Deserializer::from_slice(&body);
    let read = serde_path_to_error::deserialize(&mut document).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { String::new() } else { format!("{path}: ") };
        format!("{place}{}", error.inner())
    });
    let read = read.and_then(|read| document.end().map(|()| read).map_err(|error| error.to_string()));
    read.map_err(|problem| OperationError::Wrong(shortened_by_far(&problem)))
}

/// It may repeat what was sent.
fn shortened_by_far(problem: &str) -> String {
    /// A sentence with the names of all members.
    const LONGEST: usize = 400;
    problem.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

/// A text that is not longer than that.
pub(super) fn text(member: &str, text: Option<String>, most: usize) -> Result<String, OperationError> {
    let text = text.unwrap_or_default();
    if text.len() > most {
        return Err(OperationError::Wrong(format!("{member}: must have at most {most} bytes")));
    }
    Ok(text)
}

/// The reason of an operation.
pub(super) fn reason(reason: Option<String>) -> Result<String, OperationError> {
    text("reason", reason, OverrideNote::LONGEST_REASON)
}

/// When something ends by itself: after a time, or at one; none: never.
pub(super) fn end(
    span: Option<String>,
    until: Option<String>,
    now: WallMillis,
) -> Result<Option<WallMillis>, OperationError> {
    let wrong = |problem| Err(OperationError::Wrong(problem));
    match (span, until) {
        (Some(_), Some(_)) => wrong("for, until: only one of them may be there".to_owned()),
        (None, None) => Ok(None),
        (Some(span), None) => match time_span(&span) {
            Ok(span) => Ok(Some(now.saturating_add_unsigned(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)))),
            Err(right) => wrong(format!("for: \"{}\" must be {right}", shortened(&span))),
        },
        (None, Some(until)) => match until.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_millisecond) {
            Ok(until) if until > now => Ok(Some(until)),
            Ok(_) => wrong("until: is over already".to_owned()),
            Err(_) => {
                let until = shortened(&until);
                wrong(format!("until: \"{until}\" must be a time with its zone (2026-11-30T18:00:00Z)"))
            }
        },
    }
}

/// Whether there is anything to do, and all of it may be done.
pub(super) fn check<'a>(visitor: &Visitor, leases: impl IntoIterator<Item = &'a Lease>) -> Result<(), OperationError> {
    let mut any = false;
    for lease in leases {
        any = true;
        let app = &lease.instance.app;
        if !visitor.may_change(app) {
            return Err(OperationError::NotAllowed(format!("select: this login may not change {app}")));
        }
    }
    if any { Ok(()) } else { Err(OperationError::NotFound("select: no instance is meant".to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_after_a_time_or_at_one() {
        let now = 1_764_500_000_000;
        let end = |span: Option<&str>, until: Option<&str>| {
            end(span.map(str::to_owned), until.map(str::to_owned), now).map_err(|error| error.to_string())
        };
        assert_eq!(end(None, None), Ok(None));
        assert_eq!(end(Some("30m"), None), Ok(Some(now + 1_800_000)));
        assert_eq!(end(Some("90"), None), Ok(Some(now + 90_000)));
        assert_eq!(end(None, Some("2025-11-30T12:00:00+01:00")), Ok(Some(1_764_500_400_000)));
        for (span, until, problem) in [
            (Some("1"), Some("2026-01-01T00:00:00Z"), "for, until: only one"),
            (Some("soon"), None, "for: \"soon\" must be a time of at least 1s"),
            (Some("0"), None, "for: "),
            (None, Some("2025-11-30T10:00:00Z"), "until: is over already"),
            (None, Some("2026-01-01T00:00:00"), "until: \"2026"),
            (None, Some("tomorrow"), "until: \"tomorrow\" must be a time with its zone"),
        ] {
            assert!(end(span, until).is_err_and(|error| error.starts_with(problem)), "{:?}", end(span, until));
        }
    }
}
