//! Streams through the router.

use serde_json::json;

use super::reading::{Reading, follow, followed};
use crate::server::{Server, body, body_with};

#[tokio::test(start_paused = true)]
async fn case_105_a_reader_sees_what_happens_and_goes_on_after_a_break() {
    let server = followed(&[]);
    let mut reading = Reading::begin(&server, "", None).await;
    assert_eq!(reading.next().await.expect("at once").kind, "ready");
    server.register(&body("ORDERS", "ord-1")).await;
    let came = reading.next().await.expect("it came");
    assert_eq!((came.words().as_str(), came.kind.as_str()), ("registered ORDERS/ord-1 ->UP", "registered"));
    for (name, value) in [
        ("host", json!("ord-1.test")),
        ("ip", json!("10.20.0.11")),
        ("port", json!(8080)),
        ("securePort", json!(null)),
        ("metadata", json!({"zone": "z1"})),
        ("vip", json!("orders")),
        ("cause", json!("registered")),
        ("origin", json!("client")),
        ("override", json!(null)),
    ] {
        assert_eq!(came.data[name], value, "{name}");
    }
    assert_eq!(came.data["id"], *came.id.as_ref().expect("an id"));
    server.put("/eureka/apps/ORDERS/ord-1/status?value=OUT_OF_SERVICE").await;
    let out = reading.next().await.expect("it went out");
    assert_eq!(out.words(), "override ORDERS/ord-1 UP>OUT_OF_SERVICE");
    assert_eq!(out.data["override"], "OUT_OF_SERVICE");

    let last = reading.last_id().expect("an id").to_owned();
    drop(reading);
    server.register(&body_with("ORDERS", "ord-2", &json!({"status": "STARTING"}))).await;
    server.register(&body_with("ORDERS", "ord-2", &json!({"lastDirtyTimestamp": "1700000000001"}))).await;
    server.put("/eureka/apps/ORDERS/ord-2/metadata?weight=2").await;
    server.delete("/eureka/apps/ORDERS/ord-1/status?value=UP").await;
    server.delete("/eureka/apps/ORDERS/ord-1").await;
    let missed = [
        "registered ORDERS/ord-2 ->STARTING",
        "status ORDERS/ord-2 STARTING>UP",
        "updated ORDERS/ord-2 UP>UP",
        "override ORDERS/ord-1 OUT_OF_SERVICE>UP",
        "cancelled ORDERS/ord-1 UP>-",
    ];
    let mut again = Reading::begin(&server, "", Some(&last)).await;
    assert_eq!(again.rest().await, missed);
    // The same by the query, and on the other root.
    let mut again = Reading::begin(&server, &format!("since={last}"), None).await;
    assert_eq!(again.rest().await, missed);
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_is_no_event_and_an_end_of_a_lease_is_one() {
    let server = followed(&["--eureka.server.enable-self-preservation=false"]);
    server.register(&body("ORDERS", "ord-1")).await;
    let mut reading = Reading::begin(&server, "", None).await;
    assert_eq!(server.put("/eureka/apps/ORDERS/ord-1").await.status, 200);
    assert_eq!(reading.rest().await, ["ready"]);
    server.pass(200).await;
    server.app.registry().evict();
    assert_eq!(reading.rest().await, ["expired ORDERS/ord-1 UP>-"]);
}

#[tokio::test(start_paused = true)]
async fn all_instances_come_first_for_whoever_asks() {
    let server = followed(&[]);
    for (app, id) in [("ORDERS", "ord-2"), ("BILLING", "bil-1"), ("ORDERS", "ord-1")] {
        server.register(&body(app, id)).await;
    }
    server.delete("/eureka/apps/ORDERS/ord-2").await;
    let mut reading = Reading::begin(&server, "snapshot=true", None).await;
    let first = reading.next().await.expect("an instance");
    assert_eq!((first.id.as_ref(), first.words().as_str()), (None, "snapshot BILLING/bil-1 ->UP"));
    assert_eq!(reading.next().await.expect("another").words(), "snapshot ORDERS/ord-1 ->UP");
    let ready = reading.next().await.expect("the end");
    assert_eq!((ready.kind.as_str(), ready.id.is_some()), ("ready", true));
    server.register(&body("STOCK", "sto-1")).await;
    assert_eq!(reading.rest().await, ["registered STOCK/sto-1 ->UP"]);
    // Whoever breaks off in the middle has no id, and begins again.
    let mut broken = Reading::begin(&server, "snapshot=true", None).await;
    broken.next().await.expect("an instance");
    assert_eq!(broken.last_id(), None);
    // Whoever goes on does not get everything again.
    let last = reading.last_id().expect("an id").to_owned();
    assert_eq!(Reading::begin(&server, "snapshot=true", Some(&last)).await.rest().await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_has_missed_something_is_told() {
    let server = followed(&["--eurekad.history.max-entries=3"]);
    let mut reading = Reading::begin(&server, "", None).await;
    let first = reading.next().await.and_then(|ready| ready.id).expect("an id");
    drop(reading);
    for n in 1..=4 {
        server.register(&body("ORDERS", &format!("ord-{n}"))).await;
    }
    let mut late = Reading::begin(&server, "", Some(&first)).await;
    let gap = late.next().await.expect("a gap");
    assert_eq!((gap.words().as_str(), gap.data["since"].as_str()), ("gap not kept any more", Some(&*first)));
    server.register(&body("ORDERS", "ord-5")).await;
    assert_eq!(late.rest().await, ["registered ORDERS/ord-5 ->UP"]);
    assert_eq!(Reading::begin(&server, "", gap.id.as_deref()).await.rest().await.len(), 1, "it goes on from there");

    let mut anew = Reading::begin(&server, "snapshot=true", Some(&first)).await;
    let gap = anew.next().await.expect("a gap");
    assert_eq!((gap.kind.as_str(), gap.id), ("gap", None));
    let rest = anew.rest().await;
    assert_eq!((rest.len(), rest[5].as_str()), (6, "ready"));
    for (odd, why) in [
        ("0000000000000007-1", "another process"),
        ("yesterday", "no id of an event"),
        (&*first.replace("-0", "-99"), "not kept any more"),
    ] {
        let gap = Reading::begin(&server, "", Some(odd)).await.next().await.expect("a gap");
        assert_eq!(gap.words(), format!("gap {why}"), "{odd}");
    }
    assert_eq!(server.app.events().figures().gaps, 5);
}

#[tokio::test(start_paused = true)]
async fn only_what_is_wanted_comes() {
    let server = followed(&[]);
    server.register(&body("STOCK", "sto-0")).await;
    let mut apps = Reading::begin(&server, "app=orders,billing&snapshot=true", None).await;
    let mut kinds = Reading::begin(&server, "kind=override,cancelled", None).await;
    let mut both = Reading::begin(&server, "app=STOCK&kind=registered", None).await;
    for app in ["ORDERS", "STOCK"] {
        server.register(&body(app, "i-1")).await;
        server.put(&format!("/eureka/apps/{app}/i-1/status?value=DOWN")).await;
        server.delete(&format!("/eureka/apps/{app}/i-1")).await;
    }
    assert_eq!(apps.rest().await.len(), 4, "ready and three of ORDERS");
    assert_eq!(
        kinds.rest().await,
        [
            "ready",
            "override ORDERS/i-1 UP>DOWN",
            "cancelled ORDERS/i-1 DOWN>-",
            "override STOCK/i-1 UP>DOWN",
            "cancelled STOCK/i-1 DOWN>-"
        ]
    );
    assert_eq!(both.rest().await, ["ready", "registered STOCK/i-1 ->UP"]);
    for wrong in ["kind=gone", "since=yesterday", "snapshot=perhaps"] {
        let reply = server.get(&format!("/eureka/events?{wrong}"), &[]).await;
        let field = wrong.split('=').next().expect("a name");
        assert_eq!(reply.status, 400);
        assert!(reply.json()["error"].as_str().is_some_and(|error| error.starts_with(field)), "{}", reply.text());
    }
}

#[tokio::test(start_paused = true)]
async fn a_quiet_stream_is_kept_alive_and_its_place_moves_on() {
    let server = followed(&["--eurekad.events.keep-alive=5"]);
    let mut reading = Reading::begin(&server, "app=ORDERS", None).await;
    let opening = reading.piece().await;
    assert!(opening.starts_with("retry: ") && opening.contains("event: ready"), "{opening}");
    for n in 0..9 {
        server.register(&body("STOCK", &format!("sto-{n}"))).await;
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let quiet = reading.piece().await;
    let last = format!(":\nid: {}\n\n", server.app.events().id(9));
    assert_eq!(quiet, last, "it has missed nothing that it wants");
}

#[tokio::test(start_paused = true)]
async fn there_are_so_many_readers_and_no_more() {
    let server = followed(&["--eurekad.events.max-readers=2"]);
    let (first, _second) = (Reading::begin(&server, "", None).await, Reading::begin(&server, "", None).await);
    let refused = server.get("/eureka/events", &[]).await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("5")));
    assert_eq!(server.get("/eureka/events/poll", &[]).await.status, 503);
    let figures = server.app.events().figures();
    assert_eq!((figures.readers, figures.refused_readers), (2, 2));
    drop(first);
    assert_eq!(server.get("/eureka/events/poll", &[]).await.status, 200);
    assert_eq!(server.app.events().figures().readers, 1);
}

#[tokio::test(start_paused = true)]
async fn part_of_a_list_is_never_shown_as_the_whole() {
    let server = Server::not_open(&[]);
    follow(&server);
    for path in ["/eureka/events?snapshot=true", "/eureka/v2/events/poll?snapshot=true"] {
        let early = server.get(path, &[]).await;
        assert_eq!((early.status, early.header("retry-after")), (503, Some("5")), "{path}");
    }
    let mut reading = Reading::begin(&server, "", None).await;
    server.register(&body("ORDERS", "ord-1")).await;
    assert_eq!(reading.rest().await, ["ready", "registered ORDERS/ord-1 ->UP"]);
    server.app.open();
    assert_eq!(Reading::begin(&server, "snapshot=true", None).await.rest().await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_falls_behind_is_closed() {
    let server = followed(&["--eurekad.history.max-entries=3"]);
    let mut slow = Reading::begin(&server, "", None).await;
    assert_eq!(slow.next().await.expect("at once").kind, "ready");
    let mut quick = Reading::begin(&server, "", None).await;
    for n in 0..9 {
        server.register(&body("ORDERS", &format!("ord-{n}"))).await;
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        while quick.next().await.is_some_and(|seen| seen.data["instance"] != format!("ord-{n}")) {}
    }
    assert!(slow.is_over().await);
    assert_eq!(server.app.events().figures().dropped_readers, 1);
    assert!(!quick.is_over().await);
}

#[tokio::test(start_paused = true)]
async fn self_preservation_is_told_when_it_begins_and_ends() {
    let server = followed(&[]);
    for n in 0..10 {
        server.register(&body("ORDERS", &format!("ord-{n}"))).await;
    }
    let mut reading = Reading::begin(&server, "kind=preservation", None).await;
    server.pass(200).await;
    server.app.registry().evict();
    assert_eq!(reading.rest().await, ["ready", "preservation on"]);
    for n in 0..10 {
        server.put(&format!("/eureka/apps/ORDERS/ord-{n}")).await;
    }
    server.app.registry().evict();
    assert_eq!(reading.rest().await, ["preservation off"]);
    // It has its place among the others.
    let first = server.app.events().id(10).to_string();
    let mut again = Reading::begin(&server, "app=ORDERS&kind=preservation", Some(&first)).await;
    assert_eq!(again.rest().await, ["preservation on", "preservation off"]);
    assert_eq!(Reading::begin(&server, "app=ORDERS", Some(&first)).await.rest().await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn hostile_values_stay_data() {
    let server = followed(&[]);
    let mut reading = Reading::begin(&server, "", None).await;
    let hostile = "a\r\n\r\ndata: {}\n\nevent: gap\nid: 7\u{2028}\u{0}<script>";
    server.register(&body_with("ORDERS", "ord-1", &json!({"metadata": {hostile: hostile}}))).await;
    reading.next().await.expect("ready");
    let seen = reading.next().await.expect("one event");
    assert_eq!(seen.data["metadata"], json!({hostile: hostile}));
    assert_eq!(reading.rest().await, [""; 0], "and no other");
}

#[tokio::test(start_paused = true)]
async fn nobody_reads_and_nothing_is_made() {
    let server = followed(&[]);
    for n in 0..50 {
        server.register(&body("ORDERS", &format!("ord-{n}"))).await;
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!(server.app.events().figures().events, 0);
    drop(Reading::begin(&server, "", None).await);
    assert_eq!(server.app.events().figures().events, 50, "who comes may go on from before");
}
