//! What a node says of its peers, in this process.

use std::time::{Duration, Instant};

use serde_json::json;

use eurekad::peers::{PeerReport, PeerState, Tally};

use super::fake_peer::{FakePeer, Manner, answer, registry};
use crate::server::{JSON, SENDS_JSON, Server, body};

/// Within this everything that should happen has happened, on a slow machine too.
const SOON: Duration = Duration::from_secs(30);

/// Waits until the only peer's report is as wanted.
async fn until(server: &Server, what: &str, wanted: impl Fn(&PeerReport) -> bool) -> PeerReport {
    let begun = Instant::now();
    loop {
        let [report] = &server.app.peers().reports()[..] else { panic!("one peer") };
        if wanted(report) {
            return report.clone();
        }
        assert!(begun.elapsed() < SOON, "{what}: {report:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The answer to a batch of one item.
fn one(result: &serde_json::Value) -> Manner {
    let body = json!({"responseList": [result]}).to_string();
    Manner::Bytes(answer("200 OK", "Content-Type: application/json\r\n", &body))
}

#[tokio::test]
async fn a_report_counts_what_became_of_tasks() {
    let peer = FakePeer::start(Manner::Well);
    let server = Server::new(&[
        "--eureka.server.max-elements-in-peer-replication-pool=2",
        "--eureka.server.max-time-for-replication=300",
    ]);
    server.app.peers().set(&[format!("http://{}/eureka/", peer.address).parse().unwrap()]);
    let report = until(&server, "greeted", PeerReport::is_available).await;
    assert_eq!(report.tally, Tally { exchanges: 1, ..Tally::default() });
    assert_eq!((report.last_heard, report.is_silent), (None, false), "it says not who it is");

    assert_eq!(server.register(&body("ORDERS", "a")).await.status, 204);
    until(&server, "sent", |report| report.tally.delivered == 1 && report.queue == 0).await;

    let mut newer = registry(&["a"])["applications"]["application"][0]["instance"][0].take();
    newer["lastDirtyTimestamp"] = json!("4102444800000");
    newer["hostName"] = json!("newer.test");
    peer.behave(one(&json!({"statusCode": 409, "responseEntity": {"instance": newer}})));
    assert_eq!(server.put("/eureka/apps/ORDERS/a").await.status, 200);
    until(&server, "conflict", |report| report.tally.conflicts == 1 && report.tally.delivered == 2).await;
    assert_eq!(server.instance("ORDERS", "a").await["hostName"], "newer.test", "it was taken over");

    peer.behave(one(&json!({"statusCode": 500})));
    assert_eq!(server.put("/eureka/apps/ORDERS/a/status?value=DOWN").await.status, 200);
    until(&server, "refused", |report| report.tally.refused == 1).await;

    peer.behave(Manner::Bytes(answer("503 Service Unavailable", "", "")));
    assert_eq!(server.register(&body("ORDERS", "b")).await.status, 204);
    let report = until(&server, "failed", |report| report.tally.failures > 0).await;
    assert!(matches!(report.state, PeerState::Down { .. }) && report.last_failure.is_some(), "{report:?}");
    for id in ["c", "d"] {
        assert_eq!(server.register(&body("ORDERS", id)).await.status, 204);
    }
    assert_eq!(server.delete("/eureka/apps/ORDERS/c").await.status, 200);
    let report = until(&server, "overflowed", |report| report.tally.overflowed == 2).await;
    // On a slow machine the cancel has expired already.
    assert!((1..=2).contains(&report.queue), "{report:?}");
    // Longer than the cancel may wait.
    tokio::time::sleep(Duration::from_millis(400)).await;
    peer.behave(Manner::Well);
    let report = until(&server, "expired", |report| report.tally.expired == 1 && report.queue == 0).await;
    assert!(report.is_available() && report.tally.exchanges > report.tally.failures, "{report:?}");
    assert_eq!(peer.items(), ["Register a", "Register d"]);
    assert_eq!(server.app.peers().end(Duration::ZERO).await, 0);
}

#[tokio::test(start_paused = true)]
async fn case_065_a_server_that_tells_this_one_and_is_no_peer_is_shown_after_a_minute() {
    let server = Server::new(&[]);
    let batch = async || {
        let headers = [SENDS_JSON, JSON, ("eurekad-node", "0000000000000007; state=open; digest=1")];
        let reply = server.send("POST", "/eureka/peerreplication/batch/", &headers, br#"{"replicationList":[]}"#).await;
        assert_eq!(reply.status, 200);
        server.app.peers().strangers().iter().map(|stranger| stranger.node.to_string()).collect::<Vec<_>>()
    };
    for _ in 0..6 {
        assert_eq!(batch().await, [""; 0]);
        server.pass(10).await;
    }
    assert_eq!(batch().await, ["0000000000000007"]);
    server.pass(121).await;
    assert!(server.app.peers().strangers().is_empty(), "it is gone");
}
