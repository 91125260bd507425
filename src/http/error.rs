//! What a caller gets instead of an answer.
//!
//! Java fills an error without a body with Spring's error page, in JSON, on which Java's own clients
//! fail: a heartbeat's 404 with such a body is an exception to them, and they never register again.
//! So a miss has an empty body here, always. A mistake in a request is 400 with a sentence that names
//! what is wrong. Nothing below `/eureka` is ever HTML.

use axum::response::{IntoResponse, Response};
use http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderName, HeaderValue, StatusCode};

use crate::access::Limit;
use crate::codec::{Format, json, xml};
use crate::model::Refusal;
use crate::registry::Full;

use super::negotiation::{JSON, XML};

/// Why a request gets no answer.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// 400, as plain text.
    #[error("{0}")]
    BadRequest(String),
    /// 400 in the format of the request: its body cannot be read.
    #[error("{message}")]
    Unreadable {
        /// The request's format.
        format: Format,
        /// What is wrong.
        message: String,
    },
    /// 400 with Java's words, in the negotiated type although it is plain text.
    #[error("{refusal}")]
    Refused {
        /// What is missing.
        refusal: Refusal,
        /// Jersey's pick.
        content_type: HeaderValue,
    },
    /// 403: lists may not be read yet, or the delta is switched off.
    #[error("not open for traffic")]
    Forbidden,
    /// 403: the instance is somebody else's.
    #[error("somebody else's instance")]
    NotTheOwner,
    /// 404.
    #[error("not found")]
    NotFound,
    /// 503: too much to do, clients ask the next server.
    #[error("too much to do")]
    Overloaded,
    /// 503: not open for traffic, and the instance may come with a peer's list; clients ask the next server.
    #[error("not open for traffic yet")]
    NotYet,
    /// 503: more reads of lists than may be; counted where that was found.
    #[error("too many reads of lists")]
    TooOften,
    /// 503 for one more instance: Java's clients try the next server then, as they do after a 429.
    #[error("{0}")]
    Full(#[from] Full),
    /// 406.
    #[error("not acceptable")]
    NotAcceptable,
    /// 408: the body did not come in time.
    #[error("the request took too long to arrive")]
    TimedOut,
    /// 409: its sender has sent a later batch.
    #[error("a later batch of the same sender has come before")]
    Overtaken,
    /// 413: the body is larger than allowed.
    #[error("the request body is larger than {limit} bytes, see {setting}")]
    TooLarge {
        /// The limit.
        limit: usize,
        /// What allows more.
        setting: &'static str,
    },
    /// 415.
    #[error("unsupported media type")]
    UnsupportedMediaType,
}

impl ApiError {
    /// The limit that refused the request, unless it was counted where the error was made.
    pub(super) fn limit(&self) -> Option<Limit> {
        match self {
            Self::TooLarge { .. } => Some(Limit::BodySize),
            Self::TimedOut => Some(Limit::BodyTime),
            Self::Full(_) => Some(Limit::Instances),
            Self::Overloaded => Some(Limit::Overload),
            _ => None,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        // It may repeat what was sent, and no browser is to guess that this is a page.
        const TEXT: [(HeaderName, HeaderValue); 2] = [
            (CONTENT_TYPE, HeaderValue::from_static("text/plain;charset=utf-8")),
            (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        ];
        // What is left of a body that was not read to its end would be taken for the next request.
        const CLOSE: [(HeaderName, HeaderValue); 1] = [(CONNECTION, HeaderValue::from_static("close"))];
        const SOON: HeaderValue = HeaderValue::from_static("1");
        // A client's own pause between two tries.
        const LATER: HeaderValue = HeaderValue::from_static("30");
        match self {
            Self::BadRequest(message) => (StatusCode::BAD_REQUEST, TEXT, message).into_response(),
            Self::Unreadable { format: Format::Json, message } => {
                (StatusCode::BAD_REQUEST, [(CONTENT_TYPE, JSON)], json::error(&message)).into_response()
            }
            Self::Unreadable { format: Format::Xml, message } => {
                (StatusCode::BAD_REQUEST, [(CONTENT_TYPE, XML)], xml::error(&message)).into_response()
            }
            Self::Refused { refusal, content_type } => {
                (StatusCode::BAD_REQUEST, [(CONTENT_TYPE, content_type)], refusal.to_string()).into_response()
            }
            Self::Forbidden | Self::NotTheOwner => StatusCode::FORBIDDEN.into_response(),
            Self::NotFound => StatusCode::NOT_FOUND.into_response(),
            Self::Overloaded | Self::NotYet | Self::TooOften => {
                (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, SOON)]).into_response()
            }
            Self::Full(full) => {
                (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, LATER)], TEXT, full.to_string()).into_response()
            }
            Self::NotAcceptable => StatusCode::NOT_ACCEPTABLE.into_response(),
            Self::TimedOut => (StatusCode::REQUEST_TIMEOUT, CLOSE).into_response(),
            Self::Overtaken => StatusCode::CONFLICT.into_response(),
            Self::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, CLOSE, TEXT, self.to_string()).into_response(),
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response(),
        }
    }
}
