//! Everything that is described is asked for, with the examples of the description.

use axum::body::Body;
use bytes::Bytes;
use http::Request;
use serde_json::Value;
use tower::ServiceExt as _;

use super::{Operation, document, operations, resolved, schema};
use crate::server::{JSON, Reply, SENDS_JSON, Server, body, encoded};

/// The path with its query, as the examples have it; `other` stands for what names something.
fn target(operation: &Operation, other: Option<&str>) -> String {
    let mut target = operation.path.clone();
    let mut query = Vec::new();
    for parameter in &operation.parameters {
        let name = parameter["name"].as_str().expect("a name");
        let example = &parameter["example"];
        match parameter["in"].as_str() {
            Some("path") => {
                let example =
                    other.unwrap_or_else(|| example.as_str().unwrap_or_else(|| panic!("{name} has no example")));
                target = target.replace(&format!("{{{name}}}"), &encoded(example));
            }
            Some("query") => match example {
                Value::Object(entries) => {
                    query.extend(
                        entries.iter().map(|(key, value)| format!("{key}={}", value.as_str().expect("a text"))),
                    );
                }
                Value::String(example) => query.push(format!("{name}={example}")),
                Value::Null => {}
                other => query.push(format!("{name}={other}")),
            },
            _ => {}
        }
    }
    if query.is_empty() { target } else { format!("{target}?{}", query.join("&")) }
}

async fn ask(server: &Server, operation: &Operation, other: Option<&str>) -> Reply {
    let body = &operation.said.get("requestBody").unwrap_or(&Value::Null)["content"]["application/json"]["example"];
    assert_eq!(body.is_null(), !operation.said.contains_key("requestBody"), "{}: no example", operation.path);
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let request = Request::builder().method(&*operation.method).uri(target(operation, other));
    let mut request = request.header(JSON.0, JSON.1);
    for header in operation.parameters.iter().filter(|parameter| parameter["in"] == "header") {
        if let (Some(name), Some(example)) = (header["name"].as_str(), header["example"].as_str()) {
            request = request.header(name, example);
        }
    }
    let request = if body.is_empty() { request } else { request.header(SENDS_JSON.0, SENDS_JSON.1) };
    let request = request.body(Body::from(body)).expect("a request");
    if operation.said["responses"]["200"]["content"].get("text/event-stream").is_none() {
        return server.answer(request).await;
    }
    // It does not end.
    let (head, _endless) = server.app.router().oneshot(request).await.expect("an answer").into_parts();
    Reply { status: head.status.as_u16(), headers: head.headers, body: Bytes::new() }
}

/// Whether an answer is one of those that are described.
fn check(document: &Value, operation: &Operation, reply: &Reply) {
    let place = format!("{} {}", operation.method, operation.path);
    let described = &operation.said["responses"][reply.status.to_string()];
    assert!(described.is_object(), "{place}: {} is not described", reply.status);
    let content = &resolved(document, described)["content"];
    if reply.body.is_empty() {
        return;
    }
    let content_type = reply.header("content-type").unwrap_or_else(|| panic!("{place}: no type"));
    let content_type = content_type.split(';').next().unwrap_or_default();
    let media = &content[content_type];
    assert!(media.is_object(), "{place}: {} with {content_type} is not described: {}", reply.status, reply.text());
    if content_type.ends_with("json") && media["schema"].is_object() {
        let mistakes = schema::mistakes(document, &media["schema"], &reply.json());
        assert!(mistakes.is_empty(), "{place}: {mistakes:?} in {}", reply.text());
    }
}

#[tokio::test(start_paused = true)]
async fn everything_described_is_answered_as_described() {
    let document = document().await;
    let mut asked = 0;
    for operation in operations(&document) {
        // Each meets a server of its own: some take away what others ask for.
        let words =
            ["--management.endpoints.web.exposure.include=*", "--management.endpoint.health.show-details=always"];
        let server = Server::new(&words);
        assert_eq!(server.register(&body("ORDERS", "ord-1")).await.status, 204);
        let reply = ask(&server, &operation, None).await;
        check(&document, &operation, &reply);
        let meets_nothing = operation.path == "/eureka/operations/overrides/clear";
        let is_fine = reply.status < 300
            || operation.path.starts_with("/eureka/asg")
            || of_process(&operation.path)
            || meets_nothing;
        assert!(is_fine, "{} {}: {} to the example", operation.method, operation.path, reply.status);
        if operation.path.contains('{') {
            check(&document, &operation, &ask(&server, &operation, Some("nobody")).await);
        }
        check(&document, &operation, &ask(&Server::not_open(&words), &operation, None).await);
        asked += 1;
    }
    assert!(asked > 25, "{asked}");
}

/// What works on the process, or on the server's own record: there is nothing in a server without.
fn of_process(path: &str) -> bool {
    ["/actuator/env", "/actuator/loggers", "/actuator/refresh", "/actuator/serviceregistry"]
        .iter()
        .any(|own| path.starts_with(own))
}
