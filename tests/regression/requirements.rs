//! What is wanted beyond the cases: one record never breaks another, identities, empty bodies.

use serde_json::{Value, json};

use crate::server::list::{List, array};
use crate::server::socket::Running;
use crate::server::{COMPACT, FROM_PEER, GZIP, JSON, SENDS_JSON, Server, XML, body, body_with, encoded};

/// Reads every list in every form; gives how many instances all of them show.
async fn read_everything(server: &Server) -> usize {
    let mut counts = Vec::new();
    for target in ["/eureka/apps", "/eureka/apps/delta", "/eureka/vips/orders", "/eureka/svips/orders"] {
        for detail in [&[][..], &[COMPACT]] {
            let json = server.get(target, &[&[JSON], detail].concat()).await.json();
            let apps = array(&json["applications"]["application"]);
            counts.push(apps.iter().map(|app| array(&app["instance"]).len()).sum());
            let xml = server.get(target, &[&[XML], detail].concat()).await.xml();
            counts.push(xml.all("application").map(|app| app.all("instance").count()).sum());
        }
    }
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
    counts[0]
}

#[tokio::test(start_paused = true)]
async fn one_record_of_anything_breaks_no_reader() {
    let touchy = "a\u{1}b\u{b}c\u{7f}d\u{85}e\u{fffe}f\u{ffff}g]]>&<\"'\u{2028}\u{fdd0}\r\n\t🏺";
    let text = |name: &str| json!({ name: touchy });
    let mut members: Vec<Value> =
        ["ipAddr", "hostName", "sid", "homePageUrl", "asgName", "appGroupName", "statusPageUrl"].map(text).to_vec();
    members.extend([
        json!({"vipAddress": format!("orders,{touchy}"), "secureVipAddress": format!("{touchy},orders")}),
        json!({"metadata": {touchy: touchy, "": "nameless", "1 <a>": "", "$": "$", "_-": "_"}}),
        json!({"metadata": {"xmlns:a": "b", "a:b": "c", "xml": "d", "@class": "e", "class": "f"}}),
        json!({"dataCenterInfo": {"name": "Amazon", "metadata": {"instance-id": touchy, "": touchy, "public-ipv4": "\u{0}"}}}),
        json!({"port": {"$": -1}, "securePort": {"$": i32::MAX}, "countryId": i32::MIN}),
        json!({"lastDirtyTimestamp": i64::MAX, "lastUpdatedTimestamp": i64::MIN}),
        json!({"leaseInfo": {"renewalIntervalInSecs": i32::MAX, "durationInSecs": i32::MAX}}),
        json!({"homePageUrl": "", "statusPageUrl": "", "healthCheckUrl": "", "asgName": "", "sid": ""}),
        json!({"status": touchy, "overriddenStatus": touchy, "actionType": touchy}),
    ]);
    let server = Server::new(&[]);
    server.register(&body("ORDERS", "steady")).await;
    for (n, members) in members.iter().enumerate() {
        let reply = server.register(&body_with("ORDERS", &format!("odd-{n}"), members)).await;
        assert_eq!(reply.status, 204, "{members}: {}", reply.text());
        assert_eq!(read_everything(&server).await, n + 2, "{members}");
        assert_eq!(server.put("/eureka/apps/ORDERS/steady").await.status, 200);
    }
    let shown = server.instance("ORDERS", "odd-0").await;
    assert_eq!(shown["ipAddr"], touchy, "JSON shows it as it is");
}

#[tokio::test(start_paused = true)]
async fn half_a_surrogate_pair_is_no_text_and_breaks_nothing() {
    let server = Server::new(&[]);
    let sent = body_with("ORDERS", "ord-1", &json!({"homePageUrl": "HERE"})).to_string().replace("HERE", "a\\ud800b");
    let reply = server.send("POST", "/eureka/apps/ORDERS", &[SENDS_JSON], sent.as_bytes()).await;
    assert_eq!(reply.status, 204);
    assert_eq!(server.instance("ORDERS", "ord-1").await["homePageUrl"], "a?b");
    assert_eq!(read_everything(&server).await, 1);
}

