//! A request as recorded, the answer to it, and the server that gives it.

use std::io::Read as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, Request, Uri, header};
use flate2::read::GzDecoder;

use super::raw_http;
use crate::server;

/// A request, sent as it stands: nothing is escaped or folded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ask {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Ask {
    /// A request without a body.
    pub(crate) fn new(method: &str, target: &str, headers: &[(&str, &str)]) -> Self {
        Self::with_body(method, target, headers, "")
    }

    /// A request with a text body.
    pub(crate) fn with_body(method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Self {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { method: method.to_owned(), target: target.to_owned(), headers, body: body.as_bytes().to_vec() }
    }

    /// The value of the first header of this name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Method and target, for messages.
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.method, self.target)
    }

    /// The length that is announced unless the recording says otherwise.
    pub(crate) fn content_length(&self) -> Option<usize> {
        let announced = self.header("content-length").is_some() || self.header("transfer-encoding").is_some();
        let due = !self.body.is_empty() || matches!(self.method.as_str(), "POST" | "PUT");
        (due && !announced).then_some(self.body.len())
    }
}

/// An answer, its body decompressed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The value of the last header of this name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().rev().find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The body as text; what is no UTF-8 shows as U+FFFD.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    fn decompressed(mut self) -> Self {
        if self.header("content-encoding") == Some("gzip") && !self.body.is_empty() {
            let mut plain = Vec::new();
            self.body = match GzDecoder::new(self.body.as_slice()).read_to_end(&mut plain) {
                Ok(_) => plain,
                Err(error) => format!("BAD GZIP {error}").into_bytes(),
            };
        }
        self
    }
}

/// When a server of ours starts, milliseconds since 1970. It is far from each time in the recordings, so that "about
/// now" can be told from what a request fixed.
const START: i64 = 1_800_000_000_000;

/// What a replay talks to.
pub(crate) enum Server {
    /// A fresh server of ours, without a socket.
    Router(Box<server::Server>),
    /// Somebody's running server.
    Socket(SocketAddr),
}

impl Server {
    /// A fresh server with these settings, or the control that the environment names.
    pub(crate) fn fresh(words: &[&str]) -> Self {
        if let Ok(address) = std::env::var("EUREKA_SERVER") {
            return Self::Socket(address.parse().expect("EUREKA_SERVER is an address and a port"));
        }
        let server = server::Server::not_open_at(START, words);
        server.app.open();
        Self::Router(Box::new(server))
    }

    /// Whether this is the control: a server that is not ours.
    pub(crate) fn is_control(&self) -> bool {
        matches!(self, Self::Socket(_))
    }

    /// The server's wall time, milliseconds since 1970.
    pub(crate) fn wall(&self) -> i64 {
        match self {
            Self::Router(server) => server.clock.now().wall,
            Self::Socket(_) => {
                #[expect(clippy::disallowed_methods, reason = "a control server runs on the system's clock")]
                let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock past 1970");
                i64::try_from(elapsed.as_millis()).expect("a clock before the year 292 million")
            }
        }
    }

    /// The answer to a request; `None` when the connection ended without one.
    pub(crate) async fn send(&self, ask: &Ask) -> Option<Answer> {
        match self {
            Self::Router(server) => Some(through_router(server, ask).await.decompressed()),
            Self::Socket(address) => raw_http::send(*address, ask).ok().map(Answer::decompressed),
        }
    }
}

async fn through_router(server: &server::Server, ask: &Ask) -> Answer {
    // What is no HTTP never reaches a router: the HTTP library answers it with a bare 400.
    let Some(request) = request(ask) else { return Answer { status: 400, ..Answer::default() } };
    let reply = server.answer(request).await;
    let headers = reply.headers.iter();
    let headers = headers.map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into()));
    // The HTTP library sends no body after HEAD either.
    let body = if ask.method == "HEAD" { Vec::new() } else { reply.body.to_vec() };
    Answer { status: reply.status, headers: headers.collect(), body }
}

fn request(ask: &Ask) -> Option<Request<Body>> {
    let mut request = Request::new(Body::from(ask.body.clone()));
    *request.method_mut() = Method::from_bytes(ask.method.as_bytes()).ok()?;
    *request.uri_mut() = ask.target.parse::<Uri>().ok()?;
    let headers = request.headers_mut();
    headers.insert(header::HOST, HeaderValue::from_static("localhost:8761"));
    for (name, value) in &ask.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        // Blanks around a value are no part of it: the HTTP library takes them off.
        let value = HeaderValue::from_bytes(value.trim_matches([' ', '\t']).as_bytes()).ok()?;
        if name == header::HOST {
            headers.insert(name, value);
        } else {
            headers.append(name, value);
        }
    }
    if let Some(length) = ask.content_length() {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    Some(request)
}

/// The path of a recording below `tests/fixtures`.
pub(crate) fn fixture(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures", path].iter().collect()
}
