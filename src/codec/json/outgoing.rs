//! Replication batches sent: what this server tells a peer, and what the peer answers.
//!
//! The request is Java's bytes, but for one more key that only nodes of our own are sent. The answer is taken as a whole or not at all, since a result is matched with
//! its item by place alone; Java too ignores one of another length.

use super::batch::{INSTANCE_INFO, OVERRIDE_SET, unwrapped};
use super::emit::{Members, Supplementary, object};
use super::member::{Under as _, whole, wrong};
use super::tree::{self, Tree};
use super::write;
use crate::codec::wanted::{SCALAR, Wanted};
use crate::codec::{Limits, ReadError};
use crate::model::{InstanceStatus, OutgoingAction, OutgoingItem, PeerAnswer};

static ANSWER: Wanted =
    Wanted { member: |name| (name == "responseList").then_some(&RESULTS), items: None, gaps: false };
static RESULTS: Wanted = Wanted { member: |_| None, items: Some(&RESULT), gaps: false };
static RESULT: Wanted = Wanted {
    member: |name| match name {
        "statusCode" => Some(&SCALAR),
        "responseEntity" => Some(&INSTANCE_INFO),
        _ => None,
    },
    items: None,
    gaps: false,
};

/// Writes the body of `POST /peerreplication/batch/` (`ReplicationList`).
pub fn write_batch(items: &[OutgoingItem]) -> Vec<u8> {
    let mut out = Vec::new();
    object(&mut out, Supplementary::Escaped, |root| {
        root.list("replicationList", items, |out, each| {
            object(out, Supplementary::Escaped, |members| item(members, each));
        });
    });
    out
}

fn item(members: &mut Members<'_>, item: &OutgoingItem) {
    members.text("appName", item.app.as_str());
    members.text("id", item.id.as_str());
    if let Some(millis) = item.last_dirty {
        members.number("lastDirtyTimestamp", millis);
    }
    if let OutgoingAction::Heartbeat { overridden_status } = &item.action {
        members.optional("overriddenStatus", overridden_status.map(InstanceStatus::as_str));
    }
    members.optional("status", item.status.map(InstanceStatus::as_str));
    if let OutgoingAction::Register { instance, times } = &item.action {
        write::instance(members.value("instanceInfo"), instance, *times, Supplementary::Escaped);
    }
    let action = match &item.action {
        OutgoingAction::Heartbeat { .. } => "Heartbeat",
        OutgoingAction::Register { .. } => "Register",
        OutgoingAction::Cancel => "Cancel",
        OutgoingAction::StatusUpdate => "StatusUpdate",
        OutgoingAction::DeleteStatusOverride => "DeleteStatusOverride",
    };
    members.text("action", action);
    if let Some(millis) = item.override_set {
        members.number(OVERRIDE_SET, millis);
    }
}

/// Reads what a peer answered to a batch of that many items (`ReplicationListResponse`). Of an instance
/// that cannot be read the code alone is taken.
pub fn read_outcomes(body: &[u8], limits: &Limits, expected: usize) -> Result<Vec<PeerAnswer>, ReadError> {
    let results = |tree: Tree<'_>| match tree.get("responseList") {
        Some(Tree::List(results)) if results.len() != expected => {
            Err(wrong(format!("{} results for {expected} items", results.len()))).under("responseList")
        }
        Some(Tree::List(results)) => results
            .iter()
            .enumerate()
            .map(|(at, value)| result(value, limits).under(format_args!("responseList[{at}]")))
            .collect(),
        _ => Err(wrong(r#"must be {"responseList": […]}"#)).under("body"),
    };
    tree::read(body, limits, &ANSWER, results).map_err(ReadError::of_answer)
}

fn result(value: &Tree<'_>, limits: &Limits) -> Result<PeerAnswer, ReadError> {
    let code = value.get("statusCode").map_or(Ok(None), whole).under("statusCode")?;
    let status = code.ok_or_else(|| wrong("must be the status of an answer")).under("statusCode")?;
    let entity = value.get("responseEntity").and_then(|entity| unwrapped(entity, limits).ok());
    Ok(PeerAnswer { status, entity: entity.map(Box::new) })
}

#[cfg(test)]
mod tests;
