//! Long polls through the router.

use std::time::Duration;

use serde_json::Value;

use super::reading::{followed, words};
use crate::server::list::array;
use crate::server::{Server, body};

async fn poll(server: &Server, query: &str) -> (String, bool, Vec<String>) {
    let reply = server.get(&format!("/eureka/events/poll?{query}"), &[]).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")), "{}", reply.text());
    let document = reply.json();
    let events = array(&document["events"]).iter().map(words).collect();
    (document["id"].as_str().expect("an id").to_owned(), document["gap"] == Value::Bool(true), events)
}

#[tokio::test(start_paused = true)]
async fn gives_what_there_is_at_once_and_waits_for_what_comes() {
    let server = followed(&[]);
    server.register(&body("ORDERS", "ord-0")).await;
    let (begun, gap, events) = poll(&server, "").await;
    assert_eq!((gap, events.len()), (false, 0), "from now on");
    server.register(&body("ORDERS", "ord-1")).await;
    server.register(&body("ORDERS", "ord-2")).await;
    let (one, _, events) = poll(&server, &format!("since={begun}&limit=1")).await;
    assert_eq!(events, ["registered ORDERS/ord-1 ->UP"]);
    let (two, _, events) = poll(&server, &format!("since={one}")).await;
    assert_eq!(events, ["registered ORDERS/ord-2 ->UP"]);

    let later = async {
        tokio::time::sleep(Duration::from_secs(7)).await;
        server.delete("/eureka/apps/ORDERS/ord-1").await;
    };
    let waits = format!("since={two}&wait=20");
    let ((three, _, events), ()) = tokio::join!(poll(&server, &waits), later);
    assert_eq!(events, ["cancelled ORDERS/ord-1 UP>-"]);
    let asked_at = tokio::time::Instant::now();
    let (four, gap, events) = poll(&server, &format!("since={three}&wait=20")).await;
    assert_eq!((four, gap, events.len()), (three.clone(), false, 0));
    assert!(asked_at.elapsed() >= Duration::from_secs(20));
    // What is not wanted ends no wait, and moves the place on.
    let other = async { server.register(&body("STOCK", "sto-1")).await };
    let waits = format!("since={three}&wait=5&app=ORDERS");
    let ((five, _, events), _) = tokio::join!(poll(&server, &waits), other);
    assert_eq!((five == three, events.len()), (false, 0));
}

#[tokio::test(start_paused = true)]
async fn tells_a_gap_and_all_instances() {
    let server = followed(&["--eurekad.history.max-entries=3"]);
    let (begun, ..) = poll(&server, "").await;
    for n in 0..300 {
        server.register(&body("ORDERS", &format!("ord-{n:03}"))).await;
    }
    let (now, gap, events) = poll(&server, &format!("since={begun}")).await;
    assert_eq!((gap, events.len()), (true, 0));
    assert_eq!(poll(&server, &format!("since={now}&wait=0")).await, (now.clone(), false, vec![]));
    for query in ["snapshot=true".to_owned(), format!("snapshot=true&since={begun}")] {
        let document = server.json(&format!("/eureka/v2/events/poll?{query}")).await;
        assert_eq!((document["id"].as_str(), document["gap"] == true), (Some(&*now), query.contains("since")));
        let instances = array(&document["instances"]);
        assert_eq!(instances.len(), 300, "more than one piece");
        assert_eq!(words(&instances[7]), "snapshot ORDERS/ord-007 ->UP");
    }
    let none = server.json("/eureka/events/poll?snapshot=true&app=STOCK").await;
    assert_eq!(array(&none["instances"]).len(), 0);
    let goes_on = server.json(&format!("/eureka/events/poll?snapshot=true&since={now}&wait=0")).await;
    assert_eq!(goes_on.get("instances"), None);
}