#[tokio::test(start_paused = true)]
async fn an_id_of_any_characters_can_be_addressed() {
    let server = Server::new(&[]);
    for id in [
        "host:orders:8080",
        "a/b",
        "a\\b",
        "a b+c",
        "100%",
        "a?b#c",
        "ü🏺",
        "\"|^`{}<>",
        ";v=1",
        "..",
        "\u{1}",
        "status",
    ] {
        let path = format!("/eureka/apps/ORDERS/{}", encoded(id));
        assert_eq!(server.register(&body("ORDERS", id)).await.status, 204, "{id}");
        assert_eq!(server.instance("ORDERS", id).await["instanceId"], id);
        let anywhere = server.json(&format!("/eureka/instances/{}", encoded(id))).await;
        assert_eq!(anywhere["instance"]["instanceId"], id);
        assert_eq!(server.put(&path).await.status, 200, "{id}");
        assert_eq!(server.put(&format!("{path}/status?value=DOWN")).await.status, 200, "{id}");
        assert_eq!(server.json("/eureka/serverinfo/statusoverrides").await, json!({id: "DOWN"}));
        assert_eq!(server.delete(&format!("{path}/status?value=UP")).await.status, 200, "{id}");
        assert_eq!(server.put(&format!("{path}/metadata?weight=3")).await.status, 200, "{id}");
        assert_eq!(read_everything(&server).await, 1);
        assert_eq!(server.delete(&path).await.status, 200, "{id}");
        assert_eq!(server.get(&path, &[]).await.status, 404);
        server.pass(181).await;
        server.app.catalog().sweep_delta();
    }
}

#[tokio::test(start_paused = true)]
async fn an_id_under_two_applications_is_two_instances() {
    let server = Server::new(&[]);
    for app in ["ORDERS", "BILLING"] {
        assert_eq!(server.register(&body(app, "shared")).await.status, 204);
    }
    assert_eq!(server.put("/eureka/apps/ORDERS/shared/status?value=DOWN").await.status, 200);
    assert_eq!(server.put("/eureka/apps/BILLING/shared/metadata?weight=3").await.status, 200);
    server.register(&body("BILLING", "shared")).await;
    let list = List::of(&server.get("/eureka/apps", &[JSON]).await);
    assert_eq!(list.hash, "DOWN_1_UP_1_");
    for target in ["/eureka/vips/orders", "/eureka/apps/delta"] {
        let list = List::of(&server.get(target, &[JSON]).await);
        assert_eq!(list.find("ORDERS", "shared").map(|record| &*record.status), Some("DOWN"), "{target}");
        assert_eq!(list.find("BILLING", "shared").map(|record| &*record.status), Some("UP"), "{target}");
    }
    assert_eq!(server.instance("ORDERS", "shared").await["metadata"], json!({"zone": "z1"}));

    assert_eq!(server.delete("/eureka/apps/ORDERS/shared").await.status, 200);
    assert_eq!(server.put("/eureka/apps/ORDERS/shared").await.status, 404);
    assert_eq!(server.put("/eureka/apps/BILLING/shared").await.status, 200);
    let delta = List::of(&server.get("/eureka/apps/delta", &[JSON]).await);
    assert_eq!(delta.entries(), [("BILLING", "shared", "ADDED"), ("ORDERS", "shared", "DELETED")]);
}

#[tokio::test(start_paused = true)]
async fn overrides_of_one_id_under_two_applications_are_one_member() {
    let server = Server::new(&[]);
    for (app, status) in [("BILLING", "DOWN"), ("ORDERS", "OUT_OF_SERVICE")] {
        server.register(&body(app, "shared")).await;
        server.put(&format!("/eureka/apps/{app}/shared/status?value={status}")).await;
    }
    let listed = server.get("/eureka/serverinfo/statusoverrides", &[JSON]).await.text();
    assert_eq!(listed.matches("shared").count(), 1, "{listed}");
}

