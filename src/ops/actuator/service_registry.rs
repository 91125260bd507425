//! The status of the server's own record (`ServiceRegistryEndpoint` of Spring Cloud).

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use crate::codec::{quoted, shortened};
use crate::model::InstanceStatus;
use crate::registry::Origin;

use super::super::body::Whole;
use super::Actuator;

/// `GET serviceregistry`: UNKNOWN where the record is not registered, as in Spring.
pub(super) async fn status(State(actuator): State<Actuator>, headers: HeaderMap) -> Response {
    let own = &actuator.context.own;
    let body = match actuator.context.registry.instance(own.app.as_str(), own.id.as_str()) {
        Some(lease) => {
            let set = lease.override_status.unwrap_or(InstanceStatus::Unknown);
            json!({"overriddenStatus": set.as_str(), "status": lease.instance.status.as_str()})
        }
        None => json!({"status": "UNKNOWN"}),
    };
    super::json(&headers, StatusCode::OK, &body)
}

/// `POST serviceregistry` with `{"status":"OUT_OF_SERVICE"}`; `CANCEL_OVERRIDE` takes it back. 404 where the record is
/// not registered. (Spring says nothing then.)
pub(super) async fn set(State(actuator): State<Actuator>, Whole(body): Whole) -> Response {
    let wanted = match wanted(&body) {
        Ok(wanted) => wanted,
        Err(problem) => return (StatusCode::BAD_REQUEST, problem).into_response(),
    };
    let (registry, own) = (&actuator.context.registry, &actuator.context.own);
    let (app, id) = (own.app.as_str(), own.id.as_str());
    let is_there = match wanted {
        Some(status) => registry.set_status(app, id, status, None, Origin::Operator),
        None => registry.remove_status(app, id, InstanceStatus::Up, None, Origin::Operator),
    };
    if is_there {
        StatusCode::OK.into_response()
    } else {
        let problem = "the server's own record is not registered, see eureka.client.register-with-eureka";
        (StatusCode::NOT_FOUND, problem).into_response()
    }
}

/// None: the status is to be taken back.
fn wanted(body: &[u8]) -> Result<Option<InstanceStatus>, String> {
    let document: Value = serde_json::from_slice(body).map_err(|error| format!("cannot read the body: {error}"))?;
    let names = || format!("{}, CANCEL_OVERRIDE", InstanceStatus::names());
    match document.get("status") {
        Some(Value::String(word)) if word.eq_ignore_ascii_case("CANCEL_OVERRIDE") => Ok(None),
        Some(Value::String(word)) => InstanceStatus::from_name(&word.to_ascii_uppercase())
            .map(Some)
            .ok_or_else(|| format!("status: expected one of {}, found {}", names(), quoted(word))),
        Some(other) => {
            let found = other.to_string();
            Err(format!("status: expected one of {}, found {}", names(), shortened(&found)))
        }
        None => Err(format!("status is missing: expected one of {}", names())),
    }
}
