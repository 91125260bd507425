//! Edges that the mesh of nodes lacks.
//!
//! What came from a peer is not sent on, so each node must have each other one among its peers. In a ring or a
//! chain some nodes never hear of some instances, and nothing fails. A node sees both ends of an edge that is
//! missing: a server that tells it things and is no peer here, and a peer that answers and tells nothing.
//! Each is named once when it has been so for [`PATIENCE`], and once when that ends.
//!
//! Only nodes of our own are judged: they greet their peers every ten seconds and say who they are. (Java's do
//! neither, and notice nothing of the kind.)

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use parking_lot::Mutex;

use crate::clock::Monotonic;

use super::Peers;
use super::identity::{Identity, NodeId};
use super::peer::{Peer, Standing};
use super::turns::Stream;

/// For so long a node may not be found yet, or not be greeted yet, by one that has just started.
const PATIENCE: Duration = Duration::from_mins(1);
/// No more time than this counts between two answers of a peer: this process may have been stopped meanwhile,
/// and what the peer told then is still to be read.
const LONGEST_STEP: Duration = Duration::from_secs(15);
/// A server that is heard no more has stopped, or has taken this one off its list.
const GONE: Duration = Duration::from_mins(2);
/// Beyond so many, further ones are not noted: each start of a server is another one.
const MOST_STRANGERS: usize = 100;

/// Whether a peer tells this node anything.
#[derive(Debug, Default)]
pub(super) struct Hearing {
    last: Option<Monotonic>,
    answered: Option<Monotonic>,
    /// How long it has answered since, and told nothing.
    silent: Duration,
    named: bool,
}

impl Hearing {
    /// When it last told something, a greeting among that.
    pub(super) fn last(&self) -> Option<Monotonic> {
        self.last
    }

    /// Whether it answers and has told nothing for too long.
    pub(super) fn is_silent(&self) -> bool {
        self.named
    }

    /// Notes that it told something. Whether the end of its silence is to be told.
    fn heard(&mut self, now: Monotonic) -> bool {
        (self.last, self.silent) = (Some(now), Duration::ZERO);
        std::mem::take(&mut self.named)
    }

    /// Notes that it answered. Whether its silence is to be told.
    fn answered(&mut self, now: Monotonic) -> bool {
        let step = self.answered.replace(now).map_or(Duration::ZERO, |before| now.since(before));
        self.silent = self.silent.saturating_add(step.min(LONGEST_STEP));
        let is_news = self.silent >= PATIENCE && !self.named;
        self.named |= is_news;
        is_news
    }

    /// Begins anew with another process.
    pub(super) fn restart(&mut self) {
        (self.last, self.silent) = (None, Duration::ZERO);
    }
}

/// A server that tells this node things and is none of its peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stranger {
    /// Which process it is.
    pub node: NodeId,
    /// Where its connection came from, as far as is known.
    pub address: Option<IpAddr>,
    since: Monotonic,
    last: Monotonic,
    named: bool,
}

/// Those that are heard at the moment.
#[derive(Debug, Default)]
pub(super) struct Strangers(Mutex<HashMap<NodeId, Stranger>>);

/// A change that is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Met {
    /// A server tells something for the first time: another process.
    Newcomer,
    /// A server is no peer, and was none for a while.
    Stranger,
    /// It is one now.
    Peer,
}

impl Strangers {
    /// Notes that a server told something, and whether it is a peer.
    fn heard(&self, node: NodeId, address: Option<IpAddr>, is_peer: bool, now: Monotonic) -> Option<Met> {
        let mut all = self.0.lock();
        all.retain(|_, stranger| now.since(stranger.last) < GONE);
        if is_peer {
            return all.remove(&node).filter(|stranger| stranger.named).map(|_| Met::Peer);
        }
        if all.len() >= MOST_STRANGERS && !all.contains_key(&node) {
            return None;
        }
        let is_new = !all.contains_key(&node);
        let stranger = all.entry(node).or_insert(Stranger { node, address, since: now, last: now, named: false });
        if is_new {
            return Some(Met::Newcomer);
        }
        (stranger.last, stranger.address) = (now, address);
        let is_news = now.since(stranger.since) >= PATIENCE && !stranger.named;
        stranger.named |= is_news;
        is_news.then_some(Met::Stranger)
    }

    fn named(&self, now: Monotonic) -> Vec<Stranger> {
        let all = self.0.lock();
        let mut named: Vec<_> =
            all.values().filter(|stranger| stranger.named && now.since(stranger.last) < GONE).copied().collect();
        named.sort_unstable_by_key(|stranger| stranger.node);
        named
    }
}

