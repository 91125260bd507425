//! Replication batches received: what peers send, item by item, and what they are answered.
//!
//! One broken item never fails the others: it is an error in its place. Java refuses the whole
//! batch for a mere unknown key, and answers a wrapped instance with two results for one item.

use std::borrow::Cow;
use std::sync::Arc;

use super::emit::{Supplementary, object};
use super::member::{Under as _, over, quoted, text, whole, wrong};
use super::tree::{Object, Parser, Tree, walk_prefix};
use super::{read, write};
use crate::codec::document::ENOUGH_ENTITIES;
use crate::codec::wanted::{INSTANCE, SCALAR, Wanted};
use crate::codec::{Limits, ReadError, lengths};
use crate::model::{
    AppName, InstanceId, InstanceStatus, OverrideBackground, OverrideNote, Registration, ReplicationAction,
    ReplicationItem, ReplicationOutcome, Text, WallMillis,
};

static ITEM: Wanted = Wanted {
    member: |name| match name {
        "appName" | "id" | "lastDirtyTimestamp" | OVERRIDE_SET | "action" | "overriddenStatus" | "status" => {
            Some(&SCALAR)
        }
        "instanceInfo" => Some(&INSTANCE_INFO),
        OVERRIDE_NOTE => Some(&NOTE),
        _ => None,
    },
    items: None,
    gaps: false,
};
static NOTE: Wanted = Wanted {
    member: |name| matches!(name, "own" | "reason" | "owner" | "since" | "until").then_some(&SCALAR),
    items: None,
    gaps: false,
};
/// When the sender's override was set or taken back: a key that Java does not know.
pub(super) const OVERRIDE_SET: &str = "overrideSet";
/// What is behind the sender's override: another one.
pub(super) const OVERRIDE_NOTE: &str = "overrideNote";
/// An instance, or one that is wrapped as in a registration.
pub(super) static INSTANCE_INFO: Wanted = Wanted {
    member: |name| if name == "instance" { Some(&INSTANCE) } else { (INSTANCE.member)(name) },
    items: None,
    gaps: true,
};

