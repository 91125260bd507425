//! One lease: an instance and how long it may stay without a sign of life (`Lease<InstanceInfo>`).

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::model::{ActionType, Instance, InstanceStatus, LeaseTimes, OverrideBackground, OverrideNote, WallMillis};

use super::agreement::{Facts, OverrideStamp};
use super::lease_clock::LeaseMillis;
use super::lease_length::{LeaseLength, SignOfLife, seconds};
use super::regions::RegionId;
use super::renewals::Renewals;

/// A lease as it is after a change. A change makes another one that shares the renewals, so that a
/// heartbeat that comes at the same moment is not lost; a new registration starts new renewals.
#[derive(Debug)]
pub struct Lease {
    /// The instance, with its effective status.
    pub instance: Arc<Instance>,
    /// The status set from outside, if any. Java keeps these in a map by instance id alone and
    /// forgets them after an hour; here one lives and dies with the lease of its instance.
    pub override_status: Option<InstanceStatus>,
    /// When that was set, or the last one taken back.
    pub override_stamp: OverrideStamp,
    /// What is behind the override; empty where there is none.
    pub background: OverrideBackground,
    /// The remote region that holds it; none: this server does.
    pub region: Option<RegionId>,
    granted: WallMillis,
    service_up: WallMillis,
    evicted: WallMillis,
    renewals: Arc<Renewals>,
}

impl Lease {
    /// A fresh lease, renewed now.
    pub fn grant(
        instance: Arc<Instance>,
        override_status: Option<InstanceStatus>,
        service_up: WallMillis,
        at: LeaseMillis,
        wall: WallMillis,
    ) -> Self {
        Self {
            instance,
            override_status,
            override_stamp: OverrideStamp::UNKNOWN,
            background: OverrideBackground::default(),
            region: None,
            granted: wall,
            service_up,
            evicted: 0,
            renewals: Renewals::begin(at.signed(), wall, SignOfLife::Registered),
        }
    }

    /// The same with this stamp of its override.
    #[must_use]
    pub(super) fn stamped(self, stamp: OverrideStamp) -> Self {
        Self { override_stamp: stamp, ..self }
    }

    /// The same with this behind its override, if it has one.
    #[must_use]
    pub(super) fn behind(self, background: OverrideBackground) -> Self {
        let background = if self.override_status.is_some() { background } else { OverrideBackground::default() };
        Self { background, ..self }
    }

    /// The same with this note on its override, if it has one.
    #[must_use]
    pub(super) fn noted(self, note: Option<Arc<OverrideNote>>) -> Self {
        let own = self.background.own;
        self.behind(OverrideBackground { own, note })
    }

    /// What is behind another override. A note goes with its override; what the client said stays.
    fn background_under(&self, override_status: Option<InstanceStatus>) -> OverrideBackground {
        match (self.override_status, override_status) {
            (_, None) => OverrideBackground::default(),
            (None, Some(_)) => OverrideBackground { own: Some(self.instance.status), note: None },
            (Some(before), Some(after)) if before == after => self.background.clone(),
            (Some(_), Some(_)) => OverrideBackground { note: None, ..self.background.clone() },
        }
    }

    /// The status once its override is taken back: what the client says of itself as far as that is known. One
    /// that is silent is not known to be well, and does not come back into traffic before it is heard.
    pub(super) fn status_behind(&self, now: LeaseMillis) -> InstanceStatus {
        let is_hidden = self.override_status == Some(self.instance.status);
        match self.background.own {
            _ if !is_hidden => self.instance.status,
            Some(own) if self.overdue_at() >= now => own,
            _ => InstanceStatus::Unknown,
        }
    }

    /// A lease that was just granted, with a last sign of life so many milliseconds before that.
    #[must_use]
    pub(super) fn aged(self, sign: SignOfLife, age: u64) -> Self {
        let earlier = |at: &AtomicI64| at.load(Ordering::Relaxed).saturating_sub_unsigned(age);
        let renewals = Renewals::begin(earlier(&self.renewals.at), earlier(&self.renewals.wall), sign);
        Self { renewals, ..self }
    }

    /// The same lease around a changed instance.
    #[must_use]
    pub fn changed(
        &self,
        instance: Arc<Instance>,
        override_status: Option<InstanceStatus>,
        service_up: WallMillis,
    ) -> Self {
        Self {
            instance,
            override_status,
            override_stamp: self.override_stamp,
            background: self.background_under(override_status),
            region: self.region,
            granted: self.granted,
            service_up,
            evicted: 0,
            renewals: Arc::clone(&self.renewals),
        }
    }

    /// The same lease with this override.
    #[must_use]
    pub(super) fn overridden(&self, status: Option<InstanceStatus>) -> Self {
        self.changed(Arc::clone(&self.instance), status, self.service_up)
    }

    /// A lease that another region holds, as it shows it. It never lapses here.
    pub(super) fn remote(instance: Arc<Instance>, region: RegionId, times: &LeaseTimes) -> Self {
        let lease = Self::grant(instance, None, times.service_up, LeaseMillis(0), times.last_renewal);
        Self { region: Some(region), granted: times.registration, evicted: times.eviction, ..lease }
    }

    /// Notes when a lease of another region was renewed there.
    pub(super) fn note_times(&self, times: &LeaseTimes) {
        self.renewals.wall.store(times.last_renewal, Ordering::Relaxed);
    }

