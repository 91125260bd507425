//! The receiving side of replication; what becomes of the items is [`crate::peers`]' business.

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};

use crate::codec::{Format, ReadError, json, xml};
use crate::model::ReplicationOutcome;
use crate::peers::{Identity, Turn};

use super::Api;
use super::apps::{Read, read_body};
use super::error::ApiError;
use super::negotiation::negotiate;
use super::respond;

/// `POST peerreplication/batch/`: each item in order, each with its own result.
pub(super) async fn batch(State(api): State<Api>, headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    let read = read_body(&api, &headers, body, |format, bytes, limits| match format {
        Format::Json => json::read_batch(bytes, limits),
        // XStream may name no type of a batch, so Java cannot read one either.
        Format::Xml => Err(ReadError::Syntax("a batch must be JSON".into())),
    });
    let Read { content: items, room: _room, .. } = read.await?;
    let outcomes = if Identity::of(&headers).is_some_and(|sender| sender.node == api.node) {
        // It came back from a load balancer: all of it is known here.
        items.iter().map(|_| ReplicationOutcome { status: StatusCode::OK.as_u16(), entity: None }).collect()
    } else {
        api.receiver.take_all(items, Turn::of(&headers)).await.ok_or(ApiError::Overtaken)?
    };
    let negotiated = negotiate(&headers)?;
    let bytes = match negotiated.format {
        Format::Json => json::write_outcomes(&outcomes),
        Format::Xml => xml::write_outcomes(&outcomes),
    };
    Ok(respond::document(negotiated.content_type, bytes))
}
