//! An event, written once for all who read it.

use std::fmt::Write as _;
use std::ops::Range;

use bytes::Bytes;
use serde::{Serialize, Serializer};

use crate::model::{AppName, EventKind, InstanceId, InstanceStatus, Metadata, Port, WallMillis};
use crate::peers::{News, PeerNews};
use crate::registry::{Cause, Change, Lease, PreservationNews, Registry, Version};

use super::id::EventId;

/// Something that happened, ready to be sent.
#[derive(Debug)]
pub struct Event {
    /// Its number.
    pub id: EventId,
    /// What it tells.
    pub kind: EventKind,
    /// The instance it is about; none if it is about none.
    pub about: Option<(AppName, InstanceId)>,
    /// When it happened.
    pub at: WallMillis,
    /// As a server-sent event.
    frame: Bytes,
    /// Where its JSON lies there.
    json: Range<usize>,
}

impl Event {
    /// A change of an instance.
    pub(super) fn of_change(id: EventId, change: &Change, registry: &Registry) -> Self {
        let kind = kind_of(change);
        let instance = &change.lease.instance;
        let head = Head { id: Some(id), kind: kind.as_str(), version: change.version };
        let mut data = InstanceData::of(head, &change.lease, registry);
        data.status = data.status.filter(|_| !change.is_removal());
        data.before = change.before.map(InstanceStatus::as_str);
        data.cause = Some(change.cause.as_str());
        data.origin = Some(change.origin.as_str());
        data.at = change.wall;
        Self::new(id, kind, Some((instance.app.clone(), instance.id.clone())), change.wall, &data)
    }

    /// A peer that fails, or is back.
    pub(super) fn of_peer(id: EventId, news: &PeerNews) -> Self {
        let data = PeerData::of(id, news);
        Self::new(id, EventKind::Peer, None, news.at, &data)
    }

    /// Self-preservation that begins or ends.
    pub(super) fn of_preservation(id: EventId, news: &PreservationNews) -> Self {
        let PreservationNews { at, held, lapsed, silent, renewals, threshold } = *news;
        let state = if held.is_some() { "on" } else { "off" };
        let kind = EventKind::Preservation;
        let data =
            PreservationData { id, kind: kind.as_str(), state, reason: held, lapsed, silent, renewals, threshold, at };
        Self::new(id, kind, None, at, &data)
    }

    fn new(
        id: EventId,
        kind: EventKind,
        about: Option<(AppName, InstanceId)>,
        at: WallMillis,
        data: &impl Serialize,
    ) -> Self {
        let mut frame = Vec::with_capacity(512);
        let json = write_frame(&mut frame, Some(id), kind.as_str(), data);
        Self { id, kind, about, at, frame: frame.into(), json }
    }

    /// As a server-sent event, its end included.
    pub fn frame(&self) -> &Bytes {
        &self.frame
    }

    /// As JSON, in one line.
    pub fn json(&self) -> Bytes {
        self.frame.slice(self.json.clone())
    }
}

/// What a change is to those who follow the registry.
fn kind_of(change: &Change) -> EventKind {
    match change.cause {
        Cause::Cancelled => EventKind::Cancelled,
        Cause::Expired => EventKind::Expired,
        Cause::StatusSet | Cause::StatusRemoved | Cause::StatusFollowed => EventKind::Override,
        Cause::Registered | Cause::Copied | Cause::Recalled | Cause::MetadataSet => match change.before {
            None => EventKind::Registered,
            Some(before) if before == change.lease.instance.status => EventKind::Updated,
            Some(_) => EventKind::Status,
        },
    }
}

/// Appends a server-sent event; gives where its JSON lies.
fn write_frame(frame: &mut Vec<u8>, id: Option<EventId>, name: &str, data: &impl Serialize) -> Range<usize> {
    let mut head = String::new();
    // Writing into memory does not fail, here and below.
    if let Some(id) = id {
        let _ = writeln!(head, "id: {id}");
    }
    let _ = write!(head, "event: {name}\ndata: ");
    frame.extend_from_slice(head.as_bytes());
    let begin = frame.len();
    // JSON has no line end of its own: those in texts are written \n and \r.
    let _ = serde_json::to_writer(&mut *frame, data);
    let end = frame.len();
    frame.extend_from_slice(b"\n\n");
    begin..end
}

