//! What the script searches, and how it follows what happens.

use serde_json::json;

use super::register;
use crate::server::{Server, body, body_with};

#[tokio::test(start_paused = true)]
async fn what_has_changed_is_told_since_a_version() {
    let server = Server::new(&["--eurekad.history.max-entries=3"]);
    register(&server, &body_with("ORDERS", "ord-1", &json!({"metadata": {"version": "1.4", "zone": "z1"}}))).await;
    register(&server, &body("STOCK", "st-1")).await;
    let all = server.json("/instances.json").await;
    assert_eq!((all["whole"].as_bool(), all["instances"].as_array().map(Vec::len)), (Some(true), Some(2)));
    assert_eq!(
        all["instances"][0],
        json!({"app": "ORDERS", "id": "ord-1", "host": "ord-1.test", "ip": "10.20.0.11", "ports": [8080],
               "status": "UP", "zone": "z1", "url": "http://ord-1.test:8080/info",
               "metadata": {"zone": "z1", "version": "1.4"}})
    );
    let version = all["version"].as_str().unwrap();
    let since = async |version: &str| server.json(&format!("/instances.json?since={version}")).await;
    let nothing = since(version).await;
    assert_eq!(nothing, json!({"version": version, "whole": false, "instances": [], "gone": []}));

    assert_eq!(server.put("/eureka/apps/ORDERS/ord-1/status?value=OUT_OF_SERVICE").await.status, 200);
    assert_eq!(server.delete("/eureka/apps/STOCK/st-1").await.status, 200);
    let changed = since(version).await;
    assert_eq!((changed["whole"].as_bool(), &changed["gone"]), (Some(false), &json!([["STOCK", "st-1"]])));
    assert_eq!(changed["instances"].as_array().map(Vec::len), Some(1));
    assert_eq!(changed["instances"][0]["overridden"], true);
    assert_eq!(changed["instances"][0]["why"], "set from outside just now");

    // A version of another process, one that nobody remembers, and what is none.
    for id in 0..3 {
        register(&server, &body("ORDERS", &format!("new-{id}"))).await;
    }
    for other in ["1-2", version, "x", "-", ""] {
        assert_eq!(since(other).await["whole"], true, "{other}");
    }
}
