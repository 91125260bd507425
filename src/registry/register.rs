//! Registration, and metadata set from outside, which registers anew.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::MutexGuard;

use crate::clock::Now;
use crate::model::{ActionType, AppName, Instance, InstanceId, InstanceStatus, LeaseRequest, OverrideBackground, Text};

use super::agreement::{Facts, OverrideStamp};
use super::early::Event;
use super::last_leases::LeaseEvent;
use super::lease::Lease;
use super::lease_length::SignOfLife;
use super::overrides::effective_status;
use super::recall::Unconfirmed;
use super::settled::Settled;
use super::{Cause, Commit, Origin, Registry, Told};

impl Registry {
    /// Grants a lease (`AbstractInstanceRegistry.register`).
    ///
    /// Of two registrations the one with the greater `lastDirtyTimestamp` keeps its data, the newer
    /// when they are equal; the lease is a fresh one in either case. A status set from outside is kept
    /// from the lease before, or taken from the newcomer when there was none.
    pub fn register(&self, instance: Instance, origin: Origin) {
        let now = self.clock.now();
        let commit = self.commit.lock();
        let before = self.lease(instance.app.as_str(), instance.id.as_str());
        let said = if origin == Origin::Peer { shown_own(&instance) } else { Some(instance.status) };
        let (instance, is_newer) = newer(before.as_deref(), instance);
        let background = background(before.as_deref(), is_newer, said);
        let settled = Settled::new(None, background);
        self.grant(commit, instance, before.as_deref(), settled, Cause::Registered, origin, now);
    }

    /// The same for one of our own nodes, which says when its override was set or taken back: of two
    /// overrides the later one stands, with what is behind it.
    pub fn register_stamped(&self, instance: Instance, stamp: OverrideStamp, theirs_behind: OverrideBackground) {
        let now = self.clock.now();
        let commit = self.commit.lock();
        let before = self.lease(instance.app.as_str(), instance.id.as_str());
        let theirs = Facts { override_stamp: stamp, ..brought_facts(&instance) };
        let theirs = before.as_ref().map_or(theirs, |held| held.heard(theirs, now.wall));
        let facts = before.as_ref().map_or(theirs, |held| {
            let mine = held.facts().believed(now.wall);
            let data = if mine.last_dirty > theirs.last_dirty { &mine } else { &theirs };
            data.under(if theirs.override_rank() > mine.override_rank() { &theirs } else { &mine })
        });
        let is_theirs = before.as_ref().is_none_or(|held| {
            let (mine, theirs) = (held.facts().believed(now.wall).override_rank(), theirs.override_rank());
            theirs > mine || theirs == mine && held.background.note.is_none()
        });
        let said = theirs_behind.own.or(shown_own(&instance));
        let (instance, is_newer) = newer(before.as_deref(), instance);
        let mut background = background(before.as_deref(), is_newer, said);
        if is_theirs {
            background.note = theirs_behind.note;
        }
        let settled = Settled::new(Some(facts), background);
        self.grant(commit, instance, before.as_deref(), settled, Cause::Registered, Origin::Peer, now);
    }

    /// Takes a peer's newer copy over (`PeerEurekaNode.syncInstancesIfTimestampDiffers`): its data, and
    /// its override if it has one. What was cancelled meanwhile, or is newer here, stays as it is.
    pub fn take_over(&self, instance: Instance) {
        let now = self.clock.now();
        let commit = self.commit.lock();
        let Some(held) = self.lease(instance.app.as_str(), instance.id.as_str()) else { return };
        if held.instance.last_dirty > instance.last_dirty {
            return;
        }
        let overridden = held.overridden(brought(&instance).or(held.override_status));
        // The peer does not say when its override was set; here that is known.
        let facts = stands(&held).then(|| brought_facts(&instance).under(&held.facts()));
        let stays = if facts.is_some() { &*held } else { &overridden };
        let background = background(Some(stays), true, shown_own(&instance));
        let settled = Settled::new(facts, background);
        self.grant(commit, instance, Some(&overridden), settled, Cause::Registered, Origin::Peer, now);
    }

