//! Status codes, formats and bodies of answers.

use serde_json::{Value, json};

use crate::server::list::array;
use crate::server::socket::Running;
use crate::server::{COMPACT, GZIP, JSON, SENDS_JSON, Server, XML, body};

#[tokio::test]
async fn case_002_a_heartbeat_is_answered_with_nothing_at_all() {
    let server = Running::start(&[]).await;
    let mut connection = server.connect().await;
    let sent = body("ORDERS", "ord-1").to_string();
    let reply = connection.send("POST", "/eureka/apps/ORDERS", &[SENDS_JSON], sent.as_bytes()).await;
    assert_eq!(reply.status, 204);
    // Both at once, so that a stray byte of the first would be read as the second.
    connection.write("PUT", "/eureka/apps/ORDERS/ord-1?status=UP", &[JSON], b"").await;
    connection.write("GET", "/eureka/apps/ORDERS/ord-1", &[JSON], b"").await;
    let beat = connection.read().await;
    assert_eq!((beat.status, beat.header("content-length")), (200, Some("0")));
    let shown = connection.read().await;
    assert_eq!(shown.json()["instance"]["instanceId"], "ord-1");
    drop(connection);
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn case_016_the_accept_header_decides_the_format() {
    const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
    let server = Server::new(&[]);
    server.register(&body("ORDERS", "ord-1")).await;
    for (accept, json) in [
        (None, false),
        (Some("*/*"), false),
        (Some(BROWSER), false),
        (Some("application/json"), true),
        (Some("application/json, application/*+json"), true),
        (Some("application/json;charset=UTF-8"), true),
    ] {
        for target in ["/eureka/apps", "/eureka/apps/ORDERS", "/eureka/vips/orders", "/eureka/instances/ord-1"] {
            let accept: Vec<_> = accept.map(|accept| ("Accept", accept)).into_iter().collect();
            let plain = server.get(target, &accept).await;
            let content_type = plain.header("content-type").expect("always set");
            assert!(content_type.starts_with(if json { "application/json" } else { "application/xml" }));
            assert_eq!(plain.text().starts_with('{'), json, "{target} {accept:?}");
            if target == "/eureka/apps" {
                let packed = server.get(target, &[&accept[..], &[GZIP]].concat()).await;
                let content_type = if json { "application/json" } else { "application/xml" };
                assert_eq!(packed.header("content-encoding"), Some("gzip"));
                assert_eq!(packed.header("content-type"), Some(content_type));
                assert_eq!(packed.unpacked(), plain.body);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn case_018_the_version_segment_makes_no_difference() {
    for (words, context) in [(&[][..], ""), (&["--server.servlet.context-path=/registry"], "/registry")] {
        let server = Server::new(words);
        let [plain, v2] = ["/eureka", "/eureka/v2"].map(|root| format!("{context}{root}"));
        assert_eq!(server.post(&format!("{v2}/apps/ORDERS"), &body("ORDERS", "ord-1")).await.status, 204);
        assert_eq!(server.put(&format!("{plain}/apps/ORDERS/ord-1")).await.status, 200);
        assert_eq!(server.put(&format!("{v2}/apps/ORDERS/ord-1/status?value=DOWN")).await.status, 200);
        for path in ["apps", "apps/delta", "apps/ORDERS", "apps/ORDERS/ord-1", "instances/ord-1", "vips/orders"] {
            for form in [JSON, XML] {
                let [plain, v2] = [&plain, &v2].map(|root| format!("{root}/{path}"));
                let [plain, v2] = [server.get(&plain, &[form]).await, server.get(&v2, &[form]).await];
                assert_eq!((plain.status, plain.body), (200, v2.body), "{path}");
            }
        }
        assert_eq!(server.delete(&format!("{v2}/apps/ORDERS/ord-1")).await.status, 200);
        assert_eq!(server.get(&format!("{plain}/apps/ORDERS"), &[]).await.status, 404);
    }
}

#[tokio::test(start_paused = true)]
async fn case_019_status_codes_are_those_that_clients_know() {
    let server = Server::new(&[]);
    assert_eq!(server.register(&body("ORDERS", "ord-1")).await.status, 204);
    for (method, what, query) in [
        ("PUT", "", "?status=UP&lastDirtyTimestamp=1700000000000"),
        ("PUT", "/status", "?value=OUT_OF_SERVICE"),
        ("DELETE", "/status", "?value=UP"),
        ("PUT", "/metadata", "?weight=3"),
        ("DELETE", "", ""),
    ] {
        for (id, status) in [("ord-1", 200), ("ghost", 404)] {
            let target = format!("/eureka/apps/ORDERS/{id}{what}{query}");
            let reply = server.send(method, &target, &[JSON], b"").await;
            assert_eq!(reply.status, status, "{method} {target}");
            assert!(reply.body.is_empty());
        }
    }
    let server = Server::new(&["--eureka.server.disable-delta=true"]);
    assert_eq!(server.get("/eureka/apps/delta", &[JSON]).await.status, 403);
    assert_eq!(server.get("/eureka/apps", &[JSON]).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn case_020_a_mistake_in_a_status_is_the_callers() {
    let server = Server::new(&[]);
    server.register(&body("ORDERS", "ord-1")).await;
    let before = server.instance("ORDERS", "ord-1").await;
    for (method, target, status) in [
        ("PUT", "/eureka/apps/ORDERS/ghost/status?value=UP", 404),
        ("DELETE", "/eureka/apps/ORDERS/ghost/status", 404),
        ("DELETE", "/eureka/apps/ORDERS/ghost/status?value=UP", 404),
        ("PUT", "/eureka/apps/ORDERS/ord-1/status?value=SLEEPY", 400),
        ("PUT", "/eureka/apps/ORDERS/ord-1/status?value=up", 400),
        ("PUT", "/eureka/apps/ORDERS/ord-1/status?value=", 400),
        ("PUT", "/eureka/apps/ORDERS/ord-1/status", 400),
        ("DELETE", "/eureka/apps/ORDERS/ord-1/status?value=SLEEPY", 400),
    ] {
        let reply = server.send(method, target, &[JSON], b"").await;
        assert_eq!(reply.status, status, "{method} {target}");
        let names = ["UP", "DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN", "value"];
        let helpful = names.iter().all(|name| reply.text().contains(name));
        assert_eq!(helpful, status == 400, "{}", reply.text());
        assert_eq!(server.instance("ORDERS", "ord-1").await, before, "{method} {target}");
    }
}

#[tokio::test(start_paused = true)]
async fn case_021_metadata_of_nobody_is_a_miss() {
    let server = Server::new(&[]);
    server.register(&body("ORDERS", "ord-1")).await;
    for target in ["/eureka/apps/ORDERS/ghost/metadata?weight=3", "/eureka/apps/GHOSTS/ord-1/metadata?weight=3"] {
        assert_eq!(server.put(target).await.bare(), (404, None));
    }
}

#[tokio::test(start_paused = true)]
async fn case_029_lists_are_arrays_however_long() {
    let server = Server::new(&[]);
    for count in 0..3 {
        for headers in [&[JSON][..], &[JSON, COMPACT]] {
            for target in ["/eureka/apps", "/eureka/apps/delta", "/eureka/vips/orders", "/eureka/svips/orders"] {
                let list = server.get(target, headers).await.json();
                let apps = array(&list["applications"]["application"]);
                assert_eq!(apps.len(), count, "{target}");
                assert!(apps.iter().all(|app| array(&app["instance"]).len() == count), "{target}");
            }
            if count > 0 {
                let app = server.get("/eureka/apps/APP-0", headers).await.json();
                assert_eq!(array(&app["application"]["instance"]).len(), count);
            }
        }
        // One more application, and one more instance in each.
        for app in 0..=count {
            for id in 0..=count {
                server.register(&body(&format!("APP-{app}"), &format!("i-{id}"))).await;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_small_answer_is_exactly_as_documented() {
    let server = Server::new(&[]);
    let empty = json!({"versions__delta": "1", "apps__hashcode": "", "application": []});
    assert_eq!(server.json("/eureka/apps").await, json!({ "applications": empty }));
    let nobody: Value = server.json("/eureka/vips/nobody").await;
    assert_eq!(nobody["applications"]["versions__delta"], "-1");
    for target in ["/eureka/apps/GHOSTS", "/eureka/apps/GHOSTS/ghost", "/eureka/instances/ghost"] {
        for form in [JSON, XML] {
            assert_eq!(server.get(target, &[form]).await.bare(), (404, None), "{target}");
        }
    }
}
