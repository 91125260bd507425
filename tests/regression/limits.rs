//! How much may come in.

use serde_json::{Value, json};

use eurekad::access::Limit;
use eurekad::settings::Settings;

use crate::server::list::array;
use crate::server::{JSON, SENDS_JSON, SENDS_XML, Server, body, body_with, packed};

use super::batch_limits::heartbeat;

#[tokio::test(start_paused = true)]
async fn what_is_too_much_is_refused_and_named() {
    let server = Server::new(&[
        "--eurekad.limits.body-size=4KB",
        "--eurekad.limits.nesting-depth=8",
        "--eurekad.limits.metadata-entries=3",
        "--eurekad.limits.metadata-length=20",
        "--eurekad.limits.metadata-size=30",
    ]);
    let deep = (0..10).fold(json!(1), |inner, _| json!([inner]));
    let long = "x".repeat(21);
    for (members, status, setting) in [
        (json!({"homePageUrl": "x".repeat(4096)}), 413, "body-size"),
        (json!({"unknown": deep}), 400, "nesting-depth"),
        (json!({"metadata": {"a": 1, "b": 2, "c": 3, "d": 4}}), 400, "metadata-entries"),
        (json!({"metadata": {"a": long}}), 400, "metadata-length"),
        (json!({"metadata": {long.clone(): "a"}}), 400, "metadata-length"),
        (json!({"metadata": {"a": "x".repeat(15), "b": "x".repeat(14)}}), 400, "instance.metadata"),
        (json!({"metadata": {"a": "x".repeat(15), "b": "x".repeat(14)}}), 400, "metadata-size"),
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
        format!("<instance><metadata><a>{0}</a><b>{0}</b></metadata></instance>", "x".repeat(15)),
    ] {
        assert_eq!(server.send("POST", "/eureka/apps/ORDERS", &[SENDS_XML], xml.as_bytes()).await.status, 400, "{xml}");
    }
    assert!(server.app.registry().is_empty());
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
/// What the server would refuse in a body must not get in by another way: a peer could not take it.
#[tokio::test(start_paused = true)]
async fn metadata_in_a_query_has_the_limits_of_metadata_in_a_body() {
    let server = Server::new(&[
        "--eurekad.limits.metadata-entries=4",
        "--eurekad.limits.metadata-length=20",
        "--eurekad.limits.metadata-size=40",
    ]);
    server.register(&body("ORDERS", "ord-1")).await;
    let target = "/eureka/apps/ORDERS/ord-1/metadata";
    assert_eq!(server.put(&format!("{target}?a=1&b=2")).await.status, 200);
    assert_eq!(server.put(&format!("{target}?a=3&zone=z2")).await.status, 200, "replacing is not adding");
    let long = "x".repeat(21);
    for (query, setting) in [
        ("c=4&d=5".to_owned(), "metadata-entries"),
        (format!("a={long}"), "metadata-length"),
        (format!("{long}=a"), "metadata-length"),
        (format!("a={0}&b={0}", "x".repeat(17)), "metadata-size"),
    ] {
        let reply = server.put(&format!("{target}?{query}")).await;
        assert_eq!(reply.status, 400, "{query}");
        assert!(reply.text().contains(setting), "{}", reply.text());
        assert_eq!(server.put("/eureka/apps/ORDERS/ghost/metadata?c=4").await.status, 404);
    }
    let metadata = json!({"zone": "z2", "a": "3", "b": "2"});
    assert_eq!(server.instance("ORDERS", "ord-1").await["metadata"], metadata);
}

/// What one more instance is answered, and what those that are there are.
#[tokio::test(start_paused = true)]
async fn instances_have_an_end_in_all_and_in_each_application() {
    let server = Server::new(&["--eurekad.limits.instances=3", "--eurekad.limits.instances-per-application=2"]);
    for (app, id) in [("A", "1"), ("A", "2"), ("B", "3")] {
        assert_eq!(server.register(&body(app, id)).await.status, 204);
    }
    for (app, setting) in [("B", "eurekad.limits.instances"), ("C", "eurekad.limits.instances")] {
        let reply = server.register(&body(app, "4")).await;
        assert_eq!((reply.status, reply.header("retry-after")), (503, Some("30")), "{app}");
        assert!(reply.text().ends_with(setting), "{}", reply.text());
    }
    assert_eq!(server.register(&body("A", "1")).await.status, 204, "it is there");
    assert_eq!(server.put("/eureka/apps/A/2").await.status, 200);
    assert_eq!(server.put("/eureka/apps/A/2/metadata?k=v").await.status, 200);
    let items = [("A", "1", "Register"), ("A", "4", "Register"), ("A", "4", "Heartbeat"), ("B", "3", "Heartbeat")];
    let items = items.map(|(app, id, action)| {
        let mut item = json!({"appName": app, "id": id, "action": action});
        item["instanceInfo"] = body(app, id)["instance"].take();
        item
    });
    let reply = server.post("/eureka/peerreplication/batch/", &json!({"replicationList": items})).await.json();
    let codes: Vec<_> = array(&reply["responseList"]).iter().map(|item| item["statusCode"].as_u64()).collect();
    assert_eq!(codes, [Some(200), Some(400), Some(404), Some(200)]);
    assert_eq!(server.delete("/eureka/apps/B/3").await.status, 200);
    let reply = server.register(&body("A", "4")).await;
    assert_eq!(reply.status, 503);
    assert!(reply.text().ends_with("eurekad.limits.instances-per-application"), "{}", reply.text());
    assert_eq!(server.register(&body("B", "4")).await.status, 204);
    assert_eq!(server.app.over_limit().of(Limit::Instances), 4);
}

/// A Java server drops a batch that is refused as a whole, with all that is in it.
#[tokio::test(start_paused = true)]
async fn the_rate_limiter_refuses_reads_of_lists_and_nothing_else() {
    let server = Server::new(&[
        "--eureka.server.rate-limiter-enabled=true",
        "--eureka.server.rate-limiter-burst-size=2",
        "--eureka.server.rate-limiter-full-fetch-average-rate=1",
        "--eureka.server.rate-limiter-registry-fetch-average-rate=1",
        "--eureka.server.rate-limiter-privileged-clients=mine",
    ]);
    assert_eq!(server.register(&body("ORDERS", "ord-1")).await.status, 204);
    let get = async |path: &str, name: &str| server.get(path, &[JSON, ("DiscoveryIdentity-Name", name)]).await;
    for path in ["/eureka/apps", "/eureka/v2/apps/"] {
        assert_eq!(get(path, "Jersey3DefaultClient").await.status, 200);
    }
    for path in ["/eureka/apps", "/eureka/v2/apps/", "/eureka/apps/delta", "/eureka/apps/ORDERS", "/eureka/apps/GHOSTS"]
    {
        let reply = get(path, "Jersey3DefaultClient").await;
        assert_eq!((reply.status, reply.body.len(), reply.header("retry-after")), (503, 0, Some("1")), "{path}");
        for name in ["DefaultClient", "DefaultServer", "mine"] {
            assert!([200, 404].contains(&get(path, name).await.status), "{path} {name}");
        }
    }
    assert_eq!(server.get("/eureka/apps/ORDERS/ord-1", &[]).await.status, 200);
    assert_eq!(server.get("/eureka/vips/orders", &[]).await.status, 200);
    assert_eq!(server.put("/eureka/apps/ORDERS/ord-1").await.status, 200);
    assert_eq!(server.register(&body("ORDERS", "ord-2")).await.status, 204);
    assert_eq!(server.post("/eureka/peerreplication/batch/", &json!({"replicationList": []})).await.status, 200);
    assert_eq!([Limit::FullFetches, Limit::Fetches].map(|limit| server.app.over_limit().of(limit)), [2, 3]);
    server.pass(1).await;
    assert_eq!(get("/eureka/apps", "").await.status, 200);
    assert_eq!(get("/eureka/apps", "").await.status, 503);
    let off = Settings::from_words(&["--eureka.server.rate-limiter-enabled=false"]).expect("valid words");
    server.app.change_settings(&off);
    assert_eq!(get("/eureka/apps", "").await.status, 200, "it counts at once");
}
