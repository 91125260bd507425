//! Which format an answer has, decided as a Java server decides it.
//!
//! There are **two** decisions. Jersey matches `Accept` against XML and JSON (in this order) and its
//! pick becomes the `Content-Type`. The resources of whole lists look for the text `json` in the first
//! `Accept` line, and that picks the *body*. They can disagree, and clients have lived with that for
//! ten years, so they disagree here too.

use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};

use crate::catalog::{Coding, Form};
use crate::codec::{Detail, Format};

use super::error::ApiError;
use super::media_range::{MediaRange, charset, is_utf8, unquoted};

/// Jersey's pick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Negotiated {
    /// What documents that are not cached are written in.
    pub(super) format: Format,
    /// The `Content-Type`, with what the client wrote after it.
    pub(super) content_type: HeaderValue,
}

pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");
pub(super) const XML: HeaderValue = HeaderValue::from_static("application/xml");

/// The plain media type of a format.
pub(super) fn media_type(format: Format) -> HeaderValue {
    match format {
        Format::Json => JSON,
        Format::Xml => XML,
    }
}

/// Lines that clients send, and what comes of them: they need not be taken apart with each heartbeat.
const USUAL: [(&[u8], Format); 3] = [
    (b"application/json, application/*+json", Format::Json),
    (b"application/json", Format::Json),
    (b"application/xml", Format::Xml),
];

/// Jersey's decision: 406 when `Accept` allows neither format, 400 when it cannot be read.
pub(super) fn negotiate(headers: &HeaderMap) -> Result<Negotiated, ApiError> {
    let mut lines = headers.get_all(ACCEPT).iter();
    if let (Some(line), None) = (lines.next(), lines.next())
        && let Some((_, format)) = USUAL.iter().find(|(usual, _)| line.as_bytes() == *usual)
    {
        return Ok(Negotiated { format: *format, content_type: media_type(*format) });
    }
    let mut ranges = Vec::new();
    for line in headers.get_all(ACCEPT) {
        let line = line.to_str().map_err(|_| bad_accept())?;
        for part in unquoted(line, ',').map(str::trim).filter(|part| !part.is_empty()) {
            ranges.push(MediaRange::parse(part).ok_or_else(bad_accept)?);
        }
    }
    if ranges.is_empty() {
        return Ok(Negotiated { format: Format::Xml, content_type: XML });
    }
    // Stable: the client's order decides between equals.
    ranges.sort_by_key(MediaRange::rank);
    ranges.iter().find_map(MediaRange::pick).ok_or(ApiError::NotAcceptable)
}

/// The resources' decision on the body of a cached document.
pub(super) fn body_format(headers: &HeaderMap) -> Format {
    match headers.get(ACCEPT) {
        Some(accept) if contains(accept, b"json") => Format::Json,
        _ => Format::Xml,
    }
}

/// How a whole list is written, and its `Content-Type`. Compressed lists are labelled by their body.
pub(super) fn list_form(headers: &HeaderMap, may_compress: bool) -> Result<(Form, HeaderValue), ApiError> {
    let negotiated = negotiate(headers)?;
    let format = body_format(headers);
    let coding = if may_compress && takes_gzip(headers) { Coding::Gzip } else { Coding::Plain };
    let content_type = match coding {
        Coding::Gzip => media_type(format),
        Coding::Plain => negotiated.content_type,
    };
    Ok((Form { format, detail: detail(headers), coding }, content_type))
}

/// `X-Eureka-Accept: compact`, in any letter case; anything else is full.
fn detail(headers: &HeaderMap) -> Detail {
    match headers.get("x-eureka-accept") {
        Some(value) if value.as_bytes().eq_ignore_ascii_case(b"compact") => Detail::Compact,
        _ => Detail::Full,
    }
}

/// Whether `Accept-Encoding` allows gzip: by name or `*`, unless its quality is 0.
pub fn takes_gzip(headers: &HeaderMap) -> bool {
    let mut any = None;
    for line in headers.get_all(ACCEPT_ENCODING) {
        for part in line.to_str().unwrap_or_default().split(',') {
            let mut pieces = part.split(';').map(str::trim);
            let coding = pieces.next().unwrap_or_default();
            let refused = pieces.any(|piece| {
                piece
                    .strip_prefix("q=")
                    .or_else(|| piece.strip_prefix("Q="))
                    .is_some_and(|quality| quality.trim().parse::<f32>().is_ok_and(|quality| quality <= 0.0))
            });
            if coding.eq_ignore_ascii_case("gzip") || coding.eq_ignore_ascii_case("x-gzip") {
                return !refused;
            }
            if coding == "*" {
                any = Some(!refused);
            }
        }
    }
    any.unwrap_or(false)
}

fn bad_accept() -> ApiError {
    ApiError::BadRequest("cannot read the Accept header: expected media types such as application/json".into())
}

