//! What is refused, with a sentence that names the field, and then nothing has changed.

use serde_json::{Value, json};

use super::{fleet, operate, states};
use crate::server::{SENDS_JSON, Server};

#[tokio::test(start_paused = true)]
async fn a_mistake_names_its_field_and_changes_nothing() {
    let server = fleet(&[]).await;
    let before = (states(&server).await, server.app.registry().version());
    let select = json!({"app": "ORDERS"});
    for (what, request, problem) in [
        ("drain", json!({}), "missing field `select`"),
        ("drain", json!({"select": {}}), "select: must say which instances"),
        ("drain", json!({"select": {"app": []}}), "select: must say which instances"),
        ("evict", json!({"select": {"metadata": {}}}), "select: must say which instances"),
        ("resume", json!({"select": {}}), "select: must say which instances"),
        ("overrides/clear", json!({}), "select, all: one of them must be there"),
        ("overrides/clear", json!({"select": select, "all": true}), "select, all: one of them"),
        ("resume", json!({}), "select, operation: one of them must be there"),
        ("resume", json!({"select": select, "operation": "1"}), "select, operation: one of them"),
        ("drain", json!({"select": {"apps": "ORDERS"}}), "select.apps: unknown field `apps`, expected one of"),
        ("drain", json!({"select": select, "reasn": ""}), "reasn: unknown field `reasn`"),
        ("drain", json!({"select": select, "reason": 5}), "reason: invalid type: integer `5`, expected a string"),
        ("drain", json!({"select": {"app": 5}}), "select.app: a text, or a list of texts"),
        ("drain", json!({"select": {"metadata": {"version": 1.4}}}), "select.metadata.version: invalid type"),
        ("drain", json!({"select": {"status": "GONE"}}), "select.status: \"GONE\" is none of DOWN, "),
        ("drain", json!({"select": select, "status": "AWAY"}), "status: \"AWAY\" is none of DOWN, "),
        ("drain", json!({"select": select, "status": "UNKNOWN"}), "status: UNKNOWN cannot be set"),
        ("drain", json!({"select": select, "for": "soon"}), "for: \"soon\" must be a time"),
        ("drain", json!({"select": select, "until": "2001-01-01T00:00:00Z"}), "until: is over already"),
        ("drain", json!({"select": select, "for": "1m", "until": "x"}), "for, until: only one"),
        ("drain", json!({"select": select, "reason": "x".repeat(1_001)}), "reason: must have at most 1000 bytes"),
        ("drain", json!({"select": select, "owner": "x".repeat(201)}), "owner: must have at most 200 bytes"),
        ("drain", json!({"select": select, "dryRun": "yes"}), "dryRun: invalid type"),
        ("accept", json!({"select": select}), "select: unknown field `select`"),
    ] {
        let refused = operate(&server, what, &request, 400).await;
        let error = refused["error"].as_str().unwrap();
        assert!(error.starts_with(problem), "{what} {request}: {error}");
    }
    let missing = operate(&server, "drain", &json!({"select": {"app": "NOTHING"}}), 404).await;
    assert_eq!(missing, json!({"error": "select: no instance is meant"}));
    let unknown = operate(&server, "resume", &json!({"operation": "1"}), 404).await;
    assert!(unknown["error"].as_str().unwrap().starts_with("operation: no \"1\" is remembered on this node"));
    assert_eq!((states(&server).await, server.app.registry().version()), before);
}

async fn raw(server: &Server, body: &[u8]) -> (u16, Value) {
    let reply = server.send("POST", "/eureka/operations/drain", &[SENDS_JSON], body).await;
    (reply.status, reply.json())
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_none_is_refused() {
    let server = fleet(&[]).await;
    for body in [&b""[..], b"drain", b"[]", b"{} {}", b"{\"select\":{\"app\":\"A\"}}x", b"\xff"] {
        let (status, error) = raw(&server, body).await;
        assert_eq!(status, 400, "{error}");
        assert!(error["error"].is_string());
    }
    let long = json!({"select": {"app": "x".repeat(70_000)}}).to_string();
    let (status, error) = raw(&server, long.as_bytes()).await;
    assert_eq!((status, error), (413, json!({"error": "the body is longer than 65536 bytes"})));
    let deep = "[".repeat(10_000);
    assert_eq!(raw(&server, deep.as_bytes()).await.0, 400);
}

#[tokio::test(start_paused = true)]
async fn a_page_of_another_site_operates_nothing() {
    let server = fleet(&[]).await;
    let body = json!({"select": {"app": "ORDERS"}}).to_string();
    let headers = [SENDS_JSON, ("origin", "http://evil.example"), ("host", "registry:8761")];
    let reply = server.send("POST", "/eureka/operations/evict", &headers, body.as_bytes()).await;
    assert_eq!(reply.status, 403);
    assert_eq!(states(&server).await.len(), 11);
}
