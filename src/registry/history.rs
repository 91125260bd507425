//! The last changes one after the other, every one of them (Java keeps two lists of names and no causes).
//!
//! The index beside it, [`RecentChanges`](super::RecentChanges), keeps one change an instance, which is all that
//! lists need. Whoever follows what happens, or wants to know what became of an instance, reads here. It is
//! bounded by count and bytes, as it may hold states that are held nowhere else; whoever fell behind further than
//! that is told so.

use std::collections::VecDeque;

use super::change_log::{Change, Version};

/// See the module; owned by the commit lock.
#[derive(Debug)]
pub(super) struct History {
    most: usize,
    most_bytes: usize,
    /// With the length of each.
    changes: VecDeque<(Change, usize)>,
    bytes: usize,
    /// The last change that was dropped.
    dropped: Version,
}

impl History {
    /// An empty one for at most so many changes of at most so many bytes in all.
    pub(super) fn new(most: usize, most_bytes: usize) -> Self {
        Self { most, most_bytes, changes: VecDeque::new(), bytes: 0, dropped: Version::EMPTY }
    }

    /// Adds a change; the oldest go for it.
    pub(super) fn push(&mut self, change: Change) {
        let length = change.lease.instance.json_length();
        self.bytes += length;
        self.changes.push_back((change, length));
        while self.changes.len() > self.most || self.bytes > self.most_bytes {
            let Some((change, length)) = self.changes.pop_front() else { return };
            self.bytes -= length;
            self.dropped = change.version;
        }
    }

    /// The changes after a version, oldest first, or nothing when some of them are not kept any more.
    pub(super) fn since(&self, version: Version) -> Option<impl Iterator<Item = &Change>> {
        if version < self.dropped {
            return None;
        }
        let begin = self.changes.partition_point(|(change, _)| change.version <= version);
        Some(self.changes.range(begin..).map(|(change, _)| change))
    }

    /// The changes that are kept, newest first: all, or those before a version.
    pub(super) fn newest_first(&self, before: Option<Version>) -> impl Iterator<Item = &Change> {
        let end = before
            .map_or(self.changes.len(), |version| self.changes.partition_point(|(change, _)| change.version < version));
        self.changes.range(..end).rev().map(|(change, _)| change)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::Monotonic;
    use crate::model::{DataCenter, GivenDataCenter, NonAmazon, Registration};
    use crate::registry::{Cause, Lease, LeaseMillis, Origin};

    fn change(version: u64) -> Change {
        let mut registration = Registration::new("ORDERS");
        registration.instance_id = Some(format!("ord-{version}").as_str().into());
        registration.host_name = Some("localhost".into());
        registration.ip_addr = Some("127.0.0.1".into());
        registration.data_center = GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn));
        let instance = registration.accept_alone(0).unwrap_or_else(|refusal| panic!("{refusal}"));
        let lease = Arc::new(Lease::grant(Arc::new(instance), None, 0, LeaseMillis(0), 0));
        let (cause, origin) = (Cause::Registered, Origin::Client);
        Change { version: Version(version), at: Monotonic(0), wall: 0, cause, origin, before: None, lease }
    }

    fn since(history: &History, version: u64) -> Option<Vec<u64>> {
        Some(history.since(Version(version))?.map(|change| change.version.0).collect())
    }

    #[test]
    fn keeps_so_many_and_tells_a_gap() {
        let mut history = History::new(3, usize::MAX);
        assert_eq!(since(&history, 1), Some(vec![]));
        for version in 2..=4 {
            history.push(change(version));
        }
        assert_eq!(since(&history, 1), Some(vec![2, 3, 4]));
        history.push(change(5));
        assert_eq!(since(&history, 1), None, "2 is gone");
        assert_eq!(since(&history, 2), Some(vec![3, 4, 5]));
        assert_eq!(since(&history, 5), Some(vec![]));
        assert_eq!(history.newest_first(None).map(|change| change.version.0).collect::<Vec<_>>(), [5, 4, 3]);
        let before = |version| history.newest_first(Some(Version(version))).map(|change| change.version.0);
        assert_eq!(before(5).collect::<Vec<_>>(), [4, 3]);
        assert_eq!(before(3).count(), 0);
    }

    #[test]
    fn keeps_so_many_bytes() {
        let each = change(2).lease.instance.json_length();
        let mut history = History::new(100, 2 * each);
        for version in 2..=9 {
            history.push(change(version));
        }
        assert_eq!(since(&history, 7), Some(vec![8, 9]));
        let mut history = History::new(100, each - 1);
        history.push(change(2));
        assert_eq!(since(&history, 1), None, "it was longer than all that may be kept");
        assert_eq!(since(&history, 2), Some(vec![]));
    }
}
