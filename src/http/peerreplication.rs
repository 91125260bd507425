//! The receiving side of replication.

use std::collections::HashSet;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};

use crate::codec::{Format, ReadError, json, xml};
use crate::model::{ReplicationAction, ReplicationItem, ReplicationOutcome};
use crate::registry::{Origin, Renewal};

use super::Api;
use super::apps::{Read, read_body};
use super::error::ApiError;
use super::negotiation::negotiate;
use super::respond;

/// Items between two turns of other requests on the same worker: some 0.1 ms of work.
const ITEMS_A_TURN: usize = 100;

/// `POST peerreplication/batch/`: each item in order, each with its own result; a failing item never
/// fails the batch. Java answers 200 to a registration that it refused; here it is 400.
pub(super) async fn batch(State(api): State<Api>, headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    let read = read_body(&api, &headers, body, |format, bytes, limits| match format {
        Format::Json => json::read_batch(bytes, limits),
        // XStream may name no type of a batch, so Java cannot read one either.
        Format::Xml => Err(ReadError::Syntax("a batch must be JSON".into())),
    });
    let Read { content: items, room: _room, .. } = read.await?;
    let outcomes = take_all(&api, items).await;
    let negotiated = negotiate(&headers)?;
    let bytes = match negotiated.format {
        Format::Json => json::write_outcomes(&outcomes),
        Format::Xml => xml::write_outcomes(&outcomes),
    };
    Ok(respond::document(negotiated.content_type, bytes))
}

/// The newer copy of an instance comes with the first of its 409s alone, which is all that a peer needs:
/// without that, a small batch could ask for the same large instance a thousand times.
async fn take_all(api: &Api, items: Vec<Result<ReplicationItem, ReadError>>) -> Vec<ReplicationOutcome> {
    let mut outcomes = Vec::with_capacity(items.len());
    let mut shown = HashSet::new();
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 && at % ITEMS_A_TURN == 0 {
            tokio::task::yield_now().await;
        }
        let mut outcome = take(api, item);
        outcome.entity.take_if(|(newer, _)| !shown.insert((newer.app.clone(), newer.id.clone())));
        outcomes.push(outcome);
    }
    outcomes
}

fn take(api: &Api, item: Result<ReplicationItem, ReadError>) -> ReplicationOutcome {
    match item {
        Ok(item) => apply(api, item),
        Err(error) => refuse(api, &format!("cannot be read: {error}")),
    }
}

fn apply(api: &Api, item: ReplicationItem) -> ReplicationOutcome {
    let ReplicationItem { app, id, last_dirty, action } = item;
    let registry = &api.registry;
    let found = |found: bool| without_entity(if found { StatusCode::OK } else { StatusCode::NOT_FOUND });
    match action {
        ReplicationAction::Heartbeat { overridden_status } => {
            match registry.renew(app.as_str(), id.as_str(), last_dirty, overridden_status, Origin::Peer) {
                Renewal::Renewed => found(true),
                Renewal::RegisterAgain => found(false),
                Renewal::Newer(lease) => ReplicationOutcome {
                    status: StatusCode::CONFLICT.as_u16(),
                    entity: Some((lease.instance.clone(), lease.times())),
                },
            }
        }
        ReplicationAction::Register(registration) => match registration.accept(&app, api.clock.now().wall) {
            Ok(instance) => {
                registry.register(instance, Origin::Peer);
                found(true)
            }
            Err(refusal) => refuse(api, &format!("{app}({id}): {refusal}")),
        },
        ReplicationAction::Cancel => found(registry.cancel(&app, &id, Origin::Peer)),
        ReplicationAction::StatusUpdate(status) => {
            found(registry.set_status(app.as_str(), id.as_str(), status, last_dirty, Origin::Peer))
        }
        ReplicationAction::DeleteStatusOverride(status) => {
            found(registry.remove_status(app.as_str(), id.as_str(), status, last_dirty, Origin::Peer))
        }
    }
}

fn refuse(api: &Api, refusal: &str) -> ReplicationOutcome {
    if api.refused.is_news(refusal, api.clock.mono()) {
        tracing::warn!(refusal, "an item of a peer was refused, the same is told again after an hour");
    }
    without_entity(StatusCode::BAD_REQUEST)
}

fn without_entity(status: StatusCode) -> ReplicationOutcome {
    ReplicationOutcome { status: status.as_u16(), entity: None }
}
