//! What this server held before it was restarted, as far as somebody kept it (Java forgets everything).
//!
//! Such a lease is *unconfirmed*: it is shown like any other, so that clients find each other at once, but only its
//! own client can keep it. Unless that renews or registers within one lease length it goes, whatever
//! self-preservation says: that guards what was heard here, and of this nothing was. So it is at nodes of our own that
//! copy this one, and no comparison spreads it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::model::{AppName, Instance, InstanceId, InstanceStatus, OverrideBackground};

use super::agreement::{Facts, OverrideStamp};
use super::early::Event;
use super::lease::Lease;
use super::lease_length::SignOfLife;
use super::register::service_up;
use super::repair::with_facts;
use super::settled::Settled;
use super::{Cause, Origin, Registry, Version};

/// Who is unconfirmed at a node, with the milliseconds of each lease that have passed.
pub type Unconfirmed = HashMap<(AppName, InstanceId), u64>;

/// An instance as it was held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// With its effective status.
    pub instance: Instance,
    /// The status set from outside.
    pub override_status: Option<InstanceStatus>,
    /// When that was set or taken back.
    pub override_stamp: OverrideStamp,
    /// What is behind it.
    pub background: OverrideBackground,
}

impl Remembered {
    /// What is to be remembered of a lease.
    pub fn of(lease: &Lease) -> Self {
        Self {
            instance: Instance::clone(&lease.instance),
            override_status: lease.override_status,
            override_stamp: lease.override_stamp,
            background: lease.background.clone(),
        }
    }

    fn facts(&self) -> Facts {
        Facts {
            last_dirty: self.instance.last_dirty,
            status: self.instance.status,
            override_status: self.override_status,
            override_stamp: self.override_stamp,
        }
    }
}

impl Registry {
    /// Takes in what was held before a restart; peers are not told. What was cancelled meanwhile stays away, and what
    /// has registered meanwhile gets only the status that was set from outside. Gives how many leases it granted.
    pub fn recall(&self, remembered: impl IntoIterator<Item = Remembered>) -> usize {
        let mut granted = 0;
        for remembered in remembered {
            let now = self.clock.now();
            let theirs = remembered.facts().believed(now.wall);
            let Remembered { instance, background, .. } = remembered;
            let mut commit = self.commit.lock();
            if commit.early.get(&instance.app, &instance.id) == Some(Event::Cancelled) {
                continue;
            }
            let Some(held) = self.held(&instance.app, &instance.id) else {
                granted += 1;
                let settled = Settled { sign: SignOfLife::Remembered, ..Settled::new(Some(theirs), background) };
                self.grant(commit, instance, None, settled, Cause::Recalled, Origin::Server, now);
                continue;
            };
            let mine = held.facts();
            if theirs.override_rank() > mine.override_rank() {
                let facts = mine.under(&theirs);
                let changed = Arc::new(with_facts(Instance::clone(&held.instance), &facts));
                let service_up = service_up(Some(&held), facts.status, now);
                let lease = held.changed(changed, facts.override_status, service_up).stamped(facts.override_stamp);
                let lease = lease.noted(background.note);
                self.put(&mut commit, lease, Cause::Recalled, Origin::Server, now);
            }
        }
        granted
    }

    /// What was known of overrides before a restart, for instances that were taken from a peer meanwhile: a list says
    /// neither when they were set nor why. One that has another override now, or none, keeps that.
    pub fn recall_overrides(&self, remembered: impl IntoIterator<Item = Remembered>) {
        for remembered in remembered.into_iter().filter(|remembered| remembered.override_status.is_some()) {
            let now = self.clock.now();
            let mut commit = self.commit.lock();
            let Some(held) = self.held(&remembered.instance.app, &remembered.instance.id) else { continue };
            let stamp = remembered.override_stamp.believed(now.wall);
            if held.override_status == remembered.override_status && held.override_stamp < stamp {
                let lease = held.overridden(held.override_status).stamped(stamp).noted(remembered.background.note);
                self.put(&mut commit, lease, Cause::Recalled, Origin::Server, now);
            }
        }
    }

    /// Who is unconfirmed here. It looks at the leases as long as there may be any: anybody may ask.
    pub fn unconfirmed(&self) -> Unconfirmed {
        let mut all = Unconfirmed::new();
        let (is_open, (now, _)) = (self.was_opened(), self.lease_time(self.clock.now()));
        if !self.recalled.load(Ordering::Acquire) {
            return all;
        }
        for app in self.own_apps() {
            let unconfirmed = app.iter().filter(|lease| lease.is_unconfirmed());
            all.extend(unconfirmed.map(|lease| ((lease.instance.app.clone(), lease.key().clone()), lease.age(now))));
        }
        // Nobody is granted such a lease after the opening.
        if is_open && all.is_empty() {
            self.recalled.store(false, Ordering::Release);
        }
        all
    }

    /// How often the override of an instance was stamped anew without a change.
    pub fn restamps(&self) -> u64 {
        self.restamps.load(Ordering::Acquire)
    }

    /// All that this server holds itself, and the version that this is of. As it is held: a change in the log does not
    /// know what was stamped after it.
    pub fn all_own(&self) -> (Version, Vec<Arc<Lease>>) {
        let (version, leases, _) = self.everything();
        (version, leases.into_iter().filter(|lease| lease.region.is_none()).collect())
    }
}
