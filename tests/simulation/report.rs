//! What runs came to, for people to read.

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) trace: u64,
    pub(crate) events: u64,
    pub(crate) nodes: u64,
    /// Those that began as Java servers.
    pub(crate) java: u64,
    pub(crate) clients: u64,
    pub(crate) items: u64,
    pub(crate) failures: u64,
    pub(crate) expired: u64,
    pub(crate) copied: u64,
    /// Differences that comparisons mended.
    pub(crate) mended: u64,
    /// Overrides that one node told, found on another.
    pub(crate) ordered: u64,
}

impl Report {
    pub(crate) fn add(&mut self, other: &Self) {
        self.trace ^= other.trace;
        self.events += other.events;
        self.nodes += other.nodes;
        self.java += other.java;
        self.clients += other.clients;
        self.items += other.items;
        self.failures += other.failures;
        self.expired += other.expired;
        self.copied += other.copied;
        self.mended += other.mended;
        self.ordered += other.ordered;
    }
}
