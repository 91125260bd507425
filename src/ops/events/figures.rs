//! What is counted of events and of their readers.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters since the start, and how many read now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventFigures {
    /// Events that were made. Without anybody who reads none are, until somebody does.
    pub events: u64,
    /// Readers there are now, long polls among them.
    pub readers: usize,
    /// Readers that were closed because they were too slow.
    pub dropped_readers: u64,
    /// Readers that were refused because there were too many.
    pub refused_readers: u64,
    /// Gaps that readers were told of.
    pub gaps: u64,
}

/// Raised by whoever finds out.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) events: AtomicU64,
    pub(super) dropped_readers: AtomicU64,
    pub(super) refused_readers: AtomicU64,
    pub(super) gaps: AtomicU64,
}

impl Counters {
    pub(super) fn figures(&self, readers: usize) -> EventFigures {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        EventFigures {
            events: read(&self.events),
            readers,
            dropped_readers: read(&self.dropped_readers),
            refused_readers: read(&self.refused_readers),
            gaps: read(&self.gaps),
        }
    }
}
