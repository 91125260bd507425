//! Statuses set from outside, and taken back.

use serde_json::{Value, json};

use crate::server::list::array;
use crate::server::{JSON, Server, XML, body, body_with};

async fn statuses(server: &Server) -> (Value, Value) {
    let instance = server.instance("ORDERS", "ord-1").await;
    (instance["status"].clone(), instance["overriddenStatus"].clone())
}

fn both(status: &str, overridden: &str) -> (Value, Value) {
    (json!(status), json!(overridden))
}

#[tokio::test(start_paused = true)]
async fn case_035_a_removed_override_leaves_its_value_until_the_client_speaks() {
    let server = Server::new(&[]);
    server.register(&body("ORDERS", "ord-1")).await;
    let set = "/eureka/apps/ORDERS/ord-1/status?value=OUT_OF_SERVICE";
    let beat = "/eureka/apps/ORDERS/ord-1";

    assert_eq!(server.put(set).await.status, 200);
    assert_eq!(statuses(&server).await, both("OUT_OF_SERVICE", "OUT_OF_SERVICE"));
    assert_eq!(server.delete("/eureka/apps/ORDERS/ord-1/status?value=DOWN").await.status, 200);
    assert_eq!(statuses(&server).await, both("DOWN", "UNKNOWN"));
    assert_eq!(server.put(beat).await.status, 200, "a heartbeat changes nothing");
    assert_eq!(statuses(&server).await, both("DOWN", "UNKNOWN"));
    server.register(&body("ORDERS", "ord-1")).await;
    assert_eq!(statuses(&server).await, both("UP", "UNKNOWN"), "the client's next registration wins");

    assert_eq!(server.put(set).await.status, 200);
    assert_eq!(server.delete("/eureka/apps/ORDERS/ord-1/status").await.status, 200);
    assert_eq!(statuses(&server).await, both("UNKNOWN", "UNKNOWN"));
    assert_eq!(server.put(beat).await.bare(), (404, None), "so that the client registers again");
    server.register(&body("ORDERS", "ord-1")).await;
    assert_eq!(statuses(&server).await, both("UP", "UNKNOWN"));
    assert_eq!(server.put(beat).await.status, 200);

    let before = server.instance("ORDERS", "ord-1").await;
    assert_eq!(server.delete("/eureka/apps/ORDERS/ord-1/status?value=DOWN").await.status, 200);
    assert_eq!(server.instance("ORDERS", "ord-1").await, before, "there was nothing to take back");
}

#[tokio::test(start_paused = true)]
async fn case_038_readiness_takes_an_instance_out_and_back_in() {
    let server = Server::new(&[]);
    let with = |status, dirty| body_with("ORDERS", "ord-1", &json!({"status": status, "lastDirtyTimestamp": dirty}));
    server.register(&with("OUT_OF_SERVICE", 1_700_000_000_000_i64)).await;
    assert_eq!(statuses(&server).await, both("OUT_OF_SERVICE", "UNKNOWN"));
    server.register(&with("UP", 1_700_000_001_000_i64)).await;
    assert_eq!(statuses(&server).await, both("UP", "UNKNOWN"));
    server.put("/eureka/apps/ORDERS/ord-1/status?value=OUT_OF_SERVICE").await;
    server.register(&with("UP", 1_700_000_002_000_i64)).await;
    assert_eq!(statuses(&server).await, both("OUT_OF_SERVICE", "OUT_OF_SERVICE"), "an operator's word stays");
}

#[tokio::test(start_paused = true)]
async fn case_040_both_statuses_are_shown() {
    let server = Server::new(&[]);
    server.register(&body_with("ORDERS", "ord-1", &json!({"status": "STARTING"}))).await;
    server.put("/eureka/apps/ORDERS/ord-1/status?value=UP").await;
    assert_eq!(statuses(&server).await, both("UP", "UP"));
    server.register(&body_with("ORDERS", "ord-1", &json!({"status": "DOWN"}))).await;
    assert_eq!(statuses(&server).await, both("DOWN", "UP"), "a client that is not well is believed");
    let xml = server.get("/eureka/apps/ORDERS/ord-1", &[XML]).await.xml();
    assert_eq!((xml.text_of("status"), xml.text_of("overriddenstatus")), (Some("DOWN"), Some("UP")));
    for target in ["/eureka/apps", "/eureka/apps/delta"] {
        let list = server.json(target).await;
        let instance = &list["applications"]["application"][0]["instance"][0];
        assert_eq!((&instance["status"], &instance["overriddenStatus"]), (&json!("DOWN"), &json!("UP")));
    }
}

#[tokio::test(start_paused = true)]
async fn case_041_all_overrides_can_be_listed() {
    let server = Server::new(&[]);
    let set =
        [("ORDERS", "ord-1"), ("ORDERS", "ord-2"), ("ORDERS", "ord-3"), ("BILLING", "bil-1"), ("BILLING", "bil-2")];
    for (app, id) in set {
        server.register(&body(app, id)).await;
        server.put(&format!("/eureka/apps/{app}/{id}/status?value=OUT_OF_SERVICE")).await;
    }
    server.register(&body("BILLING", "bil-3")).await;
    for root in ["/eureka", "/eureka/v2"] {
        let listed = server.json(&format!("{root}/serverinfo/statusoverrides")).await;
        let all = set.map(|(_, id)| (id.to_owned(), json!("OUT_OF_SERVICE")));
        assert_eq!(listed, Value::Object(all.into_iter().collect()));
    }
    for (app, id) in &set[..2] {
        server.delete(&format!("/eureka/apps/{app}/{id}/status?value=UP")).await;
    }
    server.delete("/eureka/apps/ORDERS/ord-3").await;
    let listed = server.json("/eureka/serverinfo/statusoverrides").await;
    assert_eq!(listed, json!({"bil-1": "OUT_OF_SERVICE", "bil-2": "OUT_OF_SERVICE"}));
}

#[tokio::test(start_paused = true)]
async fn an_override_never_makes_the_client_look_newer() {
    let server = Server::new(&[]);
    server.register(&body("ORDERS", "ord-1")).await;
    let dirty = async || server.instance("ORDERS", "ord-1").await["lastDirtyTimestamp"].clone();
    for (method, query) in [
        ("PUT", "?value=OUT_OF_SERVICE"),
        ("DELETE", "?value=UP"),
        ("PUT", "?value=DOWN&lastDirtyTimestamp=1600000000000"),
    ] {
        let target = format!("/eureka/apps/ORDERS/ord-1/status{query}");
        assert_eq!(server.send(method, &target, &[JSON], b"").await.status, 200);
        assert_eq!(dirty().await, "1700000000000", "{target}");
    }
    server.put("/eureka/apps/ORDERS/ord-1/status?value=UP&lastDirtyTimestamp=1800000000000").await;
    assert_eq!(dirty().await, "1800000000000", "only a greater one that was told");
}

#[tokio::test(start_paused = true)]
async fn an_override_leaves_the_expected_renewals_alone() {
    let server = Server::new(&[]);
    for id in ["ord-1", "ord-2", "ord-3"] {
        server.register(&body("ORDERS", id)).await;
    }
    let threshold = server.app.registry().renewal_threshold();
    for target in ["/eureka/apps/ORDERS/ord-1/status?value=DOWN", "/eureka/apps/ORDERS/ord-1/metadata?weight=3"] {
        server.put(target).await;
        assert_eq!(server.app.registry().renewal_threshold(), threshold, "{target}");
    }
    let list = server.json("/eureka/apps/ORDERS").await;
    assert_eq!(array(&list["application"]["instance"]).len(), 3);
}