    /// Takes in what a peer holds, at the start (`PeerAwareInstanceRegistryImpl.syncUp`). What a client
    /// has cancelled since the copy began stays away; of what registered meanwhile only the status set from
    /// outside is taken, and that only where none was set or taken back here. Who is `unconfirmed` there is so here, for
    /// what is left of its lease. Gives how many there are.
    pub fn take_in(&self, instances: Vec<Instance>, unconfirmed: &Unconfirmed) -> usize {
        let mut taken = 0;
        for instance in instances {
            let now = self.clock.now();
            let commit = self.commit.lock();
            let early = commit.early.get(&instance.app, &instance.id);
            if early == Some(Event::Cancelled) {
                continue;
            }
            taken += 1;
            let held = self.lease(instance.app.as_str(), instance.id.as_str());
            // A list says nothing of when its overrides were set; here it is known that one was changed since.
            let facts = match (&held, early) {
                (Some(held), _) => stands(held).then(|| brought_facts(&instance).under(&held.facts())),
                (None, early) => early.map(|_| brought_facts(&instance)),
            };
            match held {
                // Whoever registered here meanwhile has a lease of its own already, but cannot know what was
                // set from outside.
                Some(held) if held.instance.last_dirty >= instance.last_dirty => {
                    let overridden = instance.overridden_status != InstanceStatus::Unknown;
                    if overridden && held.override_status.is_none() && !stands(&held) {
                        self.copy_override(commit, &held, instance.overridden_status, now);
                    }
                }
                before => {
                    let settled = Settled::new(facts, background(before.as_deref(), true, shown_own(&instance)));
                    let place = (instance.app.clone(), instance.id.clone());
                    let settled = match unconfirmed.get(&place) {
                        Some(age) if before.is_none() => Settled { sign: SignOfLife::Remembered, age: *age, ..settled },
                        _ => Settled { sign: SignOfLife::Copied, ..settled },
                    };
                    self.grant(commit, instance, before.as_deref(), settled, Cause::Copied, Origin::Peer, now);
                }
            }
        }
        taken
    }

    fn copy_override(&self, mut commit: MutexGuard<'_, Commit>, held: &Lease, status: InstanceStatus, now: Now) {
        let instance = Instance {
            overridden_status: status,
            status: effective_status(held.instance.status, Some(status)),
            action: Some(ActionType::Modified),
            last_updated: now.wall,
            ..Instance::clone(&held.instance)
        };
        let changed = held.changed(Arc::new(instance), Some(status), held.service_up());
        self.put(&mut commit, changed, Cause::Copied, Origin::Peer, now);
    }

    /// When an override of an instance that is not held ended, and the status that it had then: its instance
    /// took it along when it left, or it was taken back before the opening. It does not come back with a node
    /// that missed that. A status that hid behind it is unknown, so the client is asked to register again.
    pub(super) fn removed_before(
        commit: &mut Commit,
        app: &AppName,
        id: &InstanceId,
    ) -> Option<(InstanceStatus, OverrideStamp)> {
        let left = commit.tombstones.take(app, id).filter(|ended| ended.cancelled);
        match commit.early.take(app, id) {
            Some(Event::StatusRemoved(status, stamp)) => Some((status, stamp)),
            Some(Event::Cancelled) | None => left.map(|ended| (InstanceStatus::Unknown, ended.stamp)),
        }
    }

    /// Adds or replaces metadata entries, and registers the instance with them as if its client had
    /// (`InstanceResource.updateMetadata`). False if there is no such instance.
    pub fn set_metadata(&self, app: &str, id: &str, entries: Vec<(Text, Text)>) -> bool {
        let now = self.clock.now();
        let commit = self.commit.lock();
        let Some(held) = self.lease(app, id).filter(|lease| self.visible(&commit, lease, now)) else {
            return false;
        };
        let metadata = held.instance.metadata.with(entries);
        let instance = Instance { metadata, ..Instance::clone(&held.instance) };
        let settled = Settled::new(None, held.background.clone());
        self.grant(commit, instance, Some(&held), settled, Cause::MetadataSet, Origin::Client, now);
        true
    }

    /// The texts of an instance are often those of another one of its application.
    fn sharing_with_neighbour(&self, instance: Instance) -> Instance {
        let leases = self.apps.get(instance.app.as_str());
        let neighbour = leases.and_then(|leases| leases.iter().next().map(|lease| Arc::clone(lease.value())));
        match neighbour {
            Some(neighbour) => instance.sharing(&neighbour.instance),
            None => instance,
        }
    }

