//! The receiving side of replication; what becomes of the items is [`crate::peers`]' business.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use http::header::CONNECTION;
use http::request::Parts;
use http::{HeaderValue, StatusCode};

use crate::access::Connection;
use crate::blocking::off_the_workers;
use crate::codec::{Format, ReadError, json, xml};
use crate::model::ReplicationOutcome;
use crate::peers::digest::{self, MOST_REQUEST_BYTES};
use crate::peers::{DIGEST_VERSION, Identity, Sender, Turn};

use super::apps::{Read, read_body};
use super::error::ApiError;
use super::negotiation::{JSON, negotiate};
use super::respond;
use super::{Api, BodyLimits, body};

/// `POST peerreplication/batch/`: each item in order, each with its own result.
pub(super) async fn batch(api: &Api, head: &Parts, body: Body, from: &Connection) -> Result<Response, ApiError> {
    let limits = api.settings.load().batch_limits;
    let read = read_body(api, &head.headers, body, limits, |format, bytes, limits| match format {
        Format::Json => json::read_batch(bytes, limits),
        // XStream may name no type of a batch, so Java cannot read one either.
        Format::Xml => Err(ReadError::Syntax("a batch must be JSON".into())),
    });
    let Read { content: items, room: _room, .. } = read.await?;
    let sender = Sender::of(&head.headers);
    let came_back = sender.node == Some(api.node);
    let outcomes = if came_back {
        // It came by a URL of this node, or back from a load balancer: all of it is known here.
        items.iter().map(|_| ReplicationOutcome { status: StatusCode::OK.as_u16(), entity: None }).collect()
    } else {
        if let Some(identity) = Identity::of(&head.headers) {
            api.peers.heard(identity, sender.turn.map(|turn| turn.stream), from.ip());
        }
        api.receiver.take_all(items, sender).await.ok_or(ApiError::Overtaken)?
    };
    let negotiated = negotiate(&head.headers)?;
    let bytes = match negotiated.format {
        Format::Json => json::write_outcomes(&outcomes),
        Format::Xml => xml::write_outcomes(&outcomes),
    };
    let mut answer = respond::document(negotiated.content_type, bytes);
    if came_back {
        // The next connection by that URL may lead elsewhere.
        answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(answer)
}

/// `POST peerreplication/digest`: what a node of our own holds, compared with what is held here. To others,
/// and by any method but `GET`, it is an unknown path, as in Java. One request at a time of each is answered, more are refused (503).
pub(super) async fn digest(api: &Api, head: &Parts, body: Body) -> Result<Response, ApiError> {
    let sender = sender_of_ours(head)?;
    let limits = BodyLimits { bytes: MOST_REQUEST_BYTES, ..api.settings.load().limits };
    let (request, _room) = body::read(&head.headers, body, limits, &api.bodies, |bytes| Ok(bytes.to_vec())).await?;
    let stream = Turn::of(&head.headers).map(|turn| turn.stream);
    let admitted = api.peers.admit(sender.node, stream).ok_or(ApiError::Overloaded)?;
    let registry = Arc::clone(&api.registry);
    let answer = off_the_workers(move || {
        // Also where nobody waits for the answer any more.
        let _turn = admitted;
        digest::answer(&registry, &request)
    })
    .await;
    answer.map(|answer| respond::document(JSON, answer)).map_err(|error| ApiError::BadRequest(error.to_string()))
}

/// `GET peerreplication/digest`: who is unconfirmed here, for a node of our own that is about to copy the list. To
/// others it is an unknown path, as in Java.
pub(super) async fn unconfirmed(api: &Api, head: &Parts) -> Result<Response, ApiError> {
    sender_of_ours(head)?;
    if !api.registry.was_opened() {
        return Err(ApiError::Forbidden);
    }
    let registry = Arc::clone(&api.registry);
    let answer = off_the_workers(move || digest::unconfirmed(&registry)).await;
    answer.map(|answer| respond::document(JSON, answer)).map_err(|error| ApiError::BadRequest(error.to_string()))
}

/// The node of our own that asks.
fn sender_of_ours(head: &Parts) -> Result<Identity, ApiError> {
    let sender = Identity::of(&head.headers).filter(|sender| sender.digest == Some(DIGEST_VERSION));
    sender.ok_or(ApiError::NotFound)
}
