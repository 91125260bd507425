//! What two nodes that hold different copies of an instance agree on, whoever of them asks first.
//!
//! Of two copies the greater `lastDirtyTimestamp` wins, of two overrides the one that was set or taken
//! back later. Both are decided by values alone, so that nodes come to the same result in any order.

use crate::model::{InstanceStatus, WallMillis};

use super::overrides::effective_status;

/// When an override was set or taken back: the wall time of the node that did it, raised above the
/// stamp before it, so that at one instance a later change has a greater stamp although clocks differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OverrideStamp(pub WallMillis);

impl OverrideStamp {
    /// Of an instance whose override nobody has changed as far as is known.
    pub const UNKNOWN: Self = Self(0);

    /// How far ahead of the own clock a stamp may be, in milliseconds: a day, more than clocks differ that
    /// were set in another time zone.
    const FURTHEST: WallMillis = 24 * 60 * 60 * 1_000;

    /// The stamp, unless it is further ahead of the own clock than clocks differ: one that nobody could
    /// overrule counts as none. It is not taken for one of now, since whoever shows it again and again would
    /// have the last word each time.
    #[must_use]
    pub fn believed(self, now: WallMillis) -> Self {
        if self.0.saturating_sub(now) > Self::FURTHEST { Self::UNKNOWN } else { self }
    }

    /// The stamp of a change that follows one with this.
    #[must_use]
    pub(super) fn next(self, wall: WallMillis) -> Self {
        Self(wall.max(self.believed(wall).0.saturating_add(1)))
    }
}

/// What nodes are to agree on of an instance that both hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The client's version of its data.
    pub last_dirty: WallMillis,
    /// The effective status.
    pub status: InstanceStatus,
    /// The status set from outside.
    pub override_status: Option<InstanceStatus>,
    /// When that was set or taken back.
    pub override_stamp: OverrideStamp,
}

impl Facts {
    /// The same with a stamp that can be believed.
    pub(super) fn believed(self, now: WallMillis) -> Self {
        Self { override_stamp: self.override_stamp.believed(now), ..self }
    }

    /// Orders overrides. Where two were changed at the same time, one that is set counts for more than
    /// none.
    pub(super) fn override_rank(&self) -> (OverrideStamp, Option<InstanceStatus>) {
        (self.override_stamp, self.override_status)
    }

    /// The data of `self` under the override of `other`. An own status that hides behind another override
    /// is not known: the other node's then stands in for it.
    pub(super) fn under(&self, other: &Self) -> Self {
        let hidden = self.override_status == Some(self.status) && self.override_status != other.override_status;
        let status = if hidden {
            other.override_status.unwrap_or(other.status)
        } else {
            effective_status(self.status, other.override_status)
        };
        let Self { override_status, override_stamp, .. } = *other;
        Self { last_dirty: self.last_dirty, status, override_status, override_stamp }
    }

    /// The same after its override was taken back, if that was later. Where the own status is not known then,
    /// it is `status`.
    pub(super) fn after_removal(self, status: InstanceStatus, stamp: OverrideStamp) -> Self {
        let removed = Self { last_dirty: self.last_dirty, status, override_status: None, override_stamp: stamp };
        if stamp > self.override_stamp { self.under(&removed) } else { self }
    }

    /// What two nodes agree on.
    pub(super) fn agreed(mine: &Self, theirs: &Self) -> Self {
        let (rank, other) = (mine.override_rank(), theirs.override_rank());
        if mine.last_dirty == theirs.last_dirty {
            let theirs_wins = (other, theirs.status) > (rank, mine.status);
            return if theirs_wins { *theirs } else { *mine };
        }
        let (data, older) = if theirs.last_dirty > mine.last_dirty { (theirs, mine) } else { (mine, theirs) };
        if older.override_rank() > data.override_rank() { data.under(older) } else { *data }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::InstanceStatus::{Down, OutOfService, Unknown, Up};

    fn facts(last_dirty: i64, status: InstanceStatus, override_status: Option<InstanceStatus>, stamp: i64) -> Facts {
        Facts { last_dirty, status, override_status, override_stamp: OverrideStamp(stamp) }
    }

    #[test]
    fn the_greater_version_and_the_later_override_win() {
        let set = facts(1, OutOfService, Some(OutOfService), 5);
        for (other, agreed) in [
            (facts(1, Up, None, 4), set),
            (facts(1, Up, None, 6), facts(1, Up, None, 6)),
            (facts(2, Up, None, 4), facts(2, OutOfService, Some(OutOfService), 5)),
            (facts(2, Down, None, 4), facts(2, Down, Some(OutOfService), 5)),
            (facts(0, Up, None, 6), facts(1, Up, None, 6)),
            (facts(0, Unknown, None, 6), facts(1, Unknown, None, 6)),
            (facts(0, Down, Some(Down), 6), facts(1, Down, Some(Down), 6)),
        ] {
            assert_eq!(Facts::agreed(&set, &other), agreed, "{other:?}");
            assert_eq!(Facts::agreed(&other, &set), agreed, "{other:?}, asked by the other");
        }
    }

    #[test]
    fn a_stamp_rises_whatever_the_clock_says() {
        assert_eq!(OverrideStamp(7).next(3), OverrideStamp(8));
        assert_eq!(OverrideStamp(7).next(30), OverrideStamp(30));
    }

    #[test]
    fn a_stamp_a_day_ahead_is_believed_and_none_beyond() {
        let day = OverrideStamp::FURTHEST;
        assert_eq!(OverrideStamp(7 + day).believed(7), OverrideStamp(7 + day));
        for beyond in [8 + day, i64::MAX] {
            assert_eq!(OverrideStamp(beyond).believed(7), OverrideStamp::UNKNOWN);
            assert_eq!(OverrideStamp(beyond).next(7), OverrideStamp(7));
        }
    }
}