    /// Grants a lease.
    #[expect(clippy::too_many_arguments, reason = "the one place where leases are granted, with what differs")]
    pub(super) fn grant(
        &self,
        mut commit: MutexGuard<'_, Commit>,
        mut instance: Instance,
        before: Option<&Lease>,
        Settled { facts, background, sign, age }: Settled,
        cause: Cause,
        origin: Origin,
        now: Now,
    ) {
        let removed = Self::removed_before(&mut commit, &instance.app, &instance.id);
        let (override_status, stamp) = if let Some(facts) = facts {
            let facts = removed.map_or(facts, |(status, stamp)| facts.after_removal(status, stamp));
            instance.status = facts.status;
            instance.overridden_status = facts.override_status.unwrap_or(InstanceStatus::Unknown);
            (facts.override_status, facts.override_stamp)
        } else {
            let override_status = before.and_then(|lease| lease.override_status).or(brought(&instance));
            if let Some(status) = override_status {
                instance.overridden_status = status;
            }
            instance.status = effective_status(instance.status, override_status);
            // Nobody says when it was set: it comes later, so it was set later.
            let stamp = before.map_or(OverrideStamp::UNKNOWN, |lease| lease.override_stamp);
            (override_status, removed.map_or(stamp, |(_, removed)| removed.max(stamp)))
        };
        instance.action = Some(ActionType::Added);
        instance.last_updated = now.wall;
        let LeaseRequest { renewal_interval_secs, duration_secs } = instance.lease;
        instance.lease = LeaseRequest::new(renewal_interval_secs, duration_secs);
        let service_up = service_up(before, instance.status, now);

        commit.registered.push(LeaseEvent::new(now.wall, (&instance.app, &instance.id), cause, origin));
        let instance = Arc::new(match before {
            Some(before) => instance.sharing(&before.instance),
            None => self.sharing_with_neighbour(instance),
        });
        let at = self.lease_clock.at(now.mono);
        let lease = Lease::grant(Arc::clone(&instance), override_status, service_up, at, now.wall).stamped(stamp);
        let lease = lease.behind(background);
        let lease = if sign.is_hearsay() { lease.aged(sign, age) } else { lease };
        if lease.is_unconfirmed() {
            self.recalled.store(true, Ordering::Release);
        }
        let lease = self.put(&mut commit, lease, cause, origin, now);
        self.tell(origin, Told::Register, &lease, now);
        drop(commit);
        if matches!(cause, Cause::Copied | Cause::Recalled) {
            tracing::debug!(
                app = %instance.app, id = %instance.id, status = %instance.status,
                cause = cause.as_str(), "instance taken in"
            );
        } else if before.is_none() {
            tracing::info!(
                app = %instance.app, id = %instance.id, status = %instance.status, origin = origin.as_str(),
                "instance registered"
            );
        } else {
            tracing::debug!(
                app = %instance.app, id = %instance.id, status = %instance.status, origin = origin.as_str(),
                cause = cause.as_str(), "instance registered again"
            );
        }
    }
}

/// Of two versions of an instance the one with the greater version, or that which came just now. Whether it is that.
fn newer(before: Option<&Lease>, instance: Instance) -> (Instance, bool) {
    match before {
        Some(held) if held.instance.last_dirty > instance.last_dirty => (Instance::clone(&held.instance), false),
        _ => (instance, true),
    }
}

/// What is behind the override of the lease before, with what the client says of itself in a newer version, as far as
/// that is known.
fn background(before: Option<&Lease>, is_newer: bool, said: Option<InstanceStatus>) -> OverrideBackground {
    let before = before.map(|held| held.background.clone()).unwrap_or_default();
    if is_newer { OverrideBackground { own: said, ..before } } else { before }
}

/// What the client says of itself in another node's copy; nothing where an override hides it.
fn shown_own(instance: &Instance) -> Option<InstanceStatus> {
    Some(instance.status).filter(|status| brought(instance) != Some(*status))
}

/// Whether it is known here since when the override is as it is.
fn stands(held: &Lease) -> bool {
    held.override_stamp != OverrideStamp::UNKNOWN
}

fn brought(instance: &Instance) -> Option<InstanceStatus> {
    Some(instance.overridden_status).filter(|status| *status != InstanceStatus::Unknown)
}

pub(super) fn brought_facts(instance: &Instance) -> Facts {
    Facts {
        last_dirty: instance.last_dirty,
        status: instance.status,
        override_status: brought(instance),
        override_stamp: OverrideStamp::UNKNOWN,
    }
}

/// When an instance was first UP: carried over from lease to lease, now if it has just become UP.
pub(super) fn service_up(before: Option<&Lease>, status: InstanceStatus, now: Now) -> i64 {
    match before.map_or(0, Lease::service_up) {
        0 if status == InstanceStatus::Up => now.wall,
        since => since,
    }
}
