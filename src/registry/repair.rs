//! What another of our nodes holds, compared with what is held here, and taken over where the other
//! knows better (see [`crate::peers::digest`]; Java has nothing like it).
//!
//! Nothing here makes an instance live longer than its client does: a comparison never renews a lease, and what is
//! taken, an instance or an override, comes with the age of the last sign of life at the other node, where that was
//! later than the last one here. One that ended here comes back only for a sign of life after that end. Nobody is
//! told: each node compares for itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::clock::Now;
use crate::model::{
    ActionType, AppName, Instance, InstanceId, InstanceStatus, LeaseRequest, OverrideBackground, WallMillis,
};

use super::agreement::Facts;
use super::last_leases::LeaseEvent;
use super::lease::Lease;
use super::lease_length::SignOfLife;
use super::register::service_up;
use super::{Cause, Commit, Origin, Registry};

/// A heartbeat that was on its way to the other node while the lease was cancelled here looks this much
/// younger than the end, in milliseconds. A registration since then is told by its version.
const CROSSED: u64 = 2_000;

/// Ended leases that are looked at while writers wait.
const SLICE: usize = 1_000;

/// What a node holds of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// The application.
    pub app: AppName,
    /// The instance.
    pub id: InstanceId,
    /// Its version, status and override.
    pub facts: Facts,
    /// What its lease goes back to.
    pub sign: SignOfLife,
    /// Milliseconds since then.
    pub age: u64,
    /// How long its lease is.
    pub lease: LeaseRequest,
    /// What is behind its override.
    pub background: OverrideBackground,
}

/// A lease that a node ended at its instance's wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The application.
    pub app: AppName,
    /// The instance.
    pub id: InstanceId,
    /// The version of its data.
    pub last_dirty: WallMillis,
    /// Milliseconds since the end.
    pub age: u64,
}

/// What is to be done about another node's copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Nothing: there is none, or the copy here is the better one.
    None,
    /// Only the time is missing at which the override was set.
    Stamp,
    /// The override or the status is to be taken over.
    Status,
    /// The whole instance is to be taken over.
    Instance,
}

impl Registry {
    /// Shows the facts of every lease that is not unconfirmed, in no order.
    pub fn each_fact(&self, mut show: impl FnMut(&AppName, &InstanceId, Facts)) {
        for app in self.own_apps() {
            for lease in app.iter().filter(|lease| !lease.is_unconfirmed()) {
                show(&lease.instance.app, lease.key(), lease.facts());
            }
        }
    }

    /// What is held of one instance, and the instance.
    pub fn holding(&self, app: &AppName, id: &InstanceId) -> Option<(Holding, Arc<Lease>)> {
        let lease = self.held(app, id)?;
        let (now, _) = self.lease_time(self.clock.now());
        let holding = Holding {
            app: app.clone(),
            id: id.clone(),
            facts: lease.facts(),
            sign: lease.sign(),
            age: lease.age(now),
            lease: lease.instance.lease,
            background: lease.background.clone(),
        };
        Some((holding, lease))
    }

    /// The instances of an application that are not unconfirmed, by their ids.
    pub fn ids(&self, app: &AppName) -> BTreeSet<InstanceId> {
        let Some(leases) = self.apps.get(app).map(|leases| Arc::clone(&leases)) else { return BTreeSet::new() };
        leases.iter().filter(|lease| !lease.is_unconfirmed()).map(|lease| lease.key().clone()).collect()
    }

    /// Instances of an application after an id that have ended by themselves, in the order of their ids; at
    /// most so many.
    pub fn ended(&self, app: &AppName, after: &str, most: usize) -> Vec<Ended> {
        let (now, _) = self.lease_time(self.clock.now());
        let (mut all, mut after) = (Vec::new(), InstanceId::new(after));
        while all.len() < most {
            let commit = self.commit.lock();
            let slice = commit.tombstones.after(app, after.as_str()).take(SLICE);
            let slice: Vec<_> = slice.map(|(id, tombstone)| (id.clone(), *tombstone)).collect();
            drop(commit);
            let Some((last, _)) = slice.last() else { break };
            after = last.clone();
            let cancelled = slice.into_iter().filter(|(_, tombstone)| tombstone.cancelled && tombstone.counts(now));
            all.extend(cancelled.map(|(id, tombstone)| Ended {
                app: app.clone(),
                id,
                last_dirty: tombstone.last_dirty,
                age: tombstone.age(now),
            }));
        }
        all.truncate(most);
        all
    }