/// The format of a request body by its `Content-Type`: JSON or XML, in UTF-8 (its own detection
/// finds others) or ISO-8859-1; anything else, or nothing, is 415.
pub(super) fn request_format(headers: &HeaderMap) -> Result<Format, ApiError> {
    let mut lines = headers.get_all(CONTENT_TYPE).iter();
    let (first, more) = (lines.next(), lines.next());
    let unreadable = || {
        ApiError::BadRequest("cannot read the Content-Type header: expected application/json or application/xml".into())
    };
    if more.is_some() {
        return Err(unreadable());
    }
    let line = first.ok_or(ApiError::UnsupportedMediaType)?.to_str().map_err(|_| unreadable())?;
    let mut pieces = unquoted(line, ';').map(str::trim);
    let (kind, subtype) = pieces.next().and_then(|range| range.split_once('/')).ok_or_else(unreadable)?;
    let known_charset =
        pieces.filter_map(charset).all(|charset| is_utf8(charset) || charset.eq_ignore_ascii_case("iso-8859-1"));
    match (kind, subtype) {
        _ if !known_charset => Err(ApiError::UnsupportedMediaType),
        (kind, _) if kind == "*" || !kind.eq_ignore_ascii_case("application") => Err(ApiError::UnsupportedMediaType),
        (_, subtype) if subtype.eq_ignore_ascii_case("json") => Ok(Format::Json),
        // `application/*` is read as the first format.
        (_, subtype) if subtype == "*" || subtype.eq_ignore_ascii_case("xml") => Ok(Format::Xml),
        _ => Err(ApiError::UnsupportedMediaType),
    }
}

fn contains(value: &HeaderValue, text: &[u8]) -> bool {
    value.as_bytes().windows(text.len()).any(|window| window == text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    fn accept(lines: &[&str]) -> HeaderMap {
        lines.iter().map(|line| (ACCEPT, HeaderValue::from_str(line).unwrap())).collect()
    }

    #[test]
    fn picks_as_jersey_does() {
        for (line, format, content_type) in [
            ("*/*", Format::Xml, "application/xml"),
            ("*", Format::Xml, "application/xml"),
            ("application/*", Format::Xml, "application/xml"),
            ("application/json, text/plain, */*", Format::Json, "application/json"),
            ("*/*;q=0.5, application/json", Format::Json, "application/json"),
            ("*/*, application/json;q=0.5", Format::Xml, "application/xml"),
            ("application/xml, application/json", Format::Xml, "application/xml"),
            ("application/json;q=0", Format::Json, "application/json"),
            ("application/JSON", Format::Json, "application/JSON"),
            ("application/json;v=1", Format::Json, "application/json;v=1"),
            ("application/json,", Format::Json, "application/json"),
            ("application/json;v=\"a,b;c\\\",\"", Format::Json, "application/json;v=\"a,b;c\\\",\""),
            ("application/json;v=\"a, application/xml", Format::Json, "application/json;v=\"a, application/xml"),
            ("application/json;charset=UTF-8;v=1", Format::Json, "application/json;charset=UTF-8;v=1"),
            ("application/json;Charset=\"utf-8\"", Format::Json, "application/json;Charset=\"utf-8\""),
            ("application/json;charset=ISO-8859-1;v=1", Format::Json, "application/json;v=1"),
            ("application/xml; CHARSET=utf-16", Format::Xml, "application/xml"),
            ("text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", Format::Xml, "application/xml"),
        ] {
            let picked = negotiate(&accept(&[line])).unwrap();
            assert_eq!((picked.format, picked.content_type.to_str().unwrap()), (format, content_type), "{line}");
        }
        for line in ["text/html", "text/xml", "application/vnd.x+json", "application/*+json", "json", "image/png"] {
            assert!(matches!(negotiate(&accept(&[line])), Err(ApiError::NotAcceptable)), "{line}");
        }
        for line in ["/", "bogus/", "application/json;q=abc"] {
            assert!(matches!(negotiate(&accept(&[line])), Err(ApiError::BadRequest(_))), "{line}");
        }
    }

    #[test]
    fn usual_lines_are_decided_like_any_other() {
        for (line, format) in USUAL {
            let line = std::str::from_utf8(line).unwrap();
            let picked = Negotiated { format, content_type: media_type(format) };
            assert_eq!(negotiate(&accept(&[line])).unwrap(), picked, "{line}");
            assert_eq!(negotiate(&accept(&[&format!("{line},")])).unwrap(), picked, "the long way: {line}");
        }
    }

    #[test]
    fn the_body_goes_by_the_first_line() {
        let headers = accept(&["text/html", "application/json"]);
        assert_eq!(negotiate(&headers).unwrap().format, Format::Json);
        assert_eq!(body_format(&headers), Format::Xml);
        assert_eq!(body_format(&accept(&["application/xml, application/json"])), Format::Json);
    }

    #[test]
    fn gzip_follows_http() {
        for (line, taken) in [
            ("gzip", true),
            ("gzip, x-gzip, deflate", true),
            ("GZIP", true),
            ("*", true),
            ("gzip;q=0", false),
            ("gzip;q=0, *", false),
            ("br", false),
            ("identity", false),
        ] {
            let headers = [(ACCEPT_ENCODING, HeaderValue::from_str(line).unwrap())].into_iter().collect();
            assert_eq!(takes_gzip(&headers), taken, "{line}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