/// An instance as it was when a reader began to follow, as a server-sent event. It has no id, so that a reader who
/// breaks off before the last one begins again.
pub(super) fn write_snapshot_frame(frame: &mut Vec<u8>, lease: &Lease, version: Version, registry: &Registry) {
    write_frame(frame, None, "snapshot", &snapshot_data(lease, version, registry));
}

/// The same as JSON.
pub(super) fn write_snapshot(json: &mut Vec<u8>, lease: &Lease, version: Version, registry: &Registry) {
    let _ = serde_json::to_writer(json, &snapshot_data(lease, version, registry));
}

fn snapshot_data<'a>(lease: &'a Lease, version: Version, registry: &'a Registry) -> InstanceData<'a> {
    let mut data = InstanceData::of(Head { id: None, kind: "snapshot", version }, lease, registry);
    data.at = lease.instance.last_updated;
    data
}

/// A reader has missed something: it asked for what comes after `since`, and gets what comes after `id`. The frame
/// has an id only if the reader can go on from there.
pub(super) fn gap_frame(id: EventId, since: &str, reason: &'static str, goes_on: bool) -> Bytes {
    #[derive(Serialize)]
    struct GapData<'a> {
        id: EventId,
        kind: &'static str,
        since: &'a str,
        reason: &'static str,
    }
    let mut frame = Vec::new();
    write_frame(&mut frame, Some(id).filter(|_| goes_on), "gap", &GapData { id, kind: "gap", since, reason });
    frame.into()
}

/// From here on a reader gets what happens.
pub(super) fn ready_frame(id: EventId) -> Bytes {
    #[derive(Serialize)]
    struct ReadyData {
        id: EventId,
        kind: &'static str,
    }
    let mut frame = Vec::new();
    write_frame(&mut frame, Some(id), "ready", &ReadyData { id, kind: "ready" });
    frame.into()
}

impl Serialize for EventId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

struct Head {
    id: Option<EventId>,
    kind: &'static str,
    version: Version,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InstanceData<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<EventId>,
    kind: &'static str,
    version: u64,
    app: &'a str,
    instance: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<&'a str>,
    status: Option<&'static str>,
    before: Option<&'static str>,
    r#override: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'static str>,
    at: WallMillis,
    host: &'a str,
    ip: &'a str,
    port: Option<i32>,
    secure_port: Option<i32>,
    vip: Option<&'a str>,
    secure_vip: Option<&'a str>,
    metadata: Entries<'a>,
}

impl<'a> InstanceData<'a> {
    fn of(Head { id, kind, version }: Head, lease: &'a Lease, registry: &'a Registry) -> Self {
        let instance = &lease.instance;
        let in_use = |port: Port| port.enabled.then_some(port.number);
        Self {
            id,
            kind,
            version: version.0,
            app: instance.app.as_str(),
            instance: instance.id.as_str(),
            region: lease.region.and_then(|region| registry.region_name(region)),
            status: Some(instance.status.as_str()),
            before: None,
            r#override: lease.override_status.map(InstanceStatus::as_str),
            cause: None,
            origin: None,
            at: 0,
            host: &instance.host_name,
            ip: &instance.ip_addr,
            port: in_use(instance.port),
            secure_port: in_use(instance.secure_port),
            vip: instance.vip_address.as_deref(),
            secure_vip: instance.secure_vip_address.as_deref(),
            metadata: Entries(&instance.metadata),
        }
    }
}

struct Entries<'a>(&'a Metadata);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter())
    }
}

#[derive(Serialize)]
struct PeerData<'a> {
    id: EventId,
    kind: &'static str,
    /// Without credentials.
    peer: &'a str,
    state: &'static str,
    reason: Option<String>,
    /// How long it failed, in milliseconds.
    after: Option<u64>,
    at: WallMillis,
}

impl<'a> PeerData<'a> {
    fn of(id: EventId, PeerNews { at, url, news }: &'a PeerNews) -> Self {
        let (state, reason, after) = match news {
            News::Down(failure) => ("down", Some(failure.to_string()), None),
            News::Back(after) => ("up", None, Some(u64::try_from(after.as_millis()).unwrap_or(u64::MAX))),
        };
        Self { id, kind: EventKind::Peer.as_str(), peer: url.as_str(), state, reason, after, at: *at }
    }
}

#[derive(Serialize)]
struct PreservationData {
    id: EventId,
    kind: &'static str,
    state: &'static str,
    reason: Option<&'static str>,
    lapsed: usize,
    silent: usize,
    renewals: u64,
    threshold: u64,
    at: WallMillis,
}
