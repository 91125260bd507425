//! What nodes of our own find different between them is mended; Java has no such thing.

use std::time::Duration;

use eurekad::peers::NodeId;
use eurekad::peers::digest::Exchange;
use serde_json::Value;

use crate::server::socket::Running;
use crate::server::{FROM_PEER, JSON, SENDS_JSON, Server, body};

const DIGEST: &str = "/eureka/peerreplication/digest";
const OURS: (&str, &str) = ("eurekad-node", "0000000000000007; state=open; digest=1");

#[tokio::test(start_paused = true)]
async fn case_067_one_exchange_mends_what_lost_messages_left() {
    let [a, b] = [Server::new(&[]), Server::new(&[])];
    for id in ["ord-1", "ord-2", "ord-3"] {
        b.register(&body("ORDERS", id)).await;
    }
    a.register(&body("ORDERS", "ord-1")).await;
    a.register(&body("ORDERS", "ord-3")).await;
    assert_eq!(b.put("/eureka/apps/ORDERS/ord-1/status?value=OUT_OF_SERVICE").await.status, 200);
    a.pass(1).await;
    assert_eq!(b.delete("/eureka/apps/ORDERS/ord-3").await.status, 200);

    let mut requests = Vec::new();
    for _ in 0..2 {
        let (mut exchange, request) = Exchange::begin(a.app.registry(), None).unwrap();
        let (mut next, mut asked) = (Some(request), 0);
        while let Some(request) = next {
            asked += 1;
            let reply = b.send("POST", DIGEST, &[SENDS_JSON, OURS], &request).await;
            assert_eq!(reply.status, 200);
            let now = a.clock.now().wall;
            next = exchange.answered(a.app.registry(), &reply.body, Duration::ZERO, now).unwrap();
        }
        requests.push((asked, exchange.findings().mended));
    }
    assert_eq!(requests, [(2, 3), (1, 0)], "equal registries take one round trip");
    let mut lists = Vec::new();
    for node in [&a, &b] {
        let app = node.json("/eureka/apps/ORDERS").await;
        let instances = app["application"]["instance"].as_array().unwrap().clone();
        let facts = instances.iter().map(|instance| {
            ["instanceId", "status", "overriddenStatus", "lastDirtyTimestamp"].map(|name| instance[name].clone())
        });
        lists.push(facts.collect::<Vec<[Value; 4]>>());
    }
    assert_eq!(lists[0].len(), 2);
    assert_eq!(lists[0], lists[1]);
    assert_eq!(a.instance("ORDERS", "ord-1").await["status"], "OUT_OF_SERVICE");
}

#[tokio::test(start_paused = true)]
async fn to_others_it_is_an_unknown_path() {
    let server = Server::new(&[]);
    let request = br#"{"compare":{"after":null,"until":null,"apps":{}}}"#;
    let later = ("eurekad-node", "0000000000000007; state=open; digest=2");
    for headers in [&[SENDS_JSON][..], &[SENDS_JSON, later], &[SENDS_JSON, ("eurekad-node", "7; digest=1")]] {
        let reply = server.send("POST", DIGEST, headers, request).await;
        assert_eq!((reply.status, reply.body.len()), (404, 0), "{headers:?}");
    }
    for method in ["PUT", "OPTIONS"] {
        assert_eq!(server.send(method, DIGEST, &[OURS], b"").await.status, 404, "{method}");
    }
    for headers in [&[][..], &[later]] {
        assert_eq!(server.send("GET", DIGEST, headers, b"").await.status, 404, "{headers:?}");
    }
    let unconfirmed = server.send("GET", DIGEST, &[OURS], b"").await;
    assert_eq!((unconfirmed.status, &*unconfirmed.body), (200, &b"[]"[..]));
    assert_eq!(server.send("POST", DIGEST, &[OURS, SENDS_JSON], request).await.status, 200);
    for broken in ["", "{}", "[1", "{\"compare\":7}"] {
        assert_eq!(server.send("POST", DIGEST, &[OURS, SENDS_JSON], broken.as_bytes()).await.status, 400, "{broken}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_request_at_a_time_is_answered() {
    let server = Server::new(&[]);
    let request = br#"{"compare":{"after":null,"until":null,"apps":{}}}"#;
    let another = ("eurekad-node", "0000000000000008; state=open; digest=1");
    let turn = server.app.peers().admit(NodeId::of(7), None).unwrap();
    for node in [OURS, another] {
        assert_eq!(server.send("POST", DIGEST, &[node, SENDS_JSON], request).await.status, 503, "{node:?}");
    }
    drop(turn);
    for node in [OURS, another] {
        assert_eq!(server.send("POST", DIGEST, &[node, SENDS_JSON], request).await.status, 200, "{node:?}");
    }
}

#[tokio::test]
async fn case_067_two_servers_agree_without_a_message() {
    let a = Running::start(&[]).await;
    let url = format!("--eureka.client.service-url.default-zone=http://{}/eureka/", a.address);
    let b = Running::start(&[&url, "--eurekad.peers.digest-interval=200ms"]).await;
    let (mut to_a, mut to_b) = (a.connect().await, b.connect().await);
    let until = async |to: &mut crate::server::socket::Connection, target: &str, status: u16| {
        let waiting = async {
            while to.get(target, &[JSON]).await.status != status {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), waiting).await.expect(target);
    };
    until(&mut to_b, "/eureka/apps", 200).await;
    // The first knows of no peers, so it tells nobody.
    let registration = body("ORDERS", "ord-1").to_string();
    let reply = to_a.send("POST", "/eureka/apps/ORDERS", &[SENDS_JSON, FROM_PEER], registration.as_bytes()).await;
    assert_eq!(reply.status, 204);
    until(&mut to_b, "/eureka/apps/ORDERS/ord-1", 200).await;
    assert_eq!(to_a.send("DELETE", "/eureka/apps/ORDERS/ord-1", &[FROM_PEER], b"").await.status, 200);
    until(&mut to_b, "/eureka/apps/ORDERS/ord-1", 404).await;
    drop((to_a, to_b));
    b.stop().await;
    a.stop().await;
}
