//! Spring Boot's actuator, as far as it means something here: same paths, same JSON.
//!
//! Only `health` and `info` are exposed unless the user says otherwise
//! (`management.endpoints.web.exposure.include`): the others change the server or tell of it. What is not
//! exposed is a 404 with an empty body. Where there are logins each endpoint takes a role; health takes none
//! unless the user says otherwise.
//!
//! | file | Spring's endpoint |
//! | --- | --- |
//! | `links` | the list of the others |
//! | `health/` | `health` |
//! | `info` | `info` |
//! | `env` | `env` |
//! | `loggers` | `loggers` |
//! | `refresh` | `refresh` of Spring Cloud |
//! | `service_registry` | `serviceregistry` of Spring Cloud |

mod env;
mod health;
mod info;
mod links;
mod loggers;
mod metrics;
mod prometheus;
mod refresh;
mod service_registry;

use axum::Router;
use axum::extract::FromRef;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use http::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::access::Needs;
use crate::settings::{EndpointAccess, ManagementPort, ManagementSettings, Role, Show};

use super::Context;
use super::metrics::Metrics;

pub use env::{Environment, InForce};
pub use refresh::{Refresh, Refreshed};

/// What the endpoints work on.
#[derive(Clone)]
struct Actuator {
    context: Context,
    /// Where the endpoints are and which of them.
    settings: ManagementSettings,
    /// The path before `settings.base_path`, for links.
    context_path: String,
    /// Whether they are reached by TLS, for links.
    is_secure: bool,
    health: health::Health,
    metrics: Metrics,
}

impl FromRef<Actuator> for Context {
    fn from_ref(actuator: &Actuator) -> Self {
        actuator.context.clone()
    }
}

impl Actuator {
    /// Whether an endpoint is to be seen, and has something to show.
    fn serves(&self, endpoint: &Endpoint) -> bool {
        let has_figures = endpoint.id != "prometheus" || self.context.settings.borrow().metrics.prometheus;
        has_figures && endpoint.is_served(&self.settings)
    }
}

/// An endpoint.
struct Endpoint {
    id: &'static str,
    /// What lies below it: Spring's name for the link, and the rest of its path.
    below: Option<(&'static str, &'static str)>,
    needs: Needs<'static>,
    /// Whether it can only be written.
    only_writes: bool,
}

/// All of them, in Spring's order of links.
const ENDPOINTS: [Endpoint; 8] = [
    Endpoint::read("health", Some(("path", "{*path}")), Needs::Health),
    Endpoint::read("info", None, Needs::Login),
    Endpoint::read("env", Some(("toMatch", "{toMatch}")), Needs::Operate),
    Endpoint::read("metrics", Some(("requiredMetricName", "{requiredMetricName}")), Needs::Role(Role::Metrics)),
    Endpoint::read("prometheus", None, Needs::Role(Role::Metrics)),
    Endpoint::read("loggers", Some(("name", "{name}")), Needs::Operate),
    Endpoint { only_writes: true, ..Endpoint::read("refresh", None, Needs::Operate) },
    Endpoint::read("serviceregistry", None, Needs::Operate),
];

impl Endpoint {
    const fn read(id: &'static str, below: Option<(&'static str, &'static str)>, needs: Needs<'static>) -> Self {
        Self { id, below, needs, only_writes: false }
    }

    /// Whether it is to be seen, and there is something to be done with it.
    fn is_served(&self, settings: &ManagementSettings) -> bool {
        settings.exposes(self.id) && (!self.only_writes || may_write(settings, self.id))
    }

