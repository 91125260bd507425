//! What an event tells.

use std::fmt;

/// What happened, for those who follow the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// An instance came.
    Registered,
    /// An instance says something else of itself, and has the same status.
    Updated,
    /// An instance says that it has another status.
    Status,
    /// A status was set from outside, or taken back.
    Override,
    /// An instance left.
    Cancelled,
    /// An instance fell silent, and its lease is over.
    Expired,
    /// A peer fails, or is back.
    Peer,
    /// Self-preservation begins to keep lapsed leases, or ends that.
    Preservation,
}

impl EventKind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Registered,
        Self::Updated,
        Self::Status,
        Self::Override,
        Self::Cancelled,
        Self::Expired,
        Self::Peer,
        Self::Preservation,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Registered => "registered",
            Self::Updated => "updated",
            Self::Status => "status",
            Self::Override => "override",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
            Self::Peer => "peer",
            Self::Preservation => "preservation",
        }
    }

    /// All words, for messages.
    pub fn names() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }

    /// What a word stands for, in any letter case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
