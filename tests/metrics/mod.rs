//! Figures: right, bounded and documented, in every format; and targets for Prometheus.
//!
//! | file | what |
//! | --- | --- |
//! | this one | what is counted |
//! | `counters` | that they only grow |
//! | `documented` | `docs/metrics.md` |
//! | `endpoint` | which are asked for, and where |
//! | `exposition` | a text of figures, read strictly |
//! | `targets` | `/eureka/prometheus/sd` |

#![allow(clippy::float_cmp, reason = "whole numbers are exact")]

mod counters;
mod documented;
mod endpoint;
mod exposition;
mod targets;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::server::{Server, body, body_with};
use exposition::Exposition;

const ALL: &str = "--management.endpoints.web.exposure.include=*";

fn server(more: &[&str]) -> Server {
    Server::new(&[&[ALL], more].concat())
}

async fn instances(server: &Server, app: &str) -> BTreeMap<String, f64> {
    let Some(family) = Exposition::of(server).await.0.remove("eureka_server_instances") else { return BTreeMap::new() };
    assert_eq!(family.kind, "gauge");
    let of_app = family.samples.into_iter().filter(|sample| sample.labels["application"] == app);
    of_app.map(|sample| (sample.labels["status"].clone(), sample.value)).collect()
}

#[tokio::test(start_paused = true)]
async fn case_102_instances_are_counted_by_application_and_status() {
    let server = server(&[]);
    for (id, status) in [("1", "UP"), ("2", "UP"), ("3", "DOWN")] {
        server.register(&body_with("ORDERS", id, &json!({"status": status}))).await;
    }
    let counts = |up, down| BTreeMap::from([("UP".to_owned(), up), ("DOWN".to_owned(), down)]);
    assert_eq!(instances(&server, "ORDERS").await, counts(2.0, 1.0));
    server.delete("/eureka/apps/ORDERS/3").await;
    assert_eq!(instances(&server, "ORDERS").await, BTreeMap::from([("UP".to_owned(), 2.0)]));
    server.put("/eureka/apps/ORDERS/1/status?value=OUT_OF_SERVICE").await;
    let moved = BTreeMap::from([("UP".to_owned(), 1.0), ("OUT_OF_SERVICE".to_owned(), 1.0)]);
    assert_eq!(instances(&server, "ORDERS").await, moved);
    for id in ["1", "2"] {
        server.delete(&format!("/eureka/apps/ORDERS/{id}")).await;
    }
    assert_eq!(instances(&server, "ORDERS").await, BTreeMap::new());
    let figures = Exposition::of(&server).await;
    let causes = figures.by("eurekad_changes_total", "cause");
    let expected = [("registered", 3.0), ("status set", 1.0), ("cancelled", 3.0)];
    assert_eq!(causes, expected.map(|(cause, count)| (cause.to_owned(), count)).into());
}

#[tokio::test(start_paused = true)]
async fn instances_are_not_shown_where_the_user_says_so() {
    let server = server(&["--eureka.server.metrics.enabled=false"]);
    server.register(&body("ORDERS", "1")).await;
    let figures = Exposition::of(&server).await;
    assert!(!figures.0.contains_key("eureka_server_instances"));
    assert_eq!((figures.one("eurekad_leases"), figures.one("eurekad_applications")), (1.0, 1.0));
}

#[tokio::test(start_paused = true)]
async fn renewals_threshold_and_self_preservation_are_those_of_the_registry() {
    let server = server(&[]);
    for n in 0..10 {
        server.register(&body("ORDERS", &n.to_string())).await;
    }
    for _ in 0..2 {
        server.pass(30).await;
        for n in 0..10 {
            assert_eq!(server.put(&format!("/eureka/apps/ORDERS/{n}")).await.status, 200);
        }
    }
    server.pass(60).await;
    let figures = Exposition::of(&server).await;
    for (name, expected) in [
        ("eurekad_renewals_total", 20.0),
        ("eurekad_renewals_last_minute", 10.0),
        ("eurekad_renewals_expected", 20.0),
        ("eurekad_renewals_threshold", 17.0),
        ("eurekad_leases", 10.0),
        ("eurekad_leases_silent", 10.0),
        ("eurekad_leases_lapsed", 0.0),
        ("eurekad_self_preservation_active", 1.0),
        ("eurekad_open", 1.0),
    ] {
        assert_eq!(figures.one(name), expected, "{name}");
    }
    let states = figures.by("eurekad_self_preservation", "state");
    let holding: Vec<_> = states.iter().filter(|(_, holds)| **holds == 1.0).map(|(state, _)| state.as_str()).collect();
    assert_eq!((states.len(), &holding[..]), (7, &["keeping"][..]));
}

