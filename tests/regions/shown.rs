//! Which instances a request shows.

use serde_json::json;

use eurekad::codec::Limits;
use eurekad::codec::json::read_instance;
use eurekad::model::{AppName, InstanceId, LeaseTimes};
use eurekad::registry::{RegionChange, RemoteInstance};

use crate::server::list::List;
use crate::server::{COMPACT, FROM_PEER, JSON, Server, XML, body, body_with};

const EU: &str = "--eureka.server.remote-region-urls-with-name.EU-Test=http://127.0.0.1:1/eureka/";
const US: &str = "--eureka.server.remote-region-urls-with-name.us=http://127.0.0.1:2/eureka/";
const LOCAL_ONLY: &str = "--eureka.server.disable-transparent-fallback-to-other-region=true";

fn remote(app: &str, id: &str, host: &str) -> RemoteInstance {
    let body = body_with(app, id, &json!({"hostName": host})).to_string();
    let registration = read_instance(body.as_bytes(), &Limits::default()).unwrap();
    let times = LeaseTimes { registration: 1, last_renewal: 2, eviction: 0, service_up: 3 };
    RemoteInstance { instance: registration.accept(&AppName::new(app), 0).unwrap(), times }
}

fn load(server: &Server, region: &str, all: &[(&str, &str)]) {
    let registry = server.app.registry();
    let all = all.iter().map(|(app, id)| remote(app, id, region)).collect();
    registry.replace_region(registry.region(region).unwrap(), all);
}

/// Here: ORDERS/o-1, STOCK/s-1. In eu-test: ORDERS/o-1, ORDERS/o-2, BILLING/b-1. In us: BILLING/b-1, BILLING/b-2.
async fn loaded(words: &[&str]) -> Server {
    let words: Vec<_> = [EU, US].iter().chain(words).copied().collect();
    let server = Server::new(&words);
    server.register(&body("ORDERS", "o-1")).await;
    server.register(&body("STOCK", "s-1")).await;
    load(&server, "eu-test", &[("ORDERS", "o-1"), ("ORDERS", "o-2"), ("BILLING", "b-1")]);
    load(&server, "us", &[("BILLING", "b-1"), ("BILLING", "b-2")]);
    server
}

async fn ids(server: &Server, target: &str) -> Vec<String> {
    let list = List::of(&server.get(target, &[JSON]).await);
    list.records.into_iter().map(|record| record.id).collect()
}

#[tokio::test(start_paused = true)]
async fn a_request_shows_the_regions_that_it_names_or_all() {
    let server = loaded(&[]).await;
    for (regions, expected) in [
        ("", &["b-1", "b-2", "o-1", "o-2", "s-1"][..]),
        ("?regions=", &["b-1", "b-2", "o-1", "o-2", "s-1"]),
        ("?regions=eu-test,us", &["b-1", "b-2", "o-1", "o-2", "s-1"]),
        ("?regions=US,%20EU-TEST", &["b-1", "b-2", "o-1", "o-2", "s-1"]),
        ("?regions=EU-Test", &["b-1", "o-1", "o-2", "s-1"]),
        ("?regions=us,elsewhere", &["b-1", "b-2", "o-1", "s-1"]),
        ("?regions=elsewhere", &["o-1", "s-1"]),
    ] {
        let full = List::of(&server.get(&format!("/eureka/apps{regions}"), &[JSON]).await);
        let shown: Vec<_> = full.records.iter().map(|record| record.id.as_str()).collect();
        assert_eq!(shown, expected, "{regions}");
        let delta = List::of(&server.get(&format!("/eureka/apps/delta{regions}"), &[JSON]).await);
        assert_eq!(delta.hash, full.hash, "{regions}");
        assert_eq!(delta.records.len(), expected.len(), "{regions}");
        let xml = List::of(&server.get(&format!("/eureka/v2/apps{regions}"), &[XML]).await);
        assert_eq!((xml.entries(), &xml.hash), (full.entries(), &full.hash));
        assert_eq!(server.get(&format!("/eureka/apps{regions}"), &[JSON, COMPACT]).await.status, 200);
    }
    assert_eq!(ids(&server, "/eureka/vips/orders").await.len(), 5);
    assert_eq!(server.app.registry().len(), 2, "copies are no leases");
}

#[tokio::test(start_paused = true)]
async fn of_an_instance_that_several_have_one_is_shown() {
    let server = loaded(&[]).await;
    let host = async |target: &str| server.json(target).await["instance"]["hostName"].take();
    assert_eq!(host("/eureka/apps/ORDERS/o-1").await, "ord-1.test");
    assert_eq!(host("/eureka/instances/o-1").await, "ord-1.test");
    assert_eq!(host("/eureka/apps/billing/b-1").await, "eu-test");
    assert_eq!(host("/eureka/instances/b-2").await, "us");
    assert_eq!(server.json("/eureka/apps/BILLING/b-2").await["instance"]["leaseInfo"]["lastRenewalTimestamp"], 2);
    let app = async |name: &str| {
        let shown = server.json(&format!("/eureka/apps/{name}")).await["application"]["instance"].take();
        let hosts = shown.as_array().unwrap().iter().map(|instance| instance["hostName"].as_str().unwrap().to_owned());
        hosts.collect::<Vec<_>>()
    };
    assert_eq!(app("ORDERS").await, ["ord-1.test"], "there are some here");
    assert_eq!(app("BILLING").await, ["eu-test"], "the first region that has some");
    assert_eq!(server.delete("/eureka/apps/ORDERS/o-1").await.status, 200);
    assert_eq!(host("/eureka/apps/ORDERS/o-1").await, "eu-test");
    assert_eq!(app("ORDERS").await, ["eu-test", "eu-test"]);
    let delta = List::of(&server.get("/eureka/apps/delta", &[JSON]).await);
    assert_eq!(delta.find("ORDERS", "o-1").unwrap().action, "ADDED", "the region's takes its place");
    let local = List::of(&server.get("/eureka/apps/delta?regions=none", &[JSON]).await);
    assert_eq!(local.find("ORDERS", "o-1").unwrap().action, "DELETED");
}

