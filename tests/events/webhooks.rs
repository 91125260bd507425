//! Those who are told, by servers of this process on loopback.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, StatusCode};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;

use eurekad::clock::Clock;
use eurekad::server::App;
use eurekad::settings::Settings;

use super::reading::words;
use crate::server::{Server, body};

/// Within this everything that should happen has happened, on a slow machine too.
const SOON: Duration = Duration::from_secs(20);

/// A request that came.
#[derive(Clone, Debug)]
struct Came {
    headers: HeaderMap,
    body: Bytes,
}

impl Came {
    /// What it tells, in words.
    fn words(&self) -> Vec<String> {
        self.events().iter().map(|event| words(&event["data"])).collect()
    }

    /// As a receiver finds out, see `docs/events.md`.
    fn is_signed_with(&self, secret: &str) -> bool {
        let header = |name: &str| self.headers[name].to_str().expect("a text").to_owned();
        let signed = [header("x-eurekad-timestamp").as_bytes(), b".", &self.body].concat();
        let signature = header("x-eurekad-signature");
        let hex = signature.strip_prefix("sha256=").expect("the name of the hash");
        let bytes = (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).expect("a byte"));
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
        ring::hmac::verify(&key, &signed, &bytes.collect::<Vec<_>>()).is_ok()
    }

    fn events(&self) -> Vec<Value> {
        match serde_json::from_slice(&self.body).expect("JSON") {
            Value::Array(events) => {
                assert_eq!(self.headers["content-type"], "application/cloudevents-batch+json");
                events
            }
            event => {
                assert_eq!(self.headers["content-type"], "application/cloudevents+json");
                vec![event]
            }
        }
    }
}

/// A server that is told, and answers as it is wanted to.
#[derive(Clone, Default)]
struct Receiver {
    came: Arc<Mutex<Vec<Came>>>,
    /// Statuses of the next answers; then 204.
    answers: Arc<Mutex<Vec<StatusCode>>>,
    news: Arc<Notify>,
    /// Held while nothing is to be answered.
    gate: Arc<tokio::sync::Mutex<()>>,
}

impl Receiver {
    async fn start(&self) -> SocketAddr {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new().fallback(take).with_state(self.clone());
        tokio::spawn(serve(listener, router));
        address
    }

    /// Waits until so many requests have come.
    async fn wait(&self, number: usize) -> Vec<Came> {
        let enough = async {
            loop {
                let news = self.news.notified();
                let came = self.came.lock().clone();
                if came.len() >= number {
                    return came;
                }
                news.await;
            }
        };
        tokio::time::timeout(SOON, enough).await.expect("requests")
    }
}

async fn take(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> Response {
    receiver.came.lock().push(Came { headers, body });
    receiver.news.notify_waiters();
    let _gate = receiver.gate.lock().await;
    let mut answers = receiver.answers.lock();
    let status = if answers.is_empty() { StatusCode::NO_CONTENT } else { answers.remove(0) };
    // Somebody else's, whom nobody chose.
    (status, [("location", "/elsewhere")]).into_response()
}

async fn serve(listener: TcpListener, router: Router) {
    while let Ok((stream, _)) = listener.accept().await {
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

/// A server in real time that tells a receiver.
async fn telling(receiver: &Receiver, words: &[&str]) -> Server {
    let url = format!("--eurekad.webhooks[0].url=http://user:hidden@{}/hook?key=hidden", receiver.start().await);
    let words = [&[url.as_str()], words].concat();
    let clock = Clock::system();
    let app = App::new(&Settings::from_words(&words).expect("valid words"), clock.clone());
    app.open();
    let running = app.clone();
    tokio::spawn(async move { running.events().follow().await });
    let running = app.clone();
    tokio::spawn(async move { running.webhooks().serve(0, running.events(), running.registry()).await });
    // It tells what happens from then on.
    let server = Server { app, clock };
    let wanted = async {
        server.register(&body("WARM-UP", "first")).await;
        while server.app.events().figures().events == 0 {
            tokio::task::yield_now().await;
            server.register(&body("WARM-UP", "first")).await;
        }
    };
    tokio::time::timeout(SOON, wanted).await.expect("it is followed");
    server
}

/// What came without what was sent to begin.
fn told(came: &[Came]) -> Vec<String> {
    came.iter().flat_map(Came::words).filter(|words| !words.contains("WARM-UP")).collect()
}

async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let is_so = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(SOON, is_so).await.unwrap_or_else(|_| panic!("waited in vain: {what}"));
}

#[tokio::test]
async fn events_are_told_signed_and_in_order() {
    let receiver = Receiver::default();
    let server = telling(&receiver, &["--eurekad.webhooks[0].secret=s3cret"]).await;
    for n in 0..50 {
        server.register(&body("ORDERS", &format!("ord-{n}"))).await;
    }
    server.delete("/eureka/apps/ORDERS/ord-0").await;
    until("all are told", || told(&receiver.came.lock()).len() == 51).await;
    let came = receiver.came.lock().clone();
    let mut expected: Vec<_> = (0..50).map(|n| format!("registered ORDERS/ord-{n} ->UP")).collect();
    expected.push("cancelled ORDERS/ord-0 UP>-".to_owned());
    assert_eq!(told(&came), expected);
    let mut ids = Vec::new();
    for request in &came {
        let timestamp = request.headers["x-eurekad-timestamp"].to_str().expect("a number");
        assert!(request.is_signed_with("s3cret"));
        let age = server.clock.now().wall / 1_000 - timestamp.parse::<i64>().expect("a number");
        assert!((0..200).contains(&age));
        // The user of the URL goes where it is meant to, and nowhere else.
        assert_eq!(request.headers["authorization"], "Basic dXNlcjpoaWRkZW4=");
        for event in request.events() {
            assert_eq!(event["specversion"], "1.0");
            assert_eq!(event["id"], event["data"]["id"]);
            assert_eq!(event["type"], format!("eurekad.{}", event["data"]["kind"].as_str().expect("a kind")));
            assert!(event["source"].as_str().is_some_and(|source| source.starts_with("urn:eurekad:")));
            assert!(event["time"].as_str().is_some_and(|time| time.starts_with("20") && time.ends_with('Z')));
            ids.push(event["id"].clone());
        }
        let subject = request.events()[0]["subject"].clone();
        assert!(subject == "WARM-UP/first" || subject.as_str().is_some_and(|subject| subject.starts_with("ORDERS/")));
    }
    let told = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), told, "each once");
    until("all are counted", || server.app.webhooks().figures()[0].sent == told as u64).await;
    let figures = &server.app.webhooks().figures()[0];
    assert_eq!((figures.failed, figures.dropped, figures.queued), (0, 0, 0));
    assert!(!format!("{figures:?} {:?}", server.app.webhooks()).contains("hidden"));
}

