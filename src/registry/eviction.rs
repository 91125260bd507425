//! The end of leases that nobody renews (`AbstractInstanceRegistry.evict`).

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rand::Rng;
use rand::seq::SliceRandom as _;

use crate::model::{AppName, InstanceId, Selection, WallMillis};

use super::last_leases::LeaseEvent;
use super::lease::Lease;
use super::lease_clock::LeaseMillis;
use super::lease_length::LeaseLength;
use super::preservation::{Silence, Verdict};
use super::{Cause, Commit, Origin, Registry, SilentApp};

/// What an eviction round did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Leases that had lapsed when it began.
    pub lapsed: usize,
    /// How many of them it ended.
    pub expired: usize,
}

/// Self-preservation begins to keep lapsed leases, or ends that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreservationNews {
    /// When it began or ended, for showing.
    pub at: WallMillis,
    /// Why lapsed leases are kept; none: they are not any more.
    pub held: Option<&'static str>,
    /// Leases that have lapsed.
    pub lapsed: usize,
    /// Leases that are overdue, lapsed or not.
    pub silent: usize,
    /// Renewals in the last full minute.
    pub renewals: u64,
    /// Renewals a minute that must be exceeded for leases to expire by Java's rule.
    pub threshold: u64,
}

/// All leases as a round finds them.
pub(super) struct Survey {
    pub(super) lapsed: Vec<Lapsed>,
    /// Those of them that nobody has confirmed since a restart: self-preservation does not speak for them.
    unconfirmed: Vec<Lapsed>,
    /// How many nobody has confirmed, lapsed or not.
    pub(super) unheard: usize,
    /// Applications with silent instances.
    pub(super) silent_apps: Vec<SilentApp>,
    pub(super) silence: Silence,
}

/// A lease that has lapsed, and how long it had lasted, in milliseconds.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lapsed {
    app: AppName,
    id: InstanceId,
    pub(super) lasted: u64,
}

impl Registry {
    /// Notes that a peer was missed until so long ago: heartbeats that it took did not come here, so
    /// who is silent here may have been loud there.
    pub fn note_missing_peer(&self, ago: Duration) {
        let ago = u64::try_from(ago.as_millis()).unwrap_or(u64::MAX);
        let now = self.lease_clock.at(self.clock.mono());
        self.commit.lock().losses.note_missing_peer(LeaseMillis(now.0.saturating_sub(ago)));
    }

    /// Ends lapsed leases, as far as self-preservation allows: at most so many a round that the
    /// guarded share of the registry stays, chosen at random, so that no application is wiped out
    /// first.
    pub fn evict(&self) -> Round {
        self.evict_at_random(&mut rand::rng())
    }

    /// [`Self::evict`] with the chance taken from outside: the same chance ends the same leases.
    pub fn evict_at_random(&self, random: &mut impl Rng) -> Round {
        let now = self.clock.now();
        let (lease_now, length) = self.lease_time(now);
        let Survey { mut lapsed, unconfirmed, silence, .. } = self.survey(lease_now, length);
        let forgotten = unconfirmed.iter().filter(|lapsed| self.expire_lapsed(lapsed)).count();
        let renewals = self.renewals.last_minute(now.mono);
        let found = lapsed.len();
        let (verdict, limit) = {
            let mut commit = self.commit.lock();
            let Commit { losses, population, .. } = &mut *commit;
            let verdict = losses.judge(population, renewals, silence, &mut lapsed, lease_now);
            (verdict, population.round_limit())
        };
        let held = match verdict {
            Verdict::Preserve(why) if found > 0 => Some(why.as_str()),
            _ => None,
        };
        self.tell_of_preservation(held, found, silence.overdue, renewals);
        match verdict {
            Verdict::Preserve(_) => lapsed.clear(),
            Verdict::Expire(reason) => {
                // The maps have an order of their own in each process.
                lapsed.sort_unstable();
                lapsed.shuffle(random);
                lapsed.truncate(limit);
                if !lapsed.is_empty() {
                    tracing::info!(lapsed = found, ending = lapsed.len(), ?reason, "ending lapsed leases");
                }
            }
            Verdict::Accept if lapsed.is_empty() => {}
            Verdict::Accept => tracing::warn!(
                silent = silence.overdue,
                after = ?self.rules.load().preservation.accept_after,
                "all others have renewed on time for long enough, the silent instances are taken for lost"
            ),
        }
        let expired = lapsed.iter().filter(|lapsed| self.expire_lapsed(lapsed)).count();
        let losses = &mut self.commit.lock().losses;
        match verdict {
            Verdict::Accept => losses.note_accepted(),
            Verdict::Expire(_) | Verdict::Preserve(_) => losses.note_expired(expired, lease_now),
        }
        Round { lapsed: found + unconfirmed.len(), expired: expired + forgotten }
    }

