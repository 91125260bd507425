//! How often lists may be read (`EurekaServerConfigBean`, `RateLimitingFilter`).

use super::reader::Reader;
use super::value;

/// Settings of the limits on how often lists are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateLimitSettings {
    /// `eureka.server.rate-limiter-enabled`: whether who is over [`fetches`](Self::fetches) or
    /// [`full_fetches`](Self::full_fetches) is refused. Default false: it is counted.
    pub enabled: bool,
    /// `eureka.server.rate-limiter-throttle-standard-clients`: whether nobody is privileged. Default false.
    pub throttle_standard_clients: bool,
    /// `eureka.server.rate-limiter-privileged-clients`: names (`DiscoveryIdentity-Name`) of clients that may
    /// always read, beside those that are privileged anyway. Default none.
    pub privileged_clients: Vec<String>,
    /// `eureka.server.rate-limiter-registry-fetch-average-rate`: all reads of everything, of the delta, and of
    /// an application, by all clients together. Default 500 a second.
    pub fetches: Rate,
    /// `eureka.server.rate-limiter-full-fetch-average-rate`: those of everything. Default 100 a second.
    pub full_fetches: Rate,
    /// `eurekad.limits.client-full-fetch-rate` and `-burst`: those of everything by one address. Default no
    /// limit.
    pub client_full_fetches: Rate,
}

/// How often something may happen: [`burst`](Self::burst) times at once, and
/// [`per_second`](Self::per_second) times on average. 0 in either: without limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// At once, after a quiet time.
    pub burst: u32,
    /// On average, for each second.
    pub per_second: u32,
}

impl Rate {
    /// Whether there is no limit.
    pub fn is_unlimited(self) -> bool {
        self.burst == 0 || self.per_second == 0
    }
}

const BURST: u32 = 10;

impl Default for RateLimitSettings {
    fn default() -> Self {
        let rate = |per_second| Rate { burst: BURST, per_second };
        Self {
            enabled: false,
            throttle_standard_clients: false,
            privileged_clients: Vec::new(),
            fetches: rate(500),
            full_fetches: rate(100),
            client_full_fetches: rate(0),
        }
    }
}

impl RateLimitSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let burst = reader.get(&["eureka.server.rate-limiter-burst-size"], number).unwrap_or(BURST);
        let client_burst = reader.get(&["eurekad.limits.client-full-fetch-burst"], number).unwrap_or(BURST);
        let mut rate = |name: &'static str, default: Rate, burst| Rate {
            burst,
            per_second: reader.get(&[name], number).unwrap_or(default.per_second),
        };
        let fetches = rate("eureka.server.rate-limiter-registry-fetch-average-rate", default.fetches, burst);
        let full = rate("eureka.server.rate-limiter-full-fetch-average-rate", default.full_fetches, burst);
        let client = rate("eurekad.limits.client-full-fetch-rate", default.client_full_fetches, client_burst);
        Self {
            enabled: reader.get(&["eureka.server.rate-limiter-enabled"], value::boolean).unwrap_or(default.enabled),
            throttle_standard_clients: reader
                .get(&["eureka.server.rate-limiter-throttle-standard-clients"], value::boolean)
                .unwrap_or(default.throttle_standard_clients),
            privileged_clients: reader
                .get(&["eureka.server.rate-limiter-privileged-clients"], value::list)
                .unwrap_or_default(),
            fetches,
            full_fetches: full,
            client_full_fetches: client,
        }
    }
}

/// A number less than 0 is no limit, as 0 is.
fn number(text: &str) -> Result<u32, String> {
    let number: i64 = value::whole(i64::from(i32::MIN)..=i64::from(i32::MAX))(text)?;
    Ok(u32::try_from(number).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::settings::Settings;

    #[test]
    fn the_names_of_a_java_server_and_two_of_our_own() {
        let read = |words: &[&str]| Settings::from_words(words).unwrap().rate_limit;
        let set = read(&[
            "--eureka.server.rate-limiter-enabled=true",
            "--eureka.server.rate-limiter-throttle-standard-clients=true",
            "--eureka.server.rate-limiter-privileged-clients=a, b",
            "--eureka.server.rate-limiter-burst-size=2",
            "--eureka.server.rate-limiter-registry-fetch-average-rate=3",
            "--eureka.server.rate-limiter-full-fetch-average-rate=-1",
            "--eurekad.limits.client-full-fetch-rate=5",
            "--eurekad.limits.client-full-fetch-burst=6",
        ]);
        let expected = RateLimitSettings {
            enabled: true,
            throttle_standard_clients: true,
            privileged_clients: vec!["a".to_owned(), "b".to_owned()],
            fetches: Rate { burst: 2, per_second: 3 },
            full_fetches: Rate { burst: 2, per_second: 0 },
            client_full_fetches: Rate { burst: 6, per_second: 5 },
        };
        assert_eq!(set, expected);
        assert!(set.full_fetches.is_unlimited());
        assert_eq!(read(&["--a=b"]), RateLimitSettings::default());
        assert!(read(&["--a=b"]).client_full_fetches.is_unlimited());
    }
}
