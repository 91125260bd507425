//! What happened before the opening to instances that were not here, so that the list of a peer, which may be
//! older, does not undo it. Java has no such thing.

use std::collections::HashMap;

use crate::model::{AppName, InstanceId, InstanceStatus};

use super::agreement::OverrideStamp;

/// Names come from clients.
const MOST: usize = 100_000;

/// What happened last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// It left.
    Cancelled,
    /// A status set from outside was taken back; then it had this one.
    StatusRemoved(InstanceStatus, OverrideStamp),
}

/// Of at most so many instances.
#[derive(Debug, Default)]
pub(super) struct Early(HashMap<(AppName, InstanceId), Event>);

impl Early {
    pub(super) fn note(&mut self, app: &AppName, id: &InstanceId, event: Event) {
        let key = (app.clone(), id.clone());
        let before = self.0.get(&key);
        // Whoever left took the override along.
        if before != Some(&Event::Cancelled) && (before.is_some() || self.0.len() < MOST) {
            self.0.insert(key, event);
        }
    }

    /// A status was set from outside after one was taken back.
    pub(super) fn note_status_set(&mut self, app: &AppName, id: &InstanceId) {
        let key = (app.clone(), id.clone());
        if matches!(self.0.get(&key), Some(Event::StatusRemoved(..))) {
            self.0.remove(&key);
        }
    }

    pub(super) fn get(&self, app: &AppName, id: &InstanceId) -> Option<Event> {
        self.0.get(&(app.clone(), id.clone())).copied()
    }

    /// Forgets what became of an instance that is here now.
    pub(super) fn take(&mut self, app: &AppName, id: &InstanceId) -> Option<Event> {
        if self.0.is_empty() { None } else { self.0.remove(&(app.clone(), id.clone())) }
    }
}
