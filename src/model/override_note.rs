//! What is known of a status set from outside, beside that status. Java knows nothing of it.

use std::sync::Arc;

use super::{InstanceStatus, Text, WallMillis};

/// Why a status was set from outside, by whom, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverrideNote {
    /// Why, in an operator's words; may be empty.
    pub reason: Text,
    /// Who is responsible for it; may be empty.
    pub owner: Text,
    /// When it was set.
    pub since: WallMillis,
    /// When it ends by itself, if it does.
    pub until: Option<WallMillis>,
}

impl OverrideNote {
    /// Bytes of a reason at most: it stands in lists, and travels between nodes.
    pub const LONGEST_REASON: usize = 1_000;
    /// Bytes of an owner at most.
    pub const LONGEST_OWNER: usize = 200;

    /// Whether it has ended by then.
    pub fn has_ended(&self, now: WallMillis) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// What is behind an override: nothing of it is shown to clients.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverrideBackground {
    /// What the client last said of itself; none where that is not known.
    pub own: Option<InstanceStatus>,
    /// Why it was set; none where nobody said so.
    pub note: Option<Arc<OverrideNote>>,
}

impl OverrideBackground {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Bytes of its texts.
    pub fn length(&self) -> usize {
        self.note.as_ref().map_or(0, |note| note.reason.len() + note.owner.len())
    }
}
