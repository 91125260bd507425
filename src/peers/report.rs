//! What is known of one peer, for lists, figures and pages.

use std::time::Duration;

use crate::clock::Monotonic;
use crate::model::WallMillis;
use crate::settings::PeerUrl;

use super::identity::Identity;
use super::line::{Failure, News, PeerState};
use super::outbox::Tally;
use super::peer::Peer;

/// How long a peer is missed: two of the leases that clients have unless they ask for others.
const MISSED: Duration = Duration::from_mins(3);

/// See the module.
#[derive(Clone, Debug)]
pub struct PeerReport {
    /// Where it is.
    pub url: PeerUrl,
    /// Who answered last; none for a Java server, or before the first answer.
    pub identity: Option<Identity>,
    /// Whether it answers.
    pub state: PeerState,
    /// How long ago it last answered.
    pub last_success: Option<Duration>,
    /// How long ago an exchange last failed, and why.
    pub last_failure: Option<(Duration, Failure)>,
    /// How long ago it last told this node something, if only a greeting; none before the first time, and
    /// for a Java server.
    pub last_heard: Option<Duration>,
    /// Whether it answers and tells nothing: this node seems not to be among its peers.
    pub is_silent: bool,
    /// Age of the oldest task that waits for it.
    pub lag: Duration,
    /// Tasks that wait for it.
    pub queue: usize,
    /// What has become of tasks.
    pub tally: Tally,
    /// How long ago it was last compared with, and what came of it; none with a Java server, or before the
    /// first time.
    pub compared: Option<(Duration, Compared)>,
}

/// A peer fails, or is back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerNews {
    /// When that was found.
    pub at: WallMillis,
    /// Where the peer is.
    pub url: PeerUrl,
    /// What there is to tell.
    pub news: News,
}

/// How far two nodes of our own agree, by the last comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Differences that it found.
    pub found: usize,
    /// Whether there is more to compare than was at that time.
    pub is_full: bool,
    /// Differences that were mended since the start.
    pub mended: u64,
}

impl PeerReport {
    pub(super) fn of(peer: &Peer, now: Monotonic) -> Option<Self> {
        let (post, identity, last_heard, is_silent, compared) = {
            let found = peer.found.lock();
            let hearing = &found.hearing;
            (found.post.clone()?, found.identity, hearing.last(), hearing.is_silent(), found.compared)
        };
        let outbox = post.outbox.lock();
        Some(Self {
            url: peer.url.clone(),
            identity,
            state: outbox.state().clone(),
            last_success: outbox.last_success().map(|at| now.since(at)),
            last_failure: outbox.last_failure().map(|(at, failure)| (now.since(*at), failure.clone())),
            last_heard: last_heard.map(|at| now.since(at)),
            is_silent,
            lag: outbox.lag(now),
            queue: outbox.len(),
            tally: outbox.tally(),
            compared: compared.map(|(at, compared)| (now.since(at), compared)),
        })
    }

    /// How long ago it was last missed: no time at all if it is now, none if it never was. Heartbeats that it
    /// took while it could not tell of them did not come here.
    ///
    /// One that is gone for good is missed for three minutes after its last answer: by then its clients have come
    /// to another node, or are gone with it. One that has never answered is not missed.
    pub fn missing(&self) -> Option<Duration> {
        let answered = self.last_success?;
        match self.state {
            PeerState::Down { .. } => Some(answered.saturating_sub(MISSED)),
            PeerState::Up | PeerState::Unknown => self.last_failure.as_ref().map(|(ago, _)| *ago),
        }
    }

    /// Whether it counts as available: it answered the last exchange.
    pub fn is_available(&self) -> bool {
        self.state == PeerState::Up
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn report(state: PeerState, last_success: Option<u64>, last_failure: Option<u64>) -> PeerReport {
        let failure = |ago| (Duration::from_secs(ago), Failure::TimedOut);
        PeerReport {
            url: "http://10.20.0.1:8761/eureka/".parse().unwrap(),
            identity: None,
            state,
            last_success: last_success.map(Duration::from_secs),
            last_failure: last_failure.map(failure),
            lag: Duration::ZERO,
            queue: 0,
            tally: Tally::default(),
            compared: None,
            last_heard: None,
            is_silent: false,
        }
    }

    #[test]
    fn a_peer_that_is_gone_for_good_is_missed_for_two_lease_lengths() {
        let down = || PeerState::Down { since: Monotonic(0), failure: Failure::TimedOut };
        let missing = |state, success, failure| report(state, success, failure).missing().map(|ago| ago.as_secs());
        assert_eq!(missing(down(), Some(10), Some(1)), Some(0), "its clients may be heard there");
        assert_eq!(missing(down(), Some(180), Some(1)), Some(0));
        assert_eq!(missing(down(), Some(250), Some(1)), Some(70), "by now they have come here, or are gone");
        assert_eq!(missing(down(), Some(1_000_000), Some(1)), Some(999_820));
        assert_eq!(missing(down(), None, Some(1)), None, "nobody was ever heard there");
        assert_eq!(missing(PeerState::Up, Some(1), Some(40)), Some(40), "it is back");
        assert_eq!(missing(PeerState::Up, Some(1), None), None);
        assert_eq!(missing(PeerState::Unknown, None, None), None);
    }
}
