//! `/eureka/prometheus/sd`.

use serde_json::{Value, json};

use crate::server::{Server, body, body_with};

async fn groups(server: &Server) -> Vec<Value> {
    let reply = server.get("/eureka/prometheus/sd", &[]).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    reply.json().as_array().unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn each_instance_is_a_target_with_the_labels_of_eureka_sd() {
    let server = Server::new(&[]);
    assert_eq!(groups(&server).await, [] as [Value; 0]);
    let members = json!({"metadata": {"zone": "ü <&>", "scrape.path": "/m", "a-b": "c"}});
    server.register(&body_with("ORDERS", "ord-1", &members)).await;
    let prefix = "__meta_eureka_app_instance_";
    let labels = json!({
        "instance": "ord-1",
        "__meta_eureka_app_name": "ORDERS",
        format!("{prefix}hostname"): "ord-1.test",
        format!("{prefix}homepage_url"): "http://ord-1.test:8080/",
        format!("{prefix}statuspage_url"): "http://ord-1.test:8080/info",
        format!("{prefix}healthcheck_url"): "http://ord-1.test:8080/health",
        format!("{prefix}ip_addr"): "10.20.0.11",
        format!("{prefix}vip_address"): "orders",
        format!("{prefix}secure_vip_address"): "orders",
        format!("{prefix}status"): "UP",
        format!("{prefix}country_id"): "1",
        format!("{prefix}id"): "ord-1",
        format!("{prefix}port"): "8080",
        format!("{prefix}port_enabled"): "true",
        format!("{prefix}secure_port"): "8443",
        format!("{prefix}secure_port_enabled"): "false",
        format!("{prefix}datacenterinfo_name"): "MyOwn",
        format!("{prefix}metadata_zone"): "ü <&>",
        format!("{prefix}metadata_scrape_path"): "/m",
        format!("{prefix}metadata_a_b"): "c",
    });
    assert_eq!(groups(&server).await, [json!({"targets": ["ord-1.test:8080"], "labels": labels})]);
}

#[tokio::test(start_paused = true)]
async fn amazons_metadata_and_ipv6_hosts_are_as_in_eureka_sd() {
    let server = Server::new(&[]);
    let members = json!({
        "hostName": "fd00::1",
        "vipAddress": null,
        "dataCenterInfo": {
            "@class": "com.netflix.appinfo.AmazonInfo", "name": "Amazon",
            "metadata": {"ami-id": "ami-1", "instance-id": "i-1"}
        },
    });
    server.register(&body_with("ORDERS", "ord-1", &members)).await;
    let group = &groups(&server).await[0];
    assert_eq!(group["targets"], json!(["[fd00::1]:8080"]));
    let label = |name: &str| group["labels"][format!("__meta_eureka_app_instance_{name}")].as_str();
    assert_eq!(label("datacenterinfo_name"), Some("Amazon"));
    assert_eq!(label("datacenterinfo_metadata_ami_id"), Some("ami-1"));
    assert_eq!(label("datacenterinfo_metadata_instance_id"), Some("i-1"));
    assert_eq!(label("vip_address"), Some(""));
}

#[tokio::test(start_paused = true)]
async fn whoever_knows_the_targets_is_told_that_nothing_changed() {
    let server = Server::new(&[]);
    server.register(&body("ORDERS", "1")).await;
    let tag = async || server.get("/eureka/prometheus/sd", &[]).await.header("etag").unwrap().to_owned();
    let known = tag().await;
    let asked = async |known: &str| server.get("/eureka/prometheus/sd", &[("If-None-Match", known)]).await;
    let reply = asked(&known).await;
    assert_eq!((reply.bare().0, reply.header("etag")), (304, Some(&*known)));
    assert_eq!(asked(&format!("\"other\", W/{known}")).await.status, 304);
    server.put("/eureka/apps/ORDERS/1").await;
    assert_eq!(asked(&known).await.status, 304, "a heartbeat changes nothing");
    server.put("/eureka/apps/ORDERS/1/status?value=DOWN").await;
    let reply = asked(&known).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()[0]["labels"]["__meta_eureka_app_instance_status"], "DOWN");
    assert_ne!(tag().await, known);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_knows_nothing_yet_does_not_say_that_there_is_nobody() {
    let server = Server::not_open(&[]);
    assert_eq!(server.get("/eureka/prometheus/sd", &[]).await.status, 503);
    let below = Server::new(&["--server.servlet.context-path=/registry"]);
    assert_eq!(below.get("/registry/eureka/prometheus/sd", &[]).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn targets_are_compressed_where_that_is_wanted_and_tags_tell_answers_apart() {
    let server = Server::new(&[]);
    server.register(&body("ORDERS", "1")).await;
    let ask = async |query: &str, accepted: &str| {
        server.get(&format!("/eureka/prometheus/sd{query}"), &[("Accept-Encoding", accepted)]).await
    };
    let (plain, packed) = (ask("", "identity").await, ask("", "gzip").await);
    assert_eq!((plain.header("content-encoding"), packed.header("content-encoding")), (None, Some("gzip")));
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&*packed.body), &mut text).unwrap();
    assert_eq!(text.as_bytes(), &*plain.body);
    let other = ask("?status=DOWN", "identity").await;
    assert_eq!(other.json(), json!([]));
    let tags: std::collections::BTreeSet<_> =
        [&plain, &packed, &other].into_iter().map(|reply| reply.header("etag").unwrap().to_owned()).collect();
    assert_eq!(tags.len(), 3, "{tags:?}");
    assert_eq!(ask("", "identity").await.header("etag"), plain.header("etag"));
}
