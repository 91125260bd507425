//! The list of the other endpoints.

use axum::extract::State;
use axum::response::Response;
use http::header::HOST;
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};

use super::Actuator;

/// `GET /actuator`: a link to each exposed endpoint, by the host that the caller asked.
pub(super) async fn links(State(actuator): State<Actuator>, headers: HeaderMap) -> Response {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let base = format!("http://{host}{}{}", actuator.context_path, actuator.settings.base_path);
    let mut links = Map::new();
    let mut link = |name: &str, path: &str| {
        links.insert(name.into(), json!({"href": format!("{base}{path}"), "templated": path.contains('{')}));
    };
    link("self", "");
    let exposes = |endpoint| actuator.settings.exposes(endpoint);
    for (is_exposed, paths) in [
        (exposes("health"), [("health", "/health"), ("health-path", "/health/{*path}")].as_slice()),
        (exposes("loggers"), &[("loggers", "/loggers"), ("loggers-name", "/loggers/{name}")]),
        (
            exposes("metrics"),
            &[("metrics", "/metrics"), ("metrics-requiredMetricName", "/metrics/{requiredMetricName}")],
        ),
        (actuator.exposes_prometheus(), &[("prometheus", "/prometheus")]),
        (exposes("refresh"), &[("refresh", "/refresh")]),
    ] {
        if is_exposed {
            for (name, path) in paths {
                link(name, path);
            }
        }
    }
    super::json(&headers, StatusCode::OK, &json!({"_links": Value::Object(links)}))
}
