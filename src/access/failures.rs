//! Guesses of credentials are slowed.
//!
//! A guess is what nobody here knows to be right or wrong. After a few of one address and user each further one is
//! looked at only after a wait, so that silence tells nothing, and it counts from its begin, so that hanging up
//! helps nobody. Where enough wait already nothing is looked at. What was right before never comes here, so that
//! nobody who is in waits for a guesser. This slows guessing and does not end it: passwords must be too long to
//! guess.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;

use crate::clock::{Clock, Monotonic};

/// So many guesses in a row are looked at without a wait.
const FREE: u32 = 5;
/// The wait after these; it doubles from one to the next.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(4);
/// So long without a guess, and the next one is the first.
const FORGIVEN: Duration = Duration::from_mins(1);
/// Guesses that wait: of one address and user, and in all.
const MOST_WAITING_OF_ONE: u32 = 8;
const MOST_WAITING: u32 = 1000;
/// Addresses that are remembered. While there are as many, a new one waits the longest time.
const MOST_ADDRESSES: usize = 1000;
/// Users that are remembered of an address. All further ones are taken for one, so that nobody fills the memory.
const MOST_USERS: usize = 32;
/// Credentials that are looked at; with more, those that are done with are sorted out first.
const MANY_LOOKED_AT: usize = 1000;

/// See the module.
#[derive(Debug)]
pub(super) struct Failures {
    clock: Clock,
    hasher: RandomState,
    /// Who guessed, and who waits.
    memory: Mutex<Memory>,
    /// What is looked at just now, by the hash of address and credentials.
    looked_at: Mutex<HashMap<u64, Weak<tokio::sync::Mutex<()>>>>,
}

#[derive(Debug, Default)]
struct Memory {
    /// By the hash of the address.
    addresses: HashMap<u64, Address>,
    waiting: u32,
}

#[derive(Debug)]
struct Address {
    last: Monotonic,
    /// By the hash of the user, for names come from anybody; none for all that are too many.
    users: HashMap<Option<u64>, Failing>,
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

/// Whose guesses count together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    address: u64,
    user: Option<u64>,
}

impl Failures {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, hasher: RandomState::new(), memory: Mutex::default(), looked_at: Mutex::default() }
    }

    pub(super) fn now(&self) -> Monotonic {
        self.clock.mono()
    }

    /// Waits until nobody else of this address looks at the same credentials: a fleet that has one login is not
    /// many guessers. Whoever has waited must see first what came of it.
    pub(super) async fn alone(&self, address: Option<IpAddr>, credentials: &[u8]) -> OwnedMutexGuard<()> {
        let key = self.hasher.hash_one((address, credentials));
        let mutex = {
            let looked_at = &mut *self.looked_at.lock();
            if looked_at.len() >= MANY_LOOKED_AT {
                looked_at.retain(|_, mutex| mutex.strong_count() > 0);
            }
            let known = looked_at.entry(key).or_default();
            known.upgrade().unwrap_or_else(|| {
                let mutex = Arc::default();
                *known = Arc::downgrade(&mutex);
                mutex
            })
        };
        mutex.lock_owned().await
    }

    /// Counts a guess, and waits until it may be looked at.
    pub(super) async fn begin(&self, address: Option<IpAddr>, user: &str) -> Result<Attempt<'_>, TooMany> {
        let (attempt, wait) = self.count(address, user)?;
        if let Some((_waiting, time)) = wait {
            tokio::time::sleep(time).await;
        }
        Ok(attempt)
    }

    fn count(
        &self,
        address: Option<IpAddr>,
        user: &str,
    ) -> Result<(Attempt<'_>, Option<(Waiting<'_>, Duration)>), TooMany> {
        let now = self.clock.mono();
        let (address, user) = (self.hasher.hash_one(address.map(network)), self.hasher.hash_one(user));
        let mut memory = self.memory.lock();
        let Memory { addresses, waiting } = &mut *memory;
        if addresses.len() >= MOST_ADDRESSES && !addresses.contains_key(&address) {
            addresses.retain(|_, address| now.since(address.last) < FORGIVEN);
            if addresses.len() >= MOST_ADDRESSES {
                if *waiting >= MOST_WAITING {
                    return Err(TooMany);
                }
                *waiting += 1;
                let wait = (Waiting { failures: self, place: None }, LONGEST_WAIT);
                return Ok((Attempt { failures: self, place: None }, Some(wait)));
            }
        }
        let of_address = addresses.entry(address).or_insert_with(|| Address { last: now, users: HashMap::new() });
        of_address.last = now;
        let users = &mut of_address.users;
        if users.len() >= MOST_USERS && !users.contains_key(&Some(user)) {
            users.retain(|_, failing| now.since(failing.last) < FORGIVEN);
        }
        let user = (users.len() < MOST_USERS || users.contains_key(&Some(user))).then_some(user);
        let failing = users.entry(user).or_insert(Failing { last: now, in_a_row: 0, waiting: 0 });
        if now.since(failing.last) >= FORGIVEN {
            failing.in_a_row = 0;
        }
        let place = Some(Place { address, user });
        let time = failing.in_a_row.checked_sub(FREE).map(|more| (FIRST_WAIT * (1 << more.min(10))).min(LONGEST_WAIT));
        if time.is_some() {
            if failing.waiting >= MOST_WAITING_OF_ONE || *waiting >= MOST_WAITING {
                return Err(TooMany);
            }
            failing.waiting += 1;
            *waiting += 1;
        }
        failing.last = now;
        failing.in_a_row = failing.in_a_row.saturating_add(1);
        Ok((Attempt { failures: self, place }, time.map(|time| (Waiting { failures: self, place }, time))))
    }
}

