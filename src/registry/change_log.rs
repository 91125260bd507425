//! Everything that happens to an instance, in one order.
//!
//! The log numbers each change and keeps, for the delta's retention, the **latest** change of each
//! instance: that is all that the delta shows (Java's recently changed queue, shown through
//! `Application.addInstance`, comes to the same) and all that a read model needs to catch up. The
//! same index serves on both sides, see [`RecentChanges`].

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Monotonic, Now};
use crate::model::{AppName, InstanceId, InstanceStatus, WallMillis};

use super::history::History;
use super::lease::Lease;
use super::regions::RegionId;

/// Numbers changes from 2 on; 1 is the empty registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u64);

impl Version {
    /// Of a registry in which nothing has happened yet.
    pub const EMPTY: Self = Self(1);
}

/// Why an instance changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// A registration.
    Registered,
    /// A peer held it: when this server started, or when they compared what they hold.
    Copied,
    /// This server held it before it was restarted.
    Recalled,
    /// Metadata was set from outside.
    MetadataSet,
    /// A status was set from outside.
    StatusSet,
    /// The status set from outside was taken back.
    StatusRemoved,
    /// A heartbeat brought or applied a status that a peer holds.
    StatusFollowed,
    /// The instance left.
    Cancelled,
    /// The instance fell silent.
    Expired,
}

impl Cause {
    /// The word in logs and lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Registered => "registered",
            Self::Copied => "copied",
            Self::Recalled => "recalled",
            Self::MetadataSet => "metadata set",
            Self::StatusSet => "status set",
            Self::StatusRemoved => "status removed",
            Self::StatusFollowed => "status followed",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
        }
    }
}

/// Who brought a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A client, or an operator who speaks as one: peers are told.
    Client,
    /// An operator, through this server's own means: peers are told.
    Operator,
    /// This server itself, which found a lease lapsed: peers find that out by themselves.
    Server,
    /// A peer: nobody is told.
    Peer,
    /// A remote region, whose copy follows it.
    Region,
}

impl Origin {
    /// The word in logs and lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Operator => "operator",
            Self::Server => "server",
            Self::Peer => "peer",
            Self::Region => "region",
        }
    }
}

/// What happened to one lease, once.
#[derive(Clone, Debug)]
pub struct Change {
    /// Its place in the order.
    pub version: Version,
    /// When it happened.
    pub at: Monotonic,
    /// The same as wall time, for showing.
    pub wall: WallMillis,
    /// What kind of thing happened.
    pub cause: Cause,
    /// Through whom: a client, a peer, an operator, this server.
    pub origin: Origin,
    /// The status before it; none if the instance was not held.
    pub before: Option<InstanceStatus>,
    /// The lease after the change; its tombstone when the instance is gone.
    pub lease: Arc<Lease>,
}

impl Change {
    /// Whether the instance is gone.
    pub fn is_removal(&self) -> bool {
        matches!(self.cause, Cause::Cancelled | Cause::Expired)
    }
}

/// An instance, in the list of a remote region or in that of this server.
type Key = (Option<RegionId>, AppName, InstanceId);

/// The latest change of each instance and holder, ordered by version; at most so many, then the oldest goes.
#[derive(Debug)]
pub struct RecentChanges {
    most: usize,
    /// Whether an instance is the same whoever holds it.
    merged: bool,
    by_version: BTreeMap<Version, Change>,
    by_instance: HashMap<Key, Version>,
    /// The highest version that was dropped without a later change of its instance.
    dropped: Option<Version>,
}

impl RecentChanges {
    /// An empty index for at most so many instances.
    pub fn new(most: usize) -> Self {
        Self { most, merged: false, by_version: BTreeMap::new(), by_instance: HashMap::new(), dropped: None }
    }

    /// One in which an instance is the same whichever region holds it: that of a list in which regions
    /// are shown together.
    pub fn merged(most: usize) -> Self {
        Self { merged: true, ..Self::new(most) }
    }

    /// Adds a change in place of an earlier one of the same instance. Gives whether the oldest had to
    /// go for it: then whoever misses it finds another hash code and fetches everything.
    pub fn push(&mut self, change: Change) -> bool {
        let earlier = self.by_instance.insert(self.key(&change), change.version);
        if let Some(earlier) = earlier {
            self.by_version.remove(&earlier);
        }
        self.by_version.insert(change.version, change);
        let over = self.by_version.len() > self.most;
        if over {
            self.drop_oldest();
        }
        over
    }

    /// Drops changes older than `retention`; gives whether there were any.
    pub fn sweep(&mut self, now: Monotonic, retention: Duration) -> bool {
        let mut any = false;
        while self.by_version.first_key_value().is_some_and(|(_, oldest)| now.since(oldest.at) > retention) {
            self.drop_oldest();
            any = true;
        }
        any
    }

    fn key(&self, change: &Change) -> Key {
        let instance = &change.lease.instance;
        let region = if self.merged { None } else { change.lease.region };
        (region, instance.app.clone(), instance.id.clone())
    }

    fn drop_oldest(&mut self) {
        if let Some((version, change)) = self.by_version.pop_first() {
            self.by_instance.remove(&self.key(&change));
            self.dropped = Some(version);
        }
    }

    /// All changes, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Change> {
        self.by_version.values()
    }

    /// The changes after a version, or nothing when some of them were dropped.
    pub fn since(&self, version: Version) -> Option<impl Iterator<Item = &Change>> {
        if self.dropped.is_some_and(|dropped| dropped > version) {
            return None;
        }
        Some(self.by_version.range(Version(version.0 + 1)..).map(|(_, change)| change))
    }
}

/// How many changes there were, by cause and origin.
pub type Tally = BTreeMap<(Cause, Origin), u64>;

/// Hands out versions and keeps recent changes; owned by the commit lock.
#[derive(Debug)]
pub(super) struct ChangeLog {
    last: Version,
    recent: RecentChanges,
    history: History,
    tally: Tally,
}

impl ChangeLog {
    /// An empty log that keeps the latest changes of at most so many instances, and so much of all.
    pub(super) fn new(most: usize, history: History) -> Self {
        Self { last: Version::EMPTY, recent: RecentChanges::new(most), history, tally: Tally::default() }
    }

    /// Appends a change. Gives its version and whether the oldest of the latest changes had to go for it.
    pub(super) fn append(
        &mut self,
        now: Now,
        cause: Cause,
        origin: Origin,
        before: Option<InstanceStatus>,
        lease: Arc<Lease>,
    ) -> (Version, bool) {
        self.last = Version(self.last.0 + 1);
        let change = Change { version: self.last, at: now.mono, wall: now.wall, cause, origin, before, lease };
        self.history.push(change.clone());
        *self.tally.entry((cause, origin)).or_default() += 1;
        (self.last, self.recent.push(change))
    }

    /// Every one of the last changes.
    pub(super) fn history(&self) -> &History {
        &self.history
    }

    /// How many changes there were since the start.
    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The version of the last change.
    pub(super) fn version(&self) -> Version {
        self.last
    }

    /// See [`RecentChanges`].
    pub(super) fn recent(&self) -> &RecentChanges {
        &self.recent
    }

    /// See [`RecentChanges::sweep`].
    pub(super) fn sweep(&mut self, now: Monotonic, retention: Duration) {
        self.recent.sweep(now, retention);
    }
}
