//! Whether a password is right.
//!
//! Passwords and tokens are kept as keyed hashes, whose key is made at the start and never leaves the process,
//! and are compared in constant time. A bcrypt hash takes its time on purpose: it is computed beside the runtime's
//! workers, few at a time, and what came of it is remembered, so that a heartbeat pays for it once.
//!
//! Whether a user is known makes no difference to the time of a wrong password, but names that nobody has take no
//! time from those who have one: where these need the processors, an answer that needs none merely takes as long.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rand::Rng as _;
use ring::hmac;
use tokio::sync::OwnedMutexGuard;
use zeroize::Zeroizing;

use crate::blocking::off_the_workers;
use crate::settings::{Password, Secret, UserSettings};

use super::failures::{Failures, TooMany};
use super::turns::{Turn, Turns};

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

    /// The hash of a user and a password, or of a token, which has no user. No two have the same text.
    pub(super) fn tag(&self, user: Option<&str>, secret: &str) -> Tag {
        let mut tag = Tag::default();
        tag.copy_from_slice(hmac::sign(&self.0, &text(user, secret)).as_ref());
        tag
    }

    /// In constant time.
    fn fits(&self, tag: &Tag, user: &str, secret: &str) -> bool {
        hmac::verify(&self.0, &text(Some(user), secret), tag).is_ok()
    }
}

fn text(user: Option<&str>, secret: &str) -> Zeroizing<Vec<u8>> {
    let name = user.unwrap_or_default();
    let mut text = Zeroizing::new(Vec::with_capacity(8 + name.len() + secret.len()));
    text.extend_from_slice(&user.map_or(usize::MAX, str::len).to_le_bytes());
    text.extend_from_slice(name.as_bytes());
    text.extend_from_slice(secret.as_bytes());
    text
}

/// The passwords of all users, until these change.
pub(super) struct Passwords {
    key: Key,
    checks: HashMap<String, Arc<Check>>,
    /// What the password of nobody is compared with: the hash that takes longest, if any is bcrypt's.
    stand_in: Option<Arc<Secret>>,
    wrong: Wrong,
    turns: Turns,
    /// How many milliseconds a wrong password took lately.
    lately: AtomicU64,
}

/// What a user's password is compared with, and whether that was done before.
enum Check {
    Plain { tag: Tag, was_right: AtomicBool },
    Bcrypt { hash: Arc<Secret>, right: Mutex<Option<Tag>> },
}

/// What was wrong: nobody can learn more of it. As much is remembered; then it begins anew.
#[derive(Clone, Default)]
struct Wrong(Arc<Mutex<HashSet<Tag>>>);

const MOST_WRONG: usize = 10_000;

/// bcrypt looks at no more of a password.
const MOST_BYTES: usize = 72;

impl Passwords {
    /// Goes on with what was right for users whose passwords are the same as before; the key must be the same, too.
    pub(super) fn new(key: Key, users: &[UserSettings], before: Option<&Self>) -> Self {
        let check = |user: &UserSettings| {
            let check = match &user.password.content {
                Password::Plain(password) => Check::Plain {
                    tag: key.tag(Some(&user.name), password.reveal()),
                    was_right: AtomicBool::new(false),
                },
                Password::Bcrypt(hash) => Check::Bcrypt { hash: Arc::new(hash.clone()), right: Mutex::default() },
            };
            let same = before.and_then(|before| before.checks.get(&user.name)).filter(|same| same.compares_as(&check));
            same.cloned().unwrap_or_else(|| Arc::new(check))
        };
        let checks: HashMap<_, _> = users.iter().map(|user| (user.name.clone(), check(user))).collect();
        let hashes = checks.values().filter_map(|check| match &**check {
            Check::Bcrypt { hash, .. } => Some(Arc::clone(hash)),
            Check::Plain { .. } => None,
        });
        let stand_in = hashes.max_by_key(|hash| cost(hash));
        let processors = std::thread::available_parallelism().map_or(1, |processors| processors.get().div_ceil(2));
        let turns = before.map_or_else(|| Turns::new(processors), |before| before.turns.clone());
        // Nothing was measured yet.
        let lately = AtomicU64::new(stand_in.as_ref().map_or(0, |hash| (1 << cost(hash)) / 16));
        Self { key, checks, stand_in, wrong: Wrong::default(), turns, lately }
    }

