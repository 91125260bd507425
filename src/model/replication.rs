//! What peers tell each other: one change or heartbeat, and how the receiver took it.

use std::sync::Arc;

use super::{AppName, Instance, InstanceId, InstanceStatus, LeaseTimes, OverrideBackground, Registration, WallMillis};

/// `PeerEurekaNode`'s actions, with what each needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplicationAction {
    /// A lease was renewed.
    Heartbeat {
        /// The override that the sender holds, if any.
        overridden_status: Option<InstanceStatus>,
    },
    /// An instance was registered, or its metadata changed. Checked by the receiver like any other.
    Register(Box<Registration>),
    /// A lease was cancelled.
    Cancel,
    /// An override was set.
    StatusUpdate(InstanceStatus),
    /// An override was removed; the status until the client says otherwise.
    DeleteStatusOverride(InstanceStatus),
}

/// `ReplicationInstance`: one item of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicationItem {
    /// The application.
    pub app: AppName,
    /// The instance.
    pub id: InstanceId,
    /// The sender's version of the instance's data.
    pub last_dirty: Option<WallMillis>,
    /// When the override was set or taken back that the sender holds; only nodes of our own say it.
    pub override_set: Option<WallMillis>,
    /// What the sender knows of its override beside that; only nodes of our own say it.
    pub background: OverrideBackground,
    /// What happened.
    pub action: ReplicationAction,
}

/// `ReplicationInstanceResponse`: what became of one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicationOutcome {
    /// The status that a single call would have got.
    pub status: u16,
    /// The receiver's newer copy, with a heartbeat's 409.
    pub entity: Option<(Arc<Instance>, LeaseTimes)>,
}

/// What this server tells a peer. Unlike [`ReplicationAction`], it holds whole instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutgoingAction {
    /// A lease was renewed.
    Heartbeat {
        /// The override that stands here, if any.
        overridden_status: Option<InstanceStatus>,
    },
    /// An instance was registered, or its metadata changed.
    Register {
        /// The instance.
        instance: Arc<Instance>,
        /// Its lease, which peers read nothing of.
        times: LeaseTimes,
    },
    /// A lease was cancelled.
    Cancel,
    /// An override was set: the item's status.
    StatusUpdate,
    /// An override was removed; the item's status stands until the client says otherwise.
    DeleteStatusOverride,
}

/// `ReplicationInstance`: one item of a batch that this server sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutgoingItem {
    /// The application.
    pub app: AppName,
    /// The instance.
    pub id: InstanceId,
    /// The version of the instance's data here; Java sends it with everything but a cancel.
    pub last_dirty: Option<WallMillis>,
    /// The instance's status; Java sends it with everything but a cancel.
    pub status: Option<InstanceStatus>,
    /// When the override was set or taken back; only for nodes of our own.
    pub override_set: Option<WallMillis>,
    /// What is known of the override beside that; only for nodes of our own.
    pub background: OverrideBackground,
    /// What happened.
    pub action: OutgoingAction,
}

/// `ReplicationInstanceResponse`: what a peer answered to one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerAnswer {
    /// The status that a single call would have got.
    pub status: u16,
    /// The peer's newer copy, with a heartbeat's 409.
    pub entity: Option<Box<Registration>>,
}
