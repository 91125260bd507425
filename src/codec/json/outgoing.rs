//! Replication batches sent: what this server tells a peer, and what the peer answers.
//!
//! The request is Java's bytes, but for two more keys that only nodes of our own are sent. The answer is taken as a
//! whole or not at all, since a result is matched with its item by place alone; Java too ignores one of another
//! length.

use std::borrow::Cow;

use super::batch::{INSTANCE_INFO, OVERRIDE_NOTE, OVERRIDE_SET, unwrapped};
use super::emit::{Members, Supplementary, object};
use super::member::{Under as _, whole, wrong};
use super::tree::{self, Parser};
use super::write;
use crate::codec::wanted::SCALAR;
use crate::codec::{Limits, ReadError};
use crate::model::{InstanceStatus, OutgoingAction, OutgoingItem, OverrideBackground, PeerAnswer};

/// Bytes of a heartbeat, about.
const ITEM: usize = 200;

/// Writes the body of `POST /peerreplication/batch/` (`ReplicationList`).
pub fn write_batch(items: &[OutgoingItem]) -> Vec<u8> {
    let mut out = Vec::with_capacity(items.len() * ITEM + 32);
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
    if !item.background.is_empty() {
        let OverrideBackground { own, note } = &item.background;
        object(members.value(OVERRIDE_NOTE), Supplementary::Escaped, |members| {
            members.optional("own", own.map(InstanceStatus::as_str));
            if let Some(note) = note {
                members.text("reason", &note.reason);
                members.text("owner", &note.owner);
                members.number("since", note.since);
                if let Some(until) = note.until {
                    members.number("until", until);
                }
            }
        });
    }
}

/// Reads what a peer answered to a batch of that many items (`ReplicationListResponse`). Of an instance
/// that cannot be read the code alone is taken.
pub fn read_outcomes(body: &[u8], limits: &Limits, expected: usize) -> Result<Vec<PeerAnswer>, ReadError> {
    let mut outcomes = None;
    let root = |parser: &mut Parser<'_>| {
        if parser.ahead() != Some(b'{') {
            return parser.skip();
        }
        parser.members(|parser, name| {
            if name != "responseList" || parser.ahead() != Some(b'[') {
                return parser.skip();
            }
            let mut results = Vec::with_capacity(expected);
            let mut got = 0;
            parser.items(|parser| {
                got += 1;
                if got > expected {
                    return parser.skip();
                }
                results.push(result(parser, limits).under(format_args!("responseList[{}]", got - 1))?);
                Ok(())
            })?;
            if got != expected {
                return Err(wrong(format!("{got} results for {expected} items"))).under("responseList");
            }
            outcomes = Some(results);
            Ok(())
        })
    };
    tree::walk(body, limits, root).map_err(ReadError::of_answer)?;
    outcomes.ok_or_else(|| wrong(r#"must be {"responseList": […]}"#)).under("body")
}

/// One result, without a tree: nearly all are a number and nothing else.
fn result(parser: &mut Parser<'_>, limits: &Limits) -> Result<PeerAnswer, ReadError> {
    let (mut status, mut entity) = (None, None);
    let member = |parser: &mut Parser<'_>, name: Cow<'_, str>| match &*name {
        "statusCode" => {
            status = whole(&parser.value(&SCALAR)?).under("statusCode")?.or(status);
            Ok(())
        }
        "responseEntity" => {
            entity = parser.apart(&INSTANCE_INFO)?.and_then(|newer| unwrapped(&newer, limits)).ok();
            Ok(())
        }
        _ => parser.skip(),
    };
    if parser.ahead() == Some(b'{') { parser.members(member) } else { parser.skip() }?;
    let status = status.ok_or_else(|| wrong("must be the status of an answer")).under("statusCode")?;
    Ok(PeerAnswer { status, entity: entity.map(Box::new) })
}

#[cfg(test)]
mod tests;
