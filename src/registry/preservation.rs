//! Self-preservation: whether silent instances may go, or whether it is the network that is silent.
//!
//! Java's rule compares the renewals of the last minute with a threshold. It is kept whole (what it
//! allows is allowed here), but it counts a client that does not exist, takes everybody's heartbeat
//! for 30 s, and after a scale-in it never lets go. So here the expected renewals are those that the
//! leases held promise, a small loss is believed, and a large one after everybody else has been calm
//! for long enough.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crate::settings::PreservationSettings;

use super::eviction::Lapsed;
use super::lease_clock::LeaseMillis;

/// The leases held and the renewals they promise; owned by the commit lock.
#[derive(Debug)]
pub(super) struct Population {
    leases: usize,
    /// How many leases have each renewal interval, in seconds.
    intervals: BTreeMap<i32, usize>,
    /// Clients expected beside the leases held: only when the user set a start value.
    phantom: u32,
    settings: PreservationSettings,
}

impl Population {
    /// Nobody, or the clients that the user wants expected from the start.
    pub(super) fn new(settings: PreservationSettings) -> Self {
        Self { leases: 0, intervals: BTreeMap::new(), phantom: settings.initial_clients.unwrap_or(0), settings }
    }

    /// Counts by other settings from now on; clients expected from the start stay as they are.
    pub(super) fn change_settings(&mut self, settings: PreservationSettings) {
        self.settings = settings;
    }

    /// A lease with this renewal interval (seconds) was added.
    pub(super) fn add(&mut self, interval: i32) {
        self.leases += 1;
        *self.intervals.entry(interval).or_default() += 1;
    }

    /// A lease with this renewal interval (seconds) is gone.
    pub(super) fn remove(&mut self, interval: i32) {
        self.leases = self.leases.saturating_sub(1);
        if let Some(count) = self.intervals.get_mut(&interval) {
            *count -= 1;
            if *count == 0 {
                self.intervals.remove(&interval);
            }
        }
    }

    /// Expects so many clients beside those that are there (`defaultOpenForTrafficCount`).
    pub(super) fn expect_more(&mut self, clients: u32) {
        self.phantom = clients;
    }

    /// Forgets clients that are expected but not there, once enough are, or when self-preservation is
    /// off (`PeerAwareInstanceRegistryImpl.updateRenewalThreshold`).
    pub(super) fn update(&mut self) {
        let expected = count(self.leases) + f64::from(self.phantom);
        if !self.settings.enabled || count(self.leases) > self.settings.renewal_percent * expected {
            self.phantom = 0;
        }
    }

    /// How many leases are held.
    pub(super) fn leases(&self) -> usize {
        self.leases
    }

    /// How many renewals a minute everybody expected would make.
    pub(super) fn expected_renewals(&self) -> f64 {
        let usual = self.settings.expected_interval;
        let per_minute = |secs: f64| 60.0 / secs;
        let promised = match usual {
            Some(interval) => count(self.leases) * per_minute(interval.as_secs_f64()),
            None => self.intervals.iter().map(|(secs, leases)| count(*leases) * per_minute(f64::from(*secs))).sum(),
        };
        let usual = usual.map_or(DEFAULT_INTERVAL_SECS, |interval| interval.as_secs_f64());
        promised + f64::from(self.phantom) * per_minute(usual)
    }

    /// The same as a whole number.
    pub(super) fn expected(&self) -> u64 {
        whole(self.expected_renewals().round())
    }

    /// Renewals a minute that must be exceeded for leases to expire.
    pub(super) fn threshold(&self) -> u64 {
        whole(self.expected_renewals() * self.settings.renewal_percent)
    }

    /// Java's rule: whether leases may expire after so many renewals in the last minute.
    pub(super) fn expiry_enabled(&self, renewals: u64) -> bool {
        let threshold = self.threshold();
        !self.settings.enabled || (threshold > 0 && renewals > threshold)
    }

    /// How many leases one round may end at most (`AbstractInstanceRegistry.evict`): what is left is
    /// at least the share that self-preservation guards.
    pub(super) fn round_limit(&self) -> usize {
        let kept = whole(count(self.leases) * self.settings.renewal_percent);
        self.leases.saturating_sub(usize::try_from(kept).unwrap_or(usize::MAX))
    }
}

/// `LeaseInfo.DEFAULT_LEASE_RENEWAL_INTERVAL`.
const DEFAULT_INTERVAL_SECS: f64 = 30.0;

/// Who was silent when a round began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Silence {
    /// Leases without a renewal for one and a half of their own intervals.
    pub(super) overdue: usize,
    /// Tells one set of overdue leases from another.
    pub(super) fingerprint: u64,
    /// When an instance last renewed too late.
    pub(super) last_late: LeaseMillis,
}

/// What a round may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// End lapsed leases, up to [`Population::round_limit`].
    Expire(Reason),
    /// End all lapsed leases: the loss is accepted.
    Accept,
    /// End none.
    Preserve(Held),
}

/// Why lapsed leases are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// There are too many at once.
    TooMany,
    /// They may have renewed at a peer that was unavailable.
    PeerMissing,
}

impl Held {
    /// The words in the log and in events.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::TooMany => "too many at once",
            Self::PeerMissing => "a peer was unavailable",
        }
    }
}

/// Why lapsed leases may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// Java's rule.
    EnoughRenewals,
    /// Few are silent.
    SmallLoss,
}

