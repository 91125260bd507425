//! Whether a password is right.
//!
//! Passwords and tokens are kept as keyed hashes, whose key is made at the start and never leaves the process,
//! and are compared in constant time. A bcrypt hash takes its time on purpose: it is computed beside the runtime's
//! workers, few at a time, and what came of it is remembered, so that a heartbeat pays for it once. Whether a user
//! is known makes no difference to the cost of a wrong password.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use rand::Rng as _;
use ring::hmac;
use tokio::sync::Semaphore;
use zeroize::Zeroizing;

use crate::blocking::off_the_workers;
use crate::settings::{Password, Secret, UserSettings};

/// A keyed hash.
pub(super) type Tag = [u8; 32];

/// The key of keyed hashes.
#[derive(Clone, Debug)]
pub(super) struct Key(hmac::Key);

impl Key {
    pub(super) fn random() -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        rand::rng().fill_bytes(&mut *bytes);
        Self(hmac::Key::new(hmac::HMAC_SHA256, &*bytes))
    }

    /// The hash of a user and a password, or of a token without a user. No two pairs have the same text.
    pub(super) fn tag(&self, user: &str, secret: &str) -> Tag {
        let mut tag = Tag::default();
        tag.copy_from_slice(hmac::sign(&self.0, &text(user, secret)).as_ref());
        tag
    }

    /// In constant time.
    fn fits(&self, tag: &Tag, user: &str, secret: &str) -> bool {
        hmac::verify(&self.0, &text(user, secret), tag).is_ok()
    }
}

fn text(user: &str, secret: &str) -> Zeroizing<Vec<u8>> {
    let mut text = Zeroizing::new(Vec::with_capacity(8 + user.len() + secret.len()));
    text.extend_from_slice(&user.len().to_le_bytes());
    text.extend_from_slice(user.as_bytes());
    text.extend_from_slice(secret.as_bytes());
    text
}

/// The passwords of all users, until these change.
pub(super) struct Passwords {
    key: Key,
    checks: HashMap<String, Check>,
    /// What the password of nobody is compared with: a hash of some user, if any is bcrypt's.
    stand_in: Option<Arc<Secret>>,
    /// What bcrypt found right, and what it found wrong.
    found: Mutex<Found>,
    turns: Turns,
}

enum Check {
    Plain(Tag),
    Bcrypt(Arc<Secret>),
}

#[derive(Default)]
struct Found {
    right: HashSet<Tag>,
    wrong: HashSet<Tag>,
}

/// Of each as many are remembered; then it begins anew.
const MOST_FOUND: usize = 10_000;

/// Whose password is computed next. Many of one address and user wait for each other, and not everybody for them.
struct Turns {
    lanes: Vec<Semaphore>,
    hasher: RandomState,
    processors: Arc<Semaphore>,
}

const LANES: usize = 64;

impl Passwords {
    pub(super) fn new(key: Key, users: &[UserSettings]) -> Self {
        let check = |user: &UserSettings| match &user.password.content {
            Password::Plain(password) => Check::Plain(key.tag(&user.name, password.reveal())),
            Password::Bcrypt(hash) => Check::Bcrypt(Arc::new(hash.clone())),
        };
        let checks: HashMap<_, _> = users.iter().map(|user| (user.name.clone(), check(user))).collect();
        let stand_in = checks.values().find_map(|check| match check {
            Check::Bcrypt(hash) => Some(Arc::clone(hash)),
            Check::Plain(_) => None,
        });
        let processors = std::thread::available_parallelism().map_or(1, |processors| processors.get().div_ceil(2));
        let turns = Turns {
            lanes: (0..LANES).map(|_| Semaphore::new(1)).collect(),
            hasher: RandomState::new(),
            processors: Arc::new(Semaphore::new(processors)),
        };
        Self { key, checks, stand_in, found: Mutex::default(), turns }
    }

