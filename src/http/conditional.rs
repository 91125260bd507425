//! Lists that a caller has already: `ETag` and `If-None-Match` (RFC 9110). Java has neither.
//!
//! A tag names one writing of one list in one form by one process, so that equal tags are equal bytes: lease times
//! too, which are those of the writing. A list that was written again for its age has another one, although nobody
//! has changed.

use axum::body::Body;
use axum::response::Response;
use http::header::{ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::catalog::{Answer, Coding, Form};
use crate::codec::{Detail, Format};
use crate::peers::NodeId;

use super::respond;

/// A list, or 304 without a body for whoever has these bytes. Java answers `If-None-Match: *` with the list, and so
/// does this.
pub(super) fn ready(
    headers: &HeaderMap,
    node: NodeId,
    answer: Answer,
    form: Form,
    content_type: HeaderValue,
) -> Response {
    let tag = tag(node, &answer, form);
    let mut response = if has(headers, &tag) {
        let mut unchanged = Response::new(Body::empty());
        *unchanged.status_mut() = StatusCode::NOT_MODIFIED;
        unchanged
    } else {
        respond::ready(answer, form, content_type)
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(ETAG, tag);
        headers.insert(VARY, HeaderValue::from_static("Accept, Accept-Encoding, X-Eureka-Accept"));
    }
    response
}

/// `"<process>-<version of the registry>-<writing>-<form>"`.
fn tag(node: NodeId, answer: &Answer, form: Form) -> String {
    let format = match form.format {
        Format::Json => "json",
        Format::Xml => "xml",
    };
    let detail = if form.detail == Detail::Compact { "-compact" } else { "" };
    let coding = if form.coding == Coding::Gzip { "-gzip" } else { "" };
    format!("\"{node}-{}-{}-{format}{detail}{coding}\"", answer.version.0, answer.writing)
}

/// Whether a caller has what has this tag (`If-None-Match`). A proxy that changed its coding has made the tag a weak one.
pub fn has(headers: &HeaderMap, tag: &str) -> bool {
    let lines = headers.get_all(IF_NONE_MATCH).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|one| one.trim().trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn tags_are_compared_weakly_and_one_by_one() {
        for (lines, has_it) in [
            (&["\"a\""][..], true),
            (&["W/\"a\""], true),
            (&["\"b\", W/\"a\" ,\"c\""], true),
            (&["\"b\"", "\"a\""], true),
            (&["*"], false),
            (&[""], false),
            (&["a", "\"ab\"", "w/\"a\""], false),
            (&[], false),
        ] {
            let headers: HeaderMap =
                lines.iter().map(|line| (IF_NONE_MATCH, HeaderValue::from_str(line).unwrap())).collect();
            assert_eq!(has(&headers, "\"a\""), has_it, "{lines:?}");
        }
    }
}
