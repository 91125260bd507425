//! A reader of a stream, without a socket.

use std::time::Duration;

use axum::body::Body;
use http::Request;
use http_body_util::BodyExt as _;
use serde_json::Value;
use tower::ServiceExt as _;

use crate::server::Server;

/// An event as a browser would see it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) id: Option<String>,
    pub(crate) kind: String,
    pub(crate) data: Value,
}

impl Seen {
    /// Kind and what it is about: `status ORDERS/ord-1 UP>DOWN`.
    pub(crate) fn words(&self) -> String {
        words(&self.data)
    }
}

/// The same of an event's JSON.
pub(crate) fn words(data: &Value) -> String {
    let text = |name: &str| data[name].as_str().unwrap_or("-").to_owned();
    let kind = text("kind");
    match &*kind {
        "ready" => kind,
        "gap" => format!("gap {}", text("reason")),
        "peer" | "preservation" => format!("{kind} {}", text("state")),
        _ => format!("{kind} {}/{} {}>{}", text("app"), text("instance"), text("before"), text("status")),
    }
}

/// A stream that is being read.
pub(crate) struct Reading {
    body: Body,
    lines: Parser,
}

/// Server-sent events out of bytes, as the HTML standard has it.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    bytes: Vec<u8>,
    /// The last id, with an event or without one.
    pub(crate) last_id: Option<String>,
}

impl Parser {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole event that has data.
    pub(crate) fn next(&mut self) -> Option<Seen> {
        loop {
            let end = self.bytes.windows(2).position(|pair| pair == b"\n\n")?;
            let block: Vec<u8> = self.bytes.drain(..end + 2).collect();
            let block = String::from_utf8(block).expect("UTF-8");
            let (mut id, mut kind, mut data) = (None, "message".to_owned(), None);
            for line in block.lines().filter(|line| !line.is_empty()) {
                match line.split_once(':').expect("a field") {
                    ("", _comment) => {}
                    ("id", value) => id = Some(value.trim().to_owned()),
                    ("event", value) => value.trim().clone_into(&mut kind),
                    ("data", value) => data = Some(serde_json::from_str(value).expect("JSON")),
                    ("retry", value) => assert!(value.trim().parse::<u32>().is_ok(), "{line}"),
                    _ => panic!("an odd line: {line:?}"),
                }
            }
            if id.is_some() {
                self.last_id.clone_from(&id);
            }
            if let Some(data) = data {
                return Some(Seen { id, kind, data });
            }
        }
    }
}

impl Reading {
    /// Begins to read; the answer must be a stream.
    pub(crate) async fn begin(server: &Server, query: &str, last_id: Option<&str>) -> Self {
        let mut request = Request::builder().uri(format!("/eureka/events?{query}"));
        if let Some(id) = last_id {
            request = request.header("Last-Event-ID", id);
        }
        let request = request.body(Body::empty()).expect("a request");
        let answer = server.app.router().oneshot(request).await.expect("an answer");
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        assert_eq!(answer.headers()["cache-control"], "no-store");
        assert_eq!(answer.headers()["x-accel-buffering"], "no");
        Self { body: answer.into_body(), lines: Parser::default() }
    }

    /// The next event; none at the end of the stream, or when none comes for ten seconds.
    pub(crate) async fn next(&mut self) -> Option<Seen> {
        loop {
            if let Some(seen) = self.lines.next() {
                return Some(seen);
            }
            let frame = tokio::time::timeout(Duration::from_secs(10), self.body.frame()).await.ok()??;
            self.lines.add(&frame.ok()?.into_data().expect("data"));
        }
    }

    /// All events until none comes any more, in words.
    pub(crate) async fn rest(&mut self) -> Vec<String> {
        let mut rest = Vec::new();
        while let Some(seen) = self.next().await {
            rest.push(seen.words());
        }
        rest
    }

    /// The last id that came.
    pub(crate) fn last_id(&self) -> Option<&str> {
        self.lines.last_id.as_deref()
    }

    /// Whether the stream is over, after what may still come.
    pub(crate) async fn is_over(&mut self) -> bool {
        loop {
            match tokio::time::timeout(Duration::from_secs(10), self.body.frame()).await {
                Ok(None | Some(Err(_))) => return true,
                Ok(Some(Ok(_))) => {}
                Err(_) => return false,
            }
        }
    }

    /// Bytes as they come, for those who look at what is no event.
    pub(crate) async fn piece(&mut self) -> String {
        let frame = self.body.frame().await.expect("not over").expect("no failure");
        String::from_utf8(frame.into_data().expect("data").to_vec()).expect("UTF-8")
    }
}

/// A server whose events are followed, as its tasks would do.
pub(crate) fn followed(words: &[&str]) -> Server {
    let server = Server::new(words);
    follow(&server);
    server
}

/// Follows what happens on a server.
pub(crate) fn follow(server: &Server) {
    let events = server.app.events().clone();
    tokio::spawn(async move { events.follow().await });
}
