//! What clients need from the answer to each of their requests, all clients' needs at once.
//!
//! | call | needed |
//! | --- | --- |
//! | register | exactly 204: eureka-js-client's heartbeats begin only then; 400 for objects within metadata, as from Java |
//! | heartbeat | 200; 404 for an unknown instance or newer data at the client, then without a body, or Java's clients never come back |
//! | cancel, status, metadata | 200; 404 for an unknown instance |
//! | read | 200 with a document in the type that `Accept` asks for: JSON if it says "json", else XML |
//! | any empty success | the type that `Accept` asks for, too: wasp-eureka refuses one without |
//! | other prefixes | 404: rust-eureka tries four in turn |

use std::collections::BTreeMap;

use serde_json::Value;

use super::exchange::{Answer, Ask};
use super::{strict_json, strict_xml, xml_form};

/// What a request is for. Ids and names are decoded, app names in upper case.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Register {
        app: String,
    },
    Heartbeat(Key),
    Cancel(Key),
    SetStatus(Key),
    RemoveStatus(Key),
    Metadata(Key),
    Applications,
    Delta,
    Application {
        app: String,
    },
    Instance(Key),
    InstanceById {
        id: String,
    },
    Vip,
    /// Not below the server's own prefixes.
    Elsewhere,
}

/// App name and instance id.
type Key = (String, String);

impl Call {
    /// What this request asks for.
    pub(crate) fn of(ask: &Ask) -> Self {
        let path = ask.target.split('?').next().unwrap_or_default();
        let Some(below) = path.strip_prefix("/eureka/v2/").or_else(|| path.strip_prefix("/eureka/")) else {
            return Self::Elsewhere;
        };
        let parts: Vec<String> = below.split('/').filter(|part| !part.is_empty()).map(decoded).collect();
        let key = |app: &str, id: &str| (app.to_uppercase(), id.to_owned());
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match (ask.method.as_str(), parts.as_slice()) {
            ("GET", ["apps"]) => Self::Applications,
            ("GET", ["apps", "delta"]) => Self::Delta,
            ("GET", ["apps", app]) => Self::Application { app: app.to_uppercase() },
            ("GET", ["apps", app, id]) => Self::Instance(key(app, id)),
            ("GET", ["instances", id]) => Self::InstanceById { id: (*id).to_owned() },
            ("GET", ["vips" | "svips", _]) => Self::Vip,
            ("POST", ["apps", app]) => Self::Register { app: app.to_uppercase() },
            ("PUT", ["apps", app, id]) => Self::Heartbeat(key(app, id)),
            ("DELETE", ["apps", app, id]) => Self::Cancel(key(app, id)),
            ("PUT", ["apps", app, id, "status"]) => Self::SetStatus(key(app, id)),
            ("DELETE", ["apps", app, id, "status"]) => Self::RemoveStatus(key(app, id)),
            ("PUT", ["apps", app, id, "metadata"]) => Self::Metadata(key(app, id)),
            _ => panic!("a client asks for {}", ask.line()),
        }
    }

    /// Whether a delta has to be another one after this call succeeded.
    pub(crate) fn changes(&self) -> bool {
        matches!(self, Self::Register { .. } | Self::Cancel(_) | Self::SetStatus(_) | Self::Metadata(_))
    }
}

/// What a server that answered these calls well has registered: each instance's `lastDirtyTimestamp`.
#[derive(Default)]
pub(crate) struct Registered(BTreeMap<Key, i64>);

impl Registered {
    /// The status that the client needs for this call. Counts the call as done.
    pub(crate) fn needed_status(&mut self, call: &Call, ask: &Ask, now: i64) -> u16 {
        let given = query(ask, "lastDirtyTimestamp").and_then(|time| time.parse::<i64>().ok());
        let is_known = match call {
            Call::Register { .. } if has_nested_metadata(ask) => return 400,
            Call::Register { app } => {
                let (id, dirty) = identity(ask);
                let stored = self.0.entry((app.clone(), id)).or_insert(i64::MIN);
                *stored = (*stored).max(dirty.unwrap_or(now));
                return 204;
            }
            Call::Heartbeat(key) => self.0.get(key).is_some_and(|stored| given.is_none_or(|given| given <= *stored)),
            Call::Cancel(key) => self.0.remove(key).is_some(),
            Call::SetStatus(key) | Call::RemoveStatus(key) => {
                self.0.get_mut(key).map(|stored| *stored = (*stored).max(given.unwrap_or(i64::MIN))).is_some()
            }
            Call::Metadata(key) | Call::Instance(key) => self.0.contains_key(key),
            Call::Application { app } => self.0.keys().any(|(known, _)| known == app),
            Call::InstanceById { id } => self.0.keys().any(|(_, known)| known == id),
            Call::Applications | Call::Delta | Call::Vip => true,
            Call::Elsewhere => false,
        };
        if is_known { 200 } else { 404 }
    }
}

