//! Out of traffic: a status for all instances that are meant, with a reason, and an end if it has one.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::{Extension, Json};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::access::Visitor;
use crate::blocking::off_the_workers;
use crate::model::{InstanceStatus, OverrideNote, Selection, WallMillis};
use crate::ops::Context;
use crate::registry::Lease;

use super::error::OperationError;
use super::memory::Operation;
use super::request::{self, Body};
use super::selection::{Select, named_status};
use super::shown;

/// How long clients go on with what they fetched last, unless they are set otherwise
/// (`eureka.client.registry-fetch-interval-seconds`).
const CLIENTS_FETCH: Duration = Duration::from_secs(30);
/// How long their load balancers go on with what the client had (`spring.cloud.loadbalancer.cache.ttl`; Ribbon: 30 s).
const CLIENTS_BALANCE: Duration = Duration::from_secs(35);

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Request {
    select: Select,
    status: Option<String>,
    reason: Option<String>,
    owner: Option<String>,
    #[serde(rename = "for")]
    span: Option<String>,
    until: Option<String>,
    #[serde(default)]
    dry_run: bool,
}

/// What is to be done.
struct Drain {
    selection: Selection,
    status: InstanceStatus,
    note: OverrideNote,
    dry_run: bool,
}

/// `POST drain`.
pub(super) async fn drain(
    State(context): State<Context>,
    Extension(visitor): Extension<Visitor>,
    body: Body,
) -> Result<Json<Value>, OperationError> {
    let drain = read(request::read(body)?, &visitor, context.clock.now().wall)?;
    off_the_workers(move || done(&context, &visitor, drain)).await.map(Json)
}

fn read(request: Request, visitor: &Visitor, now: WallMillis) -> Result<Drain, OperationError> {
    let Request { select, status, reason, owner, span, until, dry_run } = request;
    let status = status.map_or(Ok(InstanceStatus::OutOfService), |status| named_status("status", &status))?;
    if status == InstanceStatus::Unknown {
        return Err(OperationError::Wrong("status: UNKNOWN cannot be set, resume takes a status back".to_owned()));
    }
    // Nobody signs with another one's name.
    let owner = match (visitor.name(), owner) {
        (Some(name), Some(owner)) if owner != name && !owner.is_empty() => Some(format!("{name} for {owner}")),
        (Some(name), _) => Some(name.to_owned()),
        (None, owner) => owner,
    };
    let note = OverrideNote {
        reason: request::reason(reason)?.into(),
        owner: request::text("owner", owner, OverrideNote::LONGEST_OWNER)?.into(),
        since: now,
        until: request::end(span, until, now)?,
    };
    Ok(Drain { selection: select.selection()?, status, note, dry_run })
}

fn done(context: &Context, visitor: &Visitor, drain: Drain) -> Result<Value, OperationError> {
    let Drain { selection, status, note, dry_run } = drain;
    let leases = context.registry.select(&selection);
    request::check(visitor, leases.iter().map(|lease| &**lease))?;
    let note = Arc::new(note);
    let (mut changed, mut unchanged, mut instances) = (Vec::new(), Vec::new(), Vec::new());
    for lease in &leases {
        let objection = |lease: &Lease| objection(lease, status, &note);
        if dry_run {
            match objection(lease) {
                Some(why) => unchanged.push(shown::unchanged(lease, why)),
                None => changed.push(shown::changed(lease, lease.instance.status, Some(status))),
            }
            continue;
        }
        let (app, id) = (&lease.instance.app, &lease.instance.id);
        match context.registry.set_override(app, id, status, Arc::clone(&note), objection) {
            Some(Ok((former, change))) => {
                changed.push(shown::changed(lease, change.before, Some(change.after)));
                instances.push((app.clone(), id.clone(), former));
            }
            Some(Err(why)) => unchanged.push(shown::unchanged(lease, why)),
            None => unchanged.push(shown::unchanged(lease, "it has left meanwhile")),
        }
    }
    let operation = (!instances.is_empty()).then(|| format!("{:016x}", rand::random::<u64>()));
    if let Some(id) = &operation {
        let user = visitor.name().unwrap_or("-");
        tracing::info!(
            user, operation = id, %status, changed = changed.len(), unchanged = unchanged.len(),
            reason = %note.reason, "instances were given a status from outside"
        );
        let (id, at, undone) = (id.clone(), note.since, Mutex::new(false));
        context.operations.put(Operation { id, at, status, note: Arc::clone(&note), instances, undone });
    }
    Ok(json!({
        "operation": operation,
        "dryRun": dry_run,
        "status": status.as_str(),
        "until": note.until,
        "visibleToAllBy": visible_by(context, note.since),
        "changed": changed,
        "unchanged": unchanged,
    }))
}

/// Why an instance stays as it is: the status stands, and nothing else is said of it; or another one is there for
/// longer, which would end with this one.
fn objection(lease: &Lease, status: InstanceStatus, note: &OverrideNote) -> Option<&'static str> {
    let held_status = lease.override_status?;
    let held = lease.background.note.as_deref();
    let held_until = held.and_then(|held| held.until);
    let is_said = held.is_some_and(|held| (&held.reason, &held.owner) == (&note.reason, &note.owner));
    let is_same = held_until == note.until && (note.reason.is_empty() || is_said);
    if held_status == status && lease.instance.status == status && is_same {
        return Some("it has this status already");
    }
    let until = note.until?;
    match held_until {
        None => Some("a status without an end is set already; resume it first"),
        Some(held) if held > until => Some("a status that ends later is set already; resume it first"),
        Some(_) => None,
    }
}

/// When no client with usual settings still goes by what was before.
fn visible_by(context: &Context, now: WallMillis) -> WallMillis {
    let copy = context.settings.borrow().catalog.read_only_copy.unwrap_or_default();
    let delay = CLIENTS_FETCH + CLIENTS_BALANCE + copy;
    now.saturating_add_unsigned(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX))
}

/// `GET drains`: newest first.
pub(super) async fn all(State(context): State<Context>) -> Json<Value> {
    let (operations, forgotten) = context.operations.all();
    let shown = |operation: &Arc<Operation>| {
        json!({
            "operation": operation.id,
            "at": operation.at,
            "status": operation.status.as_str(),
            "reason": &*operation.note.reason,
            "owner": &*operation.note.owner,
            "until": operation.note.until,
            "instances": operation.instances.len(),
            "undone": *operation.undone.lock(),
        })
    };
    Json(json!({"drains": operations.iter().map(shown).collect::<Vec<_>>(), "forgotten": forgotten}))
}
