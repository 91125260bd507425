//! What peers tell each other: one change or heartbeat, and how the receiver took it.

use std::sync::Arc;

use super::{AppName, Instance, InstanceId, InstanceStatus, LeaseTimes, Registration, WallMillis};

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