/// What is wrong with an answer for the client, in words.
pub(crate) fn objections(call: &Call, ask: &Ask, answer: &Answer, needed_status: u16) -> Vec<String> {
    let mut objections = Vec::new();
    if answer.status != needed_status {
        objections.push(format!("status {}, needed {needed_status}", answer.status));
        return objections;
    }
    let media_type = answer.header("content-type").map(|value| value.split(';').next().unwrap_or_default().trim());
    let asked_type = asked_type(ask);
    if answer.status == 400 {
        return objections;
    }
    if answer.status == 404 {
        if !answer.body.is_empty() || media_type.is_some() {
            objections.push(format!("a 404 with a body or a type: {:?} {media_type:?}", answer.text()));
        }
        return objections;
    }
    if media_type != Some(asked_type) {
        objections.push(format!("type {media_type:?}, needed {asked_type}"));
    }
    let wants_gzip = ask.header("accept-encoding").is_some_and(|codings| codings.contains("gzip"));
    let is_gzip = answer.header("content-encoding") == Some("gzip");
    if is_gzip && !wants_gzip {
        objections.push("compressed without being asked".to_owned());
    }
    if matches!(call, Call::Applications | Call::Delta) && wants_gzip && !is_gzip {
        objections.push("not compressed".to_owned());
    }
    if ask.method == "GET" {
        objections.extend(document_objections(call, ask, answer, asked_type));
    } else if !answer.body.is_empty() {
        objections.push(format!("a body: {:?}", answer.text()));
    }
    objections
}

fn asked_type(ask: &Ask) -> &'static str {
    let says_json = ask.header("accept").is_some_and(|accept| accept.contains("json"));
    if says_json { "application/json" } else { "application/xml" }
}

fn document_objections(call: &Call, ask: &Ask, answer: &Answer, asked_type: &str) -> Vec<String> {
    let compact = ask.header("x-eureka-accept") == Some("compact");
    if asked_type == "application/json" {
        let document: Value = match serde_json::from_slice(&answer.body) {
            Ok(document) => document,
            Err(error) => return vec![format!("BAD JSON {error}: {:?}", answer.text())],
        };
        return match call {
            Call::Application { .. } => strict_json::application(&document, compact),
            Call::Instance(_) | Call::InstanceById { .. } => strict_json::instance(&document),
            _ => strict_json::applications(&document, compact, *call != Call::Delta),
        };
    }
    assert!(!compact, "no captured client reads compact XML");
    match xml_form::parse(&answer.text()) {
        Err(error) => vec![format!("BAD XML {error}: {:?}", answer.text())],
        Ok(root) => match call {
            Call::Application { .. } => strict_xml::application(&root),
            Call::Instance(_) | Call::InstanceById { .. } => strict_xml::instance(&root),
            _ => strict_xml::applications(&root),
        },
    }
}

fn has_nested_metadata(ask: &Ask) -> bool {
    let document: Value = serde_json::from_slice(&ask.body).unwrap_or_default();
    let metadata = document["instance"]["metadata"].as_object();
    metadata.is_some_and(|metadata| metadata.values().any(|value| value.is_object() || value.is_array()))
}

/// The id and the `lastDirtyTimestamp` that a registration body gives.
fn identity(ask: &Ask) -> (String, Option<i64>) {
    let body = String::from_utf8_lossy(&ask.body);
    let field = |name: &str| -> Option<String> {
        let text = if ask.header("content-type").is_some_and(|kind| kind.contains("json")) {
            let document: Value = serde_json::from_str(&body).expect("a JSON registration");
            let value = document["instance"].get(name).filter(|value| !value.is_null())?;
            super::json_form::scalar_text(value)
        } else {
            xml_form::parse(&body).expect("an XML registration").child(name)?.text.clone()
        };
        Some(text).filter(|text| !text.is_empty())
    };
    let id = field("instanceId").or_else(|| field("hostName")).expect("an id or a host name");
    (id, field("lastDirtyTimestamp").and_then(|time| time.parse().ok()))
}

fn query(ask: &Ask, name: &str) -> Option<String> {
    let (_, query) = ask.target.split_once('?')?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
}

/// No captured client encodes anything in a path but colons.
fn decoded(part: &str) -> String {
    let decoded = part.replace("%3A", ":");
    assert!(!decoded.contains('%'), "{part} has more than colons encoded");
    decoded
}
