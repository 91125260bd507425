//! Names, leases, statuses, and when lists show what.

use std::time::Duration;

use serde_json::json;

use crate::server::{GZIP, JSON, SENDS_JSON, Server, XML, body, body_with};

#[tokio::test(start_paused = true)]
async fn every_route_is_below_eureka_and_its_v2_alone() {
    let server = Server::new(&[]);
    for (target, status) in [
        ("/eureka/apps", 200),
        ("/eureka/apps/", 200),
        ("/eureka/v2/apps/", 200),
        ("//eureka//apps", 200),
        ("/eureka/v2//apps///delta/", 200),
        ("/eureka/v2x/apps", 404),
        ("/eureka/v1/apps", 404),
        ("/v2/apps", 404),
        ("/apps", 404),
        ("/eureka", 404),
    ] {
        assert_eq!(server.get(target, &[JSON]).await.status, status, "{target}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_id_is_none() {
    let server = Server::new(&[]);
    assert_eq!(server.register(&body_with("ORDERS", "", &json!({}))).await.status, 204);
    assert_eq!(server.instance("ORDERS", "ord-1.test").await.get("instanceId"), None);
    let amazon = json!({"dataCenterInfo": {"name": "Amazon", "metadata": {"instance-id": "i-1"}}});
    assert_eq!(server.register(&body_with("ORDERS", "", &amazon)).await.status, 204);
    assert_eq!(server.instance("ORDERS", "i-1").await.get("instanceId"), None);
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_with_a_time_that_is_none_renews_nothing() {
    let server = Server::new(&[]);
    server.register(&body("ORDERS", "ord-1")).await;
    server.pass(10).await;
    let before = server.instance("ORDERS", "ord-1").await;
    let reply = server.put("/eureka/apps/ORDERS/ord-1?lastDirtyTimestamp=soon").await;
    assert_eq!(reply.status, 400);
    assert!(reply.text().contains("lastDirtyTimestamp") && reply.text().contains("soon"), "{}", reply.text());
    assert_eq!(server.instance("ORDERS", "ord-1").await, before);
}

#[tokio::test(start_paused = true)]
async fn a_status_change_with_a_time_that_is_none_changes_nothing() {
    let server = Server::new(&[]);
    server.register(&body("ORDERS", "ord-1")).await;
    server.put("/eureka/apps/ORDERS/ord-1/status?value=DOWN").await;
    server.pass(10).await;
    let before = server.instance("ORDERS", "ord-1").await;
    for (method, value) in [("PUT", "OUT_OF_SERVICE"), ("PUT", "DOWN"), ("DELETE", "UP")] {
        let target = format!("/eureka/apps/ORDERS/ord-1/status?value={value}&lastDirtyTimestamp=1e3");
        let reply = server.send(method, &target, &[], b"").await;
        assert_eq!(reply.status, 400, "{method} {value}");
        assert!(reply.text().contains("lastDirtyTimestamp"), "{}", reply.text());
        assert_eq!(server.instance("ORDERS", "ord-1").await, before);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_a_body_names_the_negotiated_type_and_a_miss_none() {
    let server = Server::new(&[]);
    for (headers, content_type) in [
        (&[][..], "application/xml"),
        (&[JSON], "application/json"),
        (&[XML], "application/xml"),
        (&[("Accept", "application/json;v=1")], "application/json;v=1"),
    ] {
        let sent = body("ORDERS", "ord-1").to_string();
        let sends = [&[SENDS_JSON], headers].concat();
        let reply = server.send("POST", "/eureka/apps/ORDERS", &sends, sent.as_bytes()).await;
        assert_eq!(reply.bare(), (204, Some(content_type)));
        for (method, what) in [
            ("PUT", ""),
            ("PUT", "/status?value=DOWN"),
            ("DELETE", "/status?value=UP"),
            ("PUT", "/metadata?a=b"),
            ("DELETE", ""),
        ] {
            let known = server.send(method, &format!("/eureka/apps/ORDERS/ord-1{what}"), headers, b"").await;
            assert_eq!(known.bare(), (200, Some(content_type)), "{method} {what}");
            let ghost = server.send(method, &format!("/eureka/apps/ORDERS/ghost{what}"), headers, b"").await;
            assert_eq!(ghost.bare(), (404, None), "{method} {what}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn while_the_gate_is_closed_lists_are_refused_without_a_body() {
    const LISTS: [&str; 5] =
        ["/eureka/apps", "/eureka/apps/delta", "/eureka/apps/ORDERS", "/eureka/vips/orders", "/eureka/svips/orders"];
    let server = Server::new(&[
        "--eureka.instance.registry.default-open-for-traffic-count=0",
        "--eureka.server.wait-time-in-ms-when-sync-empty=60000",
    ]);
    assert_eq!(server.register(&body("ORDERS", "ord-1")).await.status, 204);
    for list in LISTS {
        assert_eq!(server.get(list, &[JSON]).await.bare(), (403, None), "{list}");
    }
    assert_eq!(server.put("/eureka/apps/ORDERS/ord-1").await.status, 200);
    assert_eq!(server.instance("ORDERS", "ord-1").await["status"], "UP");
    assert_eq!(server.get("/eureka/status", &[JSON]).await.status, 200);
    server.pass(61).await;
    for list in LISTS {
        assert_eq!(server.get(list, &[JSON]).await.status, 200, "{list}");
    }
}

#[tokio::test(start_paused = true)]
async fn reads_are_frozen_only_when_the_user_says_so() {
    const INTERVAL: &str = "--eureka.server.response-cache-update-interval-ms=30000";
    for (words, frozen) in [
        (&[INTERVAL][..], false),
        (&[INTERVAL, "--eureka.server.use-read-only-response-cache=false"], false),
        (&[INTERVAL, "--eureka.server.use-read-only-response-cache=true"], true),
    ] {
        let server = Server::new(words);
        let hash = async || server.json("/eureka/apps").await["applications"]["apps__hashcode"].clone();
        let orders = async || server.get("/eureka/apps/ORDERS", &[JSON]).await.status;
        assert_eq!(hash().await, "");
        assert_eq!(orders().await, 404);
        server.register(&body("ORDERS", "ord-1")).await;
        let (list, status) = if frozen { ("", 404) } else { ("UP_1_", 200) };
        assert_eq!((hash().await, orders().await), (json!(list), status), "{words:?}");
        assert_eq!(server.get("/eureka/vips/orders", &[JSON]).await.status, 200, "looked up live");
        assert_eq!(server.instance("ORDERS", "ord-1").await["status"], "UP", "an instance is never frozen");
        server.app.catalog().refreeze().await;
        assert_eq!((hash().await, orders().await), (json!("UP_1_"), 200));
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_renewal_is_shown_when_it_was() {
    let server = Server::new(&[]);
    server.register(&body("ORDERS", "ord-1")).await;
    for target in ["/eureka/apps/ORDERS/ord-1", "/eureka/apps/ORDERS/ord-1/status?value=UP"] {
        tokio::time::advance(Duration::from_secs(20)).await;
        assert_eq!(server.put(target).await.status, 200);
        let shown = server.instance("ORDERS", "ord-1").await;
        assert_eq!(shown["leaseInfo"]["lastRenewalTimestamp"], server.clock.now().wall);
    }
}

/// Eviction may end a small loss while Java's rule still holds; a read does not run ahead of it.
#[tokio::test(start_paused = true)]
async fn a_lapsed_instance_is_hidden_by_javas_rule_alone() {
    for (words, shown) in [(&[][..], 200), (&["--eureka.server.enable-self-preservation=false"], 404)] {
        let server = Server::new(words);
        for id in ["ord-1", "ord-2", "ord-3"] {
            server.register(&body("ORDERS", id)).await;
        }
        for _ in 0..4 {
            server.pass(29).await;
            for id in ["ord-2", "ord-3"] {
                server.put(&format!("/eureka/apps/ORDERS/{id}")).await;
            }
        }
        assert_eq!(server.app.registry().expiry_enabled(), shown == 404);
        for target in ["/eureka/apps/ORDERS/ord-1", "/eureka/instances/ord-1"] {
            assert_eq!(server.get(target, &[]).await.status, shown, "{target}");
        }
        assert_eq!(server.app.registry().evict().expired, 1, "one of three is a small loss");
    }
}

#[tokio::test(start_paused = true)]
async fn registrations_before_the_opening_count() {
    let server = Server::not_open(&[]);
    for id in ["ord-1", "ord-2", "ord-3"] {
        assert_eq!(server.register(&body("ORDERS", id)).await.status, 204);
    }
    assert_eq!(server.get("/eureka/apps", &[JSON]).await.bare(), (403, None));
    server.app.open();
    assert_eq!(server.get("/eureka/apps", &[JSON]).await.status, 200);
    assert_eq!(server.app.registry().renewal_threshold(), 5);
}

#[tokio::test(start_paused = true)]
async fn the_delta_has_another_version_when_and_only_when_something_changed() {
    let server = Server::new(&[]);
    let mut before = Vec::new();
    for (method, target) in [
        ("PUT", "/eureka/apps/ORDERS/ord-1/metadata?weight=3"),
        ("PUT", "/eureka/apps/ORDERS/ord-1/status?value=DOWN"),
        ("DELETE", "/eureka/apps/ORDERS/ord-1"),
    ] {
        server.register(&body("ORDERS", "ord-1")).await;
        for change in [true, false] {
            if change {
                assert_eq!(server.send(method, target, &[], b"").await.status, 200);
            }
            // Nothing of this is a change.
            server.put("/eureka/apps/ORDERS/ord-1").await;
            server.put("/eureka/apps/ORDERS/ghost/metadata?weight=3").await;
            server.put("/eureka/apps/ORDERS/ord-1/status?value=DOWN&lastDirtyTimestamp=x").await;
            let json = server.json("/eureka/apps/delta").await;
            let version = json["applications"]["versions__delta"].as_str().expect("a text").to_owned();
            let xml = server.get("/eureka/apps/delta", &[XML, GZIP]).await.xml();
            assert_eq!(xml.text_of("versions__delta"), Some(&*version));
            assert_eq!(before.contains(&version), !change, "{target}");
            before.push(version);
        }
    }
}
