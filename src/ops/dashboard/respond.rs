//! The shapes that answers of the dashboard have: pages, data, and what is built in.
//!
//! A page shows what strangers registered. Beside escaping all of it, a browser is told to run nothing but the
//! dashboard's own script, to load nothing from elsewhere, and to let no other page put this one into a frame.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, REFERRER_POLICY,
    VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::catalog::compress;
use crate::codec::xml;
use crate::http::{has_tag, takes_gzip};
use crate::ops::walks::{Busy, Walks};

use super::language::Language;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Answers longer than this are compressed, where that is welcome.
const WORTH_COMPRESSING: usize = 16 * 1024;

const fn guards() -> [(HeaderName, HeaderValue); 5] {
    [
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ]
}

/// A page. Characters that XML cannot carry are U+FFFD, as in the API's.
pub(super) fn page(
    walks: &Walks,
    status: StatusCode,
    language: &Language,
    headers: &HeaderMap,
    html: String,
) -> Result<Response, Busy> {
    const HTML: HeaderValue = HeaderValue::from_static("text/html;charset=UTF-8");
    let content = [(CONTENT_TYPE, HTML), (CONTENT_LANGUAGE, language.header())];
    Ok((status, guards(), content, compressed(walks, headers, xml::carried(html).into_bytes())?).into_response())
}

/// Data for the script.
pub(super) fn data(walks: &Walks, headers: &HeaderMap, json: Vec<u8>) -> Result<Response, Busy> {
    const JSON: HeaderValue = HeaderValue::from_static("application/json");
    Ok((guards(), [(CONTENT_TYPE, JSON)], compressed(walks, headers, json)?).into_response())
}

/// Something built in, that browsers ask for again each time and get once.
pub(super) fn asset(headers: &HeaderMap, content_type: HeaderValue, etag: &str, bytes: &'static str) -> Response {
    const AGAIN: HeaderValue = HeaderValue::from_static("no-cache");
    let mut answer = if has_tag(headers, etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(CONTENT_TYPE, content_type)], bytes).into_response()
    };
    answer.headers_mut().extend(guards());
    answer.headers_mut().insert(CACHE_CONTROL, AGAIN);
    if let Ok(etag) = HeaderValue::from_str(etag) {
        answer.headers_mut().insert(ETAG, etag);
    }
    answer
}

fn compressed(walks: &Walks, headers: &HeaderMap, bytes: Vec<u8>) -> Result<Response, Busy> {
    const VARIES: (HeaderName, HeaderValue) = (VARY, HeaderValue::from_static("Accept-Encoding, Accept-Language"));
    if bytes.len() >= WORTH_COMPRESSING && takes_gzip(headers) {
        let packed = Body::from(walks.held(compress(&bytes))?);
        return Ok(([VARIES, (CONTENT_ENCODING, HeaderValue::from_static("gzip"))], packed).into_response());
    }
    Ok(([VARIES], Body::from(walks.held(bytes)?)).into_response())
}
