//! How much may come in.

use serde_json::{Value, json};

use crate::server::list::array;
use crate::server::{JSON, SENDS_JSON, SENDS_XML, Server, XML, body, body_with, packed};

#[tokio::test(start_paused = true)]
async fn what_is_too_much_is_refused_and_named() {
    let server = Server::new(&[
        "--eurekad.limits.body-size=4KB",
        "--eurekad.limits.nesting-depth=8",
        "--eurekad.limits.metadata-entries=3",
        "--eurekad.limits.metadata-length=20",
    ]);
    let deep = (0..10).fold(json!(1), |inner, _| json!([inner]));
    let long = "x".repeat(21);
    for (members, status, setting) in [
        (json!({"homePageUrl": "x".repeat(4096)}), 413, "body-size"),
        (json!({"unknown": deep}), 400, "nesting-depth"),
        (json!({"metadata": {"a": 1, "b": 2, "c": 3, "d": 4}}), 400, "metadata-entries"),
        (json!({"metadata": {"a": long}}), 400, "metadata-length"),
        (json!({"metadata": {long.clone(): "a"}}), 400, "metadata-length"),
    ] {
        let reply = server.register(&body_with("ORDERS", "ord-1", &members)).await;
        assert_eq!(reply.status, status, "{members}");
        assert!(reply.text().contains(setting), "{}", reply.text());
    }
    let small = packed(&vec![b' '; 5000]);
    assert!(small.len() < 4096);
    let gzip = ("Content-Encoding", "gzip");
    assert_eq!(server.send("POST", "/eureka/apps/ORDERS", &[SENDS_JSON, gzip], &small).await.status, 413);
    for xml in [
        "<!DOCTYPE instance><instance/>".to_owned(),
        "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/hostname'>]><instance><app>&b;</app></instance>".to_owned(),
        format!("<instance>{}{}</instance>", "<a>".repeat(9), "</a>".repeat(9)),
    ] {
        assert_eq!(server.send("POST", "/eureka/apps/ORDERS", &[SENDS_XML], xml.as_bytes()).await.status, 400, "{xml}");
    }
    assert!(server.app.registry().is_empty());
}

fn heartbeat(id: &str) -> Value {
    json!({"appName": "ORDERS", "id": id, "lastDirtyTimestamp": 1, "action": "Heartbeat"})
}

#[tokio::test(start_paused = true)]
async fn a_batch_holds_only_so_many_items() {
    for (words, most) in [(&[][..], 1000), (&["--eurekad.limits.batch-items=3"], 3)] {
        let server = Server::new(words);
        let list = |length: usize| json!({"replicationList": vec![heartbeat("ghost"); length]});
        let reply = server.post("/eureka/peerreplication/batch/", &list(most)).await;
        assert_eq!(array(&reply.json()["responseList"]).len(), most);
        let reply = server.post("/eureka/peerreplication/batch/", &list(most + 1)).await;
        assert_eq!(reply.status, 400);
        assert!(reply.text().contains("eurekad.limits.batch-items"), "{}", reply.text());
    }
}

