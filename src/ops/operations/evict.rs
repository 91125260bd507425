//! Ending leases by hand: those of some instances, or of all that are silent.

use axum::extract::State;
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::access::Visitor;
use crate::blocking::off_the_workers;
use crate::ops::Context;
use crate::registry::Origin;

use super::error::OperationError;
use super::request::{self, Body};
use super::selection::Select;
use super::shown;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Request {
    select: Select,
    reason: Option<String>,
    #[serde(default)]
    dry_run: bool,
}

/// `POST evict`: ends leases as if their clients had. Who lives registers again with its next heartbeat.
pub(super) async fn evict(
    State(context): State<Context>,
    Extension(visitor): Extension<Visitor>,
    body: Body,
) -> Result<Json<Value>, OperationError> {
    let Request { select, reason, dry_run } = request::read(body)?;
    let (selection, reason) = (select.selection()?, request::reason(reason)?);
    let evicted = off_the_workers(move || {
        let leases = context.registry.select(&selection);
        request::check(&visitor, leases.iter().map(|lease| &**lease))?;
        let (mut changed, mut unchanged) = (Vec::new(), Vec::new());
        for lease in &leases {
            let (app, id) = (&lease.instance.app, &lease.instance.id);
            if dry_run || context.registry.cancel(app, id, Origin::Operator) {
                changed.push(shown::changed(lease, lease.instance.status, None));
            } else {
                unchanged.push(shown::unchanged(lease, "it has left meanwhile"));
            }
        }
        if !dry_run {
            let user = visitor.name().unwrap_or("-");
            tracing::info!(user, changed = changed.len(), reason, "leases were ended by an operator");
        }
        Ok(json!({"dryRun": dry_run, "changed": changed, "unchanged": unchanged}))
    });
    evicted.await.map(Json)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Acceptance {
    reason: Option<String>,
}

/// `POST accept`: whoever is silent now is taken for lost, whatever self-preservation says; their leases end.
pub(super) async fn accept(
    State(context): State<Context>,
    Extension(visitor): Extension<Visitor>,
    body: Body,
) -> Result<Json<Value>, OperationError> {
    let Acceptance { reason } = request::read(body)?;
    let reason = request::reason(reason)?;
    if !visitor.may_change_all() {
        return Err(OperationError::NotAllowed("this login may not change all applications".to_owned()));
    }
    let accepted = off_the_workers(move || context.registry.accept_losses()).await;
    let user = visitor.name().unwrap_or("-");
    tracing::info!(user, silent = accepted, reason, "the loss of silent instances was accepted by an operator");
    Ok(Json(json!({"accepted": accepted})))
}
