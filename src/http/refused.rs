//! Items of peers that are refused: each is told once an hour.
//!
//! A Java peer logs a refusal and does not try again by itself, but each later heartbeat is answered
//! 404 and brings the same registration once more.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;

use crate::clock::Monotonic;

/// When each refusal was last told, by its text.
#[derive(Debug, Default)]
pub struct RefusedItems(Mutex<HashMap<String, Monotonic>>);

const AGAIN_AFTER: Duration = Duration::from_hours(1);
/// The texts hold names that peers send; beyond so many, all are forgotten and told again.
const MOST: usize = 1000;

impl RefusedItems {
    /// Whether a refusal is to be told.
    pub(super) fn is_news(&self, refusal: &str, now: Monotonic) -> bool {
        let mut told = self.0.lock();
        if told.get(refusal).is_some_and(|last| now.since(*last) < AGAIN_AFTER) {
            return false;
        }
        if told.len() >= MOST {
            told.clear();
        }
        told.insert(refusal.to_owned(), now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_told_once_an_hour() {
        let refused = RefusedItems::default();
        assert!(refused.is_news("ord-1", Monotonic(0)));
        assert!(!refused.is_news("ord-1", Monotonic(3_599_999)));
        assert!(refused.is_news("ord-2", Monotonic(3_599_999)));
        assert!(refused.is_news("ord-1", Monotonic(3_600_000)));
        assert!(!refused.is_news("ord-1", Monotonic(3_600_001)));
    }

    #[test]
    fn it_does_not_grow_without_end() {
        let refused = RefusedItems::default();
        for n in 0..3 * MOST {
            assert!(refused.is_news(&n.to_string(), Monotonic(0)));
        }
        assert!(refused.0.lock().len() <= MOST);
    }
}
