//! Requests, one after the other: what a connection may bring once its head can be parsed.
//!
//! Each is a line with method and target, lines with headers, an empty line and a body; a line of `====` ends it.

use axum::body::Body;
use http::{HeaderName, HeaderValue, Method, Request, Uri};

use crate::server::body;

use super::lists::assert_whole;
use super::{DEFAULTS, held, server};

/// So many requests of one input are sent.
const MOST: usize = 4;

/// What a refusal may take, whatever was asked.
const LONGEST_REFUSAL: usize = 8 * 1024;

pub(super) fn check(input: &[u8]) {
    held(async {
        let server = server(&DEFAULTS);
        for (app, id) in [("KILN", "kiln-1"), ("ORDERS", "ord-1")] {
            assert_eq!(server.register(&body(app, id)).await.status, 204);
        }
        for request in pieces(input, b"\n====\n").take(MOST).filter_map(request) {
            let head = format!("{} {}", request.method(), request.uri());
            let reply = server.answer(request).await;
            assert!(reply.status < 500, "{head}: {}", reply.status);
            if reply.status >= 400 {
                assert!(reply.body.len() < LONGEST_REFUSAL, "{head}: {} bytes", reply.body.len());
                let html = reply.header("content-type").is_some_and(|kind| kind.contains("html"));
                assert!(!html, "{head}");
            }
        }
        assert_whole(&server).await;
    });
}

/// The request, unless not even the HTTP library would let it through.
fn request(piece: &[u8]) -> Option<Request<Body>> {
    let mut parts = piece.splitn(2, |byte| *byte == b'\n');
    let mut first = parts.next()?.splitn(2, |byte| *byte == b' ');
    let (method, target) = (first.next()?, first.next()?);
    let mut request = Request::new(Body::empty());
    *request.method_mut() = Method::from_bytes(method).ok()?;
    *request.uri_mut() = Uri::try_from(target).ok()?;
    let mut rest = parts.next().unwrap_or_default();
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let (line, after) = (&rest[..end], &rest[end + 1..]);
        rest = after;
        if line.is_empty() {
            break;
        }
        let colon = line.iter().position(|byte| *byte == b':')?;
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        request.headers_mut().append(HeaderName::from_bytes(name).ok()?, HeaderValue::from_bytes(value).ok()?);
    }
    *request.body_mut() = Body::from(rest.to_vec());
    Some(request)
}

fn pieces<'a>(input: &'a [u8], separator: &'static [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = Some(input);
    std::iter::from_fn(move || {
        let all = rest?;
        let end = all.windows(separator.len()).position(|window| window == separator);
        rest = end.map(|end| &all[end + separator.len()..]);
        Some(&all[..end.unwrap_or(all.len())])
    })
}
