//! Copies follow regions, whatever these do.

use std::time::{Duration, Instant};

use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

use eurekad::clock::Clock;
use eurekad::peers::discovery::Discovery;
use eurekad::server::App;
use eurekad::settings::{OwnRoot, Settings};

use super::remote::{Mood, Remote, serve};
use crate::server::body_with;

/// Within this everything that should happen has happened, on a slow machine too.
const SOON: Duration = Duration::from_secs(30);
/// As often as can be set.
const OFTEN: &str = "--eureka.server.remote-region-registry-fetch-interval=1";
const FULL: &str = "/eureka/apps/?regions=none";
const DELTA: &str = "/eureka/apps/delta?regions=none";

/// A server that follows its regions.
struct Follower {
    app: App,
    tasks: TaskTracker,
    ending: CancellationToken,
}

impl Follower {
    fn start(words: &[&str]) -> Self {
        let words: Vec<_> = [OFTEN].iter().chain(words).copied().collect();
        let app = App::new(&Settings::from_words(&words).unwrap(), Clock::system());
        app.open();
        let (tasks, ending) = (TaskTracker::new(), CancellationToken::new());
        app.regions().start(&tasks, &ending);
        Self { app, tasks, ending }
    }

    async fn call(&self, method: &str, target: &str, body: &Value) -> (u16, Value) {
        let request = http::Request::builder().method(method).uri(target);
        let request = request.header("Accept", "application/json").header("Content-Type", "application/json");
        let request = request.body(axum::body::Body::from(body.to_string())).unwrap();
        let (head, body) = self.app.router().oneshot(request).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        (head.status.as_u16(), serde_json::from_slice(&body).unwrap_or_default())
    }

    async fn register(&self, app: &str, id: &str) {
        let (status, _) = self.call("POST", &format!("/eureka/apps/{app}"), &instance_in(app, id, "UP")).await;
        assert_eq!(status, 204);
    }

    /// Ids and statuses that everybody sees.
    async fn shown(&self) -> Vec<String> {
        let (status, list) = self.call("GET", "/eureka/apps", &Value::Null).await;
        assert_eq!(status, 200);
        let apps = list["applications"]["application"].as_array().unwrap().iter();
        let instances = apps.flat_map(|app| app["instance"].as_array().unwrap());
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        instances.map(|instance| format!("{} {}", text(&instance["instanceId"]), text(&instance["status"]))).collect()
    }