    /// Confirms the lease of an instance that another node has heard, with the age of that. Versions do not matter, as
    /// with heartbeats.
    pub fn confirm(&self, theirs: &Holding) {
        if let Some(held) = self.held(&theirs.app, &theirs.id).filter(|held| held.is_unconfirmed()) {
            self.take_sign(&held, theirs, self.clock.now());
        }
    }

    /// What is taken over lives as long as the other node says. Else what had left before would end it. Of an instance
    /// whose lease has lapsed there nobody has heard in time.
    fn take_sign(&self, held: &Lease, theirs: &Holding, now: Now) {
        let (lease_now, length) = self.lease_time(now);
        if !theirs.sign.is_hearsay() && theirs.age <= length.lasts(theirs.lease, theirs.sign) {
            held.take_sign(theirs.sign, theirs.age, lease_now, now.wall);
        }
    }

    /// What there is to do about another node's copy.
    pub fn compare(&self, theirs: &Holding) -> Difference {
        let now = self.clock.now();
        self.difference(&self.commit.lock(), theirs, now)
    }

    fn difference(&self, commit: &Commit, theirs: &Holding, now: Now) -> Difference {
        let Some(held) = self.held(&theirs.app, &theirs.id) else {
            let comes = self.is_alive(commit, theirs, now) && self.has_room(commit, &theirs.app);
            return if comes { Difference::Instance } else { Difference::None };
        };
        let mine = held.facts().believed(now.wall);
        let agreed = Facts::agreed(&mine, &held.heard(theirs.facts, now.wall));
        if agreed.last_dirty > mine.last_dirty {
            Difference::Instance
        } else if agreed == mine {
            Difference::None
        } else if (Facts { override_stamp: mine.override_stamp, ..agreed }) == mine {
            Difference::Stamp
        } else {
            Difference::Status
        }
    }

    /// Whether an instance that is not held here lives, as far as another node can tell.
    fn is_alive(&self, commit: &Commit, theirs: &Holding, now: Now) -> bool {
        let (now, length) = self.lease_time(now);
        if theirs.age > length.lasts(theirs.lease, theirs.sign) {
            return false;
        }
        commit.tombstones.get(&theirs.app, &theirs.id, now).is_none_or(|tombstone| {
            let told = !tombstone.cancelled || theirs.facts.last_dirty > tombstone.last_dirty;
            let crossed = if told { 0 } else { CROSSED };
            !theirs.sign.is_hearsay() && theirs.age.saturating_add(crossed) < tombstone.age(now)
        })
    }

    /// Takes the other node's override and status over, where they win. True if a reader can tell.
    pub fn agree(&self, theirs: &Holding) -> bool {
        let now = self.clock.now();
        let mut commit = self.commit.lock();
        let difference = self.difference(&commit, theirs, now);
        if !matches!(difference, Difference::Stamp | Difference::Status) {
            return false;
        }
        let Some(held) = self.held(&theirs.app, &theirs.id) else { return false };
        self.take_sign(&held, theirs, now);
        let agreed = Facts::agreed(&held.facts().believed(now.wall), &held.heard(theirs.facts, now.wall));
        if difference == Difference::Stamp {
            let stamped = held.overridden(held.override_status).stamped(agreed.override_stamp);
            self.restamp(&mut commit, agreed_behind(stamped, &held, theirs));
            return false;
        }
        let instance = Arc::new(Instance {
            action: Some(ActionType::Modified),
            last_updated: now.wall,
            ..with_facts(Instance::clone(&held.instance), &agreed)
        });
        let service_up = service_up(Some(&held), agreed.status, now);
        let lease = held.changed(instance, agreed.override_status, service_up).stamped(agreed.override_stamp);
        let lease = agreed_behind(lease, &held, theirs);
        self.put(&mut commit, lease, Cause::StatusFollowed, Origin::Peer, now);
        true
    }