    /// Ends the leases of all who are silent, lapsed or not: an operator knows that they are gone. Peers find that out
    /// by themselves, or are told to as well. Gives how many it ended.
    pub fn accept_losses(&self) -> usize {
        let (now, length) = self.lease_time(self.clock.now());
        let all = self.select(&Selection::default());
        let silent = all.iter().filter(|lease| lease.is_silent(now, length));
        let end = |lease: &&Arc<Lease>| {
            self.expire(&lease.instance.app, &lease.instance.id, Lease::is_silent, Origin::Operator)
        };
        let ended = silent.filter(end).count();
        self.commit.lock().losses.note_accepted();
        ended
    }

    /// Says once when self-preservation begins to hold lapsed leases, and once when it ends.
    fn tell_of_preservation(&self, held: Option<&'static str>, lapsed: usize, silent: usize, renewals: u64) {
        if self.holding.swap(held.is_some(), Ordering::Relaxed) == held.is_some() {
            return;
        }
        let threshold = self.renewal_threshold();
        // Without anybody who follows it goes nowhere.
        let news = PreservationNews { at: self.clock.now().wall, held, lapsed, silent, renewals, threshold };
        let _ = self.preservation_news.send(news);
        if let Some(reason) = held {
            tracing::warn!(
                reason,
                lapsed,
                silent,
                renewals,
                threshold,
                "instances are silent, self-preservation keeps their leases"
            );
        } else {
            tracing::info!(renewals, "self-preservation keeps no lapsed leases any more");
        }
    }

    pub(super) fn survey(&self, now: LeaseMillis, length: LeaseLength) -> Survey {
        let last_late = LeaseMillis(self.last_late.load(Ordering::Relaxed));
        let silence = Silence { overdue: 0, fingerprint: 0, last_late };
        let mut survey =
            Survey { lapsed: Vec::new(), unconfirmed: Vec::new(), unheard: 0, silent_apps: Vec::new(), silence };
        for app in self.own_apps() {
            let (mut name, mut silent) = (None, 0);
            for lease in app.iter() {
                let is_silent = lease.is_silent(now, length);
                if is_silent {
                    name.get_or_insert_with(|| lease.instance.app.clone());
                    silent += 1;
                }
                let is_unconfirmed = lease.is_unconfirmed();
                if lease.lapsed(now, length) {
                    let found = if is_unconfirmed { &mut survey.unconfirmed } else { &mut survey.lapsed };
                    found.push(Lapsed {
                        app: lease.instance.app.clone(),
                        id: lease.instance.id.clone(),
                        lasted: lease.lasts(length),
                    });
                }
                if is_unconfirmed {
                    survey.unheard += 1;
                    continue;
                }
                if is_silent {
                    survey.silence.overdue += 1;
                    let mut hasher = DefaultHasher::new();
                    (&lease.instance.app, &lease.instance.id, lease.times().registration).hash(&mut hasher);
                    survey.silence.fingerprint = survey.silence.fingerprint.wrapping_add(hasher.finish());
                }
            }
            if let Some(name) = name {
                survey.silent_apps.push(SilentApp { app: name, leases: app.len(), silent });
            }
        }
        survey
    }

    fn expire_lapsed(&self, lapsed: &Lapsed) -> bool {
        self.expire(&lapsed.app, &lapsed.id, Lease::lapsed, Origin::Server)
    }

    /// Ends one lease, unless it was renewed, cancelled or granted anew since the survey.
    fn expire(
        &self,
        app: &AppName,
        id: &InstanceId,
        may_end: fn(&Lease, LeaseMillis, LeaseLength) -> bool,
        origin: Origin,
    ) -> bool {
        let now = self.clock.now();
        let (lease_now, length) = self.lease_time(now);
        let mut commit = self.commit.lock();
        let lease = self.lease(app.as_str(), id.as_str());
        let Some(lease) = lease.filter(|lease| may_end(lease, lease_now, length)) else {
            return false;
        };
        commit.cancelled.push(LeaseEvent::new(now.wall, (app, id), Cause::Expired, origin));
        self.end(&mut commit, &lease, Cause::Expired, origin, now);
        drop(commit);
        tracing::info!(%app, %id, last_renewal = lease.times().last_renewal, origin = origin.as_str(), "instance expired");
        true
    }
}
