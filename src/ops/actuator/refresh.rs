//! Reading the settings again.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::Actuator;

/// Reads the settings again and goes by them; the error says why the old ones are still in force.
pub type Refresh = Arc<dyn Fn() -> Result<Refreshed, String> + Send + Sync>;

/// What reading the settings again found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refreshed {
    /// Properties that have another value now, and count.
    pub changed: Vec<String>,
    /// Properties that have another value, which counts after a restart only.
    pub after_restart: Vec<String>,
}

/// `POST /actuator/refresh`: the names of what changed, as in Spring; what takes a restart says so
/// beside its name.
pub(super) async fn refresh(State(actuator): State<Actuator>, headers: HeaderMap) -> Response {
    let Some(refresh) = actuator.context.refresh else {
        return StatusCode::NOT_FOUND.into_response();
    };
    // It reads files.
    match tokio::task::spawn_blocking(move || refresh()).await {
        Ok(Ok(Refreshed { changed, after_restart })) => {
            let waiting = after_restart.into_iter().map(|name| format!("{name} (after a restart)"));
            let names = changed.into_iter().chain(waiting).map(Value::String).collect();
            super::json(&headers, StatusCode::OK, &Value::Array(names))
        }
        Ok(Err(problem)) => (StatusCode::UNPROCESSABLE_ENTITY, problem).into_response(),
        Err(error) => {
            tracing::error!(%error, "reading the settings again failed");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
