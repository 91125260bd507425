//! What peers are answered.

use serde_json::{Value, json};

use crate::server::list::array;
use crate::server::{SENDS_JSON, Server, body, body_with};

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

#[tokio::test(start_paused = true)]
async fn a_forged_number_stops_nobody_elses_batches() {
    const PEER: (&str, &str) = ("eurekad-node", "0000000000000007; state=open; digest=1");
    let server = Server::new(&[]);
    server.register(&body("ORDERS", "ord-1")).await;
    let item = json!({"appName": "ORDERS", "id": "ord-1", "action": "Heartbeat"});
    let batch = json!({"replicationList": [item]}).to_string().into_bytes();
    let send = async |turn: &str| {
        let headers = [SENDS_JSON, PEER, ("eurekad-turn", turn)];
        server.send("POST", "/eureka/peerreplication/batch/", &headers, &batch).await.status
    };
    let secret = "0123456789abcdef0123456789abcdef";
    assert_eq!(send(&format!("{secret}-1")).await, 200);
    let last = u64::MAX;
    for forged in [last.to_string(), format!("0000000000000007-{last}"), format!("{:032x}-{last}", 7)] {
        assert_eq!(send(&forged).await, 200, "{forged}");
    }
    assert_eq!(send(&format!("{secret}-3")).await, 200);
    assert_eq!(send(&format!("{secret}-2")).await, 409, "it comes late");
    assert_eq!(send(&format!("{secret}-4")).await, 200);
}
