//! Which metrics are asked for, and where: exposure, single ones as Spring's JSON, a choice by name.

use serde_json::{Value, json};

use super::exposition::Exposition;
use super::{ALL, server};
use crate::server::{Server, body, body_with, encoded};

#[tokio::test(start_paused = true)]
async fn metrics_are_there_where_they_are_exposed() {
    const PATHS: [&str; 3] = ["/actuator/prometheus", "/actuator/metrics", "/actuator/metrics/eurekad.leases"];
    for (words, expected) in [
        (&[][..], [404, 404, 404]),
        (&["--management.endpoints.web.exposure.include=health,prometheus"], [200, 404, 404]),
        (&[ALL], [200, 200, 200]),
        (&[ALL, "--management.endpoints.web.exposure.exclude=prometheus"], [404, 200, 200]),
        (&[ALL, "--management.prometheus.metrics.export.enabled=false"], [404, 200, 200]),
    ] {
        let server = Server::new(words);
        let links = server.json("/actuator").await;
        for ((path, expected), link) in
            PATHS.iter().zip(expected).zip(["prometheus", "metrics", "metrics-requiredMetricName"])
        {
            assert_eq!(server.get(path, &[]).await.status, expected, "{words:?} {path}");
            assert_eq!(links["_links"].get(link).is_some(), expected == 200, "{words:?} {link}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn single_metrics_are_springs_json() {
    let server = server(&[]);
    for (app, id, status) in [("ORDERS", "1", "UP"), ("ORDERS", "2", "DOWN"), ("STOCK", "1", "UP")] {
        server.register(&body_with(app, id, &json!({"status": status}))).await;
    }
    let names = server.json("/actuator/metrics").await;
    let names: Vec<&str> = names["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(names.is_sorted());
    for name in ["eureka.server.instances", "http.server.requests", "process.start.time", "eurekad.renewals"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(!names.contains(&"eurekad.peer.up"), "there is no peer");
    let whole = server.get("/actuator/metrics/eureka.server.instances", &[]).await;
    assert_eq!(whole.header("content-type"), Some("application/vnd.spring-boot.actuator.v3+json"));
    assert_eq!(
        whole.text(),
        r#"{"availableTags":[{"tag":"application","values":["ORDERS","STOCK"]},{"tag":"status","values":["DOWN","UP"]}],"description":"Instances by application and effective status.","measurements":[{"statistic":"VALUE","value":3.0}],"name":"eureka.server.instances"}"#
    );
    let orders = "/actuator/metrics/eureka.server.instances?tag=application:ORDERS";
    let tagged = server.json(orders).await;
    assert_eq!(tagged["availableTags"], json!([{"tag": "status", "values": ["DOWN", "UP"]}]));
    let value = async |more: &str| -> Value {
        server.json(&format!("{orders}{more}")).await["measurements"][0]["value"].take()
    };
    assert_eq!(
        (value("").await, value("&tag=status:UP").await, value(",status:DOWN").await),
        (2.0.into(), 1.0.into(), 1.0.into())
    );
    for (more, status) in [("&tag=status:UNKNOWN", 404), ("&tag=other:UP", 404), ("&tag=status", 400)] {
        assert_eq!(server.get(&format!("{orders}{more}"), &[]).await.status, status, "{more}");
    }
    assert_eq!(server.get("/actuator/metrics/none", &[]).await.bare(), (404, None));
    let timer = server.json("/actuator/metrics/http.server.requests?tag=uri:/eureka/apps/%7Bapp%7D").await;
    assert_eq!(timer["baseUnit"], "seconds");
    assert_eq!(timer["measurements"][0], json!({"statistic": "COUNT", "value": 3.0}));
    assert_eq!(timer["measurements"][1]["statistic"], "TOTAL_TIME");
}

#[tokio::test(start_paused = true)]
async fn included_names_choose_metrics() {
    let server = server(&[]);
    server.register(&body("ORDERS", "1")).await;
    let target = format!("/actuator/prometheus?includedNames={}", encoded("eurekad_leases,eurekad_renewals_total"));
    let figures = Exposition::read(&server.get(&target, &[]).await.text(), false);
    assert_eq!(figures.0.keys().collect::<Vec<_>>(), ["eurekad_leases", "eurekad_renewals_total"]);
}
