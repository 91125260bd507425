//! Which requests a page of somebody else made a browser send.
//!
//! Browsers add what they know of a user to such a request by themselves: a password of HTTP Basic, a
//! certificate. A form may be sent anywhere without asking, so what changes something here is refused then.
//! (The API itself takes JSON and XML alone, for which browsers ask first.)

use http::header::{HOST, ORIGIN};
use http::{HeaderMap, HeaderValue, Method, Uri};

/// Whether a request that changes something comes from a page of another site. Programs send neither of the
/// headers that tell.
pub(super) fn is_foreign(method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
    if [Method::GET, Method::HEAD, Method::OPTIONS].contains(method) {
        return false;
    }
    if let Some(site) = headers.get("sec-fetch-site") {
        return ![&b"same-origin"[..], b"none"].contains(&site.as_bytes());
    }
    let Some(origin) = headers.get(ORIGIN) else { return false };
    let host = headers.get(HOST).map(HeaderValue::as_bytes);
    let host = host.or_else(|| uri.authority().map(|authority| authority.as_str().as_bytes()));
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, host)| host.as_bytes());
    origin.is_none() || origin != host
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn foreign(method: &Method, headers: &[(&'static str, &'static str)]) -> bool {
        let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)));
        is_foreign(method, &Uri::from_static("/actuator/refresh"), &headers.collect())
    }

    #[test]
    fn a_page_of_another_site_is_told_from_programs_and_own_pages() {
        let host = ("host", "registry:8761");
        for own in [
            &[host][..],
            &[host, ("sec-fetch-site", "same-origin"), ("origin", "http://registry:8761")],
            &[host, ("sec-fetch-site", "none")],
            &[host, ("origin", "https://registry:8761")],
        ] {
            assert!(!foreign(&Method::POST, own), "{own:?}");
        }
        for other in [
            &[host, ("sec-fetch-site", "cross-site")][..],
            &[host, ("sec-fetch-site", "same-site"), ("origin", "http://registry:8761")],
            &[host, ("origin", "http://evil.example")],
            &[host, ("origin", "null")],
            &[("origin", "http://registry:8761")],
        ] {
            assert!(foreign(&Method::POST, other), "{other:?}");
            assert!(!foreign(&Method::GET, other), "{other:?}");
        }
    }
}