/// Reads the body of `POST /peerreplication/batch/` (`ReplicationList`). Fails only where there is
/// no list, or too long a one; each item's own error stands in its place, and [`Limits`] hold for each item.
pub fn read_batch(body: &[u8], limits: &Limits) -> Result<Vec<Result<ReplicationItem, ReadError>>, ReadError> {
    let mut list = None;
    walk_prefix(body, limits, |parser| {
        if parser.ahead() != Some(b'{') {
            return parser.skip();
        }
        parser.members(|parser, name| {
            match parser.ahead() {
                Some(b'[') if name == "replicationList" => list = Some(items(parser, limits)?),
                ahead => {
                    if name == "replicationList" && ahead != Some(b'n') {
                        list = None;
                    }
                    parser.skip()?;
                }
            }
            Ok(())
        })
    })?;
    list.ok_or_else(|| wrong(r#"must be {"replicationList": […]}"#)).under("body")
}

/// Each item is interpreted as soon as its last byte is reached, and its tree dropped.
fn items(parser: &mut Parser<'_>, limits: &Limits) -> Result<Vec<Result<ReplicationItem, ReadError>>, ReadError> {
    let mut items = Vec::new();
    parser.items(|parser| {
        let at = items.len();
        if at == limits.batch_items {
            return Err(over(format!("at most {at} items (eurekad.limits.batch-items)"))).under("replicationList");
        }
        let read = parser.apart(&ITEM)?.and_then(|tree| item(&tree, limits));
        items.push(read.under(format_args!("replicationList[{at}]")));
        Ok(())
    })?;
    Ok(items)
}

fn item(value: &Tree<'_>, limits: &Limits) -> Result<ReplicationItem, ReadError> {
    let Tree::Object(members) = value else {
        return Err(wrong("must be an object"));
    };
    Ok(ReplicationItem {
        app: AppName::new(&key(members, "appName", limits)?),
        id: InstanceId::new(&*key(members, "id", limits)?),
        last_dirty: timestamp(members, "lastDirtyTimestamp")?,
        override_set: timestamp(members, OVERRIDE_SET)?,
        background: background(members).under(OVERRIDE_NOTE)?,
        action: action(members, limits)?,
    })
}

fn key<'a>(members: &'a Object<'_>, name: &str, limits: &Limits) -> Result<Cow<'a, str>, ReadError> {
    let key = required(members, name)?;
    lengths::key(&key, limits).under(name)?;
    Ok(key)
}

fn required<'a>(members: &'a Object<'_>, name: &str) -> Result<Cow<'a, str>, ReadError> {
    optional(members, name)?.ok_or_else(|| wrong("missing")).under(name)
}

fn optional<'a>(members: &'a Object<'_>, name: &str) -> Result<Option<Cow<'a, str>>, ReadError> {
    members.get(name).map_or(Ok(None), text).under(name)
}

fn timestamp(members: &Object<'_>, name: &str) -> Result<Option<WallMillis>, ReadError> {
    match members.get(name) {
        None => Ok(None),
        Some(value) => match whole(value).under(name)? {
            Some(millis) => Ok(Some(millis)),
            None => Err(wrong("must be a time in milliseconds")).under(name),
        },
    }
}

fn background(members: &Object<'_>) -> Result<OverrideBackground, ReadError> {
    let Some(value) = members.get(OVERRIDE_NOTE) else { return Ok(OverrideBackground::default()) };
    let Tree::Object(members) = value else { return Err(wrong("must be an object")) };
    let own = status(members, "own")?;
    let Some(since) = timestamp(members, "since")? else { return Ok(OverrideBackground { own, note: None }) };
    let text = |name, most| {
        let text = optional(members, name)?.unwrap_or_default();
        if text.len() > most {
            return Err(over(format!("at most {most} bytes"))).under(name);
        }
        Ok(Text::from(text))
    };
    let note = OverrideNote {
        reason: text("reason", OverrideNote::LONGEST_REASON)?,
        owner: text("owner", OverrideNote::LONGEST_OWNER)?,
        since,
        until: timestamp(members, "until")?,
    };
    Ok(OverrideBackground { own, note: Some(Arc::new(note)) })
}

/// An action stands by its name, or by its place among the names.
fn action(members: &Object<'_>, limits: &Limits) -> Result<ReplicationAction, ReadError> {
    Ok(match &*required(members, "action")? {
        "Heartbeat" | "0" => ReplicationAction::Heartbeat { overridden_status: status(members, "overriddenStatus")? },
        "Register" | "1" => {
            let instance = match members.get("instanceInfo") {
                None => Err(wrong("missing; Register needs it")),
                Some(value) => unwrapped(value, limits),
            };
            ReplicationAction::Register(Box::new(instance.under("instanceInfo")?))
        }
        "Cancel" | "2" => ReplicationAction::Cancel,
        "StatusUpdate" | "3" => match status(members, "status")? {
            Some(status) => ReplicationAction::StatusUpdate(status),
            None => return Err(wrong("missing; StatusUpdate needs it")).under("status"),
        },
        "DeleteStatusOverride" | "4" => {
            let status = status(members, "status")?.unwrap_or(InstanceStatus::Unknown);
            ReplicationAction::DeleteStatusOverride(status)
        }
        other => {
            let names = "Heartbeat, Register, Cancel, StatusUpdate, DeleteStatusOverride";
            return Err(wrong(format!("{} is none of {names}", quoted(other)))).under("action");
        }
    })
}

/// Reads an instance; some senders wrap it as in a registration.
pub(super) fn unwrapped(value: &Tree<'_>, limits: &Limits) -> Result<Registration, ReadError> {
    let bare = value.get("app").is_some();
    read::instance(if bare { value } else { value.get("instance").unwrap_or(value) }, limits)
}

fn status(members: &Object<'_>, name: &str) -> Result<Option<InstanceStatus>, ReadError> {
    let Some(word) = optional(members, name)? else { return Ok(None) };
    let status = InstanceStatus::from_name(&word).map(Some);
    status.ok_or_else(|| wrong(format!("{} is none of {}", quoted(&word), InstanceStatus::names()))).under(name)
}

/// Writes the answer (`ReplicationListResponse`): one result an item, in order. Once it is longer than
/// `ENOUGH_ENTITIES`, further copies of instances are left out.
pub fn write_outcomes(outcomes: &[ReplicationOutcome]) -> Vec<u8> {
    let mut out = Vec::new();
    object(&mut out, Supplementary::Escaped, |root| {
        root.list("responseList", outcomes, |out, outcome| {
            object(out, Supplementary::Escaped, |members| {
                members.number("statusCode", outcome.status);
                if let Some((instance, times)) = outcome.entity.as_ref().filter(|_| members.written() < ENOUGH_ENTITIES)
                {
                    write::instance(members.value("responseEntity"), instance, *times, Supplementary::Escaped);
                }
            });
        });
    });
    out
}

#[cfg(test)]
mod tests;
