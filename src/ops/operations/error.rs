//! Why a request of an operator is not done: a status, and a sentence that names what is wrong.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::json;

use crate::ops::body::{CLOSE, Unread};
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
    /// 408.
    #[error("the request took too long to arrive")]
    TimedOut,
    /// 409.
    #[error("{0}")]
    Conflict(String),
    /// 413.
    #[error("the body is longer than {} bytes", super::LONGEST_BODY)]
    TooLong,
    /// 415.
    #[error("the body must be JSON, and Content-Type: application/json say so")]
    NotJson,
    /// 503.
    #[error(transparent)]
    Busy(#[from] Busy),
}

impl From<Unread> for OperationError {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Late => Self::TimedOut,
            Unread::Other(rejection) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => Self::TooLong,
            Unread::Other(_) => Self::Wrong(unread.to_string()),
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
            Self::TimedOut => StatusCode::REQUEST_TIMEOUT,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        };
        let told = (status, Json(json!({"error": self.to_string()})));
        if self == Self::TimedOut { (CLOSE, told).into_response() } else { told.into_response() }
    }
}
