//! Pages that have a browser send something.

use crate::server::{SENDS_JSON, Server};

async fn drained(words: &[&str], headers: &[(&str, &str)]) -> (u16, String) {
    let server = Server::new(words);
    let reply = server.send("POST", "/eureka/operations/drain", headers, br#"{"select":{"app":"ORDERS"}}"#).await;
    (reply.status, reply.text())
}

/// A proxy that sends its own `Host` made every action of the dashboard a 403.
#[tokio::test(start_paused = true)]
async fn a_proxy_tells_where_the_page_lies() {
    let own = [SENDS_JSON, ("Host", "registry:8761"), ("Origin", "http://tools.test")];
    let (status, told) = drained(&[], &own).await;
    assert_eq!(status, 403);
    assert!(told.contains("a page of another site"), "{told}");
    let passed_on = [SENDS_JSON, ("Host", "tools.test"), ("Origin", "http://tools.test")];
    assert_eq!(drained(&[], &passed_on).await.0, 404, "nobody is meant");
    let headers: Vec<_> = own.into_iter().chain([("X-Forwarded-Host", "tools.test")]).collect();
    assert_eq!(drained(&[], &headers).await.0, 403);
    assert_eq!(drained(&["--server.forward-headers-strategy=native"], &headers).await.0, 404);
}

/// A browser sends text anywhere without asking.
#[tokio::test(start_paused = true)]
async fn an_action_is_json_and_says_so() {
    let server = Server::new(&[]);
    for what in ["drain", "resume", "evict", "accept", "overrides/clear"] {
        for sent_as in
            [&[][..], &[("Content-Type", "text/plain")], &[("Content-Type", "application/x-www-form-urlencoded")]]
        {
            let target = format!("/eureka/operations/{what}");
            let reply = server.send("POST", &target, sent_as, br#"{"select":{"app":"ORDERS"}}"#).await;
            assert_eq!(
                (reply.status, reply.header("content-type")),
                (415, Some("application/json")),
                "{what} {sent_as:?}"
            );
            assert_eq!(reply.json()["error"], "the body must be JSON, and Content-Type: application/json say so");
        }
    }
    assert_eq!(drained(&[], &[("Content-Type", "Application/JSON; charset=utf-8")]).await.0, 404, "nobody is meant");
}
