//! Health, as probes ask for it. Liveness depends on nothing but this process; readiness is whether
//! traffic is welcome.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use serde_json::json;

use super::Actuator;

/// `GET /actuator/health`.
pub(super) async fn whole(State(actuator): State<Actuator>, headers: HeaderMap) -> Response {
    let (code, status) = readiness(&actuator);
    super::json(&headers, code, &json!({"groups": ["liveness", "readiness"], "status": status}))
}

/// `GET /actuator/health/liveness` and `/readiness`; anything else is 404.
pub(super) async fn group(State(actuator): State<Actuator>, Path(group): Path<String>, headers: HeaderMap) -> Response {
    let (code, status) = match group.as_str() {
        "liveness" => (StatusCode::OK, "UP"),
        "readiness" => readiness(&actuator),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    super::json(&headers, code, &json!({"status": status}))
}

/// Spring's word for a server that refuses traffic.
fn readiness(actuator: &Actuator) -> (StatusCode, &'static str) {
    if actuator.context.is_ready() {
        (StatusCode::OK, "UP")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "OUT_OF_SERVICE")
    }
}
