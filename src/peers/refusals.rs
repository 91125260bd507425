//! Items that this node or a peer refuses: each is told once an hour.
//!
//! A Java peer logs a refusal and does not try again by itself, but each later heartbeat is answered
//! 404 and brings the same registration once more.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use parking_lot::Mutex;

use crate::clock::Monotonic;

/// When each refusal was last told, by the hash of its text: the texts hold names that peers send.
#[derive(Debug, Default)]
pub struct Refusals {
    told: Mutex<HashMap<u64, Monotonic>>,
    hasher: RandomState,
}

const AGAIN_AFTER: Duration = Duration::from_hours(1);
/// Beyond so many, the one that was told the longest ago is forgotten, and may be told again.
const MOST: usize = 1000;

impl Refusals {
    /// Whether a refusal is to be told.
    pub fn is_news(&self, refusal: &str, now: Monotonic) -> bool {
        let refusal = self.hasher.hash_one(refusal);
        let mut told = self.told.lock();
        if told.get(&refusal).is_some_and(|last| now.since(*last) < AGAIN_AFTER) {
            return false;
        }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_told_once_an_hour() {
        let refused = Refusals::default();
        assert!(refused.is_news("ord-1", Monotonic(0)));
        assert!(!refused.is_news("ord-1", Monotonic(3_599_999)));
        assert!(refused.is_news("ord-2", Monotonic(3_599_999)));
        assert!(refused.is_news("ord-1", Monotonic(3_600_000)));
        assert!(!refused.is_news("ord-1", Monotonic(3_600_001)));
    }

    #[test]
    fn it_does_not_grow_without_end() {
        let refused = Refusals::default();
        let most = u64::try_from(MOST).unwrap_or(u64::MAX);
        for n in 0..3 * most {
            assert!(refused.is_news(&n.to_string(), Monotonic(n)));
        }
        assert_eq!(refused.told.lock().len(), MOST);
        for n in [2 * most, 3 * most - 1] {
            assert!(!refused.is_news(&n.to_string(), Monotonic(3 * most)), "only the oldest are forgotten");
        }
        let later = Monotonic(3 * most + 3_600_000);
        assert!(refused.is_news("x", later));
        assert_eq!(refused.told.lock().len(), 1, "what is an hour old goes first");
    }
}