#[tokio::test(start_paused = true)]
async fn names_and_texts_have_a_length() {
    const NAME: &str = "eurekad.limits.name-length";
    const TEXT: &str = "eurekad.limits.text-length";
    const VIPS: &str = "eurekad.limits.vip-names";
    let server = Server::new(&[]);
    let (name, text) = ("n".repeat(1024), "t".repeat(16 << 10));
    let vips = vec!["v"; 100].join(",");
    let amazon = |id: &str| json!({"name": "Amazon", "metadata": {"instance-id": id}});
    let whole = json!({"hostName": name, "homePageUrl": text, "vipAddress": vips, "secureVipAddress": name});
    let longest = body_with(&name, &name, &whole);
    assert_eq!(server.register(&longest).await.status, 204);
    assert_eq!(server.put(&format!("/eureka/apps/{name}/{name}")).await.status, 200);
    let longer = |text: &str| json!(format!("{text}x"));
    let mut cases = vec![
        ("app", longer(&name), NAME),
        ("app", json!("A\0"), "U+0000"),
        ("instanceId", longer(&name), NAME),
        ("instanceId", json!("a\0"), "U+0000"),
        ("hostName", longer(&name), NAME),
        ("vipAddress", longer(&name), NAME),
        ("secureVipAddress", json!(format!("{vips},v")), VIPS),
    ];
    for member in [
        "ipAddr",
        "sid",
        "appGroupName",
        "homePageUrl",
        "statusPageUrl",
        "healthCheckUrl",
        "secureHealthCheckUrl",
        "vipAddress",
        "secureVipAddress",
        "asgName",
    ] {
        cases.push((member, longer(&text), TEXT));
    }
    let without_id = |members: Value| body_with("ORDERS", "", &members)["instance"].take();
    let mut bodies: Vec<_> = cases
        .into_iter()
        .map(|(member, value, named)| {
            (body_with("ORDERS", "ord-1", &json!({member: value}))["instance"].take(), member, named)
        })
        .collect();
    bodies.push((without_id(json!({"dataCenterInfo": amazon(&format!("{name}x"))})), "instance-id", NAME));
    bodies.push((without_id(json!({"dataCenterInfo": amazon("i\0")})), "instance-id", "U+0000"));
    bodies.push((without_id(json!({"hostName": "h\0"})), "hostName", "U+0000"));
    for (instance, member, named) in bodies {
        let reply = server.post("/eureka/apps/ORDERS", &json!({ "instance": instance })).await;
        assert_eq!(reply.status, 400, "{member}");
        assert!(reply.text().contains(&format!("instance.{member}")) || member == "instance-id", "{}", reply.text());
        assert!(reply.text().contains(named), "{}", reply.text());
        let item = json!({"appName": "ORDERS", "id": "ord-1", "instanceInfo": instance, "action": "Register"});
        let reply = server.post("/eureka/peerreplication/batch/", &json!({"replicationList": [item]})).await;
        assert_eq!(reply.json()["responseList"][0]["statusCode"], 400, "{member}");
        let Some(value) = instance[member].as_str().filter(|value| !value.contains('\0')) else { continue };
        let xml = format!("<instance><app>ORDERS</app><{member}>{value}</{member}></instance>");
        let reply = server.send("POST", "/eureka/apps/ORDERS", &[SENDS_XML], xml.as_bytes()).await;
        assert_eq!(reply.status, 400, "{member}");
        assert!(
            reply.text().contains(&format!("instance.{member}")) && reply.text().contains(named),
            "{}",
            reply.text()
        );
    }
    for (member, value) in [("appName", longer(&name)), ("id", longer(&name)), ("id", json!("a\0"))] {
        let mut item = heartbeat("ghost");
        item[member] = value;
        let reply = server.post("/eureka/peerreplication/batch/", &json!({"replicationList": [item]})).await;
        assert_eq!(reply.json()["responseList"][0]["statusCode"], 400, "{member}");
    }
    assert_eq!(server.app.registry().len(), 1);
}