/// Somebody with IPv6 has a network of addresses.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

impl Memory {
    fn of(&mut self, place: Option<Place>) -> Option<&mut Failing> {
        let Place { address, user } = place?;
        self.addresses.get_mut(&address)?.users.get_mut(&user)
    }
}

/// A guess that counts, unless it turns out to be none.
#[must_use]
pub(super) struct Attempt<'a> {
    failures: &'a Failures,
    place: Option<Place>,
}

impl Attempt<'_> {
    pub(super) fn was_right(self) {
        if let Some(failing) = self.failures.memory.lock().of(self.place) {
            failing.in_a_row = failing.in_a_row.saturating_sub(1);
        }
    }
}

/// A guess that waits, until its client has gone or it is looked at.
struct Waiting<'a> {
    failures: &'a Failures,
    place: Option<Place>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let memory = &mut *self.failures.memory.lock();
        memory.waiting = memory.waiting.saturating_sub(1);
        if let Some(failing) = memory.of(self.place) {
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

    #[expect(clippy::unnecessary_wraps, reason = "it stands for what a connection knows")]
    fn from(number: u32) -> Option<IpAddr> {
        Some(IpAddr::V4(number.into()))
    }

    async fn wait(failures: &Failures, user: &str) -> u64 {
        let begun = failures.clock.mono();
        let _ = failures.begin(from(1), user).await.unwrap();
        u64::try_from(failures.clock.mono().since(begun).as_millis()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_few_guesses_each_waits_longer_up_to_a_few_seconds() {
        let failures = failures();
        let mut waits = Vec::new();
        for _ in 0..12 {
            waits.push(wait(&failures, "a").await);
        }
        assert_eq!(waits, [0, 0, 0, 0, 0, 250, 500, 1000, 2000, 4000, 4000, 4000]);
        assert_eq!(wait(&failures, "b").await, 0, "nobody waits for another's guesses");
        tokio::time::advance(FORGIVEN).await;
        assert_eq!(wait(&failures, "a").await, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_right_was_no_guess() {
        let failures = failures();
        for _ in 0..100 {
            failures.begin(from(1), "a").await.unwrap().was_right();
        }
        assert_eq!(wait(&failures, "a").await, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_is_bounded_and_counted_also_when_clients_go() {
        let failures = failures();
        let waits_of = |address| -> Vec<_> {
            let begun: Vec<_> = (0..100).map_while(|_| failures.count(from(address), "a").ok()).collect();
            begun.into_iter().filter_map(|(_, wait)| wait).collect()
        };
        assert_eq!(waits_of(1).len(), 8);
        let all: Vec<_> = (2..200).map(waits_of).collect();
        assert_eq!(all.iter().map(Vec::len).sum::<usize>(), 1000);
        assert!(failures.count(from(500), "a").is_ok(), "a first one does not wait");
        drop(all);
        assert_eq!(failures.memory.lock().waiting, 0);
        assert!(failures.count(from(1), "a").is_ok());
    }

    /// Nobody takes from others the room in which their guesses are told apart.
    #[tokio::test(start_paused = true)]
    async fn a_flood_of_names_from_an_address_is_its_own() {
        let failures = failures();
        for name in 0..10_000 {
            let _ = failures.count(from(1), &name.to_string());
        }
        assert_eq!(failures.memory.lock().addresses.values().map(|address| address.users.len()).sum::<usize>(), 33);
        assert!(failures.count(from(2), "a").unwrap().1.is_none());
        for address in 3..5_000 {
            let _ = failures.count(from(address), "a");
        }
        assert_eq!(failures.memory.lock().addresses.len(), MOST_ADDRESSES);
        assert_eq!(failures.count(from(6_000), "a").unwrap().1.unwrap().1, LONGEST_WAIT);
        tokio::time::advance(FORGIVEN).await;
        assert!(failures.count(from(6_000), "a").unwrap().1.is_none());
    }

    #[test]
    fn addresses_of_a_network_of_ipv6_are_one() {
        let parse = |text: &str| network(text.parse().unwrap());
        assert_eq!(parse("2001:db8:1:2:3:4:5:6"), parse("2001:db8:1:2::1"));
        assert_ne!(parse("2001:db8:1:2::1"), parse("2001:db8:1:3::1"));
        assert_ne!(parse("10.0.0.1"), parse("10.0.0.2"));
    }
}
