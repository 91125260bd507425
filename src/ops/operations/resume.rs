//! Back into traffic: overrides are taken back, or what an operation did is undone.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::access::Visitor;
use crate::blocking::off_the_workers;
use crate::codec::quoted;
use crate::model::{InstanceId, Selection};
use crate::ops::Context;
use crate::registry::{Former, Lease};

use super::error::OperationError;
use super::memory::Operation;
use super::request::{self, Body};
use super::selection::Select;
use super::shown;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Request {
    select: Option<Select>,
    operation: Option<String>,
    reason: Option<String>,
    #[serde(default)]
    dry_run: bool,
}

/// `POST resume`.
pub(super) async fn resume(
    State(context): State<Context>,
    Extension(visitor): Extension<Visitor>,
    body: Body,
) -> Result<Json<Value>, OperationError> {
    let Request { select, operation, reason, dry_run } = request::read(body)?;
    let lifting = Lifting { reason: request::reason(reason)?, dry_run };
    match (select, operation) {
        (Some(select), None) => {
            let selection = select.selection()?;
            off_the_workers(move || lifting.lift(&context, &visitor, &selection)).await.map(Json)
        }
        (None, Some(id)) => {
            let operation = context.operations.get(&id).ok_or_else(|| {
                let id = quoted(&id);
                let problem = format!("operation: no {id} is remembered on this node; resume by select");
                OperationError::NotFound(problem)
            })?;
            off_the_workers(move || lifting.undo(&context, &visitor, &operation)).await.map(Json)
        }
        _ => Err(OperationError::Wrong("select, operation: one of them must be there, and not both".to_owned())),
    }
}

/// How overrides are taken back.
pub(super) struct Lifting {
    pub(super) reason: String,
    pub(super) dry_run: bool,
}

impl Lifting {
    /// Takes back the overrides of those that are meant.
    pub(super) fn lift(
        &self,
        context: &Context,
        visitor: &Visitor,
        selection: &Selection,
    ) -> Result<Value, OperationError> {
        let leases = context.registry.select(selection);
        request::check(visitor, leases.iter().map(|lease| &**lease))?;
        Ok(self.lift_of(context, visitor, &leases))
    }

    /// Takes back all there are, of a visitor who may; tells only of instances that have one.
    pub(super) fn lift_all(&self, context: &Context, visitor: &Visitor) -> Value {
        let mut leases = context.registry.select(&Selection::default());
        leases.retain(|lease| lease.override_status.is_some());
        self.lift_of(context, visitor, &leases)
    }

    fn lift_of(&self, context: &Context, visitor: &Visitor, leases: &[Arc<Lease>]) -> Value {
        let each = leases.iter().map(|lease| (lease, None));
        self.lift_each(context, visitor, None, each, |lease| lease.override_status.is_some())
    }

    /// Puts back what was before, where what the operation did is still there.
    fn undo(&self, context: &Context, visitor: &Visitor, operation: &Operation) -> Result<Value, OperationError> {
        let apps: BTreeSet<_> = operation.instances.iter().map(|(app, ..)| app.clone()).collect();
        if let Some(app) = apps.iter().find(|app| !visitor.may_change(app)) {
            return Err(OperationError::NotAllowed(format!("operation: this login may not change {app}")));
        }
        {
            let mut undone = operation.undone.lock();
            if *undone {
                return Err(OperationError::Conflict("operation: it was undone before".to_owned()));
            }
            *undone = !self.dry_run;
        }
        let held: Vec<_> = operation
            .instances
            .iter()
            .filter_map(|(app, id, former): &(_, InstanceId, _)| {
                context.registry.held(app, id).map(|lease| (lease, former))
            })
            .collect();
        let each = held.iter().map(|(lease, former)| (lease, Some(*former)));
        let is_its_own = |lease: &Lease| lease.background.note.as_ref() == Some(&operation.note);
        let answer = self.lift_each(context, visitor, Some(&operation.id), each, is_its_own);
        if !self.dry_run && answer["changed"] == json!([]) {
            // Another drain may hide it; once that is undone there is something to do.
            *operation.undone.lock() = false;
        }
        Ok(answer)
    }

    fn lift_each<'a>(
        &self,
        context: &Context,
        visitor: &Visitor,
        operation: Option<&str>,
        each: impl Iterator<Item = (&'a Arc<Lease>, Option<&'a Former>)>,
        is_meant: impl Fn(&Lease) -> bool,
    ) -> Value {
        let why = if operation.is_some() { "another status was set since, or none" } else { "no status is set" };
        let (mut changed, mut unchanged) = (Vec::new(), Vec::new());
        for (lease, former) in each {
            let (app, id) = (&lease.instance.app, &lease.instance.id);
            // Writers wait for nothing where there is nothing to do.
            let change = if self.dry_run || !is_meant(lease) {
                is_meant(lease).then(|| context.registry.after_override(lease, former))
            } else {
                context.registry.lift_override(app, id, former, &is_meant)
            };
            match change {
                Some(change) => changed.push(shown::changed(lease, change.before, Some(change.after))),
                None => unchanged.push(shown::unchanged(lease, why)),
            }
        }
        if !self.dry_run {
            let (user, reason) = (visitor.name().unwrap_or("-"), &*self.reason);
            tracing::info!(
                user,
                operation = operation.unwrap_or("-"),
                changed = changed.len(),
                unchanged = unchanged.len(),
                reason,
                "statuses of instances that were set from outside were taken back"
            );
        }
        json!({"operation": operation, "dryRun": self.dry_run, "changed": changed, "unchanged": unchanged})
    }
}