    /// The lease after its end, as the delta shows it.
    #[must_use]
    pub fn tombstone(&self, wall: WallMillis) -> Self {
        let instance =
            Instance { action: Some(ActionType::Deleted), last_updated: wall, ..Instance::clone(&self.instance) };
        Self { evicted: wall, ..self.changed(Arc::new(instance), self.override_status, self.service_up) }
    }

    /// Takes a sign of life. Two stores and no lock; a reader may see one a moment before the
    /// other. Gives whether the instance had been silent for too long.
    pub fn renew(&self, at: LeaseMillis, wall: WallMillis) -> bool {
        let was_overdue = self.overdue_at() < at;
        self.renewals.renew(at, wall);
        was_overdue
    }

    /// Takes another node's sign of life of so long ago, if it is a later one than its own or that is hearsay.
    pub(super) fn take_sign(&self, sign: SignOfLife, age: u64, now: LeaseMillis, wall: WallMillis) {
        self.renewals.take_sign(sign, age, now, wall);
    }

    /// Notes that these peers, a bit each, are to hear of a renewal. Gives those for which that is news.
    pub fn note_waiting(&self, peers: u64) -> u64 {
        let waiting = &self.renewals.waiting;
        if waiting.load(Ordering::Relaxed) & peers == peers {
            return 0;
        }
        peers & !waiting.fetch_or(peers, Ordering::AcqRel)
    }

    /// Notes that these peers are about to hear of the renewals so far.
    pub fn clear_waiting(&self, peers: u64) {
        self.renewals.waiting.fetch_and(!peers, Ordering::AcqRel);
    }

    /// Whether this is the lease before or after a change of the other, and not a later one.
    pub(super) fn shares_renewals(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.renewals, &other.renewals)
    }

    /// When the lease ends unless it is renewed.
    pub fn lapses_at(&self, length: LeaseLength) -> LeaseMillis {
        self.after_renewal(self.lasts(length))
    }

    /// How long it lasts after its last renewal, in milliseconds.
    pub fn lasts(&self, length: LeaseLength) -> u64 {
        length.lasts(self.instance.lease, self.sign())
    }

    fn after_renewal(&self, millis: u64) -> LeaseMillis {
        let at = self.renewals.at.load(Ordering::Relaxed).saturating_add_unsigned(millis);
        LeaseMillis(u64::try_from(at).unwrap_or(0))
    }

    /// Whether it is known from before a restart alone, see [`Registry::recall`](super::Registry::recall).
    pub fn is_unconfirmed(&self) -> bool {
        self.sign() == SignOfLife::Remembered
    }

    /// What it goes back to.
    pub fn sign(&self) -> SignOfLife {
        self.renewals.sign()
    }

    /// Milliseconds of lease time since the last sign of life.
    pub fn age(&self, now: LeaseMillis) -> u64 {
        u64::try_from(now.signed().saturating_sub(self.renewals.at.load(Ordering::Relaxed))).unwrap_or(0)
    }

    /// What nodes are to agree on.
    pub fn facts(&self) -> Facts {
        Facts {
            last_dirty: self.instance.last_dirty,
            status: self.instance.status,
            override_status: self.override_status,
            override_stamp: self.override_stamp,
        }
    }

    /// Whether this is the end of its override that its note tells, although that time has yet to come here. Each
    /// node ends overrides by its own clock; else the one whose clock is furthest ahead would end those of all.
    pub(super) fn ends_early(&self, stamp: OverrideStamp, now: WallMillis) -> bool {
        let until = self.background.note.as_ref().and_then(|note| note.until);
        until.is_some_and(|until| now < until && stamp == OverrideStamp(until))
    }

    /// What another node holds of its instance, as far as it counts here.
    pub(super) fn heard(&self, theirs: Facts, now: WallMillis) -> Facts {
        let is_early = theirs.override_status.is_none() && self.ends_early(theirs.override_stamp, now);
        let override_stamp = if is_early { OverrideStamp::UNKNOWN } else { theirs.override_stamp };
        Facts { override_stamp, ..theirs }
    }

    /// Whether the lease has ended by now.
    pub fn lapsed(&self, now: LeaseMillis, length: LeaseLength) -> bool {
        now > self.lapses_at(length)
    }

    /// When the instance counts as silent: one and a half of its own heartbeat intervals after its
    /// last renewal, long before the lease ends.
    pub fn overdue_at(&self) -> LeaseMillis {
        let interval = seconds(self.instance.lease.renewal_interval_secs);
        self.after_renewal(interval + interval / 2)
    }

    /// Whether it is silent by now.
    pub fn is_silent(&self, now: LeaseMillis, length: LeaseLength) -> bool {
        self.lapsed(now, length) || (!self.is_unconfirmed() && self.overdue_at() < now)
    }

    /// When the instance was first UP under this or an earlier lease; 0 for never.
    pub fn service_up(&self) -> WallMillis {
        self.service_up
    }

    /// The times to show.
    pub fn times(&self) -> LeaseTimes {
        LeaseTimes {
            registration: self.granted,
            last_renewal: self.renewals.wall.load(Ordering::Relaxed),
            eviction: self.evicted,
            service_up: self.service_up,
        }
    }
}
