//! One reader: its place among the events, and what it wants of them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::event::Event;
use super::filter::Filter;
use super::hub::Place;

/// So many bytes are handed over at a time; what a reader has not taken waits nowhere but in the window.
pub(super) const AT_A_TIME: usize = 64 << 10;
/// The same for events.
const EVENTS: usize = 500;
/// A connection ends when its reader has taken nothing for this time.
const PATIENCE: Duration = Duration::from_secs(30);

/// See the module.
pub(super) struct Reader {
    pub(super) place: Place,
    pub(super) filter: Filter,
    /// The number of the last event that it has seen, wanted or not.
    pub(super) cursor: u64,
    published: watch::Receiver<u64>,
    /// Since when something is on its way to it.
    taking: Option<Instant>,
}

/// What there is for a reader.
pub(super) enum Next {
    /// The next events that it wants.
    Events(Vec<Arc<Event>>),
    /// Nothing that it wants, until the time that was given.
    Nothing,
    /// Its next event is not kept any more: it was too slow.
    Gone,
}

impl Reader {
    /// A reader that has seen everything up to a number.
    pub(super) fn new(place: Place, filter: Filter, cursor: u64) -> Self {
        let published = place.events.published();
        Self { place, filter, cursor, published, taking: None }
    }

    /// What there is for it, or will be before a time: at most so many events.
    pub(super) async fn next(&mut self, most: usize, until: Instant) -> Next {
        loop {
            // Before the look, or what comes in between would wake nobody.
            self.published.borrow_and_update();
            let Some(mut events) = self.place.events.after(self.cursor, most.min(EVENTS), AT_A_TIME) else {
                return Next::Gone;
            };
            if let Some(last) = events.last() {
                self.cursor = last.id.sequence;
                events.retain(|event| self.filter.passes(event));
                if !events.is_empty() {
                    return Next::Events(events);
                }
                continue;
            }
            tokio::select! {
                _ = self.published.changed() => {}
                () = tokio::time::sleep_until(until) => return Next::Nothing,
            }
        }
    }

    /// Notes that it is about to be given something, or waits for nothing but that.
    pub(super) fn asks(&mut self) {
        self.taking = None;
    }

    /// Notes that it was given something.
    pub(super) fn takes(&mut self) {
        self.taking = Some(Instant::now());
    }

    /// It is closed, as it was too slow.
    pub(super) fn dropped(&mut self, why: &'static str) {
        self.taking = None;
        self.place.events.counters().dropped_readers.fetch_add(1, Ordering::Relaxed);
        tracing::debug!(why, "a reader of events was too slow, it is closed");
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if self.taking.is_some_and(|since| since.elapsed() >= PATIENCE) {
            self.dropped("it took nothing");
        }
    }
}
