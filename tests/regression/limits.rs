//! How much may come in.

use serde_json::json;

use crate::server::{SENDS_JSON, SENDS_XML, Server, body, body_with, packed};

#[tokio::test(start_paused = true)]
async fn what_is_too_much_is_refused_and_named() {
    let server = Server::new(&[
        "--eurekad.limits.body-size=4KB",
        "--eurekad.limits.nesting-depth=8",
        "--eurekad.limits.metadata-entries=3",
        "--eurekad.limits.metadata-length=20",
    ]);
    let deep = (0..10).fold(json!(1), |inner, _| json!([inner]));
    let long = "x".repeat(21);
    for (members, status, setting) in [
        (json!({"homePageUrl": "x".repeat(4096)}), 413, "body-size"),
        (json!({"unknown": deep}), 400, "nesting-depth"),
        (json!({"metadata": {"a": 1, "b": 2, "c": 3, "d": 4}}), 400, "metadata-entries"),
        (json!({"metadata": {"a": long}}), 400, "metadata-length"),
        (json!({"metadata": {long.clone(): "a"}}), 400, "metadata-length"),
    ] {
        let reply = server.register(&body_with("ORDERS", "ord-1", &members)).await;
        assert_eq!(reply.status, status, "{members}");
        assert!(reply.text().contains(setting), "{}", reply.text());
    }
    let small = packed(&vec![b' '; 5000]);
    assert!(small.len() < 4096);
    let gzip = ("Content-Encoding", "gzip");
    assert_eq!(server.send("POST", "/eureka/apps/ORDERS", &[SENDS_JSON, gzip], &small).await.status, 413);
    for xml in [
        "<!DOCTYPE instance><instance/>".to_owned(),
        "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/hostname'>]><instance><app>&b;</app></instance>".to_owned(),
        format!("<instance>{}{}</instance>", "<a>".repeat(9), "</a>".repeat(9)),
    ] {
        assert_eq!(server.send("POST", "/eureka/apps/ORDERS", &[SENDS_XML], xml.as_bytes()).await.status, 400, "{xml}");
    }
    assert!(server.app.registry().is_empty());
}

/// What the server would refuse in a body must not get in by another way: a peer could not take it.
#[tokio::test(start_paused = true)]
async fn metadata_in_a_query_has_the_limits_of_metadata_in_a_body() {
    let server = Server::new(&["--eurekad.limits.metadata-entries=4", "--eurekad.limits.metadata-length=20"]);
    server.register(&body("ORDERS", "ord-1")).await;
    let target = "/eureka/apps/ORDERS/ord-1/metadata";
    assert_eq!(server.put(&format!("{target}?a=1&b=2")).await.status, 200);
    assert_eq!(server.put(&format!("{target}?a=3&zone=z2")).await.status, 200, "replacing is not adding");
    let long = "x".repeat(21);
    for (query, setting) in [
        ("c=4&d=5".to_owned(), "metadata-entries"),
        (format!("a={long}"), "metadata-length"),
        (format!("{long}=a"), "metadata-length"),
    ] {
        let reply = server.put(&format!("{target}?{query}")).await;
        assert_eq!(reply.status, 400, "{query}");
        assert!(reply.text().contains(setting), "{}", reply.text());
        assert_eq!(server.put("/eureka/apps/ORDERS/ghost/metadata?c=4").await.status, 404);
    }
    let metadata = json!({"zone": "z2", "a": "3", "b": "2"});
    assert_eq!(server.instance("ORDERS", "ord-1").await["metadata"], metadata);
}