/// What the rules beyond Java's remember between rounds; owned by the commit lock.
#[derive(Clone, Debug)]
pub(super) struct Losses {
    settings: PreservationSettings,
    /// When rounds ended leases, and how many.
    expired: VecDeque<(LeaseMillis, usize)>,
    /// The silent ones of the last round, and since when they have been the same.
    calm: Option<(u64, LeaseMillis)>,
    /// When a peer was last unavailable: heartbeats that it took did not come here.
    peer_missing: Option<LeaseMillis>,
}

impl Losses {
    /// Nothing lost yet.
    pub(super) fn new(settings: PreservationSettings) -> Self {
        Self { settings, expired: VecDeque::new(), calm: None, peer_missing: None }
    }

    /// Judges by other settings from now on.
    pub(super) fn change_settings(&mut self, settings: PreservationSettings) {
        self.settings = settings;
    }

    /// Judges a round; of the lapsed leases, each with its length, those stay that may end. Java's rule does not ask
    /// whether a peer was missing, and the others do.
    pub(super) fn judge(
        &mut self,
        population: &Population,
        renewals: u64,
        silence: Silence,
        lapsed: &mut Vec<Lapsed>,
        now: LeaseMillis,
    ) -> Verdict {
        let verdict = self.judge_all(population, renewals, silence, now);
        if matches!(verdict, Verdict::Expire(Reason::SmallLoss) | Verdict::Accept) && !lapsed.is_empty() {
            lapsed.retain(|lapsed| self.is_silence_its_own(lapsed.lasted, now));
            if lapsed.is_empty() {
                return Verdict::Preserve(Held::PeerMissing);
            }
        }
        verdict
    }

    fn judge_all(&mut self, population: &Population, renewals: u64, silence: Silence, now: LeaseMillis) -> Verdict {
        let since = self.calm_since(population, silence, now);
        if population.expiry_enabled(renewals) {
            return Verdict::Expire(Reason::EnoughRenewals);
        }
        if silence.overdue + self.recently(now) <= self.small(population) {
            return Verdict::Expire(Reason::SmallLoss);
        }
        let calm_for = Duration::from_millis(now.0.saturating_sub(since.0));
        match self.settings.accept_after {
            Some(after) if silence.overdue > 0 && calm_for >= after => Verdict::Accept,
            _ => Verdict::Preserve(Held::TooMany),
        }
    }

    /// When those who are silent now are taken for lost, if all others go on renewing; none: never.
    pub(super) fn accepts_in(&self, now: LeaseMillis) -> Option<Duration> {
        let (_, since) = self.calm?;
        let calm_for = Duration::from_millis(now.0.saturating_sub(since.0));
        Some(self.settings.accept_after?.saturating_sub(calm_for))
    }

    /// Notes that a peer was unavailable at that time.
    pub(super) fn note_missing_peer(&mut self, at: LeaseMillis) {
        self.peer_missing = self.peer_missing.max(Some(at));
    }

    /// Whether all peers have been there for as long as a lease lasts (milliseconds): only then its
    /// silence is its own.
    fn is_silence_its_own(&self, lasts: u64, now: LeaseMillis) -> bool {
        self.peer_missing.is_none_or(|at| now.0.saturating_sub(at.0) > lasts)
    }

    /// Since when the same instances are silent while others live and renew on time. Where nobody
    /// lives, nobody can say that it is not the network.
    fn calm_since(&mut self, population: &Population, silence: Silence, now: LeaseMillis) -> LeaseMillis {
        let since = match self.calm {
            Some((fingerprint, since)) if fingerprint == silence.fingerprint => since,
            _ => now,
        };
        let since = if silence.overdue < population.leases() { since.max(silence.last_late) } else { now };
        self.calm = Some((silence.fingerprint, since));
        since
    }

    /// Notes that a round ended so many leases.
    pub(super) fn note_expired(&mut self, leases: usize, now: LeaseMillis) {
        self.recently(now);
        if leases > 0 {
            self.expired.push_back((now, leases));
        }
    }

    /// Notes that a loss was accepted: what is left is the whole, of which nothing is lost yet.
    pub(super) fn note_accepted(&mut self) {
        self.expired.clear();
    }

    /// How many are few: the share that may be missing, at least one.
    fn small(&self, population: &Population) -> usize {
        let expired: usize = self.expired.iter().map(|(_, leases)| leases).sum();
        let share = (1.0 - self.settings.renewal_percent) * count(population.leases() + expired);
        // 0.1 of 20 is 1.999… in floating point.
        usize::try_from(whole(share + 1e-9)).unwrap_or(usize::MAX).max(1)
    }

    /// Leases that ended within the last `renewal-threshold-update-interval-ms`.
    fn recently(&mut self, now: LeaseMillis) -> usize {
        let window = self.settings.threshold_update_interval;
        while self.expired.front().is_some_and(|(at, _)| Duration::from_millis(now.0.saturating_sub(at.0)) > window) {
            self.expired.pop_front();
        }
        self.expired.iter().map(|(_, leases)| leases).sum()
    }
}

#[expect(clippy::cast_precision_loss, reason = "registries are far smaller than 2^52")]
fn count(leases: usize) -> f64 {
    leases as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounds down and saturates, as meant")]
fn whole(value: f64) -> u64 {
    value as u64
}
