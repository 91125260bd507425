//! Who was turned away, and who did what only operators may: a line each.
//!
//! Refusals come as fast as anybody likes to cause them. So the same one is told once a minute, and of all
//! of them so many a minute; the rest is counted, and the number is told. Each who is known is counted apart, and
//! from who is not, so that nobody's flood hides what somebody with a login tries.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::time::Duration;

use http::request::Parts;
use http::{Method, StatusCode};
use parking_lot::Mutex;

use crate::clock::{Clock, Monotonic};

use super::Connection;

const MINUTE: Duration = Duration::from_mins(1);
/// Of each who is known, and of all the rest together.
const LINES_A_MINUTE: usize = 100;
/// Who are told apart. More are the rest.
const USERS: usize = 100;

/// See the module.
#[derive(Debug)]
pub(super) struct Audit {
    clock: Clock,
    hasher: RandomState,
    /// What was told of refusals lately.
    minute: Mutex<Minute>,
}

#[derive(Debug, Default)]
struct Minute {
    /// When the first was told.
    since: Option<Monotonic>,
    /// Of each who is known; under none of strangers. Hashes: names come from anybody.
    told: HashMap<Option<u64>, HashSet<u64>>,
    left_out: u64,
}

/// Who was turned away.
#[derive(Clone, Copy, Debug)]
pub(super) enum User<'a> {
    /// Somebody who has a login or a certificate.
    Known(&'a str),
    /// Anybody, as he calls himself.
    Stranger(&'a str),
}

/// What was asked for. The query is not told: nobody knows what is in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    method: &'a Method,
    path: &'a str,
    from: &'a Connection,
}

impl<'a> Request<'a> {
    pub(super) fn of(head: &'a Parts, from: &'a Connection) -> Self {
        Self { method: &head.method, path: head.uri.path(), from }
    }
}

impl Audit {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, hasher: RandomState::new(), minute: Mutex::default() }
    }

    /// Somebody was turned away.
    pub(super) fn refused(&self, Request { method, path, from }: Request<'_>, user: User<'_>, reason: &'static str) {
        let address = from.ip();
        let (who, refusal) = match user {
            User::Known(user) => {
                (Some(self.hasher.hash_one(user)), self.hasher.hash_one((address, user, reason, method, path)))
            }
            // He would make up paths as he makes up names.
            User::Stranger(user) => (None, self.hasher.hash_one((address, user, reason, method))),
        };
        if self.is_news(who, refusal) {
            let (User::Known(user) | User::Stranger(user)) = user;
            let address = shown(address);
            tracing::warn!(user, address, %method, path, reason, "a request was refused");
        }
    }

    /// Somebody did, or tried, what only operators may.
    pub(super) fn done(Request { method, path, from }: Request<'_>, user: &str, status: StatusCode) {
        let (address, status) = (shown(from.ip()), status.as_u16());
        tracing::info!(user, address, %method, path, status, "an operator's request was answered");
    }

    /// Tells how much was left out in a minute that is over.
    pub(super) fn tell_rest(&self) {
        let now = self.clock.mono();
        let left_out = {
            let minute = &mut *self.minute.lock();
            if minute.since.is_none_or(|since| now.since(since) < MINUTE) {
                return;
            }
            std::mem::take(minute).left_out
        };
        if left_out > 0 {
            tracing::warn!(requests = left_out, "more requests were refused than are told");
        }
    }

    fn is_news(&self, who: Option<u64>, refusal: u64) -> bool {
        self.tell_rest();
        let minute = &mut *self.minute.lock();
        minute.since.get_or_insert_with(|| self.clock.mono());
        let is_apart = minute.told.len() < USERS || minute.told.contains_key(&who);
        let told = minute.told.entry(who.filter(|_| is_apart)).or_default();
        let is_news = told.len() < LINES_A_MINUTE && told.insert(refusal);
        minute.left_out += u64::from(!is_news);
        is_news
    }
}

fn shown(address: Option<IpAddr>) -> String {
    address.map_or_else(|| "-".to_owned(), |address| address.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_same_refusal_is_told_once_a_minute_and_so_many_in_all() {
        let audit = Audit::new(Clock::held(0));
        assert!(audit.is_news(None, 1));
        assert!(!audit.is_news(None, 1));
        let told = (0..1000).filter(|refusal| audit.is_news(None, *refusal)).count();
        assert_eq!(told + 1, LINES_A_MINUTE);
        assert_eq!(audit.minute.lock().left_out, 902);
        tokio::time::advance(MINUTE).await;
        assert!(audit.is_news(None, 1));
        assert_eq!(audit.minute.lock().left_out, 0, "it was told");
    }

    #[tokio::test(start_paused = true)]
    async fn strangers_do_not_hide_who_is_known() {
        let audit = Audit::new(Clock::held(0));
        let from = Connection::default();
        let refused = |path: &str, user: User<'_>| {
            audit.refused(Request { method: &Method::GET, path, from: &from }, user, "not allowed");
            audit.minute.lock().left_out
        };
        for name in 0..LINES_A_MINUTE {
            assert_eq!(refused("/", User::Stranger(&name.to_string())), 0);
        }
        assert_eq!(refused("/", User::Stranger("another")), 1);
        assert_eq!(refused("/", User::Known("orders")), 1);
        assert_eq!(refused("/other", User::Known("orders")), 1, "another path is something else");
        assert_eq!(refused("/other", User::Known("orders")), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_known_does_not_hide_another_who_is() {
        let audit = Audit::new(Clock::held(0));
        let news = |who: u64, count: u64| (0..count).filter(|refusal| audit.is_news(Some(who), *refusal)).count();
        assert_eq!(news(0, 1000), LINES_A_MINUTE);
        assert_eq!(news(1, 2), 2);
        let others: usize = (2..1000).map(|who| news(who, 3)).sum();
        assert_eq!(others, (USERS - 2) * 3 + 3, "who is one too many is one of the rest");
    }
}
