//! Why leases stay or go, in numbers and in plain words. Java shows a threshold and shouts when it is missed.
//!
//! What is told here is what the next round of eviction would do: it asks the same rules, without changing what
//! they remember.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use crate::model::{AppName, InstanceId, WallMillis};

use super::Registry;
use super::change_log::Change;
use super::eviction::Survey;
use super::lease::Lease;
use super::lease_length::SignOfLife;
use super::preservation::{Held, Reason, Verdict};

/// What self-preservation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreservationState {
    /// It is turned off.
    Off,
    /// Nobody is silent.
    Calm,
    /// Lapsed leases end, since enough others renew (Java's rule).
    EnoughRenewals,
    /// Lapsed leases end, since they are few.
    SmallLoss,
    /// Lapsed leases end: all others have renewed on time for long enough.
    Accepting,
    /// Lapsed leases are few and kept: they may have renewed at a peer that was unavailable.
    PeerMissing,
    /// Lapsed leases are kept: there are too many at once.
    Keeping,
}

impl PreservationState {
    /// The word in answers and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Calm => "calm",
            Self::EnoughRenewals => "enough renewals",
            Self::SmallLoss => "small loss",
            Self::Accepting => "accepting",
            Self::PeerMissing => "peer missing",
            Self::Keeping => "keeping",
        }
    }

    /// Whether lapsed leases are kept.
    pub fn keeps(self) -> bool {
        matches!(self, Self::PeerMissing | Self::Keeping)
    }
}

/// Self-preservation at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreservationReport {
    /// What it does.
    pub state: PreservationState,
    /// Leases held.
    pub leases: usize,
    /// Those without a renewal for one and a half of their own intervals.
    pub silent: usize,
    /// Those of them that have lapsed.
    pub lapsed: usize,
    /// Those that are known from before a restart alone.
    pub unconfirmed: usize,
    /// Renewals in the last full minute.
    pub renewals: u64,
    /// Renewals that all leases promise for a minute.
    pub expected: u64,
    /// Renewals of a minute that must be exceeded by Java's rule.
    pub threshold: u64,
    /// Whether leases may expire by Java's rule alone: what its dashboard calls "lease expiration enabled".
    pub expiry_enabled: bool,
    /// When the loss is accepted if all others go on renewing; none where it never is, or none is kept.
    pub accepted_in: Option<Duration>,
    /// Applications with silent instances, those with the most first.
    pub apps: Vec<SilentApp>,
}

/// An application of which some are silent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SilentApp {
    /// Its name.
    pub app: AppName,
    /// Its instances.
    pub leases: usize,
    /// Those that are silent.
    pub silent: usize,
}

/// One lease, and what will become of it.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The lease, lapsed or not.
    pub lease: Arc<Lease>,
    /// How long ago its last sign of life was.
    pub silent_for: Duration,
    /// How long it lasts after that.
    pub lasts: Duration,
    /// When it ends, or ended, by wall time.
    pub ends_at: WallMillis,
    /// Whether it has lapsed.
    pub is_lapsed: bool,
    /// Whether it counts as silent.
    pub is_silent: bool,
    /// Self-preservation of the whole registry.
    pub preservation: PreservationReport,
    /// What happened to the instance, newest first, as far as it is kept.
    pub history: Vec<Change>,
}

impl Registry {
    /// What self-preservation does now, and why. Walks over all leases.
    pub fn preservation(&self) -> PreservationReport {
        let now = self.clock.now();
        let (lease_now, length) = self.lease_time(now);
        let Survey { mut lapsed, silence, unheard, mut silent_apps, .. } = self.survey(lease_now, length);
        silent_apps.sort_by(|a, b| b.silent.cmp(&a.silent).then_with(|| a.app.cmp(&b.app)));
        let renewals = self.renewals.last_minute(now.mono);
        let enabled = self.rules.load().preservation.enabled;
        let found = lapsed.len();
        let commit = self.commit.lock();
        let population = &commit.population;
        let mut losses = commit.losses.clone();
        let state = match losses.judge(population, renewals, silence, &mut lapsed, lease_now) {
            _ if !enabled => PreservationState::Off,
            _ if silence.overdue == 0 => PreservationState::Calm,
            Verdict::Expire(Reason::EnoughRenewals) => PreservationState::EnoughRenewals,
            Verdict::Expire(Reason::SmallLoss) => PreservationState::SmallLoss,
            Verdict::Accept => PreservationState::Accepting,
            Verdict::Preserve(Held::PeerMissing) => PreservationState::PeerMissing,
            Verdict::Preserve(Held::TooMany) => PreservationState::Keeping,
        };
        let may_be_accepted = state == PreservationState::Keeping && silence.overdue < population.leases();
        PreservationReport {
            state,
            leases: population.leases(),
            silent: silence.overdue,
            lapsed: found,
            unconfirmed: unheard,
            renewals,
            expected: population.expected(),
            threshold: population.threshold(),
            expiry_enabled: population.expiry_enabled(renewals),
            accepted_in: losses.accepts_in(lease_now).filter(|_| may_be_accepted),
            apps: if silence.overdue > 0 { silent_apps } else { Vec::new() },
        }
    }

