//! The floor: a program on the same HTTP stack whose handlers do nothing. It answers heartbeats and
//! registrations without looking at them, and lists with bytes that it was taught, which are those of the
//! server that is measured. No registry can be faster on this stack.

use std::fmt::Write as _;
use std::net::Ipv4Addr;
use std::sync::Arc;

use anyhow::Result;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::serve::ListenerExt as _;
use parking_lot::RwLock;

use super::fleet::{Form, Load};
use super::wire::Answer;

/// A list as it is sent.
#[derive(Clone, Default)]
struct Taught {
    headers: Vec<(HeaderName, HeaderValue)>,
    bytes: Bytes,
}

/// By [`place`].
type Lists = Arc<RwLock<[Taught; 8]>>;

/// Serves until it is killed.
pub(crate) fn serve(port: u16) -> Result<()> {
    let router = Router::new()
        .route("/eureka/apps/", get(async |lists, headers| list(lists, &headers, false)))
        .route("/eureka/apps/delta", get(async |lists, headers| list(lists, &headers, true)))
        .route("/eureka/apps/{app}", post(register))
        .route("/eureka/apps/{app}/{id}", put(ok).delete(ok))
        // Lists are longer than the 2 MB that axum reads of a body by itself.
        .route("/taught/{place}", put(teach).layer(DefaultBodyLimit::disable()))
        .with_state(Lists::default());
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        // As in the server that is measured. A socket that refuses it works all the same.
        let listener = listener.tap_io(|socket| drop(socket.set_nodelay(true)));
        Ok(axum::serve(listener, router).await?)
    })
}

/// The request that teaches the floor what to answer to this fetch; none if it is no fetch.
pub(crate) fn lesson(load: Load, answer: &Answer) -> Option<Vec<u8>> {
    let (Load::Fetch(form) | Load::Delta(form)) = load else {
        return None;
    };
    let place = place(form, matches!(load, Load::Delta(_)));
    let mut head = format!("PUT /taught/{place} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n", answer.length);
    for (name, value) in [("Content-Type", &answer.content_type), ("Content-Encoding", &answer.content_encoding)] {
        if let Some(value) = value {
            let _ = write!(head, "{name}: {value}\r\n");
        }
    }
    Some([head.as_bytes(), b"\r\n", &answer.body].concat())
}

fn place(form: Form, delta: bool) -> usize {
    usize::from(form.xml) + 2 * usize::from(form.gzip) + 4 * usize::from(delta)
}

async fn ok() -> StatusCode {
    StatusCode::OK
}

async fn register(_body: Bytes) -> StatusCode {
    StatusCode::NO_CONTENT
}

fn list(State(lists): State<Lists>, headers: &HeaderMap, delta: bool) -> Response {
    let names = |header, word: &str| {
        headers.get(header).and_then(|value: &HeaderValue| value.to_str().ok()).is_some_and(|text| text.contains(word))
    };
    let form = Form { xml: names(ACCEPT, "xml"), gzip: names(ACCEPT_ENCODING, "gzip") };
    let taught = lists.read().get(place(form, delta)).cloned().unwrap_or_default();
    let mut response = taught.bytes.into_response();
    for (name, value) in taught.headers {
        response.headers_mut().insert(name, value);
    }
    response
}

async fn teach(State(lists): State<Lists>, Path(place): Path<usize>, headers: HeaderMap, bytes: Bytes) -> StatusCode {
    let known = [CONTENT_TYPE, CONTENT_ENCODING].into_iter();
    let headers = known.filter_map(|name| headers.get(&name).cloned().map(|value| (name, value))).collect();
    match lists.write().get_mut(place) {
        Some(list) => {
            *list = Taught { headers, bytes };
            StatusCode::NO_CONTENT
        }
        None => StatusCode::NOT_FOUND,
    }
}