impl Peers {
    /// Notes that a node of our own sent a batch of this stream, from this address.
    pub fn heard(&self, sender: Identity, stream: Option<Stream>, address: Option<IpAddr>) {
        let (node, now) = (sender.node, self.context.clock.mono());
        let list = self.list.lock().clone();
        let mut is_peer = false;
        for peer in &list {
            let mut found = peer.found.lock();
            if found.identity.is_none_or(|identity| identity.node != node) {
                continue;
            }
            is_peer = true;
            found.stream = found.stream.or(stream);
            if found.hearing.heard(now) {
                tracing::info!(peer = %peer.url, "a peer that told nothing tells again");
            }
        }
        match self.strangers.heard(node, address, is_peer, now) {
            Some(Met::Stranger) => {
                let peers = list.iter().map(|peer| peer.url.as_str()).collect::<Vec<_>>().join(" ");
                let address =
                    address.map_or_else(|| "unknown".to_owned(), |address| address.to_canonical().to_string());
                tracing::warn!(
                    %node,
                    address,
                    peers,
                    "a server that is not among the peers tells this one things and hears nothing from it"
                );
            }
            // Perhaps a peer that was started again: what waits for it goes out before its clients miss it.
            Some(Met::Newcomer) => {
                for post in list.iter().filter_map(|peer| peer.post()) {
                    post.outbox.lock().hurry();
                    post.came_in.notify_one();
                }
            }
            Some(Met::Peer) => tracing::info!(%node, "a server that was not among the peers is one of them now"),
            None => {}
        }
    }

    /// Notes that a peer answered.
    pub(super) fn listen_to(&self, peer: &Peer) {
        let now = self.context.clock.mono();
        let mut found = peer.found.lock();
        if found.identity.is_some() && found.standing == Standing::Peer && found.hearing.answered(now) {
            drop(found);
            tracing::warn!(
                peer = %peer.url,
                node = %self.context.node,
                "a peer answers and tells nothing, it may not have this server among its peers"
            );
        }
    }

    /// Servers that tell this node things and have been none of its peers for a while.
    pub fn strangers(&self) -> Vec<Stranger> {
        self.strangers.named(self.context.clock.mono())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: NodeId = NodeId::of(7);

    #[test]
    fn case_065_a_server_that_is_no_peer_is_named_once_and_once_when_it_is_one() {
        let strangers = Strangers::default();
        let heard = |second: u64, is_peer| strangers.heard(NODE, None, is_peer, Monotonic(second * 1_000));
        let met: Vec<_> = (0..30).filter_map(|turn| heard(turn * 10, false).map(|met| (turn, met))).collect();
        assert_eq!(met, [(0, Met::Newcomer), (6, Met::Stranger)]);
        assert_eq!(strangers.named(Monotonic(300_000)).len(), 1);
        assert_eq!([heard(300, true), heard(310, true)], [Some(Met::Peer), None]);
        assert_eq!(strangers.named(Monotonic(310_000)), []);
    }

    #[test]
    fn a_server_that_was_just_started_or_has_stopped_is_not_named() {
        let strangers = Strangers::default();
        let heard = |second: u64, is_peer| strangers.heard(NODE, None, is_peer, Monotonic(second * 1_000));
        let newcomer = Some(Met::Newcomer);
        assert_eq!(
            [heard(0, false), heard(50, false), heard(55, true), heard(65, false)],
            [newcomer, None, None, newcomer]
        );
        assert_eq!(heard(200, false), newcomer, "it was away");
        assert_eq!(heard(260, false), Some(Met::Stranger));
        assert_eq!(strangers.named(Monotonic(500_000)), []);
        for node in 0..1_000 {
            strangers.heard(NodeId::of(node), None, false, Monotonic(500_000));
        }
        assert_eq!(strangers.0.lock().len(), MOST_STRANGERS);
    }

    #[test]
    fn case_065_a_peer_that_answers_and_tells_nothing_is_named_once() {
        let mut hearing = Hearing::default();
        let named: Vec<_> = (0..60).filter(|turn| hearing.answered(Monotonic(turn * 10_000))).collect();
        assert_eq!(named, [6]);
        assert!(hearing.is_silent());
        assert!(hearing.heard(Monotonic(600_000)));
        assert!(!hearing.is_silent() && !hearing.heard(Monotonic(600_001)));
    }

    #[test]
    fn a_pause_of_this_process_is_no_silence_of_a_peer() {
        let mut hearing = Hearing::default();
        hearing.heard(Monotonic(0));
        assert!(!hearing.answered(Monotonic(1_000)));
        assert!(!hearing.answered(Monotonic(3_600_000)));
        assert_eq!(hearing.last(), Some(Monotonic(0)));
    }
}
