//! Which paths are the same.

use std::borrow::Cow;
use std::convert::Infallible;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{Request, Uri};
use tower::ServiceExt;

use super::error::ApiError;

/// A router in front of `routes` that takes the context path away, one trailing slash, doubled
/// slashes and matrix parameters (`;x=y`), as Tomcat and Jersey do. A path that cannot be decoded is
/// 400; an encoded slash or backslash belongs to its segment (Tomcat refuses it).
pub(super) fn cleaned(routes: Router, context_path: &str) -> Router {
    let context_path = context_path.to_owned();
    Router::new().fallback_service(tower::service_fn(move |mut request: Request<Body>| {
        let routes = routes.clone();
        let path = inner_path(request.uri().path(), &context_path).map(|path| match path {
            Cow::Borrowed(path) if path.len() == request.uri().path().len() => None,
            path => Some(path.into_owned()),
        });
        async move {
            match path {
                Err(error) => return Ok::<Response, Infallible>(error.into_response()),
                Ok(Some(path)) => *request.uri_mut() = with_path(request.uri(), &path),
                Ok(None) => {}
            }
            routes.oneshot(request).await
        }
    }))
}

fn inner_path<'a>(path: &'a str, context_path: &str) -> Result<Cow<'a, str>, ApiError> {
    check_encoding(path)?;
    match clean(path) {
        Cow::Borrowed(path) => below(path, context_path).map(Cow::Borrowed),
        Cow::Owned(path) => below(&path, context_path).map(|path| Cow::Owned(path.to_owned())),
    }
}

fn below<'a>(path: &'a str, context_path: &str) -> Result<&'a str, ApiError> {
    match path.strip_prefix(context_path) {
        Some("") => Ok("/"),
        Some(rest) if rest.starts_with('/') => Ok(rest),
        _ => Err(ApiError::NotFound),
    }
}

fn clean(path: &str) -> Cow<'_, str> {
    let clean = !path.contains("//") && !path.contains(';') && (path.len() < 2 || !path.ends_with('/'));
    if clean && !path.is_empty() {
        return Cow::Borrowed(path);
    }
    let segments = path.split('/').map(|segment| segment.split(';').next().unwrap_or_default());
    let mut cleaned = String::with_capacity(path.len());
    for segment in segments.filter(|segment| !segment.is_empty()) {
        cleaned.push('/');
        cleaned.push_str(segment);
    }
    if cleaned.is_empty() {
        cleaned.push('/');
    }
    Cow::Owned(cleaned)
}

/// What may not stand in a path stands there encoded, every `%` is followed by two hex digits, and
/// what comes out is UTF-8 without NUL.
fn check_encoding(path: &str) -> Result<(), ApiError> {
    let wrong = |what: &str| ApiError::BadRequest(format!("cannot read the path: {what}"));
    if path.contains(['"', '\\', '|', '^']) {
        return Err(wrong("quotes, backslashes, bars and carets must be percent-encoded"));
    }
    if !path.contains('%') {
        return Ok(());
    }
    let mut decoded = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        let byte = match (first, tail) {
            (b'%', [high, low, after @ ..]) => {
                rest = after;
                hex(*high)
                    .zip(hex(*low))
                    .map(|(high, low)| high * 16 + low)
                    .ok_or_else(|| wrong("broken % encoding"))?
            }
            (b'%', _) => return Err(wrong("broken % encoding")),
            (byte, _) => *byte,
        };
        if byte == 0 {
            return Err(wrong("it contains a NUL"));
        }
        decoded.push(byte);
    }
    std::str::from_utf8(&decoded).map_err(|_| wrong("it is not UTF-8"))?;
    Ok(())
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

fn with_path(uri: &Uri, path: &str) -> Uri {
    let target = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    // It was part of a valid target before.
    target.parse().unwrap_or_else(|_| uri.clone())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    #[test]
    fn cleans_what_clients_write() {
        for (path, cleaned) in [
            ("/eureka/apps", "/eureka/apps"),
            ("/eureka/apps/", "/eureka/apps"),
            ("//eureka//apps///delta", "/eureka/apps/delta"),
            ("/eureka;v=1/apps;x=y/A", "/eureka/apps/A"),
            ("/eureka/apps/A/a%2Fb%3Bc", "/eureka/apps/A/a%2Fb%3Bc"),
            ("/", "/"),
            ("", "/"),
        ] {
            assert_eq!(inner_path(path, "").unwrap(), cleaned, "{path}");
        }
        for path in ["/ctx/eureka/apps/", "//ctx/eureka/apps", "/ctx//eureka/apps", "/ctx;v=1/eureka/apps"] {
            assert_eq!(inner_path(path, "/ctx").unwrap(), "/eureka/apps", "{path}");
        }
        assert_eq!(inner_path("/a//b/eureka/apps", "/a/b").unwrap(), "/eureka/apps");
        for path in ["/ctx", "/ctx/", "//ctx;v=1//"] {
            assert_eq!(inner_path(path, "/ctx").unwrap(), "/", "{path}");
        }
        assert!(matches!(inner_path("/ctxeureka/apps", "/ctx"), Err(ApiError::NotFound)));
        assert!(matches!(inner_path("/eureka/apps", "/ctx"), Err(ApiError::NotFound)));
    }

    #[test]
    fn refuses_what_cannot_be_decoded() {
        for path in
            ["/eureka/apps/%zz", "/eureka/apps/%", "/eureka/apps/%2", "/eureka/apps/%ff", "/eureka/apps/%00", "/a|b"]
        {
            assert!(matches!(inner_path(path, ""), Err(ApiError::BadRequest(_))), "{path}");
        }
    }
}
