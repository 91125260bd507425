//! What operators do to instances: found, out of traffic and back, ended, explained; by the API and by commands.

mod commands;
mod drains;
mod mistakes;
mod questions;

use serde_json::{Value, json};

use crate::server::{JSON, SENDS_JSON, Server, body_with};

/// Asks for an operation; the status must be that.
async fn operate(server: &Server, what: &str, request: &Value, status: u16) -> Value {
    let target = format!("/eureka/operations/{what}");
    let reply = server.send("POST", &target, &[SENDS_JSON, JSON], request.to_string().as_bytes()).await;
    assert_eq!(reply.status, status, "{what} {request}: {}", reply.text());
    assert_eq!(reply.header("content-type"), Some("application/json"));
    reply.json()
}

/// Ten instances of ORDERS, the first six of version 1.4 in zone a; and one of STOCK.
async fn fleet(words: &[&str]) -> Server {
    let server = Server::new(words);
    for number in 1..=10 {
        let (version, zone) = if number <= 6 { ("1.4", "a") } else { ("1.5", "b") };
        let members = json!({
            "metadata": {"version": version, "zone": zone}, "hostName": format!("host-{number}.test"),
            "ipAddr": format!("10.20.0.{number}"), "port": {"$": 8080 + number, "@enabled": "true"},
        });
        assert_eq!(server.register(&body_with("ORDERS", &format!("ord-{number}"), &members)).await.status, 204);
    }
    assert_eq!(server.register(&body_with("STOCK", "sto-1", &json!({}))).await.status, 204);
    server
}

/// Status and override of all, as lists have them.
async fn states(server: &Server) -> Vec<(String, String, String)> {
    let list = server.json("/eureka/apps").await;
    let apps = list["applications"]["application"].as_array().unwrap().clone();
    let instances = apps.iter().flat_map(|app| app["instance"].as_array().unwrap().clone());
    let text = |instance: &Value, name: &str| instance[name].as_str().unwrap().to_owned();
    let mut states: Vec<_> = instances
        .map(|each| (text(&each, "instanceId"), text(&each, "status"), text(&each, "overriddenStatus")))
        .collect();
    states.sort();
    states
}

fn ids(answer: &Value, list: &str) -> Vec<String> {
    let entries = answer[list].as_array().unwrap();
    entries.iter().map(|entry| entry["instance"].as_str().unwrap().to_owned()).collect()
}