#[tokio::test(start_paused = true)]
async fn requests_are_counted_by_template_and_never_by_name() {
    let server = server(&[]);
    server.register(&body("ORDERS", "1")).await;
    for path in ["/eureka/apps/ORDERS/1", "/eureka/v2/apps/orders/1", "/eureka/apps/ORDERS/none"] {
        server.put(path).await;
    }
    for n in 0..50 {
        for path in [format!("/wp-admin/{n}"), format!("/eureka/apps/A{n}/b"), format!("/actuator/metrics/name-{n}")] {
            assert_eq!(server.get(&path, &[]).await.status, 404, "{path}");
        }
        server.send(&format!("BREW{n}"), "/eureka/apps", &[], b"").await;
    }
    let figures = Exposition::of(&server).await;
    let requests = &figures.0["http_server_requests_seconds"];
    assert_eq!(requests.kind, "histogram");
    let mut counted = BTreeMap::new();
    for sample in &requests.samples {
        let label = |name: &str| sample.labels[name].clone();
        assert_eq!([label("exception"), label("error")], ["none", "none"]);
        let kind = format!("{} {} {} {}", label("method"), label("uri"), label("status"), label("outcome"));
        if sample.name.ends_with("_count") {
            counted.insert(kind, sample.value);
        }
    }
    let expected = [
        ("POST /eureka/apps/{app} 204 SUCCESS", 1.0),
        ("PUT /eureka/apps/{app}/{id} 200 SUCCESS", 2.0),
        ("PUT /eureka/apps/{app}/{id} 404 CLIENT_ERROR", 1.0),
        ("GET NOT_FOUND 404 CLIENT_ERROR", 50.0),
        ("GET /eureka/apps/{app}/{id} 404 CLIENT_ERROR", 50.0),
        ("GET /actuator/metrics/{name} 404 CLIENT_ERROR", 50.0),
        ("UNKNOWN /eureka/apps 405 CLIENT_ERROR", 50.0),
    ];
    assert_eq!(counted, expected.map(|(kind, count)| (kind.to_owned(), count)).into());
}

#[tokio::test(start_paused = true)]
async fn templates_lie_below_the_context_path() {
    let server = server(&["--server.servlet.context-path=/registry"]);
    for path in ["/registry/eureka/apps", "/registry/actuator/health"] {
        assert_eq!(server.get(path, &[]).await.status, 200, "{path}");
    }
    let reply = server.get("/registry/actuator/prometheus", &[]).await;
    let figures = Exposition::read(&reply.text(), false);
    let uris = figures.by("http_server_requests_seconds", "uri");
    assert_eq!(uris.keys().collect::<Vec<_>>(), ["/actuator/health", "/eureka/apps"]);
}

#[tokio::test(start_paused = true)]
async fn buckets_add_up() {
    let server = server(&[]);
    for _ in 0..7 {
        server.get("/eureka/apps", &[]).await;
    }
    let figures = Exposition::of(&server).await;
    let samples = &figures.0["http_server_requests_seconds"].samples;
    let of = |suffix: &'static str| samples.iter().filter(move |sample| sample.name.ends_with(suffix));
    let buckets: Vec<_> = of("_bucket").map(|sample| (sample.labels["le"].as_str(), sample.value)).collect();
    assert_eq!(buckets.last(), Some(&("+Inf", 7.0)));
    assert!(buckets.is_sorted_by(|one, next| one.1 <= next.1), "{buckets:?}");
    assert_eq!(of("_count").map(|sample| sample.value).collect::<Vec<_>>(), [7.0]);
}

#[tokio::test(start_paused = true)]
async fn both_formats_say_the_same() {
    let server = server(&["--eureka.client.service-url.defaultZone=http://admin:secret@10.20.0.1:8761/eureka/"]);
    server.register(&body("ORDERS", "1")).await;
    server.get("/eureka/apps", &[]).await;
    let accept = [("Accept", "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1")];
    let reply = server.get("/actuator/prometheus", &accept).await;
    assert_eq!(
        reply.header("content-type"),
        Some("application/openmetrics-text; version=1.0.0; charset=utf-8"),
        "{}",
        reply.text()
    );
    assert!(!reply.text().contains("secret"), "{}", reply.text());
    let open = Exposition::read(&reply.text(), true);
    let plain = Exposition::of(&server).await;
    let kinds = |figures: &Exposition, suffix: bool| -> BTreeMap<String, String> {
        let kinds = figures.0.iter().map(|(name, family)| {
            let ending = match family.kind.as_str() {
                "counter" if suffix => "_total",
                "info" if suffix => "_info",
                _ => "",
            };
            (format!("{name}{ending}"), family.kind.replace("info", "gauge"))
        });
        kinds.collect()
    };
    assert_eq!(kinds(&open, true), kinds(&plain, false));
    assert_eq!(open.0["eurekad_changes"].samples, plain.0["eurekad_changes_total"].samples);
    assert_eq!(
        plain.by("eurekad_build_info", "version"),
        BTreeMap::from([(env!("CARGO_PKG_VERSION").to_owned(), 1.0)])
    );
}