    /// Whether a user has this password. What was right before costs a look; all else is a guess.
    pub(super) async fn is_right(
        &self,
        failures: &Failures,
        address: Option<IpAddr>,
        user: &str,
        password: &str,
    ) -> Result<bool, TooMany> {
        let check = self.checks.get(user);
        if check.is_some_and(|check| check.was_right(&self.key, user, password)) {
            return Ok(true);
        }
        let tag = self.key.tag(Some(user), password);
        let alone = failures.alone(address, &tag).await;
        if let Some(found) = self.found(check, &tag) {
            return Ok(found);
        }
        let attempt = failures.begin(address, user).await?;
        let begun = failures.now();
        let is_right = match check.map(|check| (check, &**check)) {
            Some((_, Check::Plain { tag, was_right })) if self.key.fits(tag, user, password) => {
                was_right.store(true, Ordering::Relaxed);
                true
            }
            Some((check, Check::Bcrypt { hash, .. })) if password.len() <= MOST_BYTES => {
                let turn = self.turns.take(address).await?;
                // Somebody elsewhere may have asked the same meanwhile.
                match self.found(Some(check), &tag) {
                    Some(found) => found,
                    None => self.compute(check, hash, tag, password, (turn, alone)).await,
                }
            }
            _ => self.stand_in(tag, password).await,
        };
        if is_right {
            attempt.was_right();
        } else {
            let took = failures.now().since(begun).as_millis();
            self.lately.store(u64::try_from(took).unwrap_or_default(), Ordering::Relaxed);
        }
        Ok(is_right)
    }

    /// Whether nobody has a token, as far as is known.
    pub(super) fn was_wrong(&self, tag: &Tag) -> bool {
        self.wrong.0.lock().contains(tag)
    }

    pub(super) fn remember_wrong(&self, tag: Tag) {
        self.wrong.remember(tag);
    }

    fn found(&self, check: Option<&Arc<Check>>, tag: &Tag) -> Option<bool> {
        let is_right = check.is_some_and(|check| match &**check {
            Check::Plain { tag: right, was_right } => was_right.load(Ordering::Relaxed) && right == tag,
            Check::Bcrypt { right, .. } => *right.lock() == Some(*tag),
        });
        is_right.then_some(true).or_else(|| self.was_wrong(tag).then_some(false))
    }

    /// Computes a hash to its end and remembers what comes of it, also when nobody waits for that any more.
    async fn compute(
        &self,
        check: &Arc<Check>,
        hash: &Arc<Secret>,
        tag: Tag,
        password: &str,
        held: (Turn, OwnedMutexGuard<()>),
    ) -> bool {
        let (check, hash, wrong) = (Arc::clone(check), Arc::clone(hash), self.wrong.clone());
        let password = Zeroizing::new(password.to_owned());
        off_the_workers(move || {
            let is_right = fits(&hash, &password);
            match &*check {
                Check::Bcrypt { right, .. } if is_right => *right.lock() = Some(tag),
                _ => wrong.remember(tag),
            }
            drop(held);
            is_right
        })
        .await
    }

    /// Takes as long as if it were worth it.
    async fn stand_in(&self, tag: Tag, password: &str) -> bool {
        if let Some(hash) = &self.stand_in {
            if let Some(turn) = self.turns.spare() {
                let (hash, password) = (Arc::clone(hash), Zeroizing::new(password.to_owned()));
                off_the_workers(move || {
                    fits(&hash, &password);
                    drop(turn);
                })
                .await;
            } else {
                tokio::time::sleep(Duration::from_millis(self.lately.load(Ordering::Relaxed))).await;
            }
        }
        self.wrong.remember(tag);
        false
    }
}

impl Check {
    fn was_right(&self, key: &Key, user: &str, password: &str) -> bool {
        match self {
            Self::Plain { tag, was_right } => key.fits(tag, user, password) && was_right.load(Ordering::Relaxed),
            Self::Bcrypt { right, .. } => {
                let right = *right.lock();
                right.is_some_and(|tag| key.fits(&tag, user, password))
            }
        }
    }

    fn compares_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Plain { tag, .. }, Self::Plain { tag: other, .. }) => tag == other,
            (Self::Bcrypt { hash, .. }, Self::Bcrypt { hash: other, .. }) => hash == other,
            _ => false,
        }
    }
}

impl Wrong {
    fn remember(&self, tag: Tag) {
        let wrong = &mut *self.0.lock();
        if wrong.len() >= MOST_WRONG {
            wrong.clear();
        }
        wrong.insert(tag);
    }
}

fn fits(hash: &Secret, password: &str) -> bool {
    bcrypt::verify(password.as_bytes(), hash.reveal()).unwrap_or(false)
}

fn cost(hash: &Secret) -> u32 {
    hash.reveal().parse::<bcrypt::HashParts>().map_or(0, |parts| parts.get_cost())
}

#[cfg(test)]
mod tests;
