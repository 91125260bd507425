//! What is accepted, refused, and said about it.

use serde_json::{Value, json};

use crate::server::list::array;
use crate::server::{JSON, SENDS_JSON, SENDS_XML, Server, XML, body, body_with};

const DEFAULT_CLASS: &str = "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo";
const AMAZON_CLASS: &str = "com.netflix.appinfo.AmazonInfo";

async fn listed(server: &Server) -> usize {
    let apps = server.json("/eureka/apps").await;
    array(&apps["applications"]["application"]).iter().map(|app| array(&app["instance"]).len()).sum()
}

#[tokio::test(start_paused = true)]
async fn case_004_an_instance_without_a_data_center_poisons_nobody() {
    let server = Server::new(&[]);
    assert_eq!(server.register(&body("BILLING", "bil-1")).await.status, 204);
    for (data_center, said) in [(Value::Null, "Missing dataCenterInfo"), (json!({"name": null}), "dataCenterInfo")] {
        let mut broken = body_with("ORDERS", "ord-1", &json!({"dataCenterInfo": data_center}));
        let reply = server.register(&broken).await;
        assert_eq!(reply.status, 400);
        assert!(reply.text().contains(said), "{}", reply.text());

        let good = body("ORDERS", "ord-2");
        let item = |instance: &Value| {
            let id = &instance["instanceId"];
            json!({"appName": "ORDERS", "id": id, "status": "UP", "lastDirtyTimestamp": 1_700_000_000_000_i64,
                "instanceInfo": instance, "action": "Register"})
        };
        let batch = json!({"replicationList": [item(&broken["instance"].take()), item(&good["instance"])]});
        let reply = server.post("/eureka/peerreplication/batch/", &batch).await;
        assert_eq!(reply.status, 200);
        let codes: Vec<_> =
            array(&reply.json()["responseList"]).iter().map(|item| item["statusCode"].clone()).collect();
        assert_eq!(codes, [400, 200]);

        assert_eq!(listed(&server).await, 2);
        let delta = server.json("/eureka/apps/delta").await;
        assert_eq!(delta["applications"]["apps__hashcode"], "UP_2_");
        assert_eq!(server.get("/eureka/apps/ORDERS/ord-1", &[]).await.status, 404);
        server.delete("/eureka/apps/ORDERS/ord-2").await;
    }
}

