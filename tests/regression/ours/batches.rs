//! What peers are answered.

use serde_json::{Value, json};

use crate::server::list::array;
use crate::server::{Server, body, body_with};

#[tokio::test(start_paused = true)]
async fn each_item_of_a_batch_gets_its_true_code() {
    let server = Server::new(&[]);
    let register = |id: &str, instance: &Value| {
        json!({"appName": "ORDERS", "id": id, "lastDirtyTimestamp": 1_700_000_000_000_i64, "status": "UP",
            "instanceInfo": instance, "action": "Register"})
    };
    let whole = body_with(
        "ORDERS",
        "ord-1",
        &json!({"leaseInfo": {"renewalIntervalInSecs": 30, "durationInSecs": 90,
        "registrationTimestamp": 1, "lastRenewalTimestamp": 9_999_999_999_999_i64, "serviceUpTimestamp": 2}}),
    );
    let item = |id: &str, action: &str, more: Value| {
        let mut item = json!({"appName": "orders", "id": id, "lastDirtyTimestamp": "1700000000000", "action": action});
        item.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        item
    };
    let items = [
        (200, register("ord-1", &whole["instance"])),
        (400, register("ord-2", &body_with("ORDERS", "ord-2", &json!({"hostName": null}))["instance"])),
        (400, register("ord-3", &body("BILLING", "ord-3")["instance"])),
        (400, register("ord-3", &Value::Null)),
        (400, register("ord-3", &body_with("ORDERS", "ord-3", &json!({"app": null}))["instance"])),
        (200, register("ord-3", &body("ORDERS", "ord-3"))),
        (200, item("ord-1", "Heartbeat", json!({"unknown": {"of": [1, {}]}, "status": "SLEEPY"}))),
        (404, item("ghost", "Heartbeat", json!({}))),
        (200, item("ord-1", "StatusUpdate", json!({"status": "DOWN"}))),
        (400, item("ord-1", "StatusUpdate", json!({"status": "SLEEPY"}))),
        (400, item("ord-1", "StatusUpdate", json!({}))),
        (200, item("ord-1", "DeleteStatusOverride", json!({"status": "UP"}))),
        (400, item("ord-1", "DeleteStatusOverride", json!({"status": "SLEEPY"}))),
        (400, item("ord-1", "Dance", json!({}))),
        (400, json!({"appName": "ORDERS", "id": "ord-1"})),
        (400, json!({"action": "Heartbeat"})),
        (400, json!("Heartbeat")),
        (200, item("ord-3", "Cancel", json!({}))),
        (404, item("ord-3", "Cancel", json!({}))),
    ];
    let (codes, list): (Vec<_>, Vec<_>) = items.into_iter().unzip();
    let reply = server.post("/eureka/peerreplication/batch", &json!({"replicationList": list, "more": {}})).await;
    assert_eq!(reply.status, 200);
    let answered: Vec<_> = array(&reply.json()["responseList"]).iter().map(|item| item["statusCode"].clone()).collect();
    assert_eq!(answered, codes);
    let shown = server.instance("ORDERS", "ord-1").await;
    let now = server.clock.now().wall;
    let lease = &shown["leaseInfo"];
    assert_eq!(lease["registrationTimestamp"], now, "the lease times of a peer are never read");
    assert_eq!((&lease["lastRenewalTimestamp"], &lease["serviceUpTimestamp"]), (&json!(now), &json!(now)));
    for broken in [json!({}), json!({"replicationList": null}), json!([])] {
        assert_eq!(server.post("/eureka/peerreplication/batch/", &broken).await.status, 400, "{broken}");
    }
}