#[tokio::test(start_paused = true)]
async fn names_of_any_characters_stay_in_their_label() {
    let server = server(&[]);
    let names = ["A\"B\\C\nD", "X\",STATUS=\"Y\"} 5\nEVIL 1", "ÜÑ🏺 \u{85}\u{2028}\t\r", "{", "\\N", "OTHER"];
    for name in names {
        assert_eq!(server.register(&body(name, "1")).await.status, 204, "{name}");
    }
    let figures = Exposition::of(&server).await;
    let shown = figures.by("eureka_server_instances", "application");
    let names = names.map(|name| name.replace(['\u{85}', '\t', '\r'], "\u{FFFD}"));
    assert_eq!(shown.keys().cloned().collect::<BTreeSet<_>>(), names.into());
    let accept = [("Accept", "application/openmetrics-text")];
    let open = Exposition::read(&server.get("/actuator/prometheus", &accept).await.text(), true);
    assert_eq!(open.0["eureka_server_instances"], figures.0["eureka_server_instances"]);
}

#[tokio::test(start_paused = true)]
async fn applications_beyond_the_limit_are_shown_together_and_counted() {
    let server = server(&["--eurekad.metrics.max-applications=2"]);
    for (app, id) in [("B", "1"), ("C", "1"), ("D", "1"), ("D", "2"), ("E", "1")] {
        server.register(&body(app, id)).await;
    }
    // One router: it remembers whom it shows.
    let router = server.app.router();
    let shown = async || {
        let request = axum::http::Request::get("/actuator/prometheus").body(axum::body::Body::empty()).unwrap();
        let answer = tower::ServiceExt::oneshot(router.clone(), request).await.unwrap();
        let text = http_body_util::BodyExt::collect(answer.into_body()).await.unwrap().to_bytes();
        let figures = Exposition::read(std::str::from_utf8(&text).unwrap(), false);
        let apps: Vec<_> = figures.by("eureka_server_instances", "application").into_iter().collect();
        (apps, figures.one("eurekad_applications"), figures.one("eurekad_applications_summed"))
    };
    let apps = |apps: [(&str, f64); 3]| apps.map(|(app, count)| (app.to_owned(), count)).to_vec();
    assert_eq!(shown().await, (apps([("B", 1.0), ("C", 1.0), ("other", 3.0)]), 4.0, 2.0));
    server.register(&body("A", "1")).await;
    assert_eq!(shown().await.0, apps([("B", 1.0), ("C", 1.0), ("other", 4.0)]), "none loses its place");
    server.delete("/eureka/apps/B/1").await;
    assert_eq!(shown().await.0, apps([("A", 1.0), ("C", 1.0), ("other", 3.0)]));
}

#[tokio::test(start_paused = true)]
async fn lists_tell_what_they_cost() {
    let server = server(&[]);
    server.register(&body("ORDERS", "1")).await;
    for _ in 0..3 {
        server.get("/eureka/apps", &[crate::server::JSON]).await;
    }
    server.register(&body("ORDERS", "2")).await;
    let length = server.get("/eureka/apps", &[crate::server::JSON]).await.body.len();
    server.get("/eureka/apps/delta", &[crate::server::XML, crate::server::GZIP, crate::server::COMPACT]).await;
    let figures = Exposition::of(&server).await;
    let refreshes: Vec<_> = figures.0["eurekad_list_refreshes_total"]
        .samples
        .iter()
        .map(|sample| {
            let label = |name: &str| sample.labels[name].as_str();
            ([label("list"), label("format"), label("detail"), label("coding")], sample.value)
        })
        .collect();
    let expected = [(["apps", "json", "full", "plain"], 2.0), (["delta", "xml", "compact", "gzip"], 1.0)];
    assert_eq!(refreshes, expected);
    assert_eq!(figures.by("eurekad_list_size_bytes", "list")["apps"].to_string(), length.to_string());
    assert!(figures.by("eurekad_list_written_bytes_total", "list").values().all(|bytes| *bytes > 100.0));
}

#[tokio::test(start_paused = true)]
async fn what_limits_refused_is_counted() {
    let server = server(&["--eurekad.limits.body-size=100B"]);
    assert_eq!(server.register(&body("ORDERS", "1")).await.status, 413);
    let refused = Exposition::of(&server).await.by("eurekad_limit_refusals_total", "limit");
    assert_eq!((refused["body-size"], refused["instances"]), (1.0, 0.0));
}