#[tokio::test(start_paused = true)]
async fn lease_times_keep_their_meaning_over_registrations() {
    let server = Server::new(&[]);
    let times = async || {
        let lease = server.instance("ORDERS", "ord-1").await["leaseInfo"].take();
        ["registrationTimestamp", "lastRenewalTimestamp", "evictionTimestamp", "serviceUpTimestamp"]
            .map(|name| lease[name].as_i64().expect("a number"))
    };
    let start = server.clock.now().wall;
    server.register(&body_with("ORDERS", "ord-1", &json!({"status": "STARTING"}))).await;
    assert_eq!(times().await, [start, start, 0, 0]);
    server.pass(10).await;
    server.register(&body("ORDERS", "ord-1")).await;
    assert_eq!(times().await, [start + 10_000, start + 10_000, 0, start + 10_000], "UP for the first time");
    server.pass(10).await;
    server.put("/eureka/apps/ORDERS/ord-1").await;
    assert_eq!(times().await, [start + 10_000, start + 20_000, 0, start + 10_000]);
    server.pass(10).await;
    server.register(&body("ORDERS", "ord-1")).await;
    assert_eq!(times().await, [start + 30_000, start + 30_000, 0, start + 10_000], "up since it first was");
    server.delete("/eureka/apps/ORDERS/ord-1").await;
    let delta = server.json("/eureka/apps/delta").await;
    let lease = &delta["applications"]["application"][0]["instance"][0]["leaseInfo"];
    assert_eq!(lease["evictionTimestamp"], start + 30_000);
}

#[tokio::test(start_paused = true)]
async fn the_newest_data_wins_and_a_conflict_returns_it() {
    let server = Server::new(&[]);
    let with =
        |dirty: i64, url: &str| body_with("ORDERS", "ord-1", &json!({"lastDirtyTimestamp": dirty, "homePageUrl": url}));
    for (dirty, url, shown) in [(200, "a", "a"), (100, "b", "a"), (200, "c", "c"), (300, "d", "d")] {
        assert_eq!(server.register(&with(dirty, url)).await.status, 204);
        assert_eq!(server.instance("ORDERS", "ord-1").await["homePageUrl"], shown, "{dirty}");
    }
    let older = "/eureka/apps/ORDERS/ord-1?lastDirtyTimestamp=299";
    assert_eq!(server.put(older).await.bare(), (200, Some("application/xml")), "a client is just late");
    let conflict = server.send("PUT", older, &[FROM_PEER, JSON], b"").await;
    assert_eq!((conflict.status, &conflict.json()["instance"]["homePageUrl"]), (409, &json!("d")));
    let conflict = server.send("PUT", older, &[FROM_PEER, XML], b"").await;
    assert_eq!((conflict.status, conflict.xml().text_of("homePageUrl")), (409, Some("d")));
    let beat = |dirty| json!({"appName": "ORDERS", "id": "ord-1", "lastDirtyTimestamp": dirty, "action": "Heartbeat"});
    let batch = json!({"replicationList": [beat(299), beat(300), beat(301)]});
    let answers = server.post("/eureka/peerreplication/batch/", &batch).await.json();
    let codes: Vec<_> = array(&answers["responseList"]).iter().map(|item| item["statusCode"].clone()).collect();
    assert_eq!(codes, [409, 200, 404]);
    assert_eq!(answers["responseList"][0]["responseEntity"]["homePageUrl"], "d");
}

#[tokio::test(start_paused = true)]
async fn types_may_differ_and_much_may_be_missing() {
    let server = Server::new(&[]);
    let spare = json!({"status": null, "port": null, "securePort": null, "countryId": null, "leaseInfo": null, "metadata": null,
        "homePageUrl": null, "statusPageUrl": null, "healthCheckUrl": null, "vipAddress": null, "secureVipAddress": null,
        "isCoordinatingDiscoveryServer": null, "lastUpdatedTimestamp": null, "lastDirtyTimestamp": null,
        "actionType": null, "overriddenstatus": null, "instanceId": null});
    assert_eq!(server.register(&body_with("ORDERS", "x", &spare)).await.status, 204);
    let shown = server.instance("ORDERS", "ord-1.test").await;
    assert_eq!(shown.get("instanceId"), None, "absent stays absent");
    assert_eq!((&shown["port"]["$"], &shown["port"]["@enabled"]), (&json!(7001), &json!("true")));
    assert_eq!((&shown["securePort"]["$"], &shown["securePort"]["@enabled"]), (&json!(7002), &json!("false")));
    assert_eq!((&shown["status"], &shown["countryId"]), (&json!("UP"), &json!(1)));
    assert_eq!(shown["leaseInfo"]["durationInSecs"], 90);

    let loose = json!({"port": {"$": "8080", "@enabled": true}, "countryId": "7", "lastDirtyTimestamp": 5, "hostName": 17,
        "leaseInfo": {"renewalIntervalInSecs": "5", "durationInSecs": "15", "evictionDurationInSecs": 3},
        "isCoordinatingDiscoveryServer": true, "metadata": {"n": 3, "f": 1.50, "b": true, "z": null},
        "unknown": {"of": ["any", {"shape": []}]}, "more": []});
    assert_eq!(server.register(&body_with("ORDERS", "ord-2", &loose)).await.status, 204);
    let shown = server.instance("ORDERS", "ord-2").await;
    assert_eq!(shown["port"], json!({"$": 8080, "@enabled": "true"}));
    assert_eq!(
        (&shown["countryId"], &shown["hostName"], &shown["lastDirtyTimestamp"]),
        (&json!(7), &json!("17"), &json!("5"))
    );
    assert_eq!(shown["metadata"], json!({"n": "3", "f": "1.5", "b": "true", "z": "null"}));
    assert_eq!(shown["leaseInfo"]["renewalIntervalInSecs"], 5);
    assert_eq!(shown["isCoordinatingDiscoveryServer"], "false");
    assert_eq!(shown.get("unknown"), None);
}

