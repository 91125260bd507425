//! The line to one peer: what the last exchanges say of it, and when the next may be tried.
//!
//! A failed exchange is tried again after a wait that doubles from failure to failure up to
//! [`LONGEST_WAIT`] (a remote region: up to the interval of its fetches), less a random part, so that the nodes of a cluster do not knock at the same
//! moments. (Java tries again every 100 ms, or every second after a 503 or a time-out, for ever.)

use std::fmt::Display;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use crate::clock::Monotonic;

/// The longest wait before a peer is tried again.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// After a first failure that ended quickly.
const SHORT_WAIT: Duration = Duration::from_millis(100);
/// After a first failure that shows that the peer has too much to do.
const LONG_WAIT: Duration = Duration::from_secs(1);
/// A connection that the peer closed while it was idle breaks with the next request. Whoever breaks so many in
/// a row is not there.
const MOST_BREAKS: u32 = 3;
/// A peer that comes and goes is told of at most once in this time.
const TELL_AGAIN: Duration = Duration::from_mins(1);

/// Why an exchange failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The connection was refused: nobody listens there.
    #[error("cannot be reached: {0}")]
    NotThere(String),
    /// No connection for another reason. It says nothing of the peer: the network may be at fault, or the name.
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    /// The connection broke before the answer was whole.
    #[error("breaks off: {0}")]
    BrokenOff(String),
    /// No answer in time.
    #[error("does not answer in time")]
    TimedOut,
    /// 503 or 429: later.
    #[error("is too busy (status {0})")]
    Busy(u16),
    /// The request as it is was refused (400, 413, 415, 422): something in it, or its length.
    #[error("refuses what is sent (status {0})")]
    Refused(u16),
    /// An answer that is longer, or lists more, than is taken.
    #[error("answers with more than is taken: {0}")]
    TooLarge(String),
    /// Nothing to prove oneself with: a file or a token server fails.
    #[error("cannot be asked without credentials: {0}")]
    NoCredentials(String),
    /// Any other answer: no peer, as it seems.
    #[error("does not answer as a peer does: {0}")]
    Faulty(String),
}

impl Failure {
    /// An answer that is none, for this reason.
    pub fn faulty(reason: impl Display) -> Self {
        Self::Faulty(reason.to_string())
    }

    /// What a status means that is not 200.
    pub fn of_status(status: u16) -> Self {
        match status {
            429 | 503 => Self::Busy(status),
            400 | 413 | 415 | 422 => Self::Refused(status),
            401 => Self::faulty("status 401, it takes another login than that of its URL or the settings here"),
            403 => Self::faulty("status 403, that is not allowed to the login used here, or not open yet"),
            _ => Self::Faulty(format!("status {status}")),
        }
    }

    fn first_wait(&self) -> Duration {
        match self {
            Self::TimedOut
            | Self::Busy(_)
            | Self::Faulty(_)
            | Self::Refused(_)
            | Self::TooLarge(_)
            | Self::NoCredentials(_) => LONG_WAIT,
            Self::NotThere(_) | Self::Unreachable(_) | Self::BrokenOff(_) => SHORT_WAIT,
        }
    }
}

/// What is known of a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeerState {
    /// Nothing yet.
    Unknown,
    /// It answered the last exchange.
    Up,
    /// It failed all exchanges since.
    Down {
        /// The first failure.
        since: Monotonic,
        /// The last one.
        failure: Failure,
    },
}

/// A change of the state that is to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// It fails.
    Down(Failure),
    /// It is back after so long.
    Back(Duration),
}

/// See the module.
#[derive(Debug)]
pub(super) struct Line {
    state: PeerState,
    failures: u32,
    retry_at: Option<Monotonic>,
    last_success: Option<Monotonic>,
    last_failure: Option<(Monotonic, Failure)>,
    /// When it was last told that the peer is down; none if it was told that it is back.
    told_down: Option<Monotonic>,
    told_at: Option<Monotonic>,
    longest_wait: Duration,
    random: StdRng,
}

impl Line {
    pub(super) fn new(seed: u64) -> Self {
        Self::with_longest_wait(seed, LONGEST_WAIT)
    }

    pub(super) fn with_longest_wait(seed: u64, longest_wait: Duration) -> Self {
        Self {
            state: PeerState::Unknown,
            failures: 0,
            retry_at: None,
            last_success: None,
            last_failure: None,
            told_down: None,
            told_at: None,
            longest_wait,
            random: StdRng::seed_from_u64(seed),
        }
    }

    pub(super) fn state(&self) -> &PeerState {
        &self.state
    }

    /// Whether the peer fails, and not just because a connection broke lately.
    pub(super) fn seems_gone(&self) -> bool {
        match &self.state {
            PeerState::Down { failure: Failure::BrokenOff(_), .. } => self.failures >= MOST_BREAKS,
            PeerState::Down { .. } => true,
            PeerState::Up | PeerState::Unknown => false,
        }
    }

    /// When something may be sent; none: now.
    pub(super) fn retry_at(&self) -> Option<Monotonic> {
        self.retry_at
    }

    pub(super) fn last_success(&self) -> Option<Monotonic> {
        self.last_success
    }