    /// When a lease ends unless it is renewed, or ended, by wall time.
    pub fn ends_at(&self, lease: &Lease) -> WallMillis {
        let now = self.clock.now();
        let (lease_now, length) = self.lease_time(now);
        let left = i64::try_from(lease.lasts(length)).unwrap_or(i64::MAX).saturating_sub_unsigned(lease.age(lease_now));
        now.wall.saturating_add(left)
    }

    /// Why an instance is still there, and when it will not be; none if it is not held.
    pub fn explain(&self, app: &AppName, id: &InstanceId) -> Option<Explanation> {
        let lease = self.held(app, id)?;
        let now = self.clock.now();
        let (lease_now, length) = self.lease_time(now);
        let (silent_for, lasts) = (lease.age(lease_now), lease.lasts(length));
        Some(Explanation {
            silent_for: Duration::from_millis(silent_for),
            lasts: Duration::from_millis(lasts),
            ends_at: self.ends_at(&lease),
            is_lapsed: lease.lapsed(lease_now, length),
            is_silent: lease.is_silent(lease_now, length),
            preservation: self.preservation(),
            history: self.changes_of(app, id),
            lease,
        })
    }
}

impl PreservationReport {
    /// All that in one plain text.
    pub fn sentence(&self) -> String {
        let Self { leases, silent, renewals, expected, threshold, .. } = self;
        let of_all = format!("{silent} of {leases} instances {} silent", if *silent == 1 { "is" } else { "are" });
        let mut text = match self.state {
            PreservationState::Off => {
                return format!(
                    "Self-preservation is turned off: leases end when they lapse, also when only the network is at \
                     fault. {}.",
                    if *silent == 0 { "No instance is silent".to_owned() } else { of_all + &self.where_they_are() }
                );
            }
            PreservationState::Calm if *leases == 0 => return "No instance is registered.".to_owned(),
            PreservationState::Calm => {
                return format!(
                    "None of {leases} instances is silent: {renewals} renewals came in the last minute, {expected} \
                     are expected."
                );
            }
            PreservationState::EnoughRenewals => format!(
                "{of_all}. Their leases end when they lapse, since enough others renew: {renewals} renewals came in \
                 the last minute, more than {threshold} are needed."
            ),
            PreservationState::SmallLoss => format!("{of_all}, which is few: their leases end when they lapse."),
            PreservationState::Accepting => {
                format!("{of_all}. All others have renewed on time for long enough: their leases end when they lapse.")
            }
            PreservationState::PeerMissing => {
                format!("{of_all}. Their leases are kept, since a peer was unavailable: they may have renewed there.")
            }
            PreservationState::Keeping => format!(
                "{of_all}. Their leases are kept, since so many at once may be the network's fault: {renewals} \
                 renewals came in the last minute, more than {threshold} are needed."
            ),
        };
        if let Some(time) = self.accepted_in {
            let minutes = time.as_secs().div_ceil(60);
            let _infallible = write!(text, " If all others go on renewing they are taken for lost in {minutes} min.");
        } else if self.state == PreservationState::Keeping {
            text.push_str(" They stay until they renew, or until an operator accepts the loss.");
        }
        if let Some(names) = Some(self.where_they_are()).filter(|names| !names.is_empty()) {
            let _infallible = write!(text, " Silent are{}.", names.strip_prefix(" in").unwrap_or(&names));
        }
        text
    }

    fn where_they_are(&self) -> String {
        /// How many are named.
        const MOST: usize = 5;
        let first = self.apps.iter().take(MOST);
        let mut names: Vec<_> =
            first.map(|SilentApp { app, leases, silent }| format!("{app} ({silent} of {leases})")).collect();
        if self.apps.len() > MOST {
            names.push(format!("{} more applications", self.apps.len() - MOST));
        }
        if names.is_empty() { String::new() } else { format!(" in {}", names.join(", ")) }
    }
}

impl Explanation {
    /// What will become of the lease, in one plain text.
    pub fn sentence(&self) -> String {
        let ago = self.silent_for.as_secs();
        let sign = match self.lease.sign() {
            SignOfLife::Remembered => "It is known from before the restart and unconfirmed; it was read",
            SignOfLife::Copied => "It was copied from a peer",
            SignOfLife::Registered => "It registered",
            SignOfLife::Renewed => "It last renewed",
        };
        let lasts = self.lasts.as_secs();
        let mut text = format!("{sign} {ago} s ago; its lease lasts {lasts} s after that.");
        let fate = match (self.is_lapsed, self.is_silent, self.preservation.state.keeps()) {
            (false, false, _) => " It renews on time.".to_owned(),
            (false, true, _) => {
                format!(" It is silent; unless it renews its lease lapses in {} s.", lasts.saturating_sub(ago))
            }
            (true, ..) if self.lease.is_unconfirmed() => {
                " It has lapsed and ends with the next round of eviction.".to_owned()
            }
            (true, _, false) => " It has lapsed and ends with one of the next rounds of eviction.".to_owned(),
            (true, _, true) => format!(" It has lapsed and is kept. {}", self.preservation.sentence()),
        };
        text.push_str(&fate);
        if let Some(status) = self.lease.override_status {
            let _infallible = write!(text, " Its status was set to {status} from outside");
            if let Some(note) = &self.lease.background.note {
                let by = if note.owner.is_empty() { "an operator" } else { &note.owner };
                let _infallible = write!(text, " by {by}");
                if !note.reason.is_empty() {
                    let _infallible = write!(text, " ({})", note.reason);
                }
            }
            text.push('.');
        }
        text
    }
}