#[tokio::test(start_paused = true)]
async fn without_the_fallback_lists_show_what_is_here_unless_regions_are_named() {
    let server = loaded(&[LOCAL_ONLY]).await;
    for target in ["/eureka/apps", "/eureka/apps/delta", "/eureka/vips/orders", "/eureka/svips/orders"] {
        let shown = List::of(&server.get(target, &[JSON]).await);
        assert_eq!((shown.records.len(), shown.hash.as_str()), (2, "UP_2_"), "{target}");
    }
    assert_eq!(ids(&server, "/eureka/apps?regions=us").await, ["b-1", "b-2", "o-1", "s-1"]);
    assert_eq!(server.get("/eureka/apps/BILLING", &[JSON]).await.status, 404);
    assert_eq!(server.get("/eureka/apps/BILLING/b-1", &[JSON]).await.status, 200, "as in Java");
}

#[tokio::test(start_paused = true)]
async fn nobody_writes_to_what_is_elsewhere() {
    let server = loaded(&[]).await;
    let before = server.json("/eureka/apps").await;
    for (method, target) in [
        ("PUT", "/eureka/apps/BILLING/b-1"),
        ("PUT", "/eureka/apps/BILLING/b-1?lastDirtyTimestamp=1"),
        ("DELETE", "/eureka/apps/BILLING/b-1"),
        ("PUT", "/eureka/apps/BILLING/b-1/status?value=DOWN"),
        ("DELETE", "/eureka/apps/BILLING/b-1/status"),
        ("PUT", "/eureka/apps/BILLING/b-1/metadata?a=b"),
    ] {
        assert_eq!(server.send(method, target, &[], b"").await.status, 404, "{method} {target}");
        assert_eq!(server.send(method, target, &[FROM_PEER], b"").await.status, 404, "{method} {target}");
    }
    assert_eq!(server.json("/eureka/apps").await, before);
    assert!(server.app.registry().last_registered().iter().all(|lease| lease.app.as_str() != "BILLING"));
}

#[tokio::test(start_paused = true)]
async fn a_region_that_was_never_read_is_403_for_those_who_name_it() {
    let server = Server::new(&[EU, US]);
    server.register(&body("ORDERS", "o-1")).await;
    load(&server, "us", &[]);
    for list in ["/eureka/apps", "/eureka/apps/delta"] {
        for (regions, status) in [
            ("", 200),
            ("?regions=us", 200),
            ("?regions=elsewhere", 200),
            ("?regions=eu-test", 403),
            ("?regions=us,EU-test", 403),
        ] {
            assert_eq!(server.get(&format!("{list}{regions}"), &[JSON]).await.status, status, "{list}{regions}");
        }
    }
    for target in ["/eureka/apps/ORDERS?regions=eu-test", "/eureka/vips/orders?regions=eu-test"] {
        assert_eq!(server.get(target, &[JSON]).await.status, 200, "{target} does not look at it");
    }
    let closed = Server::not_open(&[EU]);
    load(&closed, "eu-test", &[("A", "a")]);
    assert_eq!(closed.get("/eureka/apps?regions=eu-test", &[JSON]).await.status, 403);
}

#[tokio::test(start_paused = true)]
async fn case_074_answers_with_regions_follow_local_and_remote_changes_at_once() {
    let server = loaded(&[]).await;
    let first = ids(&server, "/eureka/apps?regions=eu-test,us").await;
    assert_eq!(ids(&server, "/eureka/apps?regions=us,eu-test").await, first, "order does not matter");
    server.register(&body("NEW", "n-1")).await;
    let registry = server.app.registry();
    let eu = registry.region("eu-test").unwrap();
    let change = RegionChange::Removed(AppName::new("BILLING"), InstanceId::new("b-1"));
    registry.change_region(eu, [change, RegionChange::Put(Box::new(remote("NEW", "n-2", "eu-test")))]);
    assert_eq!(ids(&server, "/eureka/apps?regions=eu-test").await, ["n-1", "n-2", "o-1", "o-2", "s-1"]);
    let both = ids(&server, "/eureka/apps?regions=us,eu-test").await;
    assert_eq!(both, ["b-1", "b-2", "n-1", "n-2", "o-1", "o-2", "s-1"], "b-1 is in us as well");
    assert_eq!(ids(&server, "/eureka/apps").await, both);
}

#[tokio::test(start_paused = true)]
async fn a_change_elsewhere_leaves_other_answers_as_they_are() {
    let server = loaded(&[]).await;
    let version = async |target: &str| server.json(target).await["applications"]["versions__delta"].take();
    let before = version("/eureka/apps/delta?regions=us").await;
    let all = version("/eureka/apps/delta").await;
    load(&server, "eu-test", &[]);
    assert_eq!(version("/eureka/apps/delta?regions=us").await, before);
    assert_ne!(version("/eureka/apps/delta").await, all);
    let version = server.app.registry().version();
    load(&server, "us", &[("BILLING", "b-1"), ("BILLING", "b-2")]);
    assert_eq!(server.app.registry().version(), version, "nothing is new");
}
