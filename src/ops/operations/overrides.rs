//! All statuses that were set from outside, and an end to them (Java shows them by instance id alone, and no reasons).

use axum::extract::State;
use axum::response::Response;
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::access::Visitor;
use crate::blocking::off_the_workers;
use crate::model::Selection;
use crate::ops::Context;
use crate::ops::walks::Busy;

use super::error::OperationError;
use super::request::{self, Body};
use super::resume::Lifting;
use super::selection::Select;
use super::shown;

/// `GET overrides`.
pub(super) async fn all(State(context): State<Context>) -> Result<Response, Busy> {
    let walks = context.walks.clone();
    let answer = walks.list(move || {
        let leases = context.registry.select(&Selection::default());
        let shown = leases.iter().filter_map(|lease| {
            let mut shown = shown::override_of(lease)?;
            shown["app"] = lease.instance.app.as_str().into();
            shown["instance"] = lease.instance.id.as_str().into();
            Some(shown)
        });
        shown::list(&context.walks, &json!({"overrides": shown.collect::<Vec<_>>()}))
    });
    answer.await?
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Request {
    select: Option<Select>,
    #[serde(default)]
    all: bool,
    reason: Option<String>,
    #[serde(default)]
    dry_run: bool,
}

/// `POST overrides/clear`: of those that are meant, or of all.
pub(super) async fn clear(
    State(context): State<Context>,
    Extension(visitor): Extension<Visitor>,
    body: Body,
) -> Result<Json<Value>, OperationError> {
    let Request { select, all, reason, dry_run } = request::read(body)?;
    let lifting = Lifting { reason: request::reason(reason)?, dry_run };
    match (select, all) {
        (Some(select), false) => {
            let selection = select.selection()?;
            off_the_workers(move || lifting.lift(&context, &visitor, &selection)).await.map(Json)
        }
        (None, true) if !visitor.may_change_all() => {
            Err(OperationError::NotAllowed("all: this login may not change all applications".to_owned()))
        }
        (None, true) => Ok(Json(off_the_workers(move || lifting.lift_all(&context, &visitor)).await)),
        _ => Err(OperationError::Wrong("select, all: one of them must be there, and not both".to_owned())),
    }
}
