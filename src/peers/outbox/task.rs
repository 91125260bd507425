//! What is told to a peer, and what becomes of it.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Monotonic;
use crate::model::Registration;
use crate::peers::line::News;
use crate::registry::{Lease, Told};

/// How much may wait, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutboxLimits {
    /// Tasks at most (`max-elements-in-peer-replication-pool`).
    pub tasks: usize,
    /// How long a cancel or a status waits at most (`max-time-for-replication`).
    pub longest: Duration,
}

/// What is on its way.
#[derive(Clone, Debug)]
pub struct Task {
    /// What is told.
    pub what: What,
    /// The lease as it was after the change; for a heartbeat as it is now.
    pub lease: Arc<Lease>,
    pub(super) since: Monotonic,
    pub(super) expires: Monotonic,
}

impl Task {
    /// What of its item may be long, in bytes, about.
    pub(super) fn bytes(&self) -> usize {
        match self.what {
            What::Change(Told::Register) => self.lease.instance.json_length() + self.lease.background.length(),
            What::Change(Told::StatusUpdate(_)) => self.lease.background.length(),
            What::Change(Told::Cancel | Told::DeleteStatusOverride(_)) | What::Heartbeat => 0,
        }
    }
}

/// What a task tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A change.
    Change(Told),
    /// A renewal.
    Heartbeat,
}

/// What is to be done next.
#[derive(Debug)]
pub enum Next {
    /// These are to be sent in this order; none of them: a greeting.
    Send(Arc<[Task]>),
    /// Nothing before that time, unless something comes in.
    Wait(Monotonic),
}

/// What follows from an exchange.
#[derive(Debug)]
pub enum FollowUp {
    /// The peer has newer data of an instance.
    TakeOver(Box<Registration>),
    /// The peer refuses a change.
    Refused(Task, u16),
    /// A change of the peer's state that is to be told.
    Told(News),
}

/// What has become of tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tasks that the peer answered.
    pub delivered: u64,
    /// Tasks that waited too long.
    pub expired: u64,
    /// Tasks that had to go because too many waited.
    pub overflowed: u64,
    /// Tasks that the peer refuses.
    pub refused: u64,
    /// Heartbeats of which the peer had newer data (409).
    pub conflicts: u64,
    /// Exchanges, with or without an answer.
    pub exchanges: u64,
    /// Exchanges that failed.
    pub failures: u64,
}
