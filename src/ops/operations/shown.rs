//! Instances, overrides and changes as answers show them.

use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::model::{InstanceStatus, OverrideNote};
use crate::ops::walks::{Busy, Walks};
use crate::registry::{Change, Lease, OverrideStamp, Registry};

/// An answer that may be as long as the registry.
pub(super) fn list(walks: &Walks, shown: &Value) -> Result<Response, Busy> {
    const JSON: HeaderValue = HeaderValue::from_static("application/json");
    let bytes = walks.held(shown.to_string().into_bytes())?;
    Ok(([(CONTENT_TYPE, JSON)], axum::body::Body::from(bytes)).into_response())
}

/// An instance in a list.
pub(super) fn instance(registry: &Registry, lease: &Lease) -> Value {
    let instance = &lease.instance;
    let port = if instance.port.enabled { instance.port } else { instance.secure_port };
    json!({
        "app": instance.app.as_str(),
        "instance": instance.id.as_str(),
        "host": &*instance.host_name,
        "ip": &*instance.ip_addr,
        "port": port.number,
        "status": instance.status.as_str(),
        "override": override_of(lease),
        "unconfirmed": lease.is_unconfirmed(),
        "zone": instance.zone(),
        "lastRenewal": lease.times().last_renewal,
        "leaseEnds": registry.ends_at(lease),
    })
}

/// The override of an instance, or null.
pub(super) fn override_of(lease: &Lease) -> Option<Value> {
    let status = lease.override_status?;
    let note = lease.background.note.as_deref();
    let stamp = Some(lease.override_stamp).filter(|stamp| *stamp != OverrideStamp::UNKNOWN);
    Some(json!({
        "status": status.as_str(),
        "reason": note.and_then(|note| filled(&note.reason)),
        "owner": note.and_then(|note| filled(&note.owner)),
        "since": note.map(|note| note.since).or(stamp.map(|stamp| stamp.0)),
        "until": note.and_then(|note: &OverrideNote| note.until),
    }))
}

fn filled(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// What an operation did to an instance; it is gone where there is nothing after.
pub(super) fn changed(lease: &Lease, before: InstanceStatus, after: Option<InstanceStatus>) -> Value {
    let mut shown = named(lease);
    shown["before"] = before.as_str().into();
    shown["after"] = after.map(InstanceStatus::as_str).into();
    shown
}

/// Why an operation did nothing to an instance.
pub(super) fn unchanged(lease: &Lease, why: &str) -> Value {
    let mut shown = named(lease);
    shown["status"] = lease.instance.status.as_str().into();
    shown["why"] = why.into();
    shown
}

fn named(lease: &Lease) -> Value {
    json!({"app": lease.instance.app.as_str(), "instance": lease.instance.id.as_str()})
}

/// A change of an instance.
pub(super) fn change(change: &Change) -> Value {
    json!({
        "version": change.version.0,
        "at": change.wall,
        "cause": change.cause.as_str(),
        "origin": change.origin.as_str(),
        "before": change.before.map(InstanceStatus::as_str),
        "status": (!change.is_removal()).then(|| change.lease.instance.status.as_str()),
        "override": override_of(&change.lease),
    })
}
