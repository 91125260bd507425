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
