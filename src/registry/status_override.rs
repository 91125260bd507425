//! A status set from outside, and taken back.

use std::sync::Arc;

use crate::clock::Now;
use crate::model::{ActionType, AppName, Instance, InstanceId, InstanceStatus, OverrideNote, WallMillis};

use super::agreement::OverrideStamp;
use super::early::Event;
use super::lease::Lease;
use super::register::service_up;
use super::{Cause, Commit, Origin, Registry, Told};

/// What is said of a status that is set from outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    /// When another node set it: later changes stay. None, or one that cannot be believed: now.
    pub stamp: Option<OverrideStamp>,
    /// Reason, owner and end; none: a status that was set by `PUT …/status`.
    pub note: Option<Arc<OverrideNote>>,
}

impl Registry {
    /// Sets a status from outside (`statusUpdate`) until it is taken back or the lease ends. False if
    /// there is no such instance.
    ///
    /// It renews the lease in any case. The status that the instance has already changes nothing else that a
    /// reader can tell: no override comes of it, as in Java, and one that stands was set just now. But another
    /// one that stands is replaced, or the one before would come back with the instance, and so is one that ends by
    /// itself. `last_dirty` raises the
    /// instance's own version when it is greater.
    pub fn set_status(
        &self,
        app: &str,
        id: &str,
        status: InstanceStatus,
        last_dirty: Option<WallMillis>,
        origin: Origin,
    ) -> bool {
        self.set_status_as(app, id, status, last_dirty, Set::default(), origin)
    }

    /// The same with more than a status: by an operator who says why, or by one of our own nodes, which says when
    /// that was. What has a note becomes an override in any case.
    pub fn set_status_as(
        &self,
        app: &str,
        id: &str,
        status: InstanceStatus,
        last_dirty: Option<WallMillis>,
        Set { stamp, note }: Set,
        origin: Origin,
    ) -> bool {
        let changed = self.change_status(app, id, origin, Told::StatusUpdate(status), stamp, |held, now| {
            // Whoever says nothing of an end means none.
            let held_note = held.background.note.as_ref();
            let is_meant =
                note.as_ref().map_or(held_note.is_none_or(|held| held.until.is_none()), |note| held_note == Some(note));
            let is_set = held.override_status == Some(status) && is_meant;
            let is_so = held.override_status.is_none() && note.is_none();
            if held.instance.status == status && (is_set || is_so) {
                return None;
            }
            let service_up = service_up(Some(held), status, now);
            let changed = with_status(held, status, status, last_dirty, now);
            Some((held.changed(changed, Some(status), service_up).noted(note), Cause::StatusSet))
        });
        if changed == Some(true) {
            tracing::info!(app, id, %status, origin = origin.as_str(), "status set from outside");
        }
        changed.is_some()
    }

    /// Takes the status set from outside back (`deleteStatusOverride`); the instance has `status`
    /// until its client says otherwise. False if there is no such instance.
    ///
    /// It renews the lease in any case; where no status was set nothing else changes that a reader can tell,
    /// but it is remembered, so that no older override comes from another node. After UNKNOWN the next
    /// heartbeat is answered 404, so that the client registers again.
    pub fn remove_status(
        &self,
        app: &str,
        id: &str,
        status: InstanceStatus,
        last_dirty: Option<WallMillis>,
        origin: Origin,
    ) -> bool {
        self.remove_status_stamped(app, id, status, last_dirty, None, origin)
    }

    /// The same as one of our own nodes told it, which says when it was taken back: later changes stay. One that
    /// ended by itself there stays until it ends here.
    pub fn remove_status_stamped(
        &self,
        app: &str,
        id: &str,
        status: InstanceStatus,
        last_dirty: Option<WallMillis>,
        stamp: Option<OverrideStamp>,
        origin: Origin,
    ) -> bool {
        let changed = self.change_status(app, id, origin, Told::DeleteStatusOverride(status), stamp, |held, now| {
            held.override_status?;
            let changed = with_status(held, status, InstanceStatus::Unknown, last_dirty, now);
            Some((held.changed(changed, None, held.service_up()), Cause::StatusRemoved))
        });
        if changed == Some(true) {
            tracing::info!(app, id, %status, origin = origin.as_str(), "status set from outside was taken back");
        }
        changed.is_some()
    }

    /// Renews a lease and changes it. Whether there was something to change; none without a lease. Peers
    /// are told in either case: they may have missed it when it was changed. The change is stamped with
    /// what is `said`, or as of now where none can be believed; one with a stamp that was overtaken, or that is yet to come, is
    /// none, and no sign of life either.
    fn change_status(
        &self,
        app: &str,
        id: &str,
        origin: Origin,
        told: Told,
        said: Option<OverrideStamp>,
        change: impl FnOnce(&Lease, Now) -> Option<(Lease, Cause)>,
    ) -> Option<bool> {
        let now = self.clock.now();
        let stamp = said.map(|stamp| stamp.believed(now.wall)).filter(|stamp| *stamp != OverrideStamp::UNKNOWN);
        let mut commit = self.commit.lock();
        let Some(held) = self.lease(app, id).filter(|lease| self.visible(&commit, lease, now)) else {
            if !self.gate.was_opened() {
                note_early(&mut commit, (app, id), told, stamp.unwrap_or(OverrideStamp::UNKNOWN.next(now.wall)));
            }
            return None;
        };
        let is_removal = matches!(told, Told::DeleteStatusOverride(_));
        let is_early = is_removal && said.is_some_and(|stamp| held.ends_early(stamp, now.wall));
        let is_past = is_early || stamp.is_some_and(|stamp| stamp <= held.override_stamp.believed(now.wall));
        if !is_past {
            self.renew_lease(&held, self.lease_clock.at(now.mono), now);
        }
        let changed = if is_past { None } else { change(&held, now) };
        let any = changed.is_some();
        let stamp = stamp.unwrap_or(held.override_stamp.next(now.wall));
        let lease = match changed {
            Some((lease, cause)) => self.put(&mut commit, lease.stamped(stamp), cause, origin, now),
            None if is_past || !repeats(told, &held) => held,
            None => self.restamp(&mut commit, held.overridden(held.override_status).stamped(stamp)),
        };
        self.tell(origin, told, &lease, now);
        Some(any)
    }
}

/// Whether a change that changes nothing is the last word nevertheless: another node may have heard something
/// else meanwhile. Where no override comes of it there is none.
fn repeats(told: Told, held: &Lease) -> bool {
    matches!(told, Told::DeleteStatusOverride(_)) || held.override_status.is_some()
}

/// Remembers what a peer's older list may still show otherwise.
fn note_early(commit: &mut Commit, (app, id): (&str, &str), told: Told, stamp: OverrideStamp) {
    let (app, id) = (AppName::new(app), InstanceId::new(id));
    match told {
        Told::DeleteStatusOverride(status) => commit.early.note(&app, &id, Event::StatusRemoved(status, stamp)),
        Told::StatusUpdate(_) => commit.early.note_status_set(&app, &id),
        Told::Register | Told::Cancel => {}
    }
}

pub(super) fn with_status(
    held: &Lease,
    status: InstanceStatus,
    overridden_status: InstanceStatus,
    last_dirty: Option<WallMillis>,
    now: Now,
) -> Arc<Instance> {
    let before = &held.instance;
    Arc::new(Instance {
        status,
        overridden_status,
        last_dirty: last_dirty.unwrap_or(0).max(before.last_dirty),
        action: Some(ActionType::Modified),
        last_updated: now.wall,
        ..Instance::clone(before)
    })
}
