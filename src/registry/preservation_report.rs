//! What self-preservation does, in numbers and in plain words. Java shows a threshold and shouts when it is missed.
//!
//! What is told here is what the next round of eviction would do: it asks the same rules, without changing what
//! they remember.

use std::fmt::Write as _;
use std::time::Duration;

use crate::model::AppName;

use super::Registry;
use super::eviction::Survey;
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

    /// What there is to say of those that are unconfirmed; none where there are none.
    pub fn unconfirmed_sentence(&self) -> Option<String> {
        let Self { leases, unconfirmed, .. } = self;
        (*unconfirmed > 0).then(|| {
            format!(
                "Unconfirmed, known from before the restart alone: {unconfirmed} of {leases} instances. Those that \
                 neither renew nor register within one lease go, whatever self-preservation does."
            )
        })
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
