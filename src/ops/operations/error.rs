//! Why a request of an operator is not done: a status, and a sentence that names what is wrong.

use axum::Json;
use axum::extract::rejection::BytesRejection;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::json;

use crate::ops::walks::Busy;

/// See the module. Nothing was changed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum OperationError {
    /// 400.
    #[error("{0}")]
    Wrong(String),
    /// 403: the login is bound to other applications.
    #[error("{0}")]
    NotAllowed(String),
    /// 404.
    #[error("{0}")]
    NotFound(String),
    /// 409.
    #[error("{0}")]
    Conflict(String),
    /// 413.
    #[error("the body is longer than {} bytes", super::LONGEST_BODY)]
    TooLong,
    /// 503.
    #[error(transparent)]
    Busy(#[from] Busy),
}

impl From<BytesRejection> for OperationError {
    fn from(rejection: BytesRejection) -> Self {
        if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
            Self::TooLong
        } else {
            Self::Wrong(format!("the body did not arrive: {}", rejection.body_text()))
        }
    }
}

impl IntoResponse for OperationError {
    fn into_response(self) -> Response {
        let status = match self {
            Self::Busy(busy) => return busy.into_response(),
            Self::Wrong(_) => StatusCode::BAD_REQUEST,
            Self::NotAllowed(_) => StatusCode::FORBIDDEN,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
        };
        (status, Json(json!({"error": self.to_string()}))).into_response()
    }
}
