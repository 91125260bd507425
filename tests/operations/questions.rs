//! What operators ask.

use serde_json::json;

use super::{fleet, ids, operate};
use crate::server::START;

#[tokio::test(start_paused = true)]
async fn case_108_instances_are_found_by_anything_that_is_known_of_them() {
    let server = fleet(&[]).await;
    operate(&server, "drain", &json!({"select": {"instance": "ord-1"}, "reason": "disk", "owner": "ann"}), 200).await;
    let found = async |query: &str| {
        let found = server.json(&format!("/eureka/operations/instances?{query}")).await;
        ids(&found, "instances").join(" ")
    };
    let ord = |numbers: std::ops::RangeInclusive<u8>| {
        let mut ids: Vec<_> = numbers.map(|number| format!("ord-{number}")).collect();
        ids.sort();
        ids.join(" ")
    };
    for (query, expected) in [
        ("", ord(1..=10) + " sto-1"),
        ("app=orders", ord(1..=10)),
        ("app=stock,none", "sto-1".to_owned()),
        ("status=OUT_OF_SERVICE", "ord-1".to_owned()),
        ("zone=b", ord(7..=10)),
        ("host=HOST-3.test", "ord-3".to_owned()),
        ("metadata.version=1.4&app=ORDERS", ord(1..=6)),
        ("metadata.version=1.4&status=UP", ord(2..=6)),
        ("q=host-7", "ord-7".to_owned()),
        ("q=10.20.0.9", "ord-9".to_owned()),
        ("q=8088", "ord-8".to_owned()),
        ("q=version%3D1.5", ord(7..=10)),
        ("q=STO", "sto-1".to_owned()),
        ("q=out_of", "ord-1".to_owned()),
        ("q=nothing", String::new()),
    ] {
        assert_eq!(found(query).await, expected, "{query}");
    }
    let one = server.json("/eureka/operations/instances?instance=ord-1").await["instances"][0].take();
    let expected = json!({
        "app": "ORDERS", "instance": "ord-1", "host": "host-1.test", "ip": "10.20.0.1", "port": 8081,
        "status": "OUT_OF_SERVICE", "unconfirmed": false, "zone": "a", "lastRenewal": START, "leaseEnds": START + 90_000,
        "override": {
            "status": "OUT_OF_SERVICE", "reason": "disk", "owner": "ann", "since": START, "until": null,
        },
    });
    assert_eq!(one, expected);
    let wrong = server.get("/eureka/operations/instances?apps=A", &[]).await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.json()["error"].as_str().unwrap().starts_with("\"apps\" is none of app, "));
}

#[tokio::test(start_paused = true)]
async fn an_instance_is_explained_with_all_that_happened_to_it() {
    let server = fleet(&[]).await;
    operate(&server, "drain", &json!({"select": {"instance": "ord-1"}, "reason": "disk", "owner": "ann"}), 200).await;
    server.pass(50).await;
    let told = server.json("/eureka/operations/explain/orders/ord-1").await;
    let sentence = told["sentence"].as_str().unwrap();
    assert!(sentence.ends_with("Its status was set to OUT_OF_SERVICE from outside by ann (disk)."), "{sentence}");
    assert_eq!((&told["silent"], &told["lapsed"], &told["ownStatus"]), (&json!(true), &json!(false), &json!("UP")));
    assert_eq!((&told["silentFor"], &told["leaseEnds"]), (&json!(50_000), &json!(START + 90_000)));
    let causes: Vec<_> = told["history"].as_array().unwrap().iter().map(|change| change["cause"].clone()).collect();
    assert_eq!(causes, [json!("status set"), json!("registered")]);
    let missing = server.get("/eureka/operations/explain/ORDERS/none", &[]).await;
    assert_eq!((missing.status, missing.json()), (404, json!({"error": "ORDERS has no instance none"})));
}

#[tokio::test(start_paused = true)]
async fn case_082_peers_and_thresholds_are_data() {
    let server = fleet(&["--eureka.client.service-url.defaultZone=http://10.20.0.99:8761/eureka/"]).await;
    let preservation = server.json("/eureka/operations/preservation").await;
    assert_eq!((&preservation["leases"], &preservation["state"]), (&json!(11), &json!("calm")), "{preservation}");
    for figure in ["renewals", "expected", "threshold", "silent", "lapsed", "unconfirmed"] {
        assert!(preservation[figure].is_number(), "{figure}");
    }
    assert_eq!(server.json("/eureka/operations/peers").await, json!({"peers": []}), "none was found yet");
}
