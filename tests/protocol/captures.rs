//! What real clients sent, replayed in order against one fresh server per run, and whether they get
//! what they need. The answers of the small recorder that they talked to are not looked at: it made
//! mistakes on purpose.

use serde_json::Value;

use super::client_needs::{Call, Registered, objections};
use super::exchange::{Answer, Ask, Server, fixture};
use super::golden::RECORDED_WITH;
use super::strict_json::hash_code;

macro_rules! captures {
    ($($test:ident: $client:literal,)*) => {
        const CLIENTS: [&str; [$($client),*].len()] = [$($client),*];
        $(
            #[tokio::test(start_paused = true)]
            async fn $test() {
                replay($client).await;
            }
        )*
    };
}

captures! {
    arthurhlt_go_eureka_client: "arthurhlt-go-eureka-client",
    eureka_js_client: "eureka-js-client",
    fargo: "fargo",
    flask_eureka_client: "flask-eureka-client",
    netflix_java: "netflix-java",
    prometheus: "prometheus",
    py_eureka_client: "py-eureka-client",
    pyeureka: "pyeureka",
    rocketsoftware_eureka_js_client: "rocketsoftware-eureka-js-client",
    rust_eureka: "rust-eureka",
    rust_eureka_client: "rust-eureka-client",
    spring_ready_python: "spring-ready-python",
    wasp_eureka: "wasp-eureka",
    xuanbo_eureka_client: "xuanbo-eureka-client",
}

/// The instance that the captured clients look for.
const ORDERS: &str = r#"{"instance":{"instanceId":"orders-1.internal.example:orders:8080",
    "hostName":"orders-1.internal.example","app":"ORDERS","ipAddr":"10.0.0.11","status":"UP",
    "port":{"$":8080,"@enabled":"true"},"securePort":{"$":443,"@enabled":"false"},"vipAddress":"orders",
    "secureVipAddress":"orders","dataCenterInfo":
    {"@class":"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo","name":"MyOwn"},"metadata":{"zone":"z1"}}}"#;

#[test]
fn every_client_is_replayed() {
    let folders = std::fs::read_dir(fixture("captures")).unwrap().map(|folder| folder.unwrap().file_name());
    let folders = folders.filter_map(|name| name.into_string().ok()).filter(|name| name != "java-codec");
    let forgotten: Vec<_> = folders.filter(|name| !CLIENTS.contains(&name.as_str())).collect();
    assert!(forgotten.is_empty(), "not replayed: {forgotten:?}");
}

async fn replay(client: &str) {
    let folder = fixture("captures").join(client);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let (mut requests, mut problems) = (0, Vec::new());
    for file in &files {
        let run: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let asks: Vec<Ask> = run["requests"].as_array().unwrap().iter().map(ask).collect();
        requests += asks.len();
        let scenario = run["scenario"].as_str().unwrap();
        problems.extend(run_through(&asks).await.into_iter().map(|problem| format!("{client}, {scenario}, {problem}")));
    }
    super::announce(&format!("{client}: {} runs, {requests} requests, {} objections", files.len(), problems.len()));
    assert!(problems.is_empty(), "{} objections\n{}", problems.len(), problems.join("\n"));
}

/// Replays a run against a fresh server and collects what its client would object to.
async fn run_through(asks: &[Ask]) -> Vec<String> {
    let server = Server::fresh(&RECORDED_WITH);
    let mut registered = Registered::default();
    let mut deltas = Deltas::default();
    let orders = Ask::with_body("POST", "/eureka/apps/ORDERS", &[("Content-Type", "application/json")], ORDERS);
    registered.needed_status(&Call::of(&orders), &orders, server.wall());
    assert_eq!(server.send(&orders).await.unwrap().status, 204);

    let mut problems = Vec::new();
    for (index, ask) in asks.iter().enumerate() {
        let call = Call::of(ask);
        let needed = registered.needed_status(&call, ask, server.wall());
        let answer = server.send(ask).await.expect("an answer");
        let mut found = objections(&call, ask, &answer, needed);
        if call == Call::Delta && found.is_empty() {
            found.extend(deltas.objections(&server, &answer).await);
        }
        deltas.changed |= call.changes() && answer.status < 300;
        problems.extend(found.into_iter().map(|problem| format!("request {index} ({}): {problem}", ask.line())));
    }
    problems
}

/// The deltas that a client has read.
#[derive(Default)]
struct Deltas {
    last_version: Option<String>,
    /// Since the last one.
    changed: bool,
}

impl Deltas {
    /// A delta carries the hash of the whole registry, and another version after each change, since
    /// py-eureka-client skips a delta whose version and hash it has seen.
    async fn objections(&mut self, server: &Server, delta: &Answer) -> Vec<String> {
        let full = Ask::new("GET", "/eureka/apps", &[("Accept", "application/json")]);
        let full = server.send(&full).await.expect("an answer").text();
        let hash = hash_code(&serde_json::from_str(&full).expect("the registry"));
        let delta = delta.text();
        let mut objections = Vec::new();
        if value(&delta, "apps__hashcode").as_ref() != Some(&hash) {
            objections.push(format!("the hash is not that of the registry, {hash}"));
        }
        let version = value(&delta, "versions__delta");
        if self.changed && self.last_version.is_some() && self.last_version == version {
            objections.push("the version is that of the delta before the change".to_owned());
        }
        (self.last_version, self.changed) = (version, false);
        objections
    }
}

/// The value of a member of a JSON or XML document.
fn value(document: &str, name: &str) -> Option<String> {
    let after = |opening: String| document.split_once(&opening).map(|(_, after)| after);
    let rest = after(format!("\"{name}\":\"")).or_else(|| after(format!("<{name}>")))?;
    rest.split(['"', '<']).next().map(ToOwned::to_owned)
}

fn ask(request: &Value) -> Ask {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let headers = request["headers"].as_array().unwrap();
    Ask {
        method: text(&request["method"]),
        target: text(&request["target"]),
        headers: headers.iter().map(|header| (text(&header[0]), text(&header[1]))).collect(),
        body: request["body_raw"].as_str().unwrap_or_default().as_bytes().to_vec(),
    }
}
