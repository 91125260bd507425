//! Wrong credentials are slowed: the answer to each comes later than that to the last, by address and user.
//!
//! What is right is never slowed: it was found right before anybody looks here. That also means that this slows
//! guessing and does not end it, so passwords must be too long to guess.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::time::Duration;

use parking_lot::Mutex;

use crate::clock::{Clock, Monotonic};

/// The wait after a first failure; it doubles from one to the next.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(4);
/// So long without a failure, and the next one is the first.
const FORGIVEN: Duration = Duration::from_mins(1);
/// Answers that wait: of one address and user, and in all.
const MOST_WAITING_OF_ONE: u32 = 8;
const MOST_WAITING: u32 = 1000;
/// Addresses and users that are remembered. While there are as many, a new one waits the longest time.
const MOST_REMEMBERED: usize = 10_000;

/// See the module.
#[derive(Debug)]
pub(super) struct Failures {
    clock: Clock,
    hasher: RandomState,
    /// Who failed, and who waits.
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    /// By the hash of address and user: names come from anybody.
    failing: HashMap<u64, Failing>,
    waiting: u32,
}

#[derive(Debug)]
struct Failing {
    last: Monotonic,
    in_a_row: u32,
    waiting: u32,
}

/// Too many wait already; the answer is to be 429.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooMany;

impl Failures {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, hasher: RandomState::new(), memory: Mutex::default() }
    }

    /// Holds up the answer to wrong credentials.
    pub(super) async fn hold_up(&self, address: Option<IpAddr>, user: &str) -> Result<(), TooMany> {
        let waiting = self.begin(self.hasher.hash_one((address, user)))?;
        tokio::time::sleep(waiting.time).await;
        drop(waiting);
        Ok(())
    }

    fn begin(&self, key: u64) -> Result<Waiting<'_>, TooMany> {
        let now = self.clock.mono();
        let memory = &mut *self.memory.lock();
        if memory.failing.len() >= MOST_REMEMBERED && !memory.failing.contains_key(&key) {
            memory.failing.retain(|_, failing| failing.waiting > 0 || now.since(failing.last) < FORGIVEN);
        }
        let full = memory.failing.len() >= MOST_REMEMBERED && !memory.failing.contains_key(&key);
        if memory.waiting >= MOST_WAITING {
            return Err(TooMany);
        }
        if full {
            memory.waiting += 1;
            return Ok(Waiting { failures: self, key: None, time: LONGEST_WAIT });
        }
        let failing = memory.failing.entry(key).or_insert(Failing { last: now, in_a_row: 0, waiting: 0 });
        if now.since(failing.last) >= FORGIVEN {
            failing.in_a_row = 0;
        }
        failing.last = now;
        if failing.waiting >= MOST_WAITING_OF_ONE {
            return Err(TooMany);
        }
        let time = FIRST_WAIT.saturating_mul(1 << failing.in_a_row.min(10)).min(LONGEST_WAIT);
        failing.in_a_row = failing.in_a_row.saturating_add(1);
        failing.waiting += 1;
        memory.waiting += 1;
        Ok(Waiting { failures: self, key: Some(key), time })
    }
}

/// An answer that waits; also when its client has gone meanwhile.
struct Waiting<'a> {
    failures: &'a Failures,
    key: Option<u64>,
    time: Duration,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let memory = &mut *self.failures.memory.lock();
        memory.waiting = memory.waiting.saturating_sub(1);
        if let Some(failing) = self.key.and_then(|key| memory.failing.get_mut(&key)) {
            failing.waiting = failing.waiting.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn failures() -> Failures {
        Failures::new(Clock::held(0))
    }

    const HERE: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));

    async fn wait(failures: &Failures, user: &str) -> u64 {
        let begun = failures.clock.mono();
        failures.hold_up(HERE, user).await.unwrap();
        u64::try_from(failures.clock.mono().since(begun).as_millis()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn each_failure_waits_longer_up_to_a_few_seconds() {
        let failures = failures();
        let mut waits = Vec::new();
        for _ in 0..7 {
            waits.push(wait(&failures, "a").await);
        }
        assert_eq!(waits, [250, 500, 1000, 2000, 4000, 4000, 4000]);
        assert_eq!(wait(&failures, "b").await, 250, "nobody waits for another's failures");
        tokio::time::advance(FORGIVEN).await;
        assert_eq!(wait(&failures, "a").await, 250);
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_is_bounded_and_counted_also_when_clients_go() {
        let failures = failures();
        let waiting: Vec<_> = (0..MOST_WAITING_OF_ONE).map(|_| failures.begin(1).unwrap()).collect();
        assert!(failures.begin(1).is_err());
        let others: Vec<_> = (2..).map_while(|key| failures.begin(key).ok()).collect();
        assert_eq!(waiting.len() + others.len(), 1000);
        drop((waiting, others));
        assert!(failures.begin(1).is_ok());
        assert_eq!(failures.memory.lock().waiting, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn it_does_not_grow_without_end() {
        let failures = failures();
        for key in 0..15_000 {
            let longest = failures.begin(key).unwrap().time == LONGEST_WAIT;
            assert_eq!(longest, key >= 10_000);
        }
        assert_eq!(failures.memory.lock().failing.len(), MOST_REMEMBERED);
        tokio::time::advance(FORGIVEN).await;
        assert_eq!(failures.begin(20_000).unwrap().time, FIRST_WAIT);
    }
}
