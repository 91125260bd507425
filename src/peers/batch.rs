//! A batch as the wire has it, and what its answers lead to here.
//!
//! These are the rules of `PeerEurekaNode` and `ReplicationTaskProcessor`, without the sending.

use std::fmt::Display;
use std::sync::Arc;

use crate::clock::Clock;
use crate::model::{OutgoingAction, OutgoingItem, OverrideBackground, PeerAnswer, Registration};
use crate::registry::{Lease, Registry, Told};

use super::line::{Failure, News};
use super::outbox::{FollowUp, Task, What};
use super::refusals::Refusals;

/// The answers to a whole batch, or why there are none.
pub type Outcome = Result<Vec<PeerAnswer>, Failure>;

/// What a peer is sent for a task. Java sends neither version nor status with a cancel.
pub fn item(task: &Task) -> OutgoingItem {
    let Lease { instance, override_status, .. } = &*task.lease;
    let action = match task.what {
        What::Heartbeat => OutgoingAction::Heartbeat { overridden_status: *override_status },
        What::Change(Told::Register) => {
            OutgoingAction::Register { instance: Arc::clone(instance), times: task.lease.times() }
        }
        What::Change(Told::Cancel) => OutgoingAction::Cancel,
        What::Change(Told::StatusUpdate(_)) => OutgoingAction::StatusUpdate,
        What::Change(Told::DeleteStatusOverride(_)) => OutgoingAction::DeleteStatusOverride,
    };
    let cancelled = matches!(action, OutgoingAction::Cancel);
    let status = match task.what {
        What::Change(Told::StatusUpdate(status) | Told::DeleteStatusOverride(status)) => status,
        What::Change(Told::Register | Told::Cancel) | What::Heartbeat => instance.status,
    };
    OutgoingItem {
        app: instance.app.clone(),
        id: instance.id.clone(),
        last_dirty: (!cancelled).then_some(instance.last_dirty),
        status: (!cancelled).then_some(status),
        override_set: None,
        background: OverrideBackground::default(),
        action,
    }
}

/// What a node of our own is sent for a task: it is told when the override was set or taken back, too, and what is
/// behind it. Java refuses a batch with a key that it does not know.
pub fn stamped_item(task: &Task) -> OutgoingItem {
    let item = item(task);
    let stamped = !matches!(item.action, OutgoingAction::Cancel);
    let background = match item.action {
        OutgoingAction::Register { .. } | OutgoingAction::StatusUpdate => task.lease.background.clone(),
        OutgoingAction::Heartbeat { .. } | OutgoingAction::Cancel | OutgoingAction::DeleteStatusOverride => {
            OverrideBackground::default()
        }
    };
    OutgoingItem { override_set: stamped.then_some(task.lease.override_stamp.0), background, ..item }
}

/// Where answers lead.
#[derive(Clone, Copy, Debug)]
pub struct Home<'a> {
    /// What takes newer copies over.
    pub registry: &'a Registry,
    /// What was said of refused items.
    pub refusals: &'a Refusals,
    /// The time.
    pub clock: &'a Clock,
}

impl Home<'_> {
    /// Does what follows from an exchange with `peer`. Gives what is to be told of the peer.
    pub fn settle(&self, peer: &impl Display, follow_ups: Vec<FollowUp>) -> Option<News> {
        let mut news = None;
        for follow_up in follow_ups {
            match follow_up {
                FollowUp::TakeOver(newer) => self.take_over(*newer),
                FollowUp::Refused(task, status) => self.refused(peer, &task, status),
                FollowUp::Told(told) => news = Some(told),
            }
        }
        news
    }

    fn take_over(&self, newer: Registration) {
        // What cannot be accepted is broken at the peer, which says so itself.
        if let Ok(instance) = newer.accept_alone(self.clock.now().wall) {
            self.registry.take_over(instance);
        }
    }

    fn refused(&self, peer: &impl Display, task: &Task, status: u16) {
        let instance = &task.lease.instance;
        let refusal = format!("{peer} {} {} {status}", instance.app, instance.id);
        if self.refusals.is_news(peer, &refusal, self.clock.mono()) {
            tracing::warn!(
                %peer, app = %instance.app, id = %instance.id, status,
                "a peer refuses a change, the same is told again after an hour"
            );
        }
    }
}