    /// Its routes, below its path.
    fn routes(&self, settings: &ManagementSettings) -> Router<Actuator> {
        let path = settings.path(self.id);
        let at = |rest: &str| format!("{path}{rest}");
        let writes = |reads: MethodRouter<Actuator>, writes: MethodRouter<Actuator>| {
            if may_write(settings, self.id) { reads.merge(writes) } else { reads }
        };
        match self.id {
            "health" => Router::new()
                .route(&path, read(get(health::whole)))
                .route(&at("/"), read(get(health::whole)))
                .route(&at("/{*path}"), read(get(health::below))),
            "info" => Router::new().route(&path, read(get(info::info))),
            "env" => Router::new().route(&path, read(get(env::all))).route(&at("/{name}"), read(get(env::one))),
            "loggers" => Router::new()
                .route(&path, get(loggers::all))
                .route(&at("/{name}"), writes(get(loggers::one), post(loggers::set))),
            "metrics" => Router::new().route(&path, get(metrics::names)).route(&at("/{name}"), get(metrics::one)),
            "prometheus" => Router::new().route(&path, get(prometheus::all)),
            "refresh" => Router::new().route(&path, post(refresh::refresh)),
            "serviceregistry" => {
                Router::new().route(&path, writes(get(service_registry::status), post(service_registry::set)))
            }
            _ => Router::new(),
        }
    }
}

fn may_write(settings: &ManagementSettings, endpoint: &str) -> bool {
    settings.access(endpoint) == EndpointAccess::Unrestricted
}

/// What can only be read says so.
fn read(routes: MethodRouter<Actuator>) -> MethodRouter<Actuator> {
    routes.options(async || [(ALLOW, HeaderValue::from_static("GET,HEAD,OPTIONS"))])
}

/// The endpoints that are exposed, below `management.endpoints.web.base-path`. `context_path` is what lies before
/// that where they are reached.
pub fn router(context: &Context, context_path: &str) -> Router {
    let (settings, is_secure) = {
        let settings = context.settings.borrow();
        let own_port = matches!(settings.management.port, ManagementPort::Own(_));
        let tls = if own_port { &settings.tls.management } else { &settings.tls.server };
        (settings.management.clone(), tls.is_some())
    };
    let actuator = Actuator {
        settings,
        context_path: context_path.to_owned(),
        is_secure,
        health: health::Health::default(),
        metrics: Metrics::new(context),
        context: context.clone(),
    };
    let settings = &actuator.settings;
    let mut endpoints = Router::new();
    if settings.discovery && !settings.base_path.is_empty() {
        endpoints =
            endpoints.merge(context.access.over(Router::new().route("/", read(get(links::links))), Needs::Login));
    }
    for endpoint in ENDPOINTS.iter().filter(|endpoint| actuator.serves(endpoint)) {
        endpoints = endpoints.merge(context.access.over(endpoint.routes(settings), endpoint.needs));
    }
    let base_path = settings.base_path.clone();
    let endpoints = endpoints.with_state(actuator);
    if base_path.is_empty() { endpoints } else { Router::new().nest(&base_path, endpoints) }
}

/// Whether a caller is shown something. Without logins nobody is authorized, as in Spring.
async fn shows(actuator: &Actuator, head: &Parts, show: Show, roles: &[String]) -> bool {
    let access = &actuator.context.access;
    let may = async |needs| access.is_guarded() && access.may(head, needs).await;
    match show {
        Show::Never => false,
        Show::Always => true,
        Show::WhenAuthorized if roles.is_empty() => may(Needs::Login).await,
        Show::WhenAuthorized => {
            for role in roles {
                if may(Role::named(role).map_or(Needs::Operate, Needs::Role)).await {
                    return true;
                }
            }
            false
        }
    }
}

/// JSON in the type that Spring gives it: its own, unless the caller asks for plain JSON.
fn json(headers: &HeaderMap, status: StatusCode, body: &serde_json::Value) -> Response {
    const SPRING: HeaderValue = HeaderValue::from_static("application/vnd.spring-boot.actuator.v3+json");
    const PLAIN: HeaderValue = HeaderValue::from_static("application/json");
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let plain = accept.split(',').any(|range| range.split(';').next().unwrap_or_default().trim() == "application/json");
    (status, [(CONTENT_TYPE, if plain { PLAIN } else { SPRING })], body.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn every_endpoint_is_described() {
        const YAML: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/openapi.yaml"));
        let document: serde_json::Value = serde_saphyr::from_str(YAML).unwrap();
        let has = |path: &str| document["paths"].as_object().unwrap().keys().any(|known| known.starts_with(path));
        for Endpoint { id, below, .. } in ENDPOINTS {
            assert!(has(&format!("/actuator/{id}")), "{id}");
            assert!(below.is_none() || has(&format!("/actuator/{id}/{{")), "below {id}");
        }
    }
}
