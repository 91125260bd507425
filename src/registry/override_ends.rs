//! Which overrides end by themselves, and when: those whose note says so.

use std::collections::BTreeSet;

use crate::model::{AppName, InstanceId, WallMillis};

use super::lease::Lease;

/// By their ends; one of each lease at most. Owned by the commit lock.
#[derive(Debug, Default)]
pub(super) struct OverrideEnds(BTreeSet<(WallMillis, AppName, InstanceId)>);

impl OverrideEnds {
    /// One lease takes the place of another one of the same instance.
    pub(super) fn follow(&mut self, before: Option<&Lease>, after: Option<&Lease>) {
        let (before, after) = (before.and_then(end_of), after.and_then(end_of));
        if before != after {
            if let Some(before) = before {
                self.0.remove(&before);
            }
            self.0.extend(after);
        }
    }

    /// The first whose time is over.
    pub(super) fn due(&self, now: WallMillis) -> Option<(AppName, InstanceId)> {
        self.0.first().filter(|(until, ..)| *until <= now).map(|(_, app, id)| (app.clone(), id.clone()))
    }

    /// Forgets the first.
    pub(super) fn drop_first(&mut self) {
        self.0.pop_first();
    }
}

fn end_of(lease: &Lease) -> Option<(WallMillis, AppName, InstanceId)> {
    let until = lease.background.note.as_ref()?.until?;
    Some((until, lease.instance.app.clone(), lease.instance.id.clone()))
}
