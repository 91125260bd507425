//! The settings in force, with where each comes from (`EnvironmentEndpoint`). Secrets are hidden whoever asks.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::request::Parts;
use serde_json::{Map, Value, json};

use crate::settings::{Effective, Origin};

use super::{Actuator, shows};

/// Gives what is in force.
pub type InForce = Arc<dyn Fn() -> Environment + Send + Sync>;

/// What holds, and who is active.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The profiles that somebody chose.
    pub profiles: Vec<String>,
    /// Each property, without secrets.
    pub effective: Arc<Vec<Effective>>,
}

/// What stands for a value that may not be seen.
const HIDDEN: &str = "******";
/// The source of what nobody wrote.
const DEFAULTS: &str = "default";

/// `GET env`.
pub(super) async fn all(State(actuator): State<Actuator>, head: Parts) -> Response {
    let Some((environment, seen)) = environment(&actuator, &head).await else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut sources: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for property in environment.effective.iter() {
        sources.entry(source(property)).or_default().insert(property.name.clone(), shown(property, seen));
    }
    let sources: Vec<_> =
        sources.into_iter().map(|(name, properties)| json!({"name": name, "properties": properties})).collect();
    let body = json!({
        "activeProfiles": environment.profiles, "defaultProfiles": ["default"], "propertySources": sources,
    });
    super::json(&head.headers, StatusCode::OK, &body)
}

/// `GET env/{name}`: one property by its canonical name.
pub(super) async fn one(State(actuator): State<Actuator>, Path(name): Path<String>, head: Parts) -> Response {
    let Some((environment, seen)) = environment(&actuator, &head).await else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let Some(property) = environment.effective.iter().find(|property| property.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let source = source(property);
    let shown = shown(property, seen);
    let body = json!({
        "activeProfiles": environment.profiles,
        "defaultProfiles": ["default"],
        "property": {"source": source, "value": shown["value"]},
        "propertySources": [{"name": source, "property": shown}],
    });
    super::json(&head.headers, StatusCode::OK, &body)
}

/// What is in force, and whether the caller may see values; none in a server without sources.
async fn environment(actuator: &Actuator, head: &Parts) -> Option<(Environment, bool)> {
    let environment = actuator.context.in_force.as_ref()?();
    let settings = &actuator.settings;
    Some((environment, shows(actuator, head, settings.env_values, &settings.env_roles).await))
}

fn source(property: &Effective) -> String {
    match &property.origin {
        None => DEFAULTS.to_owned(),
        Some(Origin::File { path, .. }) => path.display().to_string(),
        Some(Origin::Environment { .. }) => "systemEnvironment".to_owned(),
        Some(Origin::Word) => "commandLineArgs".to_owned(),
        Some(other) => other.to_string(),
    }
}

fn shown(property: &Effective, seen: bool) -> Value {
    let value = if seen { property.value.as_str() } else { HIDDEN };
    match &property.origin {
        Some(origin) => json!({"origin": origin.to_string(), "value": value}),
        None => json!({"value": value}),
    }
}
