//! Spring Boot's actuator, as far as it means something here: same paths, same JSON.
//!
//! Only `health` is exposed unless the user says otherwise
//! (`management.endpoints.web.exposure.include`): the others change the server or tell of it. What is not
//! exposed is a 404 with an empty body. Where there are logins each endpoint takes a role; health takes none
//! unless the user says otherwise.

mod health;
mod links;
mod loggers;
mod metrics;
mod prometheus;
mod refresh;

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::access::Needs;
use crate::settings::{ManagementSettings, Role};

use super::Context;
use super::metrics::Metrics;

pub use refresh::{Refresh, Refreshed};

/// What the endpoints work on.
#[derive(Clone)]
struct Actuator {
    context: Context,
    /// Where the endpoints are and which of them.
    settings: ManagementSettings,
    /// The path before `settings.base_path`, for links: none on a port of its own.
    context_path: String,
    metrics: Metrics,
}

impl Actuator {
    fn exposes_prometheus(&self) -> bool {
        self.context.settings.borrow().metrics.prometheus && self.settings.exposes("prometheus")
    }
}

/// The endpoints that are exposed, below `management.endpoints.web.base-path`. `context_path` is what lies before
/// that where they are reached.
pub fn router(context: &Context, context_path: &str) -> Router {
    let settings = context.settings.borrow().management.clone();
    let metrics = Metrics::new(context);
    let actuator = Actuator { context: context.clone(), settings, context_path: context_path.to_owned(), metrics };
    let settings = &actuator.settings;
    let mut endpoints = Router::new();
    let mut add = |needs, routes| endpoints = std::mem::take(&mut endpoints).merge(context.access.over(routes, needs));
    if !settings.base_path.is_empty() {
        add(Needs::Login, Router::new().route("/", get(links::links)));
    }
    let allowed = || async { [(ALLOW, HeaderValue::from_static("GET,HEAD,OPTIONS"))] };
    if settings.exposes("health") {
        let health = Router::new()
            .route("/health", get(health::whole).options(allowed))
            .route("/health/", get(health::whole))
            .route("/health/{*path}", get(health::group));
        add(Needs::Health, health);
    }
    if settings.exposes("loggers") {
        let loggers = Router::new()
            .route("/loggers", get(loggers::all))
            .route("/loggers/{name}", get(loggers::one).post(loggers::set));
        add(Needs::Operate, loggers);
    }
    if actuator.exposes_prometheus() {
        add(Needs::Role(Role::Metrics), Router::new().route("/prometheus", get(prometheus::all)));
    }
    if settings.exposes("metrics") {
        let metrics = Router::new().route("/metrics", get(metrics::names)).route("/metrics/{name}", get(metrics::one));
        add(Needs::Role(Role::Metrics), metrics);
    }
    if settings.exposes("refresh") {
        add(Needs::Operate, Router::new().route("/refresh", post(refresh::refresh)));
    }
    let base_path = settings.base_path.clone();
    let endpoints = endpoints.with_state(actuator);
    if base_path.is_empty() { endpoints } else { Router::new().nest(&base_path, endpoints) }
}

/// JSON in the type that Spring gives it: its own, unless the caller asks for plain JSON.
fn json(headers: &HeaderMap, status: StatusCode, body: &serde_json::Value) -> Response {
    const SPRING: HeaderValue = HeaderValue::from_static("application/vnd.spring-boot.actuator.v3+json");
    const PLAIN: HeaderValue = HeaderValue::from_static("application/json");
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let plain = accept.split(',').any(|range| range.split(';').next().unwrap_or_default().trim() == "application/json");
    (status, [(CONTENT_TYPE, if plain { PLAIN } else { SPRING })], body.to_string()).into_response()
}