#[tokio::test(start_paused = true)]
async fn case_007_members_of_a_data_center_come_in_any_order() {
    let server = Server::new(&[]);
    let members = [
        format!(r#""@class":"{AMAZON_CLASS}""#),
        r#""metadata":{"instance-type":"t9.test"}"#.into(),
        r#""name":"Amazon""#.into(),
    ];
    let mut shown = Vec::new();
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let data_center = format!("{{{}}}", order.map(|n| members[n].as_str()).join(","));
        // As a text, so that the order is the one on the wire.
        let marked = body_with("ORDERS", "ord-1", &json!({"dataCenterInfo": "HERE"})).to_string();
        let sent = marked.replace("\"HERE\"", &data_center);
        let reply = server.send("POST", "/eureka/apps/ORDERS", &[SENDS_JSON], sent.as_bytes()).await;
        assert_eq!(reply.status, 204, "{data_center}");
        let text = async |form| server.get("/eureka/apps/ORDERS/ord-1", &[form]).await.text();
        shown.push((text(JSON).await, text(XML).await));
    }
    shown.dedup();
    assert_eq!(shown.len(), 1, "{shown:#?}");
    assert!(shown[0].0.contains(&format!(r#"{{"@class":"{AMAZON_CLASS}","name":"Amazon","metadata":{{"#)));
}

#[tokio::test(start_paused = true)]
async fn case_008_a_data_center_is_judged_by_its_name() {
    let server = Server::new(&[]);
    for (sent, class, name) in [
        (json!({"name": "MyOwn"}), DEFAULT_CLASS, "MyOwn"),
        (json!({"name": "Netflix"}), DEFAULT_CLASS, "Netflix"),
        (json!({"name": "Amazon"}), AMAZON_CLASS, "Amazon"),
        (json!({"name": "Amazon", "@class": DEFAULT_CLASS}), AMAZON_CLASS, "Amazon"),
        (
            json!({"name": "Amazon", "@class": "com.example.Elsewhere", "metadata": {"mac": "02"}}),
            AMAZON_CLASS,
            "Amazon",
        ),
        (json!({"name": "MyOwn", "@class": "com.example.Elsewhere"}), DEFAULT_CLASS, "MyOwn"),
        (json!({"@class": "com.netflix.appinfo.MyDataCenterInfo", "name": "MyOwn"}), DEFAULT_CLASS, "MyOwn"),
        (json!({"name": "MyOwn", "metadata": {"rack": "7"}}), DEFAULT_CLASS, "MyOwn"),
    ] {
        let body = body_with("ORDERS", "ord-1", &json!({"dataCenterInfo": sent}));
        assert_eq!(server.register(&body).await.status, 204, "{sent}");
        let shown = &server.instance("ORDERS", "ord-1").await["dataCenterInfo"];
        assert_eq!((&shown["@class"], &shown["name"]), (&json!(class), &json!(name)), "{sent}");
        assert_eq!(listed(&server).await, 1, "the list is whole with {sent}");
        assert!(server.get("/eureka/apps", &[XML]).await.xml().child("application").is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn case_008_the_mark_of_an_empty_map_is_no_metadata() {
    let server = Server::new(&[]);
    let mark = json!({"@class": "java.util.Collections$EmptyMap"});
    for sent in [json!({}), mark.clone()] {
        let body = body_with("ORDERS", "ord-1", &json!({"metadata": sent}));
        assert_eq!(server.register(&body).await.status, 204);
        assert_eq!(server.instance("ORDERS", "ord-1").await["metadata"], mark);
        assert_eq!(server.put("/eureka/apps/ORDERS/ord-1/metadata?weight=3").await.status, 200);
        assert_eq!(server.instance("ORDERS", "ord-1").await["metadata"], json!({"weight": "3"}));
    }
    let body = body_with("ORDERS", "ord-1", &json!({"metadata": {"@class": "java.util.HashMap", "zone": "z1"}}));
    assert_eq!(server.register(&body).await.status, 204);
    assert_eq!(server.instance("ORDERS", "ord-1").await["metadata"], json!({"zone": "z1"}));
}

#[tokio::test(start_paused = true)]
async fn case_009_a_refusal_says_what_is_wrong_and_where() {
    let server = Server::new(&[]);
    let bad_port = body_with("ORDERS", "ord-1", &json!({"port": {"$": "eighty"}})).to_string();
    let other_app = body("BILLING", "ord-1").to_string();
    for (sent, said) in [
        (r#"{"instance":{"app":"ORDERS""#, &["unexpected end", "line 1"][..]),
        (&bad_port, &["instance.port", "eighty"]),
        (&other_app, &["BILLING", "ORDERS"]),
    ] {
        let reply = server.send("POST", "/eureka/apps/ORDERS", &[SENDS_JSON, JSON], sent.as_bytes()).await;
        assert_eq!(reply.status, 400);
        let text = reply.text();
        assert!(said.iter().all(|said| text.contains(said)), "{text}");
        assert!(!text.contains('\n'), "one line: {text}");
    }
    let bad_xml = "<instance><app>ORDERS</app><port>eighty</port>";
    for (sent, said) in [(bad_xml.to_owned(), "unexpected"), (format!("{bad_xml}</instance>"), "port")] {
        let reply = server.send("POST", "/eureka/apps/ORDERS", &[SENDS_XML], sent.as_bytes()).await;
        assert_eq!(reply.status, 400);
        let error = reply.xml();
        assert!(error.text_of("message").is_some_and(|message| message.contains(said)), "{error:?}");
    }
    assert_eq!(listed(&server).await, 0);

    let sleepy = body_with("ORDERS", "ord-1", &json!({"status": "SLEEPY"}));
    assert_eq!(server.register(&sleepy).await.status, 204);
    assert_eq!(server.instance("ORDERS", "ord-1").await["status"], "UNKNOWN");
}

#[tokio::test(start_paused = true)]
async fn case_012_names_are_upper_cased_by_no_locale() {
    let server = Server::new(&[]);
    let body = body_with("billing-info", "bil-1", &json!({"vipAddress": "billing-info"}));
    assert_eq!(server.register(&body).await.status, 204);
    let list = server.json("/eureka/apps").await;
    assert_eq!(list["applications"]["application"][0]["name"], "BILLING-INFO");
    assert_eq!(server.json("/eureka/apps/Billing-Info").await["application"]["name"], "BILLING-INFO");
    // VIP names are compared exactly.
    for (vip, found) in [("billing-info", 1), ("BILLING-INFO", 0)] {
        let list = server.json(&format!("/eureka/vips/{vip}")).await;
        assert_eq!(array(&list["applications"]["application"]).len(), found, "{vip}");
    }
}

#[tokio::test(start_paused = true)]
async fn case_012_a_name_of_any_characters_works_everywhere() {
    let server = Server::new(&[]);
    let (name, path) = ("ORDER SVC & CO/Ü", "/eureka/apps/order%20svc%20%26%20co%2F%C3%BC");
    assert_eq!(server.post(path, &body("order svc & co/ü", "ord-1")).await.status, 204);
    assert_eq!(server.json("/eureka/apps").await["applications"]["application"][0]["name"], name);
    let xml = server.get("/eureka/apps", &[XML]).await.xml();
    assert_eq!(xml.child("application").and_then(|app| app.text_of("name")), Some(name));
    assert_eq!(server.json(path).await["application"]["name"], name);
    assert_eq!(server.put(&format!("{path}/ord-1")).await.status, 200);
    assert_eq!(server.put(&format!("{path}/ord-1/status?value=DOWN")).await.status, 200);
    assert_eq!(server.delete(&format!("{path}/ord-1")).await.status, 200);
    assert_eq!(listed(&server).await, 0);
}

#[tokio::test(start_paused = true)]
async fn case_013_underscores_are_doubled_in_names_of_elements_alone() {
    let server = Server::new(&[]);
    server.register(&body_with("ORDERS", "ord-1", &json!({"metadata": {"build_no": "7"}}))).await;
    for target in ["/eureka/apps", "/eureka/apps/delta"] {
        let list = server.json(target).await;
        let list = &list["applications"];
        assert!(list["apps__hashcode"].is_string() && list["versions__delta"].is_string());
        assert_eq!(list["application"][0]["instance"][0]["metadata"], json!({"build_no": "7"}));
        let list = server.get(target, &[XML]).await.xml();
        assert!(list.child("apps__hashcode").is_some() && list.child("versions__delta").is_some());
        let instance = list.child("application").and_then(|app| app.child("instance")).expect("there");
        assert_eq!(instance.child("metadata").and_then(|metadata| metadata.text_of("build__no")), Some("7"));
    }
    let shown = server.get("/eureka/apps/ORDERS/ord-1", &[XML]).await.text();
    server.delete("/eureka/apps/ORDERS/ord-1").await;
    let reply = server.send("POST", "/eureka/apps/ORDERS", &[SENDS_XML], shown.as_bytes()).await;
    assert_eq!(reply.status, 204, "{}", reply.text());
    assert_eq!(server.instance("ORDERS", "ord-1").await["metadata"], json!({"build_no": "7"}));
}
