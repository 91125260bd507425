//! The batches of one sender count in the order in which it sent them.
//!
//! A sender gives a batch up after a time, and sends what was in it again with what came since. The old
//! one may still lie in the socket of a process that was stopped, or with a proxy, and arrive after the
//! later one: an override that was taken back long ago would be set again, and nothing would repair it.
//! So each batch carries a number beside the sender's identity. Java's servers send none, and theirs are
//! taken as they come.

use std::collections::HashMap;

use http::{HeaderMap, HeaderName};
use parking_lot::Mutex;

use super::identity::{Identity, NodeId};

/// The number of a request of one process to its peers; it only grows.
pub const TURN_HEADER: HeaderName = HeaderName::from_static("eurekad-turn");

/// When a batch was sent, among those of its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The sender.
    pub node: NodeId,
    /// Its number.
    pub number: u64,
}

impl Turn {
    /// That of a request; none from a Java server.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let number = headers.get(TURN_HEADER)?.to_str().ok()?.parse().ok()?;
        Some(Self { node: Identity::of(headers)?.node, number })
    }
}

/// Beyond so many senders all are forgotten: each start of a peer is another one.
const MOST: usize = 1000;

/// The last turn of each sender.
#[derive(Debug, Default)]
pub struct Turns {
    last: Mutex<HashMap<NodeId, u64>>,
}

impl Turns {
    /// Whether no later one of the same sender has come.
    pub fn counts(&self, turn: Turn) -> bool {
        let mut last = self.last.lock();
        if last.len() >= MOST && !last.contains_key(&turn.node) {
            last.clear();
        }
        let last = last.entry(turn.node).or_default();
        *last = turn.number.max(*last);
        *last == turn.number
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::super::identity::NODE_HEADER;
    use super::*;

    #[test]
    fn a_batch_counts_until_a_later_one_of_its_sender_has_come() {
        let turns = Turns::default();
        let turn = |node, number| Turn { node: NodeId::of(node), number };
        assert!(turns.counts(turn(1, 5)));
        assert!(turns.counts(turn(1, 5)), "it is still being taken");
        assert!(turns.counts(turn(1, 7)));
        assert!(!turns.counts(turn(1, 5)));
        assert!(turns.counts(turn(2, 6)), "another sender");
        for node in 3..5_000 {
            assert!(turns.counts(turn(node, 1)));
        }
        assert!(turns.last.lock().len() <= MOST);
    }

    #[test]
    fn a_java_server_has_no_turns() {
        let mut headers = HeaderMap::from_iter([(TURN_HEADER, HeaderValue::from_static("12"))]);
        assert_eq!(Turn::of(&headers), None, "of nobody");
        headers.insert(NODE_HEADER, Identity::own(NodeId::of(7), true).header());
        assert_eq!(Turn::of(&headers), Some(Turn { node: NodeId::of(7), number: 12 }));
        headers.insert(TURN_HEADER, HeaderValue::from_static("x"));
        assert_eq!(Turn::of(&headers), None);
    }
}
