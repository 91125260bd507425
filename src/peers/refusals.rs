//! Items that this node or a peer refuses: each is told once an hour, and of each peer so many a minute.
//!
//! A Java peer logs a refusal and does not try again by itself, but each later heartbeat is answered
//! 404 and brings the same registration once more. A peer whose refusals have ever new texts does not fill the
//! log either: what is more than its share is counted, and the number is told.

use std::collections::HashMap;
use std::fmt::Display;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use parking_lot::Mutex;

use crate::clock::Monotonic;

/// See the module.
#[derive(Debug, Default)]
pub struct Refusals {
    /// Held to decide on one of them.
    memory: Mutex<Memory>,
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct Memory {
    /// When each refusal was last told, by the hash of its text: the texts hold names that peers send.
    told: HashMap<u64, Monotonic>,
    /// By peer.
    shares: HashMap<String, Share>,
}

/// What is told of a peer within a minute.
#[derive(Debug)]
struct Share {
    since: Monotonic,
    told: u32,
    untold: u64,
}

const AGAIN_AFTER: Duration = Duration::from_hours(1);
/// Beyond so many, the one that was told the longest ago is forgotten, and may be told again.
const MOST: usize = 1000;
/// For the share of a peer.
const MINUTE: Duration = Duration::from_mins(1);
const LINES_A_MINUTE: u32 = 10;
/// Peers with a share of their own; senders may call themselves what they like.
const MOST_SHARES: usize = 64;
/// Whose share the rest of them have together.
const OTHERS: &str = "others";

impl Refusals {
    /// Whether a refusal that has to do with a peer is to be told.
    pub fn is_news(&self, peer: &impl Display, refusal: &str, now: Monotonic) -> bool {
        self.tell_rest(now);
        self.memory.lock().take(peer.to_string(), self.hasher.hash_one(refusal), now)
    }

    /// Tells how many refusals were not told in minutes that are over.
    pub fn tell_rest(&self, now: Monotonic) {
        let rest = self.memory.lock().rest(now);
        for (peer, refusals) in rest {
            tracing::warn!(peer, refusals, "more was refused than is told in a minute");
        }
    }
}

impl Memory {
    fn take(&mut self, peer: String, refusal: u64, now: Monotonic) -> bool {
        let Self { told, shares } = self;
        if told.get(&refusal).is_some_and(|last| now.since(*last) < AGAIN_AFTER) {
            return false;
        }
        let own = shares.len() < MOST_SHARES || shares.contains_key(&peer);
        let share = shares.entry(if own { peer } else { OTHERS.to_owned() });
        let share = share.or_insert(Share { since: now, told: 0, untold: 0 });
        if share.told >= LINES_A_MINUTE {
            share.untold += 1;
            return false;
        }
        share.told += 1;
        if told.len() >= MOST {
            told.retain(|_, last| now.since(*last) < AGAIN_AFTER);
        }
        if told.len() >= MOST
            && let Some(oldest) = told.iter().min_by_key(|(_, last)| **last).map(|(refusal, _)| *refusal)
        {
            told.remove(&oldest);
        }
        told.insert(refusal, now);
        true
    }

    /// What was not told of each peer whose minute is over. Another minute begins with its next refusal.
    fn rest(&mut self, now: Monotonic) -> Vec<(String, u64)> {
        let over = self.shares.extract_if(|_, share| now.since(share.since) >= MINUTE);
        over.filter(|(_, share)| share.untold > 0).map(|(peer, share)| (peer, share.untold)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_told_once_an_hour() {
        let refused = Refusals::default();
        assert!(refused.is_news(&"a", "ord-1", Monotonic(0)));
        assert!(!refused.is_news(&"a", "ord-1", Monotonic(3_599_999)));
        assert!(refused.is_news(&"a", "ord-2", Monotonic(3_599_999)));
        assert!(refused.is_news(&"a", "ord-1", Monotonic(3_600_000)));
        assert!(!refused.is_news(&"a", "ord-1", Monotonic(3_600_001)));
    }

    #[test]
    fn ever_new_texts_of_one_peer_are_counted_and_take_no_other_peers_share() {
        let refused = Refusals::default();
        let told = |peer: &str, now| {
            let news = |n: &u64| refused.is_news(&peer, &format!("{peer} {now} {n}"), Monotonic(now));
            (0..100).filter(news).count()
        };
        assert_eq!((told("a", 0), told("b", 30_000), told("a", 59_999)), (10, 10, 0));
        let rest = |now| refused.memory.lock().rest(Monotonic(now));
        assert_eq!(rest(59_999), []);
        assert_eq!(rest(60_000), [("a".to_owned(), 190)]);
        assert_eq!((told("a", 60_000), told("b", 60_000)), (10, 0));
        let all: usize = (0..200).map(|peer| told(&format!("forged {peer}"), 60_001)).sum();
        assert_eq!(all, 630, "as many as have a share, and one for the rest");
        assert!(refused.memory.lock().shares.len() <= MOST_SHARES + 1);
    }

    #[test]
    fn it_does_not_grow_without_end() {
        let refused = Refusals::default();
        let most = u64::try_from(MOST).unwrap_or(u64::MAX);
        for n in 0..3 * most {
            assert!(refused.is_news(&(n % 60), &n.to_string(), Monotonic(n * 1000)));
        }
        assert_eq!(refused.memory.lock().told.len(), MOST);
        for n in [2 * most, 3 * most - 1] {
            assert!(!refused.is_news(&0, &n.to_string(), Monotonic(3_000 * most)), "only the oldest are forgotten");
        }
        let later = Monotonic(3_000 * most + 3_600_000);
        assert!(refused.is_news(&0, "x", later));
        assert_eq!(refused.memory.lock().told.len(), 1, "what is an hour old goes first");
    }
}
