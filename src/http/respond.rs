//! The few shapes that answers have.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{ALLOW, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use http_body::{Body as _, Frame, SizeHint};

use crate::catalog::{Answer, Coding, Form, Piece};

/// An answer without a body; it names the negotiated type all the same, as stock Netflix servers do
/// and some clients need (Jersey 3 leaves it out).
pub(super) fn empty(status: StatusCode, content_type: HeaderValue) -> Response {
    (status, [(CONTENT_TYPE, content_type)]).into_response()
}

/// A document of its own.
pub(super) fn document(content_type: HeaderValue, bytes: Vec<u8>) -> Response {
    ([(CONTENT_TYPE, content_type)], bytes).into_response()
}

/// A ready answer of the catalog, without copying it.
pub(super) fn ready(answer: Answer, form: Form, content_type: HeaderValue) -> Response {
    let length = answer.length;
    let mut response = Response::new(Body::new(Pieces { pieces: answer.pieces.into(), left: length }));
    let headers = response.headers_mut();
    if form.coding == Coding::Gzip {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    headers.insert(CONTENT_TYPE, content_type);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    response
}

/// What is allowed. (To `OPTIONS` Jersey adds a WADL document, which nobody reads.)
pub(super) fn allowed(status: StatusCode, methods: &'static str) -> Response {
    (status, [(ALLOW, HeaderValue::from_static(methods))]).into_response()
}

/// An answer to `HEAD`: what `GET` would be answered, without its body.
pub(super) fn head_alone(mut response: Response) -> Response {
    let length = response.body().size_hint().exact().filter(|_| response.status() != StatusCode::NOT_MODIFIED);
    if let Some(length) = length.filter(|_| !response.headers().contains_key(CONTENT_LENGTH)) {
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    response.map(|_| Body::empty())
}

/// A body of ready pieces with a known length.
struct Pieces {
    pieces: VecDeque<Piece>,
    left: usize,
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.pieces.pop_front().map(Piece::into_bytes);
        self.left -= piece.as_ref().map_or(0, Bytes::len);
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(u64::try_from(self.left).unwrap_or(u64::MAX))
    }
}