    /// Whether a user has this password.
    pub(super) async fn is_right(&self, address: Option<IpAddr>, user: &str, password: &str) -> bool {
        let check = self.checks.get(user);
        let (tag, hashed) = match check {
            Some(Check::Plain(tag)) => (tag, None),
            Some(Check::Bcrypt(hash)) => (&NOBODYS, Some(hash)),
            None => (&NOBODYS, None),
        };
        if self.key.fits(tag, user, password) {
            return true;
        }
        let Some(hash) = hashed.or(self.stand_in.as_ref()) else { return false };
        let tag = self.key.tag(user, password);
        if let Some(found) = self.found(&tag) {
            return found;
        }
        let Some(_turn) = self.turns.lane(address, user).acquire().await.ok() else { return false };
        let Some(processor) = Arc::clone(&self.turns.processors).acquire_owned().await.ok() else { return false };
        // Somebody else may have asked the same meanwhile.
        if let Some(found) = self.found(&tag) {
            return found;
        }
        let (hash, password) = (Arc::clone(hash), Zeroizing::new(password.to_owned()));
        let fits = off_the_workers(move || {
            let fits = bcrypt::verify(password.as_bytes(), hash.reveal()).unwrap_or(false);
            // Also when nobody waits for it any more.
            drop(processor);
            fits
        });
        let is_right = fits.await && hashed.is_some();
        self.remember(tag, is_right);
        is_right
    }

    fn found(&self, tag: &Tag) -> Option<bool> {
        let found = self.found.lock();
        found.right.contains(tag).then_some(true).or_else(|| found.wrong.contains(tag).then_some(false))
    }

    fn remember(&self, tag: Tag, is_right: bool) {
        let found = &mut *self.found.lock();
        let memory = if is_right { &mut found.right } else { &mut found.wrong };
        if memory.len() >= MOST_FOUND {
            memory.clear();
        }
        memory.insert(tag);
    }
}

/// No text has this hash, as far as anybody knows.
const NOBODYS: Tag = [0; 32];

impl Turns {
    fn lane(&self, address: Option<IpAddr>, user: &str) -> &Semaphore {
        let hash = self.hasher.hash_one((address, user));
        let lane = usize::try_from(hash % 64).unwrap_or_default();
        // There are as many.
        &self.lanes[lane % self.lanes.len()]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use crate::settings::Settings;

    use super::*;

    /// Of `pass`, as libxcrypt hashes it.
    const HASHED: &str = "{bcrypt}$2a$04$gUmb6ts1FIWGnRaKJeJK5.K8/vorrLn6wmIIOxPwO9QWqPzW4oLrq";

    fn passwords(users: &[(&str, &str)]) -> Passwords {
        let word = |(place, (name, password)): (usize, &(&str, &str))| {
            let at = format!("--eurekad.security.users[{place}]");
            [format!("{at}.name={name}"), format!("{at}.password={password}")]
        };
        let words: Vec<_> = users.iter().enumerate().flat_map(word).collect();
        Passwords::new(Key::random(), &Settings::from_words(&words).unwrap().security.users)
    }

    #[tokio::test]
    async fn plain_and_hashed_passwords_are_told_from_wrong_ones() {
        let passwords = passwords(&[("plain", "pass"), ("hashed", HASHED)]);
        for (user, password, right) in [
            ("plain", "pass", true),
            ("plain", "Pass", false),
            ("plain", "", false),
            ("hashed", "pass", true),
            ("hashed", "pass", true),
            ("hashed", "pas", false),
            ("hashed", HASHED, false),
            ("nobody", "pass", false),
            ("", "", false),
        ] {
            assert_eq!(passwords.is_right(None, user, password).await, right, "{user} {password}");
        }
        let found = passwords.found.lock();
        assert_eq!(
            (found.right.len(), found.wrong.len()),
            (1, 6),
            "a wrong password costs the same, whoever it is for"
        );
    }

    #[tokio::test]
    async fn what_was_right_is_right_while_others_are_computed() {
        let passwords = passwords(&[("hashed", HASHED)]);
        assert!(passwords.is_right(None, "hashed", "pass").await);
        let all = u32::try_from(passwords.turns.processors.available_permits()).unwrap();
        let _busy = Arc::clone(&passwords.turns.processors).acquire_many_owned(all).await.unwrap();
        assert!(passwords.is_right(None, "hashed", "pass").await);
        let wrong = passwords.is_right(None, "hashed", "wrong");
        assert!(tokio::time::timeout(std::time::Duration::ZERO, wrong).await.is_err(), "it waits");
    }

    #[test]
    fn nothing_can_be_moved_from_the_name_to_the_password() {
        let key = Key::random();
        assert_ne!(key.tag("ab", "c"), key.tag("a", "bc"));
        assert_ne!(key.tag("", "a"), key.tag("a", ""));
        assert_ne!(key.tag("a", "b"), Key::random().tag("a", "b"));
    }
}