#[tokio::test(start_paused = true)]
async fn a_status_document_is_whole_in_both_formats() {
    const GENERAL: [&str; 4] = ["num-of-cpus", "total-avail-memory", "current-memory-usage", "server-uptime"];
    const PEERS: [&str; 3] = ["registered-replicas", "available-replicas", "unavailable-replicas"];
    let server = Server::new(&["--eureka.instance.hostname=registry.test"]);
    for root in ["/eureka", "/eureka/v2"] {
        let json = server.json(&format!("{root}/status")).await;
        assert!(GENERAL.iter().all(|name| json["generalStats"][name].is_string()), "{json}");
        assert!(PEERS.iter().all(|name| json["applicationStats"][name].is_string()), "{json}");
        assert_eq!(json["instanceInfo"]["hostName"], "registry.test");
        let xml = server.get(&format!("{root}/status"), &[XML]).await.xml();
        let part = |name: &str| xml.child(name).unwrap_or_else(|| panic!("no {name}"));
        assert!(GENERAL.iter().all(|name| part("generalStats").text_of(name).is_some()));
        assert!(PEERS.iter().all(|name| part("applicationStats").text_of(name).is_some()));
        assert_eq!(part("instanceInfo").text_of("hostName"), Some("registry.test"));
    }
}

/// On one connection, which stays open after each of them.
#[tokio::test]
async fn an_answer_without_a_body_says_so() {
    let server = Running::start(&["--eureka.server.disable-delta=true"]).await;
    let mut connection = server.connect().await;
    let sent = body("ORDERS", "ord-1").to_string();
    assert_eq!(connection.send("POST", "/eureka/apps/ORDERS", &[SENDS_JSON], sent.as_bytes()).await.status, 204);
    for (status, method, target, headers) in [
        (200, "PUT", "/eureka/apps/ORDERS/ord-1", &[JSON][..]),
        (200, "PUT", "/eureka/apps/ORDERS/ord-1/status?value=DOWN", &[]),
        (200, "DELETE", "/eureka/apps/ORDERS/ord-1/status?value=UP", &[]),
        (200, "PUT", "/eureka/apps/ORDERS/ord-1/metadata?a=b", &[]),
        (200, "OPTIONS", "/eureka/apps", &[]),
        (200, "DELETE", "/eureka/apps/ORDERS/ord-1", &[]),
        (404, "PUT", "/eureka/apps/ORDERS/ord-1", &[JSON]),
        (404, "DELETE", "/eureka/apps/ORDERS/ord-1", &[]),
        (404, "GET", "/eureka/apps/ORDERS", &[JSON, GZIP]),
        (404, "GET", "/nowhere", &[]),
        (403, "GET", "/eureka/apps/delta", &[JSON]),
        (405, "POST", "/eureka/apps", &[]),
        (406, "GET", "/eureka/apps", &[("Accept", "text/html")]),
        (415, "POST", "/eureka/apps/ORDERS", &[("Content-Type", "text/plain")]),
    ] {
        let reply = connection.send(method, target, headers, b"").await;
        assert_eq!((reply.status, reply.header("content-length")), (status, Some("0")), "{method} {target}");
    }
    drop(connection);
    server.stop().await;
}
