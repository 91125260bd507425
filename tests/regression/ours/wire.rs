//! What bodies may hold, and what errors look like.

use serde_json::{Value, json};

use crate::server::{FROM_PEER, GZIP, JSON, SENDS_JSON, SENDS_XML, Server, XML, body, body_with, packed};

async fn register_and_read(server: &Server, members: &Value) -> Value {
    let reply = server.register(&body_with("ORDERS", "ord-1", members)).await;
    assert_eq!(reply.status, 204, "{members}: {}", reply.text());
    server.instance("ORDERS", "ord-1").await
}

#[tokio::test(start_paused = true)]
async fn compressed_bodies_are_read_and_false_labels_refused() {
    let server = Server::new(&[]);
    let gzip = ("Content-Encoding", "gzip");
    let json = body("ORDERS", "ord-1").to_string();
    let send = async |content_type, coding: &[_], body: &[u8]| {
        let headers = [&[content_type], coding].concat();
        server.send("POST", "/eureka/apps/ORDERS", &headers, body).await
    };
    assert_eq!(send(SENDS_JSON, &[gzip], &packed(json.as_bytes())).await.status, 204);
    let xml = server.get("/eureka/apps/ORDERS/ord-1", &[XML]).await.text();
    assert_eq!(send(SENDS_XML, &[gzip], &packed(xml.as_bytes())).await.status, 204);
    for (coding, body) in [
        (gzip, json.as_bytes().to_vec()),
        (gzip, packed(json.as_bytes())[..40].to_vec()),
        (("Content-Encoding", "br"), json.as_bytes().to_vec()),
    ] {
        let reply = send(SENDS_JSON, &[coding], &body).await;
        assert_eq!(reply.status, 400);
        let error = reply.json()["error"].take();
        assert!(error.as_str().is_some_and(|error| error.contains("Content-Encoding")), "{}", reply.text());
    }
    let reply = send(SENDS_XML, &[gzip], xml.as_bytes()).await;
    let error = reply.xml();
    assert!(error.text_of("message").is_some_and(|error| error.contains("Content-Encoding")), "{}", reply.text());
    let batch = json!({"replicationList": [{"appName": "ORDERS", "id": "ord-1", "action": "Heartbeat"}]}).to_string();
    let headers = [SENDS_JSON, gzip, JSON];
    let reply = server.send("POST", "/eureka/peerreplication/batch/", &headers, &packed(batch.as_bytes())).await;
    assert_eq!(reply.json(), json!({"responseList": [{"statusCode": 200}]}));
}

