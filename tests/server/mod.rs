//! A server in this process, with the clock held in the hand, and requests to it.
//!
//! | file | what |
//! | --- | --- |
//! | this one | requests to the router, without a socket |
//! | `socket` | a whole server on a port, and a client that reads raw answers |
//! | `list` | what a list shows, read from JSON or XML |
//! | `xml` | XML, read as strictly as the strictest client does |

pub(crate) mod list;
pub(crate) mod socket;
pub(crate) mod xml;

use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, Method, Request};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use eurekad::clock::Clock;
use eurekad::server::App;
use eurekad::settings::Settings;

/// Wall time at which every held clock begins.
pub(crate) const START: i64 = 1_760_000_000_000;

pub(crate) const JSON: (&str, &str) = ("Accept", "application/json");
pub(crate) const XML: (&str, &str) = ("Accept", "application/xml");
pub(crate) const COMPACT: (&str, &str) = ("X-Eureka-Accept", "compact");
pub(crate) const GZIP: (&str, &str) = ("Accept-Encoding", "gzip");
pub(crate) const FROM_PEER: (&str, &str) = ("x-netflix-discovery-replication", "true");
pub(crate) const SENDS_JSON: (&str, &str) = ("Content-Type", "application/json");
pub(crate) const SENDS_XML: (&str, &str) = ("Content-Type", "application/xml");

/// See the module. Needs a paused runtime.
pub(crate) struct Server {
    pub(crate) app: App,
    pub(crate) clock: Clock,
}

impl Server {
    /// A server with these words, open for traffic.
    pub(crate) fn new(words: &[&str]) -> Self {
        let server = Self::not_open(words);
        server.app.open();
        server
    }

    /// The same before it opens.
    pub(crate) fn not_open(words: &[&str]) -> Self {
        Self::not_open_at(START, words)
    }

    /// The same with a clock that begins at another wall time.
    pub(crate) fn not_open_at(wall: i64, words: &[&str]) -> Self {
        let settings = Settings::from_words(words).expect("valid words");
        let clock = Clock::held(wall);
        let app = App::new(&settings, clock.clone());
        Self { app, clock }
    }

    pub(crate) async fn send(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut request =
            Request::builder().method(Method::from_bytes(method.as_bytes()).expect("a method")).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.answer(request.body(Body::from(body.to_vec())).expect("a request")).await
    }

    pub(crate) async fn answer(&self, request: Request<Body>) -> Reply {
        Reply::take(self.app.router().oneshot(request).await.expect("an answer")).await
    }

    pub(crate) async fn get(&self, target: &str, headers: &[(&str, &str)]) -> Reply {
        self.send("GET", target, headers, b"").await
    }

    pub(crate) async fn put(&self, target: &str) -> Reply {
        self.send("PUT", target, &[], b"").await
    }

    pub(crate) async fn delete(&self, target: &str) -> Reply {
        self.send("DELETE", target, &[], b"").await
    }

    /// Posts JSON.
    pub(crate) async fn post(&self, target: &str, body: &Value) -> Reply {
        self.send("POST", target, &[SENDS_JSON, JSON], body.to_string().as_bytes()).await
    }

    /// Registers this body under the application that it names.
    pub(crate) async fn register(&self, body: &Value) -> Reply {
        let app = body["instance"]["app"].as_str().expect("a name");
        self.post(&format!("/eureka/apps/{}", encoded(app)), body).await
    }

    /// What JSON is at a place.
    pub(crate) async fn json(&self, target: &str) -> Value {
        let reply = self.get(target, &[JSON]).await;
        assert_eq!(reply.status, 200, "{target}");
        reply.json()
    }

    /// An instance as it is shown.
    pub(crate) async fn instance(&self, app: &str, id: &str) -> Value {
        self.json(&format!("/eureka/apps/{}/{}", encoded(app), encoded(id))).await["instance"].take()
    }

    /// Lets so many seconds pass in which the process runs.
    pub(crate) async fn pass(&self, seconds: u64) {
        for _ in 0..seconds {
            tokio::time::advance(Duration::from_secs(1)).await;
            self.app.registry().lease_clock().beat(self.clock.mono());
        }
    }
}

/// An answer, read whole.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Reply {
    async fn take(response: Response) -> Self {
        let (head, body) = response.into_parts();
        let body = body.collect().await.expect("a whole body").to_bytes();
        Self { status: head.status.as_u16(), headers: head.headers, body }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("a text"))
    }

    /// The body as it was before it was compressed.
    pub(crate) fn unpacked(&self) -> Vec<u8> {
        use std::io::Read as _;
        if self.header("content-encoding") != Some("gzip") {
            return self.body.to_vec();
        }
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(&*self.body).read_to_end(&mut bytes).expect("gzip");
        bytes
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.unpacked()).expect("UTF-8")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.unpacked()).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn xml(&self) -> xml::Element {
        xml::parse(&self.text()).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Status and content type of an answer that has no body.
    pub(crate) fn bare(&self) -> (u16, Option<&str>) {
        assert!(self.body.is_empty(), "{:?}", self.body);
        (self.status, self.header("content-type"))
    }
}

/// A registration as an ordinary client sends it.
pub(crate) fn body(app: &str, id: &str) -> Value {
    json!({"instance": {
        "instanceId": id, "hostName": "ord-1.test", "app": app, "ipAddr": "10.20.0.11", "status": "UP",
        "overriddenstatus": "UNKNOWN", "port": {"$": 8080, "@enabled": "true"},
        "securePort": {"$": 8443, "@enabled": "false"}, "countryId": 1,
        "dataCenterInfo": {"@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", "name": "MyOwn"},
        "leaseInfo": {"renewalIntervalInSecs": 30, "durationInSecs": 90}, "metadata": {"zone": "z1"},
        "homePageUrl": "http://ord-1.test:8080/", "statusPageUrl": "http://ord-1.test:8080/info",
        "healthCheckUrl": "http://ord-1.test:8080/health", "vipAddress": "orders", "secureVipAddress": "orders",
        "isCoordinatingDiscoveryServer": "false", "lastUpdatedTimestamp": "1700000000000",
        "lastDirtyTimestamp": "1700000000000", "actionType": "ADDED"}})
}

/// The same with members replaced; null takes one out.
pub(crate) fn body_with(app: &str, id: &str, members: &Value) -> Value {
    let mut body = body(app, id);
    let instance = body["instance"].as_object_mut().expect("an object");
    for (name, value) in members.as_object().expect("an object") {
        if value.is_null() {
            instance.remove(name);
        } else {
            instance.insert(name.clone(), value.clone());
        }
    }
    body
}

/// What a body is with `Content-Encoding: gzip`.
pub(crate) fn packed(body: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(body).expect("written to memory");
    encoder.finish().expect("written to memory")
}

/// A text as one segment of a path: everything but letters, digits and `-._~` percent-encoded.
pub(crate) fn encoded(segment: &str) -> String {
    use std::fmt::Write as _;
    segment.bytes().fold(String::new(), |mut path, byte| {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => path.push(byte.into()),
            _ => write!(path, "%{byte:02X}").expect("written to memory"),
        }
        path
    })
}
