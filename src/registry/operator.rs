//! Overrides that operators set and take back through this server's own means, and those whose time is over.
//!
//! Unlike [`set_status`](Registry::set_status) and [`remove_status`](Registry::remove_status), which Eureka's clients
//! call, none of it is a sign of life. And the status after an override is not the caller's to say: it is what the
//! client last said of itself, as far as that is known, else UNKNOWN, so that its next heartbeat makes it register
//! again.

use std::sync::Arc;

use crate::clock::Now;
use crate::model::{AppName, InstanceId, InstanceStatus, OverrideBackground, OverrideNote, WallMillis};

use super::agreement::OverrideStamp;
use super::lease::Lease;
use super::overrides::effective_status;
use super::register::service_up;
use super::status_override::with_status;
use super::{Cause, Commit, Origin, Registry, Told};

/// An override as it was before another one took its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Former {
    /// The status; none if there was no override.
    pub status: Option<InstanceStatus>,
    /// What was behind it.
    pub background: OverrideBackground,
}

impl Former {
    /// That of a lease.
    pub fn of(lease: &Lease) -> Self {
        Self { status: lease.override_status, background: lease.background.clone() }
    }

    /// The override, if there was one, and its time is not over meanwhile.
    fn standing(&self, now: Now) -> Option<(InstanceStatus, &OverrideBackground)> {
        let stands = self.background.note.as_ref().is_none_or(|note| !note.has_ended(now.wall));
        Some((self.status?, &self.background)).filter(|_| stands)
    }
}

/// What became of an instance's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusChange {
    /// The status before.
    pub before: InstanceStatus,
    /// The status now.
    pub after: InstanceStatus,
}

impl Registry {
    /// Sets an override, whatever the status is, unless something speaks against it: then that is given. Peers are
    /// told. Gives what was there before it; none without such an instance.
    pub fn set_override<R>(
        &self,
        app: &AppName,
        id: &InstanceId,
        status: InstanceStatus,
        note: Arc<OverrideNote>,
        objection: impl FnOnce(&Lease) -> Option<R>,
    ) -> Option<Result<(Former, StatusChange), R>> {
        let now = self.clock.now();
        let mut commit = self.commit.lock();
        let held = self.lease(app.as_str(), id.as_str())?;
        if let Some(objection) = objection(&held) {
            return Some(Err(objection));
        }
        let instance = with_status(&held, status, status, None, now);
        let lease = held.changed(instance, Some(status), service_up(Some(&held), status, now));
        let lease = lease.noted(Some(note)).stamped(held.override_stamp.next(now.wall));
        let change = self.done(&mut commit, &held, lease, (Cause::StatusSet, Told::StatusUpdate(status)), now);
        drop(commit);
        tracing::info!(%app, %id, %status, origin = Origin::Operator.as_str(), "status set from outside");
        Some(Ok((Former::of(&held), change)))
    }

    /// Takes an override back, if there is one and it is `as_expected`, or puts back another one that was there
    /// before it. Peers are told. None if nothing was done.
    pub fn lift_override(
        &self,
        app: &AppName,
        id: &InstanceId,
        former: Option<&Former>,
        as_expected: impl FnOnce(&Lease) -> bool,
    ) -> Option<StatusChange> {
        let now = self.clock.now();
        let mut commit = self.commit.lock();
        let held = self.lease(app.as_str(), id.as_str())?;
        if held.override_status.is_none() || !as_expected(&held) {
            return None;
        }
        let stamp = held.override_stamp.next(now.wall);
        let lifted = match former.and_then(|former| former.standing(now)) {
            Some((status, behind)) => self.put_back(&mut commit, &held, (status, behind), stamp, now),
            None => self.lift(&mut commit, &held, stamp, now),
        };
        drop(commit);
        told(app, id, lifted);
        Some(lifted)
    }

    /// What [`lift_override`](Self::lift_override) would do to a lease.
    pub fn after_override(&self, lease: &Lease, former: Option<&Former>) -> StatusChange {
        let now = self.clock.now();
        let after = match former.and_then(|former| former.standing(now)) {
            Some((status, behind)) => status_under(lease, status, behind),
            None => lease.status_behind(self.lease_clock.at(now.mono)),
        };
        StatusChange { before: lease.instance.status, after }
    }

    /// Takes back the overrides whose time is over. Every node does so by its own clock; the stamp is the same
    /// everywhere, so that nothing differs but the moment. Peers are told, as a Java server knows of no ends. Gives
    /// how many there were.
    pub fn lift_ended_overrides(&self) -> usize {
        let mut ended = 0;
        loop {
            let now = self.clock.now();
            // Writers take turns with it.
            let mut commit = self.commit.lock();
            let Some((app, id)) = commit.override_ends.due(now.wall) else { return ended };
            let held = self.lease(app.as_str(), id.as_str());
            let until = held.as_ref().and_then(|held| held.background.note.as_ref()?.until);
            let (Some(held), Some(until)) = (held, until.filter(|until| *until <= now.wall)) else {
                commit.override_ends.drop_first();
                continue;
            };
            let lifted = self.lift(&mut commit, &held, end_stamp(&held, until), now);
            drop(commit);
            told(&app, &id, lifted);
            ended += 1;
        }
    }

    fn lift(&self, commit: &mut Commit, held: &Lease, stamp: OverrideStamp, now: Now) -> StatusChange {
        let status = held.status_behind(self.lease_clock.at(now.mono));
        let instance = with_status(held, status, InstanceStatus::Unknown, None, now);
        let lease = held.changed(instance, None, service_up(Some(held), status, now)).stamped(stamp);
        self.done(commit, held, lease, (Cause::StatusRemoved, Told::DeleteStatusOverride(status)), now)
    }

    fn put_back(
        &self,
        commit: &mut Commit,
        held: &Lease,
        (status, behind): (InstanceStatus, &OverrideBackground),
        stamp: OverrideStamp,
        now: Now,
    ) -> StatusChange {
        let own = held.background.own.or(behind.own);
        let shown = status_under(held, status, behind);
        let instance = with_status(held, shown, status, None, now);
        let lease = held.changed(instance, Some(status), service_up(Some(held), shown, now)).stamped(stamp);
        let lease = lease.behind(OverrideBackground { own, note: behind.note.clone() });
        self.done(commit, held, lease, (Cause::StatusSet, Told::StatusUpdate(status)), now)
    }

    fn done(
        &self,
        commit: &mut Commit,
        held: &Lease,
        lease: Lease,
        (cause, told): (Cause, Told),
        now: Now,
    ) -> StatusChange {
        let lifted = StatusChange { before: held.instance.status, after: lease.instance.status };
        let lease: Arc<Lease> = self.put(commit, lease, cause, Origin::Operator, now);
        self.tell(Origin::Operator, told, &lease, now);
        lifted
    }
}

/// The status of a lease under another override.
fn status_under(held: &Lease, status: InstanceStatus, behind: &OverrideBackground) -> InstanceStatus {
    held.background.own.or(behind.own).map_or(status, |own| effective_status(own, Some(status)))
}

fn end_stamp(held: &Lease, until: WallMillis) -> OverrideStamp {
    OverrideStamp(until.max(held.override_stamp.0.saturating_add(1)))
}

fn told(app: &AppName, id: &InstanceId, lifted: StatusChange) {
    let (status, origin) = (lifted.after, Origin::Operator.as_str());
    tracing::info!(%app, %id, %status, origin, "status set from outside was taken back");
}