/// What nobody reads is skipped, however much of it there is; what is read has an end.
#[tokio::test(start_paused = true)]
async fn the_values_of_a_body_have_an_end() {
    let server = Server::new(&["--eurekad.limits.body-values=1000"]);
    let unknown: Value = (0..5000).map(|n| (format!("x{n}"), json!([n, {"a": "b"}]))).collect();
    let whole = body_with("ORDERS", "ord-1", &unknown);
    assert_eq!(server.register(&whole).await.status, 204);
    let mut item = json!({"appName": "ORDERS", "id": "ord-2", "action": "Register", "more": unknown});
    item["instanceInfo"] = body_with("ORDERS", "ord-2", &unknown)["instance"].take();
    let batch = json!({"replicationList": [item], "more": unknown});
    let reply = server.post("/eureka/peerreplication/batch/", &batch).await;
    assert_eq!(reply.json()["responseList"][0]["statusCode"], 200);
    let xml = |member: &str| format!("<instance><app>ORDERS</app>{}</instance>", member.repeat(1001));
    let send = async |content_type, body: &str| {
        server.send("POST", "/eureka/apps/ORDERS", &[content_type], body.as_bytes()).await
    };
    assert_eq!(send(SENDS_XML, &xml("<x>1</x>")).await.text(), "Missing instanceId");
    let json = format!(r#"{{"instance":{{{}"app":"ORDERS"}}}}"#, r#""sid":1,"#.repeat(1000));
    for (content_type, body) in [(SENDS_XML, xml("<sid>1</sid>")), (SENDS_JSON, json)] {
        let reply = send(content_type, &body).await;
        assert_eq!(reply.status, 400);
        assert!(reply.text().contains("eurekad.limits.body-values"), "{}", reply.text());
    }
}

/// A heartbeat of 100 bytes must not be answered with megabytes, a thousand times over.
#[tokio::test(start_paused = true)]
async fn the_answer_to_a_batch_has_an_end() {
    const LARGE: usize = 1 << 20;
    let server = Server::new(&[]);
    let metadata: Value = (0..LARGE >> 14).map(|n| (n.to_string(), json!("x".repeat(1 << 14)))).collect();
    for n in 0..20 {
        let id = format!("ord-{n}");
        let large = body_with("ORDERS", &id, &json!({"metadata": metadata}));
        assert_eq!(server.register(&large).await.status, 204);
    }
    let list: Vec<_> = (0..1000).map(|n| heartbeat(&format!("ord-{}", n % 20))).collect();
    for accepts in [JSON, XML] {
        let sent = json!({ "replicationList": list }).to_string();
        let headers = [SENDS_JSON, accepts];
        let reply = server.send("POST", "/eureka/peerreplication/batch/", &headers, sent.as_bytes()).await;
        assert!(reply.body.len() > 2 * LARGE && reply.body.len() < 6 * LARGE, "{} bytes", reply.body.len());
        if accepts == JSON {
            let reply = reply.json();
            let items = array(&reply["responseList"]);
            assert!(items.len() == 1000 && items.iter().all(|item| item["statusCode"] == 409));
            let shown = |item: &&Value| item["responseEntity"].is_object();
            assert_eq!(items.iter().take_while(shown).count(), items.iter().filter(shown).count());
        }
    }
    let few = json!({"replicationList": [heartbeat("ord-1"), heartbeat("ord-2"), heartbeat("ord-1")]});
    let reply = server.post("/eureka/peerreplication/batch/", &few).await.json();
    let shown: Vec<_> = array(&reply["responseList"]).iter().map(|item| item["responseEntity"].is_object()).collect();
    assert_eq!(shown, [true, true, false], "an instance is shown once");
}

/// What the server would refuse in a body must not get in by another way: a peer could not take it.
#[tokio::test(start_paused = true)]
async fn metadata_in_a_query_has_the_limits_of_metadata_in_a_body() {
    let server = Server::new(&["--eurekad.limits.metadata-entries=4", "--eurekad.limits.metadata-length=20"]);
    server.register(&body("ORDERS", "ord-1")).await;
    let target = "/eureka/apps/ORDERS/ord-1/metadata";
    assert_eq!(server.put(&format!("{target}?a=1&b=2")).await.status, 200);
    assert_eq!(server.put(&format!("{target}?a=3&zone=z2")).await.status, 200, "replacing is not adding");
    let long = "x".repeat(21);
    for (query, setting) in [
        ("c=4&d=5".to_owned(), "metadata-entries"),
        (format!("a={long}"), "metadata-length"),
        (format!("{long}=a"), "metadata-length"),
    ] {
        let reply = server.put(&format!("{target}?{query}")).await;
        assert_eq!(reply.status, 400, "{query}");
        assert!(reply.text().contains(setting), "{}", reply.text());
        assert_eq!(server.put("/eureka/apps/ORDERS/ghost/metadata?c=4").await.status, 404);
    }
    let metadata = json!({"zone": "z2", "a": "3", "b": "2"});
    assert_eq!(server.instance("ORDERS", "ord-1").await["metadata"], metadata);
}
