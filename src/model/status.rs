//! The two closed word lists of an instance.

use std::fmt;

/// `InstanceInfo.InstanceStatus`. Ordered by name, as the hash code lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstanceStatus {
    /// Not ready for traffic: the health check failed.
    Down,
    /// Taken out of traffic on purpose.
    OutOfService,
    /// About to start: initialising.
    Starting,
    /// Neither known nor told.
    Unknown,
    /// Ready for traffic.
    Up,
}

impl InstanceStatus {
    /// All, in the order of their names.
    pub const ALL: [Self; 5] = [Self::Down, Self::OutOfService, Self::Starting, Self::Unknown, Self::Up];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Down => "DOWN",
            Self::OutOfService => "OUT_OF_SERVICE",
            Self::Starting => "STARTING",
            Self::Unknown => "UNKNOWN",
            Self::Up => "UP",
        }
    }

    /// All names, for messages.
    pub fn names() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }

    /// The status with exactly this name; letter case counts.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }
}

impl fmt::Display for InstanceStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// `InstanceInfo.ActionType`: what the last change did to the instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionType {
    /// Registered.
    Added,
    /// Its status or override was changed.
    Modified,
    /// Cancelled or expired.
    Deleted,
}

impl ActionType {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }

    /// The action with exactly this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Added, Self::Modified, Self::Deleted].into_iter().find(|action| action.as_str() == name)
    }
}
