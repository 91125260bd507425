//! Servers on loopback that play a remote region.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{Request, StatusCode, Uri};
use http_body_util::BodyExt as _;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tower::ServiceExt as _;

/// How a played region behaves.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mood {
    /// It answers.
    Well,
    /// It takes requests and answers nothing.
    Silent,
    /// It refuses whoever names regions, as a Java server does that never reached one of its own.
    Awaiting,
    /// It answers this.
    Says(u16, &'static str),
}

/// What a played region has, and what it was asked.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) mood: Mood,
    pub(super) all: Vec<Value>,
    pub(super) delta: Vec<Value>,
    pub(super) hash: &'static str,
    pub(super) asked: Vec<String>,
}

/// A region on a port. It dies with this.
pub(super) struct Remote {
    pub(super) region: Arc<Mutex<Region>>,
    pub(super) address: SocketAddr,
    task: JoinHandle<()>,
}

impl Remote {
    pub(super) async fn start(all: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let region = Region { mood: Mood::Well, all, delta: Vec::new(), hash: "", asked: Vec::new() };
        Self::on(listener, Arc::new(Mutex::new(region)))
    }

    fn on(listener: TcpListener, region: Arc<Mutex<Region>>) -> Self {
        let played = Arc::clone(&region);
        let answer = move |uri: Uri| {
            let played = Arc::clone(&played);
            async move { play(&played, &uri).await }
        };
        let (address, router) = (listener.local_addr().unwrap(), Router::new().fallback(answer));
        Self { region, address, task: tokio::spawn(serve(listener, router)) }
    }

    /// Nobody listens from now on.
    pub(super) async fn die(mut self) -> (SocketAddr, Arc<Mutex<Region>>) {
        self.task.abort();
        let _cancelled = (&mut self.task).await;
        (self.address, Arc::clone(&self.region))
    }

    pub(super) async fn revive((address, region): (SocketAddr, Arc<Mutex<Region>>)) -> Self {
        Self::on(TcpListener::bind(address).await.unwrap(), region)
    }

    pub(super) fn set(&self, change: impl FnOnce(&mut Region)) {
        change(&mut self.region.lock());
    }

    pub(super) fn asked(&self, what: &str) -> usize {
        self.region.lock().asked.iter().filter(|asked| *asked == what).count()
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn play(region: &Mutex<Region>, uri: &Uri) -> Response {
    let (mood, list, hash) = {
        let mut region = region.lock();
        region.asked.push(uri.to_string());
        let is_delta = uri.path().ends_with("/delta");
        let list = if is_delta { region.delta.clone() } else { region.all.clone() };
        (region.mood.clone(), list, region.hash)
    };
    match mood {
        Mood::Silent => std::future::pending().await,
        Mood::Says(status, text) => (StatusCode::from_u16(status).unwrap(), text).into_response(),
        Mood::Awaiting if uri.query().is_some() => StatusCode::FORBIDDEN.into_response(),
        Mood::Well | Mood::Awaiting => {
            let apps: Vec<_> =
                list.iter().map(|instance| json!({"name": instance["app"], "instance": [instance]})).collect();
            let list = json!({"applications": {"versions__delta": "1", "apps__hashcode": hash, "application": apps}});
            list.to_string().into_response()
        }
    }
}

/// Answers one request a connection.
pub(super) async fn serve(listener: TcpListener, router: Router) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let router = router.clone();
        tokio::spawn(async move { tokio::time::timeout(Duration::from_mins(1), one(stream, router)).await });
    }
}

async fn one(mut stream: TcpStream, router: Router) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { return };
        head.push(byte);
    }
    let head = String::from_utf8(head).unwrap();
    let uri = head.split(' ').nth(1).unwrap();
    let request = Request::builder().uri(uri).header("Accept", "application/json").body(Body::empty()).unwrap();
    let (parts, body) = router.oneshot(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let mut answer = format!("HTTP/1.1 {}\r\nConnection: close\r\nContent-Length: {}\r\n", parts.status, body.len());
    for (name, value) in parts.headers.iter().filter(|(name, _)| *name != "content-length") {
        write!(answer, "{name}: {}\r\n", value.to_str().unwrap()).unwrap();
    }
    let answer = [answer.as_bytes(), b"\r\n", &body].concat();
    // Whoever asked may be gone.
    let _written = stream.write_all(&answer).await;
}
