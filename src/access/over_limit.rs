//! How often a limit refused something.
//!
//! One counter a limit, for whoever shows figures. (Java counts what its rate limiter refuses, and limits
//! nothing else.)

use std::sync::atomic::{AtomicU64, Ordering};

/// A limit that refuses something, or lets it wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Reads of the delta or of an application (`eureka.server.rate-limiter-*`).
    Fetches,
    /// Reads of everything.
    FullFetches,
    /// What [`Limit::Fetches`] would have refused if the rate limiter were on.
    FetchCandidates,
    /// What [`Limit::FullFetches`] would have refused.
    FullFetchCandidates,
    /// Reads of everything by one address (`eurekad.limits.client-full-fetch-rate`).
    ClientFullFetches,
    /// Connections in all (`eurekad.http.max-connections`): how often one had to wait.
    Connections,
    /// Connections of one address (`eurekad.http.max-connections-per-address`).
    ConnectionsPerAddress,
    /// The head of a request, or its target, is too long.
    Head,
    /// The head of a request took too long.
    HeadTime,
    /// A body is too long.
    BodySize,
    /// A body took too long.
    BodyTime,
    /// What a body, an item of a batch or a query holds (`eurekad.limits.*`).
    Content,
    /// Instances in all, or of an application.
    Instances,
    /// Lists while there is too much to do (`eurekad.overload.shed-after`), or too many lists that must be made
    /// first; comparisons of peers beyond one at a time.
    Overload,
}

impl Limit {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Fetches,
        Self::FullFetches,
        Self::FetchCandidates,
        Self::FullFetchCandidates,
        Self::ClientFullFetches,
        Self::Connections,
        Self::ConnectionsPerAddress,
        Self::Head,
        Self::HeadTime,
        Self::BodySize,
        Self::BodyTime,
        Self::Content,
        Self::Instances,
        Self::Overload,
    ];

    /// A name for figures: small letters and dashes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fetches => "fetches",
            Self::FullFetches => "full-fetches",
            Self::FetchCandidates => "fetch-candidates",
            Self::FullFetchCandidates => "full-fetch-candidates",
            Self::ClientFullFetches => "client-full-fetches",
            Self::Connections => "connections",
            Self::ConnectionsPerAddress => "connections-per-address",
            Self::Head => "head",
            Self::HeadTime => "head-time",
            Self::BodySize => "body-size",
            Self::BodyTime => "body-time",
            Self::Content => "content",
            Self::Instances => "instances",
            Self::Overload => "overload",
        }
    }
}

/// The counters.
#[derive(Debug, Default)]
pub struct OverLimit([AtomicU64; Limit::ALL.len()]);

impl OverLimit {
    /// Counts one more.
    pub fn count(&self, limit: Limit) {
        if let Some(counter) = self.0.get(limit as usize) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How often since the start.
    pub fn of(&self, limit: Limit) -> u64 {
        self.0.get(limit as usize).map_or(0, |counter| counter.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_limit_has_a_counter_and_a_name_of_its_own() {
        let over_limit = OverLimit::default();
        for (times, limit) in Limit::ALL.into_iter().enumerate() {
            (0..=times).for_each(|_| over_limit.count(limit));
        }
        let counted: Vec<_> = Limit::ALL.iter().map(|limit| over_limit.of(*limit)).collect();
        assert_eq!(counted, (1..=14).collect::<Vec<_>>());
        assert_eq!(Limit::ALL.iter().map(|limit| limit.name()).collect::<BTreeSet<_>>().len(), 14);
    }
}
