//! Why an instance is still there, what self-preservation does, and how the peers are.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};

use crate::model::{AppName, InstanceId, InstanceStatus};
use crate::ops::Context;
use crate::ops::walks::Busy;
use crate::peers::{PeerReport, PeerState};
use crate::registry::{Explanation, PreservationReport};

use super::error::OperationError;
use super::shown;

/// `GET explain/{app}/{instance}`.
pub(super) async fn explain(
    State(context): State<Context>,
    Path((app, id)): Path<(String, String)>,
) -> Result<Json<Value>, OperationError> {
    let (app, id) = (AppName::new(&app), InstanceId::new(id));
    let missing = OperationError::NotFound(format!("{app} has no instance {id}"));
    let walks = context.walks.clone();
    let explained = walks.list(move || {
        let explanation = context.registry.explain(&app, &id)?;
        let instance = shown::instance(&context.registry, &explanation.lease);
        Some(explained(&explanation, instance))
    });
    explained.await?.map(Json).ok_or(missing)
}

fn explained(explanation: &Explanation, mut shown: Value) -> Value {
    let keeps = explanation.preservation.state.keeps();
    for (name, value) in [
        ("sentence", json!(explanation.sentence())),
        ("registered", json!(explanation.lease.times().registration)),
        ("silentFor", millis(explanation.silent_for)),
        ("lasts", millis(explanation.lasts)),
        ("silent", json!(explanation.is_silent)),
        ("lapsed", json!(explanation.is_lapsed)),
        ("mayExpire", json!(!keeps)),
        ("ownStatus", json!(explanation.lease.background.own.map(InstanceStatus::as_str))),
        ("preservation", preserved(&explanation.preservation)),
        ("history", explanation.history.iter().map(shown::change).collect()),
    ] {
        shown[name] = value;
    }
    shown
}

/// `GET preservation`.
pub(super) async fn preservation(State(context): State<Context>) -> Result<Json<Value>, Busy> {
    let walks = context.walks.clone();
    walks.figures(move || preserved(&context.registry.preservation())).await.map(Json)
}

fn preserved(report: &PreservationReport) -> Value {
    let apps =
        report.apps.iter().map(|app| json!({"app": app.app.as_str(), "leases": app.leases, "silent": app.silent}));
    json!({
        "state": report.state.as_str(),
        "keeps": report.state.keeps(),
        "sentence": report.sentence(),
        "leases": report.leases,
        "silent": report.silent,
        "lapsed": report.lapsed,
        "unconfirmed": report.unconfirmed,
        "renewals": report.renewals,
        "expected": report.expected,
        "threshold": report.threshold,
        "expiryEnabled": report.expiry_enabled,
        "acceptedIn": report.accepted_in.map(millis),
        "apps": apps.collect::<Vec<_>>(),
    })
}

/// `GET peers`.
pub(super) async fn peers(State(context): State<Context>) -> Json<Value> {
    let reports = context.peers.reports();
    Json(json!({"peers": reports.iter().map(peer).collect::<Vec<_>>()}))
}

/// Times are milliseconds ago, or for which something has been waiting.
fn peer(report: &PeerReport) -> Value {
    let state = match report.state {
        PeerState::Unknown => "unknown",
        PeerState::Up => "up",
        PeerState::Down { .. } => "down",
    };
    let failure = report.last_failure.as_ref();
    let tally = report.tally;
    json!({
        "url": report.url.to_string(),
        "state": state,
        "node": report.identity.map(|identity| identity.node.to_string()),
        "open": report.identity.map(|identity| identity.open),
        "lastSuccess": report.last_success.map(millis),
        "lastFailure": failure.map(|(ago, failure)| json!({"ago": millis(*ago), "error": failure.to_string()})),
        "lastHeard": report.last_heard.map(millis),
        "silent": report.is_silent,
        "lag": millis(report.lag),
        "queue": report.queue,
        "delivered": tally.delivered,
        "expired": tally.expired,
        "overflowed": tally.overflowed,
        "refused": tally.refused,
        "conflicts": tally.conflicts,
        "exchanges": tally.exchanges,
        "failures": tally.failures,
        "compared": report.compared.map(|(ago, compared)| {
            json!({"ago": millis(ago), "found": compared.found, "mended": compared.mended})
        }),
    })
}

fn millis(time: Duration) -> Value {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).into()
}
