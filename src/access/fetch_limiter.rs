//! How often lists may be read (`RateLimitingFilter`).
//!
//! Two buckets that all clients share, as Java's filter has them: every read of everything, of the delta or of
//! an application takes from the first, one of everything from the second as well. And a bucket for each
//! address, of which Java has nothing: one bad client must not use up what all share. Heartbeats,
//! registrations and batches of peers never pass here.
//!
//! Who is privileged says so itself, by a header that anybody can send: these are limits for clients that go
//! wrong, not for those that lie. For these there is `rate-limiter-throttle-standard-clients`.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::clock::Monotonic;
use crate::settings::{Rate, RateLimitSettings};

use super::bucket::{Bucket, FullAt};
use super::over_limit::{Limit, OverLimit};

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetch {
    /// `apps`
    Full,
    /// `apps/delta` or `apps/{app}`
    Part,
}

/// Who reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fetcher<'a> {
    /// `DiscoveryIdentity-Name`.
    pub name: Option<&'a [u8]>,
    /// Where from, if that is known.
    pub address: Option<IpAddr>,
}

/// Java's own clients, and servers that read from each other (`DEFAULT_PRIVILEGED_CLIENTS`).
const CLIENT: &[u8] = b"DefaultClient";
const SERVER: &[u8] = b"DefaultServer";

/// See the module.
#[derive(Debug)]
pub struct FetchLimiter {
    fetches: Bucket,
    full_fetches: Bucket,
    /// Held for one look-up, now and then for a sweep; only while the limit is on.
    clients: Mutex<Clients>,
    over_limit: Arc<OverLimit>,
}

impl FetchLimiter {
    /// One from which nobody has taken anything.
    pub fn new(over_limit: Arc<OverLimit>) -> Self {
        Self { fetches: Bucket::default(), full_fetches: Bucket::default(), clients: Mutex::default(), over_limit }
    }

    /// Whether this one may read that now.
    pub fn admits(&self, fetch: Fetch, fetcher: Fetcher<'_>, settings: &RateLimitSettings, now: Monotonic) -> bool {
        let is_listed = |name: &[u8]| settings.privileged_clients.iter().any(|listed| listed.as_bytes() == name);
        let trusted = fetcher.name.filter(|_| !settings.throttle_standard_clients);
        if !trusted.is_some_and(|name| name == SERVER || is_listed(name))
            && fetch == Fetch::Full
            && !settings.client_full_fetches.is_unlimited()
            && let Some(address) = fetcher.address
            && !self.clients.lock().take(address.to_canonical(), settings.client_full_fetches, now)
        {
            self.over_limit.count(Limit::ClientFullFetches);
            return false;
        }
        if trusted.is_some_and(|name| name == CLIENT || name == SERVER || is_listed(name)) {
            return true;
        }
        let mut is_within = self.fetches.take(settings.fetches, now);
        if fetch == Fetch::Full {
            is_within &= self.full_fetches.take(settings.full_fetches, now);
        }
        if !is_within {
            self.over_limit.count(match (fetch, settings.enabled) {
                (Fetch::Full, true) => Limit::FullFetches,
                (Fetch::Part, true) => Limit::Fetches,
                (Fetch::Full, false) => Limit::FullFetchCandidates,
                (Fetch::Part, false) => Limit::FetchCandidates,
            });
        }
        is_within || !settings.enabled
    }
}

/// A bucket for each address that has taken from it lately.
#[derive(Debug, Default)]
struct Clients {
    buckets: HashMap<IpAddr, FullAt>,
    swept: Option<Monotonic>,
}

/// Full buckets are dropped when there are so many.
const MANY: usize = 1_000;
/// With so many that are not full a further address is not limited: nobody is to be refused for others.
const MOST: usize = 100_000;
/// Nor are they looked through again within this time.
const SWEEP_AGAIN: Duration = Duration::from_secs(1);

impl Clients {
    fn take(&mut self, address: IpAddr, rate: Rate, now: Monotonic) -> bool {
        if self.buckets.len() >= MANY && self.swept.is_none_or(|swept| now.since(swept) >= SWEEP_AGAIN) {
            self.buckets.retain(|_, full_at| !full_at.is_full(now));
            self.swept = Some(now);
        }
        if self.buckets.len() >= MOST && !self.buckets.contains_key(&address) {
            return true;
        }
        let bucket = self.buckets.entry(address).or_default();
        let less = bucket.less_one(rate, now);
        *bucket = less.unwrap_or(*bucket);
        less.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn limiter() -> (FetchLimiter, Arc<OverLimit>) {
        let over_limit = Arc::new(OverLimit::default());
        (FetchLimiter::new(Arc::clone(&over_limit)), over_limit)
    }

    fn named(name: &str) -> Fetcher<'_> {
        Fetcher { name: Some(name.as_bytes()), address: None }
    }