#[tokio::test(start_paused = true)]
async fn unknown_members_are_ignored_whatever_their_shape() {
    let server = Server::new(&[]);
    for shape in [json!(1), json!({}), json!([]), json!({"a": {"b": [{}]}}), json!([[1, 2], {"c": null}])] {
        let members = json!({"first": shape, "leaseInfo": {"renewalIntervalInSecs": 7, "durationInSecs": 21, "x": shape},
            "port": {"$": 8081, "@enabled": "true", "x": shape}});
        let shown = register_and_read(&server, &members).await;
        assert_eq!((&shown["port"]["$"], &shown["leaseInfo"]["durationInSecs"]), (&json!(8081), &json!(21)));
        assert_eq!(shown.get("first"), None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_port_that_is_no_number_is_refused() {
    let server = Server::new(&[]);
    for port in [json!({"$": "abc"}), json!({"$": ""}), json!({"$": {}}), json!({"$": 99_999_999_999_i64}), json!(8080)]
    {
        for name in ["port", "securePort"] {
            let reply = server.register(&body_with("ORDERS", "ord-1", &json!({name: port}))).await;
            assert_eq!(reply.status, 400, "{port}");
            assert!(reply.text().contains(name), "{}", reply.text());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_xml_cannot_carry_is_kept_and_shown_in_json() {
    let server = Server::new(&[]);
    let metadata = json!({"": "nameless", "bell": "a\u{7}b", "c\u{1}d": "e"});
    let shown = register_and_read(&server, &json!({"metadata": metadata, "homePageUrl": "a\u{0}b"})).await;
    assert_eq!((&shown["metadata"], &shown["homePageUrl"]), (&metadata, &json!("a\u{0}b")));
    let text = server.get("/eureka/apps", &[JSON]).await.text();
    assert!(text.contains(r"a\u0007b") && text.contains(r"a\u0000b"), "{text}");
    for target in ["/eureka/apps/ORDERS/ord-1", "/eureka/apps/ORDERS"] {
        let mut xml = server.get(target, &[XML]).await.xml();
        if target == "/eureka/apps/ORDERS" {
            xml = xml.children.remove(1);
        }
        assert_eq!(xml.text_of("homePageUrl"), Some("a\u{fffd}b"));
        let metadata = xml.child("metadata").expect("there");
        assert_eq!(metadata.text_of("bell"), Some("a\u{fffd}b"));
        assert_eq!(metadata.text_of("c_.0001d"), Some("e"));
        assert_eq!(metadata.children.len(), 2, "no name for the empty key");
    }
}

#[tokio::test(start_paused = true)]
async fn compression_follows_http() {
    let server = Server::new(&[]);
    server.register(&body("ORDERS", "ord-1")).await;
    for (accepted, coding) in [
        ("gzip", Some("gzip")),
        ("deflate, GZIP;q=0.5", Some("gzip")),
        ("*", Some("gzip")),
        ("gzip;q=0", None),
        ("gzip;q=0.0, *", None),
        ("identity", None),
        ("br", None),
    ] {
        for target in ["/eureka/apps", "/eureka/apps/delta"] {
            let reply = server.get(target, &[JSON, ("Accept-Encoding", accepted)]).await;
            assert_eq!(reply.header("content-encoding"), coding, "{accepted}");
            assert_eq!(reply.json()["applications"]["apps__hashcode"], "UP_1_");
        }
    }
    for target in ["/eureka/apps/ORDERS", "/eureka/vips/orders", "/eureka/apps/ORDERS/ord-1", "/eureka/status"] {
        assert_eq!(server.get(target, &[JSON, GZIP]).await.header("content-encoding"), None, "{target}");
    }
}

#[tokio::test(start_paused = true)]
async fn errors_have_no_page() {
    const HTML: (&str, &str) = ("Accept", "text/html");
    const BROWSER: (&str, &str) = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    let server = Server::new(&[]);
    for (status, method, target, headers) in [
        (404, "GET", "/eureka/nothing", &[JSON][..]),
        (404, "GET", "/eureka/nothing", &[BROWSER]),
        (404, "GET", "/eureka/apps/GHOSTS", &[BROWSER]),
        (405, "POST", "/eureka/apps/delta", &[JSON]),
        (405, "DELETE", "/eureka/apps", &[BROWSER]),
        (405, "PATCH", "/eureka/apps/A/b", &[BROWSER]),
        (406, "GET", "/eureka/apps", &[HTML]),
        (406, "PUT", "/eureka/apps/A/b", &[HTML]),
        (415, "POST", "/eureka/apps/A", &[JSON, ("Content-Type", "text/json")]),
        (415, "POST", "/eureka/peerreplication/batch/", &[("Content-Type", "text/plain")]),
    ] {
        let reply = server.send(method, target, headers, b"").await;
        assert_eq!(reply.bare(), (status, None), "{method} {target} {headers:?}");
        assert_eq!(reply.headers.contains_key("allow"), status == 405, "{method} {target}");
    }
    for (target, headers, body) in [
        ("/eureka/apps/A", &[SENDS_JSON, BROWSER][..], "{"),
        ("/eureka/apps/A", &[SENDS_XML, BROWSER], "<instance>"),
        ("/eureka/peerreplication/batch/", &[SENDS_JSON, BROWSER], "[]"),
        ("/eureka/apps/A", &[BROWSER], ""),
    ] {
        let reply = server.send("POST", target, headers, body.as_bytes()).await;
        assert_eq!(reply.status, 400);
        let content_type = reply.header("content-type").expect("there is a text");
        assert!(!content_type.contains("html") && !reply.text().contains("<html"), "{}", reply.text());
        assert!(reply.text().len() > 20, "a sentence: {}", reply.text());
    }
    let reply = server.send("POST", "/eureka/apps/A", &[SENDS_JSON], b"{").await;
    assert!(reply.json()["error"].is_string(), "JSON for JSON");
    let reply = server.send("POST", "/eureka/apps/A", &[SENDS_XML], b"<").await;
    assert!(reply.xml().text_of("message").is_some(), "XML for XML");
    assert_eq!(server.put("/eureka/asg/g/status?value=ENABLED").await.status, 400);
    assert_eq!(server.get("/eureka/apps/%zz", &[]).await.status, 400);
}

#[tokio::test(start_paused = true)]
async fn a_refused_method_is_told_what_is_allowed_as_by_jersey() {
    let server = Server::new(&[]);
    for (method, target, allowed) in [
        ("POST", "/eureka/apps", "GET,OPTIONS"),
        ("POST", "/eureka/apps/delta", "GET,OPTIONS"),
        ("PATCH", "/eureka/apps/A", "POST,GET,OPTIONS"),
        ("POST", "/eureka/v2/apps/A/b", "DELETE,GET,OPTIONS,PUT"),
        ("GET", "/eureka/apps/A/b/status", "DELETE,OPTIONS,PUT"),
        ("GET", "/eureka/apps/A/b/metadata", "OPTIONS,PUT"),
        ("GET", "/eureka/peerreplication/batch", "POST,OPTIONS"),
    ] {
        let reply = server.send(method, target, &[], b"").await;
        assert_eq!((reply.bare(), reply.header("allow")), ((405, None), Some(allowed)), "{method} {target}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_has_to_register_is_told_so_whatever_else_is_wrong() {
    let server = Server::new(&[]);
    server.register(&body("ORDERS", "ord-1")).await;
    for (query, headers) in [("lastDirtyTimestamp=soon", &[][..]), ("overriddenstatus=up", &[FROM_PEER])] {
        let beat =
            async |id: &str| server.send("PUT", &format!("/eureka/apps/ORDERS/{id}?{query}"), headers, b"").await;
        assert_eq!(beat("ghost").await.bare(), (404, None), "{query}");
        assert_eq!(beat("ord-1").await.status, 400, "{query}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_context_path_is_found_behind_doubled_slashes() {
    let server = Server::new(&["--server.servlet.context-path=/registry"]);
    for (target, status) in [
        ("/registry/eureka/apps", 200),
        ("//registry//eureka/apps", 200),
        ("/registry;v=1/eureka/apps", 200),
        ("/registryeureka/apps", 404),
        ("/eureka/apps", 404),
    ] {
        assert_eq!(server.get(target, &[]).await.status, status, "{target}");
    }
}

#[tokio::test(start_paused = true)]
async fn options_are_told_without_a_document() {
    let server = Server::new(&[]);
    for (target, allowed) in [
        ("/eureka/apps", "HEAD,GET,OPTIONS"),
        ("/eureka/apps/A", "HEAD,POST,GET,OPTIONS"),
        ("/eureka/v2/apps/A/b", "HEAD,DELETE,GET,OPTIONS,PUT"),
        ("/eureka/apps/A/b/status", "DELETE,OPTIONS,PUT"),
        ("/eureka/peerreplication/batch/", "POST,OPTIONS"),
    ] {
        let reply = server.send("OPTIONS", target, &[], b"").await;
        assert_eq!((reply.bare().0, reply.header("allow")), (200, Some(allowed)), "{target}");
    }
}