    async fn eventually(&self, expected: &[&str]) {
        let begun = Instant::now();
        while self.shown().await != expected {
            assert!(begun.elapsed() < SOON, "{:?} is not {expected:?}", self.shown().await);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn end(self) {
        self.ending.cancel();
        self.tasks.close();
        tokio::time::timeout(SOON, self.tasks.wait()).await.expect("all tasks end");
    }
}

fn instance_in(app: &str, id: &str, status: &str) -> Value {
    body_with(app, id, &json!({"status": status}))
}

fn listed(id: &str, status: &str, action: &str) -> Value {
    body_with("FAR", id, &json!({"status": status, "actionType": action}))["instance"].take()
}

fn up(id: &str) -> Value {
    listed(id, "UP", "ADDED")
}

fn url(remote: &Remote) -> String {
    format!("--eureka.server.remote-region-urls-with-name.eu=http://{}/eureka", remote.address)
}

async fn until(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < SOON);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_copy_follows_deltas_and_is_made_anew_when_one_does_not_fit() {
    let remote = Remote::start(vec![up("a"), up("b")]).await;
    remote.set(|region| region.hash = "UP_2_");
    let server = Follower::start(&[&url(&remote)]);
    server.eventually(&["a UP", "b UP"]).await;
    until(|| remote.asked(DELTA) > 1).await;
    assert_eq!(remote.asked(FULL), 1, "an empty delta fits");
    remote.set(|region| {
        region.hash = "DOWN_1_UP_1_";
        region.delta = vec![listed("a", "DOWN", "MODIFIED"), listed("b", "UP", "DELETED"), up("c")];
    });
    server.eventually(&["a DOWN", "c UP"]).await;
    assert_eq!(remote.asked(FULL), 1);
    remote.set(|region| {
        region.hash = "UP_7_";
        region.all = vec![up("d")];
    });
    server.eventually(&["d UP"]).await;
    assert!(remote.asked(FULL) > 1);
    server.end().await;
}

#[tokio::test]
async fn a_region_that_has_more_than_is_taken_keeps_its_copy_until_it_has_less() {
    let remote = Remote::start(vec![up("a"), up("b")]).await;
    let limits = ["--eurekad.regions.instances=3", "--eurekad.regions.answer-size=100KB"];
    let server = Follower::start(&[&url(&remote), limits[0], limits[1]]);
    server.eventually(&["a UP", "b UP"]).await;
    let mut long = up("c");
    long["metadata"] =
        (0..20).map(|n| (n.to_string(), json!("x".repeat(10_000)))).collect::<serde_json::Map<_, _>>().into();
    for more in [vec![up("c"), up("d"), up("e"), up("f")], vec![long]] {
        // A delta that does not fit leads to a whole answer.
        remote.set(|region| (region.hash, region.all) = ("UP_9_", more));
        let asked = remote.asked(FULL);
        until(|| remote.asked(FULL) > asked + 1).await;
        assert_eq!(server.shown().await, ["a UP", "b UP"]);
    }
    remote.set(|region| region.all = vec![up("c"), up("d"), up("e")]);
    server.eventually(&["c UP", "d UP", "e UP"]).await;
    server.end().await;
}

#[tokio::test]
async fn a_region_that_fails_in_any_way_keeps_its_copy_and_holds_up_nobody() {
    let mut remote = Remote::start(vec![up("a")]).await;
    remote.set(|region| region.hash = "UP_1_");
    let server = Follower::start(&[&url(&remote), "--eureka.server.remote-region-read-timeout-ms=200"]);
    server.eventually(&["a UP"]).await;
    for (turn, mood) in [
        Mood::Silent,
        Mood::Says(503, ""),
        Mood::Says(403, ""),
        Mood::Says(200, "<html>gateway</html>"),
        Mood::Says(200, "{\"applications\": {\"application\": ["),
    ]
    .into_iter()
    .enumerate()
    {
        let asked = remote.region.lock().asked.len();
        remote.set(|region| region.mood = mood.clone());
        until(|| remote.region.lock().asked.len() > asked + 1).await;
        let begun = Instant::now();
        let id = format!("near-{turn}");
        server.register("NEAR", &id).await;
        assert!(server.shown().await.contains(&"a UP".to_owned()), "{mood:?}");
        assert!(begun.elapsed() < Duration::from_secs(2), "{mood:?}");
        server.call("DELETE", &format!("/eureka/apps/NEAR/{id}"), &Value::Null).await;
        remote.set(|region| region.mood = Mood::Well);
        let asked = remote.region.lock().asked.len();
        until(|| remote.region.lock().asked.len() > asked).await;
    }
    let dead = remote.die().await;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    server.eventually(&["a UP"]).await;
    dead.1.lock().all = vec![up("b")];
    dead.1.lock().hash = "UP_7_";
    remote = Remote::revive(dead).await;
    server.eventually(&["b UP"]).await;
    drop(remote);
    server.end().await;
}

#[tokio::test]
async fn a_region_that_is_not_there_holds_up_neither_start_nor_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    // Its queue takes the connection, and nobody answers.
    let silent = format!("--eureka.server.remote-region-urls-with-name.eu=http://{}/", listener.local_addr().unwrap());
    let refused = "--eureka.server.remote-region-urls-with-name.us=http://127.0.0.1:1/eureka/";
    let server = Follower::start(&[&silent, refused]);
    server.register("NEAR", "near").await;
    assert_eq!(server.shown().await, ["near UP"]);
    for region in ["eu", "us"] {
        let (status, _) = server.call("GET", &format!("/eureka/apps?regions={region}"), &Value::Null).await;
        assert_eq!(status, 403);
    }
    let begun = Instant::now();
    server.end().await;
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn only_apps_of_the_list_are_shown_and_deltas_fit_all_the_same() {
    let other = body_with("OTHER", "o", &json!({}))["instance"].take();
    let remote = Remote::start(vec![up("a"), other]).await;
    remote.set(|region| region.hash = "UP_2_");
    let allowed = "--eureka.server.remote-region-app-whitelist.EU=far";
    let server = Follower::start(&[&url(&remote), allowed]);
    server.eventually(&["a UP"]).await;
    until(|| remote.asked(DELTA) > 1).await;
    assert_eq!(remote.asked(FULL), 1);
    server.end().await;
}

#[tokio::test]
async fn two_servers_that_are_each_others_regions_keep_no_instance_alive() {
    let listeners = [TcpListener::bind("127.0.0.1:0").await.unwrap(), TcpListener::bind("127.0.0.1:0").await.unwrap()];
    let addresses = [0, 1].map(|place: usize| listeners[place].local_addr().unwrap());
    let words = addresses.map(|at| format!("--eureka.server.remote-region-urls-with-name.other=http://{at}/eureka/"));
    let [near, far] = [Follower::start(&[&words[1]]), Follower::start(&[&words[0]])];
    let [first, second] = listeners;
    let serving = [tokio::spawn(serve(first, near.app.router())), tokio::spawn(serve(second, far.app.router()))];
    near.register("NEAR", "n").await;
    far.register("FAR", "f").await;
    for server in [&near, &far] {
        server.eventually(&["f UP", "n UP"]).await;
    }
    assert_eq!(near.call("DELETE", "/eureka/apps/NEAR/n", &Value::Null).await.0, 200);
    assert_eq!(near.shown().await, ["f UP"], "it comes back from nowhere");
    far.eventually(&["f UP"]).await;
    near.eventually(&["f UP"]).await;
    near.end().await;
    far.end().await;
    serving.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn a_server_is_no_region_of_its_own() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let own =
        format!("--eureka.server.remote-region-urls-with-name.own=http://{}/eureka", listener.local_addr().unwrap());
    let server = Follower::start(&[&own]);
    let serving = tokio::spawn(serve(listener, server.app.router()));
    server.register("NEAR", "n").await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let (status, _) = server.call("GET", "/eureka/apps?regions=own", &Value::Null).await;
    assert_eq!(status, 403, "it was never read");
    server.end().await;
    serving.abort();
}

/// What a new server copies from a peer at its start.
async fn first_copy(peer: std::net::SocketAddr) -> usize {
    let peer = format!("--eureka.client.service-url.defaultZone=http://{peer}/eureka/");
    let settings = Settings::from_words(&[&peer]).unwrap();
    let app = App::new(&settings, Clock::system());
    let discovery = Discovery::new(settings.peers.clone(), OwnRoot::of(&settings.http));
    let (_finds, found) = watch::channel(discovery.found());
    app.peers().copy(found, &settings.replication).await
}

#[tokio::test]
async fn the_first_copy_of_a_peer_takes_no_region_for_its_own() {
    let remote = Remote::start(vec![up("a"), up("b")]).await;
    let peer = Follower::start(&[&url(&remote)]);
    peer.register("NEAR", "n").await;
    peer.eventually(&["a UP", "b UP", "n UP"]).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(serve(listener, peer.app.router()));
    assert_eq!(first_copy(address).await, 1);
    serving.abort();
    peer.end().await;
    remote.set(|region| region.mood = Mood::Awaiting);
    assert_eq!(first_copy(remote.address).await, 2, "a Java server gives the list that it has");
}