    fn from(address: u32) -> Fetcher<'static> {
        Fetcher { name: None, address: Some(Ipv4Addr::from_bits(address).into()) }
    }

    const NOW: Monotonic = Monotonic(60_000);

    fn admitted(
        limiter: &FetchLimiter,
        fetch: Fetch,
        fetcher: Fetcher<'_>,
        settings: &RateLimitSettings,
        times: usize,
    ) -> usize {
        (0..times).filter(|_| limiter.admits(fetch, fetcher, settings, NOW)).count()
    }

    #[test]
    fn all_share_two_buckets_and_reads_of_everything_take_from_both() {
        let (limiter, over_limit) = limiter();
        let settings = RateLimitSettings {
            enabled: true,
            fetches: Rate { burst: 10, per_second: 500 },
            full_fetches: Rate { burst: 4, per_second: 100 },
            ..RateLimitSettings::default()
        };
        let nobody = Fetcher::default();
        assert_eq!(admitted(&limiter, Fetch::Full, nobody, &settings, 6), 4);
        assert_eq!(admitted(&limiter, Fetch::Part, named("Jersey3DefaultClient"), &settings, 6), 4);
        assert_eq!([Limit::FullFetches, Limit::Fetches].map(|limit| over_limit.of(limit)), [2, 2]);
    }

    #[test]
    fn privileged_clients_pass_unless_nobody_is_privileged() {
        let (limiter, _) = limiter();
        let none = Rate { burst: 1, per_second: 1 };
        let mut settings = RateLimitSettings {
            enabled: true,
            fetches: none,
            full_fetches: none,
            client_full_fetches: none,
            privileged_clients: vec!["mine".to_owned()],
            ..RateLimitSettings::default()
        };
        for name in ["DefaultClient", "DefaultServer", "mine"] {
            assert_eq!(admitted(&limiter, Fetch::Full, named(name), &settings, 5), 5, "{name}");
        }
        assert_eq!(admitted(&limiter, Fetch::Full, named("other"), &settings, 5), 1);
        settings.throttle_standard_clients = true;
        for name in ["DefaultClient", "DefaultServer", "mine"] {
            assert_eq!(admitted(&limiter, Fetch::Full, named(name), &settings, 5), 0, "{name}");
        }
    }

    #[test]
    fn a_limiter_that_is_off_counts_whom_it_would_refuse() {
        let (limiter, over_limit) = limiter();
        let settings = RateLimitSettings::default();
        assert_eq!(admitted(&limiter, Fetch::Full, Fetcher::default(), &settings, 15), 15);
        assert_eq!(admitted(&limiter, Fetch::Part, Fetcher::default(), &settings, 15), 15);
        assert_eq!([Limit::FullFetchCandidates, Limit::FetchCandidates].map(|limit| over_limit.of(limit)), [5, 15]);
        assert_eq!([Limit::FullFetches, Limit::Fetches].map(|limit| over_limit.of(limit)), [0, 0]);
    }

    #[test]
    fn case_090_each_address_has_a_bucket_of_its_own_for_reads_of_everything() {
        let (limiter, over_limit) = limiter();
        let client_full_fetches = Rate { burst: 3, per_second: 1 };
        let settings = RateLimitSettings { client_full_fetches, ..RateLimitSettings::default() };
        assert_eq!(admitted(&limiter, Fetch::Full, from(1), &settings, 9), 3);
        assert_eq!(admitted(&limiter, Fetch::Full, from(2), &settings, 9), 3);
        let mapped = Fetcher { name: None, address: Some(Ipv4Addr::from_bits(2).to_ipv6_mapped().into()) };
        assert_eq!(admitted(&limiter, Fetch::Full, mapped, &settings, 9), 0, "it is the same address");
        assert_eq!(admitted(&limiter, Fetch::Part, from(1), &settings, 9), 9);
        let java = Fetcher { name: Some(CLIENT), ..from(1) };
        assert_eq!(admitted(&limiter, Fetch::Full, java, &settings, 9), 0, "most clients have that name");
        let peer = Fetcher { name: Some(SERVER), ..from(1) };
        assert_eq!(admitted(&limiter, Fetch::Full, peer, &settings, 9), 9);
        assert_eq!(over_limit.of(Limit::ClientFullFetches), 6 + 6 + 9 + 9);
    }

    #[test]
    fn what_is_known_of_addresses_is_bounded_and_refuses_nobody_for_others() {
        let rate = Rate { burst: 1, per_second: 1 };
        let mut clients = Clients::default();
        let address = |n: usize| IpAddr::from(Ipv4Addr::from_bits(u32::try_from(n).unwrap_or(0)));
        let all = (0..MOST + 5).filter(|n| clients.take(address(*n), rate, NOW)).count();
        assert_eq!((all, clients.buckets.len()), (MOST + 5, MOST));
        assert!(!clients.take(address(1), rate, NOW));
        let later = NOW.after(Duration::from_secs(2));
        assert!(clients.take(address(1), rate, later));
        assert_eq!(clients.buckets.len(), 1, "the others are full");
    }
}