    /// Takes the other node's instance over, where it wins: with what is left of its lease there, or of
    /// the lease that it has here if that was heard later. True if it was taken.
    pub fn take_remaining(&self, theirs: &Holding, instance: Instance) -> bool {
        let now = self.clock.now();
        let mut commit = self.commit.lock();
        if self.difference(&commit, theirs, now) != Difference::Instance {
            return false;
        }
        let held = self.held(&theirs.app, &theirs.id);
        let facts = if let Some(held) = &held {
            Facts::agreed(&held.facts().believed(now.wall), &held.heard(theirs.facts, now.wall))
        } else {
            let removed = Self::removed_before(&mut commit, &theirs.app, &theirs.id);
            removed.map_or(theirs.facts, |(status, stamp)| theirs.facts.after_removal(status, stamp))
        };
        let LeaseRequest { renewal_interval_secs, duration_secs } = instance.lease;
        let instance = Arc::new(Instance {
            action: Some(ActionType::Added),
            last_updated: now.wall,
            lease: LeaseRequest::new(renewal_interval_secs, duration_secs),
            ..with_facts(instance, &facts)
        });
        let service_up = service_up(held.as_deref(), facts.status, now);
        let lease = if let Some(held) = &held {
            self.take_sign(held, theirs, now);
            held.changed(instance, facts.override_status, service_up)
        } else {
            let at = self.lease_clock.at(now.mono);
            Lease::grant(instance, facts.override_status, service_up, at, now.wall).aged(theirs.sign, theirs.age)
        };
        let event = LeaseEvent::new(now.wall, (&theirs.app, &theirs.id), Cause::Copied, Origin::Peer);
        commit.registered.push(event);
        let lease = lease.stamped(facts.override_stamp);
        let lease = match &held {
            Some(held) => agreed_behind(lease, held, theirs),
            None => lease.behind(theirs.background.clone()),
        };
        self.put(&mut commit, lease, Cause::Copied, Origin::Peer, now);
        drop(commit);
        tracing::debug!(app = %theirs.app, id = %theirs.id, age = theirs.age, "instance taken from a peer");
        true
    }

    /// Ends a lease that the other node has ended at its instance's wish since the last sign of life that
    /// is known here, or that is a copy without one of what ended there. True if it was.
    pub fn end_as(&self, ended: &Ended) -> bool {
        let now = self.clock.now();
        let (lease_now, _) = self.lease_time(now);
        let mut commit = self.commit.lock();
        // A copy is as young as this node, also where the peer that gave it had missed the end.
        let is_of_it = |held: &Lease| {
            let copied = held.sign().is_hearsay() && held.instance.last_dirty <= ended.last_dirty;
            copied || ended.age < held.age(lease_now)
        };
        let Some(held) = self.held(&ended.app, &ended.id).filter(|held| is_of_it(held)) else { return false };
        commit.cancelled.push(LeaseEvent::new(now.wall, (&ended.app, &ended.id), Cause::Cancelled, Origin::Peer));
        self.bury(&mut commit, &held, (Cause::Cancelled, Origin::Peer), ended.age, now);
        drop(commit);
        tracing::info!(app = %ended.app, id = %ended.id, origin = Origin::Peer.as_str(), "instance cancelled");
        true
    }
}

/// What is behind an override is known best by whoever holds it since it is as it is: a note goes with its override, and
/// what the client said with its version.
fn agreed_behind(lease: Lease, mine: &Lease, theirs: &Holding) -> Lease {
    let is_theirs = |lease: &Lease| {
        (lease.override_stamp, lease.override_status) == (theirs.facts.override_stamp, theirs.facts.override_status)
    };
    let own = if mine.instance.last_dirty > theirs.facts.last_dirty { None } else { theirs.background.own };
    let own = own.or(lease.background.own);
    let note = if is_theirs(&lease) && !is_theirs(mine) {
        theirs.background.note.clone()
    } else {
        lease.background.note.clone()
    };
    lease.behind(OverrideBackground { own, note })
}

pub(super) fn with_facts(instance: Instance, facts: &Facts) -> Instance {
    Instance {
        status: facts.status,
        overridden_status: facts.override_status.unwrap_or(InstanceStatus::Unknown),
        last_dirty: facts.last_dirty,
        ..instance
    }
}
