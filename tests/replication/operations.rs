//! What operators do to instances at one node reaches the others, with its reason and its end.

use serde_json::{Value, json};

use crate::server::body_with;
use crate::sockets::server::{Server, eventually};
use crate::sockets::wire::{get, post, request};

use super::cluster::{cluster, everything};

/// What an operation answers.
fn operate(node: &Server, what: &str, body: &Value) -> Value {
    let body = body.to_string();
    let headers = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    let answer = node.connect().ask(request("POST", &format!("/eureka/operations/{what}"), &headers) + &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    serde_json::from_slice(&answer.body).expect("JSON")
}

/// How many instances are out of service.
fn out_of_service(node: &Server) -> usize {
    everything(node).values().filter(|(status, _)| status == "OUT_OF_SERVICE").count()
}

fn overrides(node: &Server) -> Value {
    let answer = node.connect().ask(get("/eureka/operations/overrides", ""));
    let mut document: Value = serde_json::from_slice(&answer.body).expect("JSON");
    document["overrides"].take()
}

fn fill(node: &Server) {
    let mut wire = node.connect();
    for number in 1..=10 {
        let version = if number <= 6 { "1.4" } else { "1.5" };
        let body = body_with("ORDERS", &format!("ord-{number}"), &json!({"metadata": {"version": version}}));
        assert_eq!(wire.ask(post("ORDERS", &body.to_string())).status, 204);
    }
}

#[test]
fn case_103_a_version_is_drained_on_all_nodes_and_comes_back() {
    let [a, b, c] = cluster(&[]);
    fill(&a);
    for node in [&b, &c] {
        eventually("all are there", || (everything(node).len() == 10).then_some(()));
    }
    let request = json!({"select": {"metadata": {"version": "1.4"}}, "reason": "bad release", "owner": "ann"});
    let drained = operate(&b, "drain", &request);
    for node in [&a, &b, &c] {
        eventually("six are out of service", || (out_of_service(node) == 6).then_some(()));
        assert_eq!(overrides(node), overrides(&b), "every node knows why");
    }
    operate(&b, "resume", &json!({"operation": drained["operation"]}));
    for node in [&a, &b, &c] {
        eventually("all are back", || (out_of_service(node) == 0).then_some(()));
        assert!(everything(node).values().all(|(status, overridden)| status == "UP" && overridden == "UNKNOWN"));
    }
}

#[test]
fn a_drain_ends_everywhere_although_its_node_has_gone() {
    let [a, b, c] = cluster(&[]);
    fill(&a);
    for node in [&b, &c] {
        eventually("all are there", || (everything(node).len() == 10).then_some(()));
    }
    operate(&a, "drain", &json!({"select": {"app": "ORDERS"}, "reason": "rack", "for": "3s"}));
    for node in [&b, &c] {
        eventually("all have left or are back", || {
            let listed = overrides(node);
            let ends = listed.as_array().expect("a list").iter().all(|each| each["until"].is_i64());
            (ends && !listed[0].is_null()).then_some(())
        });
    }
    drop(a);
    for node in [&b, &c] {
        eventually("all are back", || (overrides(node) == json!([])).then_some(()));
        assert!(everything(node).values().all(|(status, _)| status == "UP"), "{:?}", everything(node));
    }
}

#[test]
fn an_eviction_by_hand_reaches_the_peers() {
    let [a, b] = cluster(&[]);
    fill(&a);
    eventually("all are there", || (everything(&b).len() == 10).then_some(()));
    operate(&a, "evict", &json!({"select": {"metadata": {"version": "1.5"}}, "reason": "gone"}));
    eventually("four have left", || (everything(&b).len() == 6).then_some(()));
}