    pub(super) fn last_failure(&self) -> Option<&(Monotonic, Failure)> {
        self.last_failure.as_ref()
    }

    /// Notes an answer. What is to be told of it.
    pub(super) fn succeeded(&mut self, now: Monotonic) -> Option<News> {
        self.state = PeerState::Up;
        self.failures = 0;
        self.retry_at = None;
        self.last_success = Some(now);
        let down = self.told_down.take()?;
        self.told_at = Some(now);
        Some(News::Back(now.since(down)))
    }

    /// Notes a failure. What is to be told of it.
    pub(super) fn failed(&mut self, failure: Failure, now: Monotonic) -> Option<News> {
        self.failures += 1;
        let wait = self.wait(&failure);
        self.retry_at = Some(now.after(wait));
        self.last_failure = Some((now, failure.clone()));
        let since = if let PeerState::Down { since, .. } = self.state { since } else { now };
        self.state = PeerState::Down { since, failure: failure.clone() };
        if self.told_down.is_some() || self.told_at.is_some_and(|told| now.since(told) < TELL_AGAIN) {
            return None;
        }
        (self.told_down, self.told_at) = (Some(now), Some(now));
        Some(News::Down(failure))
    }

    /// Somebody may be back: it is tried now.
    pub(super) fn hurry(&mut self) {
        if matches!(self.state, PeerState::Down { .. }) {
            self.retry_at = None;
        }
    }

    /// Lets a moment pass, after which something else may be sent.
    pub(super) fn pause(&mut self, now: Monotonic) {
        self.retry_at = Some(now.after(self.part_of(SHORT_WAIT)));
    }

    fn wait(&mut self, failure: &Failure) -> Duration {
        let doublings = (self.failures - 1).min(10);
        self.part_of((failure.first_wait() * 2_u32.pow(doublings)).min(self.longest_wait))
    }

    fn part_of(&mut self, whole: Duration) -> Duration {
        let whole = u64::try_from(whole.as_millis()).unwrap_or(u64::MAX);
        Duration::from_millis(self.random.random_range(whole / 2..=whole))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used, reason = "a test may panic")]

    use super::*;

    fn unreachable() -> Failure {
        Failure::Unreachable("refused".into())
    }

    #[test]
    fn waits_double_up_to_the_longest_and_begin_anew_after_an_answer() {
        let mut line = Line::new(1);
        let mut now = Monotonic(0);
        let mut waits = Vec::new();
        for _ in 0..12 {
            line.failed(unreachable(), now);
            let retry = line.retry_at().expect("a wait");
            waits.push(retry.since(now).as_millis());
            now = retry;
        }
        for (wait, whole) in waits.iter().zip([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000, 5000, 5000, 5000]) {
            assert!((whole / 2..=whole).contains(wait), "{waits:?}");
        }
        line.succeeded(now);
        assert_eq!(line.retry_at(), None);
        line.failed(Failure::TimedOut, now);
        assert!((500..=1000).contains(&line.retry_at().expect("a wait").since(now).as_millis()));
    }

    #[test]
    fn case_059_each_change_is_told_once_and_flapping_is_not() {
        let mut line = Line::new(1);
        assert_eq!(line.succeeded(Monotonic(0)), None, "a peer that was never down is not back");
        assert_eq!(line.failed(Failure::TimedOut, Monotonic(1_000)), Some(News::Down(Failure::TimedOut)));
        for at in 2..300 {
            assert_eq!(line.failed(unreachable(), Monotonic(at * 1_000)), None);
        }
        let since = Monotonic(1_000);
        assert_eq!(*line.state(), PeerState::Down { since, failure: unreachable() });
        assert_eq!(line.succeeded(Monotonic(301_000)), Some(News::Back(Duration::from_mins(5))));
        let told = (0..600).filter(|at| {
            let now = Monotonic(301_000 + at * 100);
            let news = if at % 2 == 0 { line.failed(unreachable(), now) } else { line.succeeded(now) };
            news.is_some()
        });
        assert!(told.count() <= 2, "it comes and goes ten times a second for a minute");
    }

    #[test]
    fn a_broken_connection_is_tried_again_before_the_peer_is_given_up() {
        let mut line = Line::new(1);
        let mut fails = |failure: Failure| {
            line.failed(failure, Monotonic(0));
            line.seems_gone()
        };
        let broken = || Failure::BrokenOff("reset".into());
        assert_eq!([fails(broken()), fails(broken()), fails(broken())], [false, false, true]);
        line.succeeded(Monotonic(0));
        assert!(!line.seems_gone());
        line.failed(broken(), Monotonic(0));
        assert!(!line.seems_gone());
        line.failed(Failure::NotThere("refused".into()), Monotonic(0));
        assert!(line.seems_gone());
    }

    #[test]
    fn a_status_tells_whether_to_wait_or_to_send_less() {
        assert_eq!(Failure::of_status(503), Failure::Busy(503));
        assert_eq!(Failure::of_status(413), Failure::Refused(413));
        assert_eq!(Failure::of_status(418), Failure::Faulty("status 418".into()));
        assert!(Failure::of_status(401).to_string().contains("another login"));
    }
}
