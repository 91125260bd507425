//! Which requests a page of somebody else made a browser send.
//!
//! Browsers add what they know of a user to such a request by themselves: a password of HTTP Basic, a
//! certificate. A form may be sent anywhere without asking, so what changes something here is refused then.
//! (The API itself takes JSON and XML alone, for which browsers ask first.)
//!
//! Over plain `http://` browsers tell the site of the page alone (`Origin`), which must be the one that was asked
//! then. Behind a proxy that is what the proxy says, if it is to be believed (`server.forward-headers-strategy`): a page
//! cannot send that header without asking.

use http::header::{HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, HeaderName, Method, Uri};

/// Whether a request that changes something comes from a page of another site. Programs send neither of the
/// headers that tell.
pub(super) fn is_foreign(method: &Method, uri: &Uri, headers: &HeaderMap, behind_proxy: bool) -> bool {
    if [Method::GET, Method::HEAD, Method::OPTIONS].contains(method) {
        return false;
    }
    if let Some(site) = headers.get("sec-fetch-site") {
        return ![&b"same-origin"[..], b"none"].contains(&site.as_bytes());
    }
    let Some(origin) = headers.get(ORIGIN) else { return false };
    let Some((_, origin)) = origin.to_str().ok().and_then(|origin| origin.split_once("://")) else { return true };
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let asked = text(HOST).or_else(|| uri.authority().map(Authority::as_str));
    // Of several proxies the first is the caller's.
    let first = |name| text(HeaderName::from_static(name)).and_then(|list| list.split(',').next()).map(str::trim);
    let is_forwarded = || {
        let Some(host) = first("x-forwarded-host").filter(|_| behind_proxy) else { return false };
        let port = first("x-forwarded-port").and_then(|port| origin.strip_suffix(port)?.strip_suffix(':'));
        origin == host || port == Some(host)
    };
    asked != Some(origin) && !is_forwarded()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use http::HeaderValue;

    use super::*;

    fn foreign(method: &Method, headers: &[(&'static str, &'static str)]) -> bool {
        is_foreign_to(false, method, headers)
    }

    fn is_foreign_to(proxy: bool, method: &Method, headers: &[(&'static str, &'static str)]) -> bool {
        let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)));
        is_foreign(method, &Uri::from_static("/actuator/refresh"), &headers.collect(), proxy)
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

    #[test]
    fn a_page_behind_a_proxy_is_told_by_what_the_proxy_says() {
        let post = &Method::POST;
        let host = ("host", "registry:8761");
        for (origin, more) in [
            ("http://tools.test", &[("x-forwarded-host", "tools.test")][..]),
            ("http://tools.test:8080", &[("x-forwarded-host", "tools.test:8080, inner")]),
            ("http://tools.test:8080", &[("x-forwarded-host", "tools.test"), ("x-forwarded-port", "8080")]),
        ] {
            let headers: Vec<_> = [host, ("origin", origin)].into_iter().chain(more.iter().copied()).collect();
            assert!(!is_foreign_to(true, post, &headers), "{headers:?}");
            assert!(is_foreign_to(false, post, &headers), "{headers:?}");
        }
        for origin in ["http://evil.example", "http://evil.example:8080", "http://tools.test:1", "null"] {
            let forwarded = [("x-forwarded-host", "tools.test"), ("x-forwarded-port", "8080")];
            let headers: Vec<_> = [host, ("origin", origin)].into_iter().chain(forwarded).collect();
            assert!(is_foreign_to(true, post, &headers), "{headers:?}");
        }
    }
}
