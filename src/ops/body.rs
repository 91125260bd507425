//! Bodies of requests, as all endpoints here read them.

use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRef, FromRequest, Request};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::CONNECTION;
use http::{HeaderName, HeaderValue, StatusCode};

use crate::access::Limit;
use crate::http::is_late;

use super::Context;

/// A body that has arrived in whole.
pub(super) struct Whole(pub(super) Bytes);

/// Why one has not. As an answer it is a sentence.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unread {
    /// 408: it took too long (`eurekad.http.request-timeout`).
    #[error("the request took too long to arrive")]
    Late,
    /// What axum says: it is too long, or broke off.
    #[error("the body did not arrive: {}", .0.body_text())]
    Other(BytesRejection),
}

/// Of the answer to a body that was not read to its end: the rest would be taken for the next request.
pub(super) const CLOSE: [(HeaderName, HeaderValue); 1] = [(CONNECTION, HeaderValue::from_static("close"))];

impl<S> FromRequest<S> for Whole
where
    S: Send + Sync,
    Context: FromRef<S>,
{
    type Rejection = Unread;

    async fn from_request(request: Request, state: &S) -> Result<Self, Unread> {
        Bytes::from_request(request, state).await.map(Self).map_err(|rejection| {
            if is_late(&rejection) {
                Context::from_ref(state).over_limit.count(Limit::BodyTime);
                Unread::Late
            } else {
                Unread::Other(rejection)
            }
        })
    }
}

impl IntoResponse for Unread {
    fn into_response(self) -> Response {
        match self {
            Self::Late => (StatusCode::REQUEST_TIMEOUT, CLOSE, self.to_string()).into_response(),
            Self::Other(rejection) => rejection.into_response(),
        }
    }
}
