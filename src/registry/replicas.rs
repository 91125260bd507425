//! Whom to tell of what clients do here: the peers.
//!
//! The registry calls; what waits for which peer is the callee's. Only what clients and operators did
//! is told (`replicateToPeers` with `isReplication` false): nothing that came from a peer, and no end
//! of a silent lease.

use std::fmt::Debug;
use std::sync::Arc;

use crate::clock::Monotonic;
use crate::model::InstanceStatus;

use super::lease::Lease;

/// A change that peers are told of (`PeerAwareInstanceRegistryImpl.Action`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Told {
    /// A registration, or metadata that was set from outside.
    Register,
    /// A lease was ended at its instance's wish.
    Cancel,
    /// A status was set from outside.
    StatusUpdate(InstanceStatus),
    /// A status set from outside was taken back, and this is the status until the client says otherwise.
    DeleteStatusOverride(InstanceStatus),
}

/// Whoever tells the peers.
pub trait Replicas: Debug + Send + Sync {
    /// A client changed an instance; `lease` is what came of it. Called under the commit lock, so in the
    /// order of the changes; must neither wait nor call the registry.
    fn changed(&self, told: Told, lease: &Arc<Lease>, now: Monotonic);

    /// A client renewed a lease. Must neither wait nor take a lock that is held for long.
    fn renewed(&self, lease: &Arc<Lease>, now: Monotonic);

    /// The registry is open for traffic: by now the peers are known.
    fn opened(&self);
}

/// Of a server without peers.
#[derive(Debug)]
pub struct NoReplicas;

impl Replicas for NoReplicas {
    fn changed(&self, _: Told, _: &Arc<Lease>, _: Monotonic) {}

    fn renewed(&self, _: &Arc<Lease>, _: Monotonic) {}

    fn opened(&self) {}
}
