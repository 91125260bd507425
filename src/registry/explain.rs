//! Why a lease stays or goes, and what happened to it, in plain words. Java has none of it.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use crate::model::{AppName, InstanceId, WallMillis};

use super::Registry;
use super::change_log::Change;
use super::lease::Lease;
use super::lease_length::SignOfLife;
use super::preservation_report::PreservationReport;

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

/// What becomes of a lease if nothing is heard any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Unconfirmed: it goes when it lapses, whatever self-preservation does.
    GoesUnconfirmed,
    /// It renews on time.
    Renews,
    /// It misses renewals, and has not lapsed.
    IsSilent,
    /// Unconfirmed and lapsed: the next round takes it.
    EndsNext,
    /// Lapsed: one of the next rounds takes it.
    Ends,
    /// Lapsed, and kept by self-preservation.
    IsKept,
}

impl Explanation {
    /// What becomes of the lease as things are.
    pub fn fate(&self) -> Fate {
        match (self.is_lapsed, self.lease.is_unconfirmed()) {
            (false, true) => Fate::GoesUnconfirmed,
            (false, false) if self.is_silent => Fate::IsSilent,
            (false, false) => Fate::Renews,
            (true, true) => Fate::EndsNext,
            (true, false) if self.preservation.state.keeps() => Fate::IsKept,
            (true, false) => Fate::Ends,
        }
    }

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
        let left = lasts.saturating_sub(ago);
        let fate = match self.fate() {
            Fate::GoesUnconfirmed => format!(" Unless its client renews or registers it goes in {left} s."),
            Fate::Renews => " It renews on time.".to_owned(),
            Fate::IsSilent => format!(" It is silent; unless it renews its lease lapses in {left} s."),
            Fate::EndsNext => " It has lapsed and ends with the next round of eviction.".to_owned(),
            Fate::Ends => " It has lapsed and ends with one of the next rounds of eviction.".to_owned(),
            Fate::IsKept => format!(" It has lapsed and is kept. {}", self.preservation.sentence()),
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