#[tokio::test]
async fn only_what_is_wanted_is_told_and_without_a_secret_it_is_not_signed() {
    let receiver = Receiver::default();
    let server = telling(
        &receiver,
        &["--eurekad.webhooks[0].apps=orders,warm-up", "--eurekad.webhooks[0].kinds=override,cancelled,registered"],
    )
    .await;
    for app in ["STOCK", "ORDERS"] {
        server.register(&body(app, "i-1")).await;
        server.put(&format!("/eureka/apps/{app}/i-1/status?value=DOWN")).await;
        server.put(&format!("/eureka/apps/{app}/i-1/metadata?a=b")).await;
        server.delete(&format!("/eureka/apps/{app}/i-1")).await;
    }
    until("all are told", || told(&receiver.came.lock()).len() == 3).await;
    let came = receiver.came.lock().clone();
    assert_eq!(
        told(&came),
        ["registered ORDERS/i-1 ->UP", "override ORDERS/i-1 UP>DOWN", "cancelled ORDERS/i-1 DOWN>-"]
    );
    assert!(came.iter().all(|request| !request.headers.contains_key("x-eurekad-signature")));
}

#[tokio::test]
async fn what_may_be_taken_later_is_sent_again_and_what_is_refused_is_not() {
    let receiver = Receiver::default();
    let server = telling(&receiver, &["--eurekad.webhooks[0].apps=ORDERS"]).await;
    *receiver.answers.lock() =
        [503, 302, 400, 204].map(|status| StatusCode::from_u16(status).expect("a status")).to_vec();
    for (n, requests) in [(1, 2), (2, 3), (3, 4)] {
        server.register(&body("ORDERS", &format!("ord-{n}"))).await;
        receiver.wait(requests).await;
    }
    let came = receiver.wait(4).await;
    assert_eq!(
        told(&came),
        [
            "registered ORDERS/ord-1 ->UP",
            // Again; then the redirection is not followed.
            "registered ORDERS/ord-1 ->UP",
            "registered ORDERS/ord-2 ->UP",
            "registered ORDERS/ord-3 ->UP",
        ]
    );
    until("the last is counted", || server.app.webhooks().figures()[0].sent == 1).await;
    let figures = &server.app.webhooks().figures()[0];
    assert_eq!((figures.retried, figures.failed), (1, 2));
}

#[tokio::test]
async fn a_target_that_is_too_slow_loses_the_oldest_and_is_told() {
    let receiver = Receiver::default();
    let server = telling(&receiver, &["--eurekad.webhooks[0].apps=ORDERS"]).await;
    let gate = receiver.gate.lock().await;
    server.register(&body("ORDERS", "first")).await;
    receiver.wait(1).await;
    for n in 0..1_300 {
        server.register(&body("ORDERS", &format!("ord-{n}"))).await;
    }
    until("all wait", || {
        let figures = &server.app.webhooks().figures()[0];
        (figures.queued, figures.dropped) == (1_000, 300)
    })
    .await;
    drop(gate);
    until("the rest is told", || server.app.webhooks().figures()[0].sent == 1_001).await;
    let came = receiver.came.lock().clone();
    // On a slow machine the first was given up, and sent again.
    let rest: Vec<_> = came.iter().filter(|request| request.body != came[0].body).cloned().collect();
    let gap = rest[0].events()[0].clone();
    assert_eq!((&gap["type"], &gap["data"]["dropped"]), (&"eurekad.gap".into(), &300.into()));
    assert_eq!(words(&rest[0].events()[1]["data"]), "registered ORDERS/ord-300 ->UP");
    assert_eq!(rest.len(), 10, "a hundred at a time");
    assert_eq!(told(&rest).last().expect("some"), "registered ORDERS/ord-1299 ->UP");
}

#[tokio::test]
async fn a_new_secret_in_a_file_counts_at_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("secret");
    std::fs::write(&path, "old\n").expect("written");
    let receiver = Receiver::default();
    let word = format!("--eurekad.webhooks[0].secret-file={}", path.display());
    let server = telling(&receiver, &[&word, "--eurekad.webhooks[0].apps=ORDERS"]).await;
    for (n, secret) in [(1, "old"), (2, "new")] {
        std::fs::write(&path, secret).expect("written");
        server.register(&body("ORDERS", &format!("ord-{n}"))).await;
        let request = receiver.wait(n).await.pop().expect("a request");
        assert!(request.is_signed_with(secret));
    }
}
