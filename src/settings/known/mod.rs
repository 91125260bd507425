//! Every property that this server knows by name, and what it does with it.
//!
//! The names are the canonical ones of Spring (kebab case; capitals that Spring splits apart are
//! joined here, spelling does not matter). `docs/configuration.md` lists them all, and a test holds
//! it to that.
//!
//! | file | what |
//! | --- | --- |
//! | `works` | what has an effect, with its default |
//! | `sources` | what says where settings are read from |
//! | `not_yet` | what a later version will serve |
//! | `no_effect` | what has none and will have none |

mod no_effect;
mod not_yet;
mod sources;
mod works;

use no_effect::NO_EFFECT;
use not_yet::{MISSED, NOT_YET};
use sources::SOURCES;
use works::WORKS;

/// A known property.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// The canonical name, without what [`Shape`] stands for.
    pub name: &'static str,
    /// What may follow the name.
    pub shape: Shape,
    /// What becomes of its value.
    pub usage: Usage,
}

/// What may follow a property's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nothing.
    One,
    /// An index, `[0]`; or nothing, and commas in the value. Written `name[]` in the tables.
    List,
    /// The key of a map, or any name below this one. Written `name.*`.
    Map,
    /// The key of a map whose values are lists; letter case does not count in keys. Written
    /// `name.*[]`.
    Lists,
    /// An index and the name of a field, `[0].name`, whose value may be a list. Written `name[].*`.
    Records,
}

/// The fields of records.
pub(super) const FIELDS: [&str; 13] = [
    "name",
    "password",
    "password-file",
    "token",
    "token-file",
    "subject",
    "san",
    "roles",
    "apps",
    "url",
    "kinds",
    "secret",
    "secret-file",
];

/// What becomes of a property's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    /// It is read by one of the concerns. With the default as one would write it; empty: none.
    Works(&'static str),
    /// It says where settings are read from. With the default.
    Sources(&'static str),
    /// Accepted without effect, and that will stay so, for this reason: whoever sets it misses
    /// nothing.
    NoEffect(&'static str),
    /// Accepted without effect by this version; what it must be all the same.
    NotYet(Kind),
    /// Accepted without effect, and whoever sets it must be told, for this reason.
    Missed(&'static str),
}

/// What the value of a property must be that nothing reads yet: Java would not start with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Flag,
    Seconds,
}

impl Usage {
    /// Why the property has no effect, if it has none.
    pub(super) fn idle(self) -> Option<&'static str> {
        match self {
            Self::Works(_) | Self::Sources(_) => None,
            Self::NoEffect(reason) | Self::Missed(reason) => Some(reason),
            Self::NotYet(_) => Some("this version does not serve it yet"),
        }
    }

    /// The default as one would write it, if there is one.
    pub(super) fn default(self) -> Option<&'static str> {
        match self {
            Self::Works(default) | Self::Sources(default) => Some(default).filter(|text| !text.is_empty()),
            Self::NoEffect(_) | Self::Missed(_) | Self::NotYet(_) => None,
        }
    }
}

/// All known properties.
pub(super) fn all() -> impl Iterator<Item = Known> {
    let works = WORKS.iter().map(|(name, default)| (*name, Usage::Works(default)));
    let sources = SOURCES.iter().map(|(name, default)| (*name, Usage::Sources(default)));
    let no_effect = each(NO_EFFECT, Usage::NoEffect);
    works.chain(sources).chain(each(NOT_YET, Usage::NotYet)).chain(each(MISSED, Usage::Missed)).chain(no_effect).map(
        |(name, usage)| {
            if let Some(name) = name.strip_suffix("[].*") {
                return Known { name, shape: Shape::Records, usage };
            }
            let (name, list) = name.strip_suffix("[]").map_or((name, false), |name| (name, true));
            let (name, map) = name.strip_suffix(".*").map_or((name, false), |name| (name, true));
            let shape = match (map, list) {
                (false, false) => Shape::One,
                (false, true) => Shape::List,
                (true, false) => Shape::Map,
                (true, true) => Shape::Lists,
            };
            Known { name, shape, usage }
        },
    )
}

fn each<T: Copy + 'static>(
    table: &'static [(T, &'static [&'static str])],
    usage: fn(T) -> Usage,
) -> impl Iterator<Item = (&'static str, Usage)> {
    table.iter().flat_map(move |(what, names)| names.iter().map(move |name| (*name, usage(*what))))
}

/// Whether a property that has an effect can change while the server runs.
pub(super) fn changes_at_run_time(name: &str) -> bool {
    const FAMILIES: [&str; 11] = [
        "eurekad.limits",
        "eurekad.lease",
        "eurekad.self-preservation",
        "eurekad.peers",
        "eurekad.regions.credentials",
        "eurekad.regions.oauth2",
        "eureka.client.service-url",
        "eureka.client.availability-zones",
        "logging.level",
        "eurekad.security",
        "spring.security.user",
    ];
    const NAMES: [&str; 20] = [
        "eurekad.snapshot.interval",
        "eurekad.overload.shed-after",
        "eureka.server.eviction-interval-timer-in-ms",
        "eureka.server.sync-when-timestamp-differs",
        "eureka.server.enable-self-preservation",
        "eureka.server.renewal-percent-threshold",
        "eureka.server.renewal-threshold-update-interval-ms",
        "eureka.server.expected-client-renewal-interval-seconds",
        "eureka.server.response-cache-auto-expiration-in-seconds",
        "eureka.server.disable-delta",
        "eureka.server.retention-time-in-ms-in-delta-queue",
        "eureka.server.delta-retention-timer-interval-in-ms",
        "eureka.server.my-url",
        "eureka.server.peer-eureka-nodes-update-interval-ms",
        "eureka.client.region",
        "eureka.client.prefer-same-zone-eureka",
        "eureka.client.use-dns-for-fetching-service-urls",
        "eureka.client.eureka-server-dns-name",
        "eureka.client.eureka-server-port",
        "eureka.client.eureka-server-url-context",
    ];
    const RATE_LIMITER: &str = "eureka.server.rate-limiter-";
    const AFTER_RESTART: [&str; 3] =
        ["eurekad.limits.bodies-in-flight", "eurekad.peers.digest-interval", "eurekad.peers.ssl.bundle"];
    if AFTER_RESTART.contains(&name) {
        return false;
    }
    let below = |family: &&str| name.strip_prefix(*family).is_some_and(|rest| rest.starts_with('.'));
    NAMES.contains(&name) || name.starts_with(RATE_LIMITER) || FAMILIES.iter().any(below)
}

/// Whether a canonical name is one of those that a concern may read.
pub(super) fn is_in_use(name: &str) -> bool {
    all().any(|known| known.name == name && matches!(known.usage, Usage::Works(_)))
}
