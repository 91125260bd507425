//! The log's levels, read and set.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};

use crate::codec::{quoted, shortened};
use crate::logging::LoggerLevel;
use crate::settings::LogLevel;

use super::super::body::Whole;
use super::Actuator;

/// `GET /actuator/loggers`.
pub(super) async fn all(State(actuator): State<Actuator>, headers: HeaderMap) -> Response {
    let Some(levels) = actuator.context.levels else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let loggers: Map<String, Value> = levels.list().iter().map(|logger| (logger.name.clone(), shown(logger))).collect();
    let names: Vec<_> = LogLevel::ALL.iter().map(|level| word(*level)).collect();
    super::json(&headers, StatusCode::OK, &json!({"levels": names, "loggers": loggers, "groups": {}}))
}

/// `GET /actuator/loggers/{name}`.
pub(super) async fn one(State(actuator): State<Actuator>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    match actuator.context.levels.map(|levels| levels.get(&name)) {
        Some(Ok(logger)) => super::json(&headers, StatusCode::OK, &shown(&logger)),
        Some(Err(_)) | None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// `POST /actuator/loggers/{name}` with `{"configuredLevel":"DEBUG"}`; null, or nothing, takes a level
/// back.
pub(super) async fn set(State(actuator): State<Actuator>, Path(name): Path<String>, Whole(body): Whole) -> Response {
    let Some(levels) = actuator.context.levels else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let level = match configured_level(&body) {
        Ok(level) => level,
        Err(problem) => return (StatusCode::BAD_REQUEST, problem).into_response(),
    };
    match levels.set(&name, level) {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

fn configured_level(body: &[u8]) -> Result<Option<LogLevel>, String> {
    let document: Value = serde_json::from_slice(body).map_err(|error| format!("cannot read the body: {error}"))?;
    match document.get("configuredLevel") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(level)) => {
            level.parse().map(Some).map_err(|_| format!("configuredLevel: no level {}", quoted(level)))
        }
        Some(other) => {
            let found = other.to_string();
            Err(format!("configuredLevel: expected the name of a level, found {}", shortened(&found)))
        }
    }
}

fn shown(logger: &LoggerLevel) -> Value {
    let mut shown = Map::new();
    if let Some(level) = logger.configured {
        shown.insert("configuredLevel".into(), word(level).into());
    }
    shown.insert("effectiveLevel".into(), word(logger.effective).into());
    Value::Object(shown)
}

fn word(level: LogLevel) -> String {
    level.to_string().to_uppercase()
}
