//! The last leases that came and went (`AbstractInstanceRegistry.recentRegisteredQueue`).

use std::collections::VecDeque;

use crate::model::{AppName, InstanceId, WallMillis};

use super::change_log::{Cause, Origin};

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseEvent {
    /// When it came or went, for showing.
    pub at: WallMillis,
    /// The instance's application.
    pub app: AppName,
    /// The instance.
    pub id: InstanceId,
    /// What kind of thing happened.
    pub cause: Cause,
    /// Through whom.
    pub origin: Origin,
}

impl LeaseEvent {
    pub(super) fn new(at: WallMillis, (app, id): (&AppName, &InstanceId), cause: Cause, origin: Origin) -> Self {
        Self { at, app: app.clone(), id: id.clone(), cause, origin }
    }
}

/// The last 1000 of a kind since the start, oldest first.
#[derive(Debug, Default)]
pub(super) struct LastLeases(VecDeque<LeaseEvent>);

impl LastLeases {
    /// As many as Java keeps.
    pub(super) const MOST: usize = 1000;

    /// Adds one.
    pub(super) fn push(&mut self, event: LeaseEvent) {
        if self.0.len() == Self::MOST {
            self.0.pop_front();
        }
        self.0.push_back(event);
    }

    /// All, newest first.
    pub(super) fn newest_first(&self) -> impl Iterator<Item = &LeaseEvent> {
        self.0.iter().rev()
    }
}
