//! What waits for one target, in its order and bounded: the oldest go for the newest, and that is told.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::ops::events::{Event, EventId};

/// So many events wait at most.
const MOST: usize = 1_000;
/// The same in bytes.
const MOST_BYTES: usize = 4 << 20;
/// So many go out together at most.
const TOGETHER: usize = 100;
/// The same in bytes.
const TOGETHER_BYTES: usize = 256 << 10;

/// See the module.
#[derive(Debug)]
pub(super) struct Queue {
    most: usize,
    most_bytes: usize,
    waiting: VecDeque<Arc<Event>>,
    bytes: usize,
    /// How many were dropped since that was last told, and the last of them.
    gap: Option<(u64, EventId)>,
}

/// What goes out in one request.
#[derive(Debug)]
pub(super) struct Batch {
    /// How many events were dropped before these, and the last of them.
    pub(super) gap: Option<(u64, EventId)>,
    pub(super) events: Vec<Arc<Event>>,
}

impl Default for Queue {
    fn default() -> Self {
        Self::new(MOST, MOST_BYTES)
    }
}

impl Queue {
    fn new(most: usize, most_bytes: usize) -> Self {
        Self { most, most_bytes, waiting: VecDeque::new(), bytes: 0, gap: None }
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Adds an event; gives how many had to go for it.
    pub(super) fn push(&mut self, event: Arc<Event>) -> u64 {
        self.bytes += event.frame().len();
        self.waiting.push_back(event);
        let mut dropped = 0;
        while self.waiting.len() > self.most || self.bytes > self.most_bytes {
            let Some(oldest) = self.waiting.pop_front() else { break };
            self.bytes -= oldest.frame().len();
            self.note_lost(1, oldest.id);
            dropped += 1;
        }
        dropped
    }

    /// Notes that so many never came here, the last of them this one. What waits came before.
    pub(super) fn lose(&mut self, number: u64, last: EventId) -> u64 {
        let dropped = number + u64::try_from(self.waiting.len()).unwrap_or_default();
        self.waiting.clear();
        self.bytes = 0;
        self.note_lost(dropped, last);
        dropped
    }

    fn note_lost(&mut self, number: u64, last: EventId) {
        let before = self.gap.map_or(0, |(number, _)| number);
        self.gap = Some((before + number, last));
    }

    /// What goes out next.
    pub(super) fn take(&mut self) -> Option<Batch> {
        let mut events = Vec::new();
        let mut bytes = 0;
        while let Some(next) = self.waiting.front() {
            let length = next.frame().len();
            if events.len() == TOGETHER || !events.is_empty() && bytes + length > TOGETHER_BYTES {
                break;
            }
            bytes += length;
            events.extend(self.waiting.pop_front());
        }
        self.bytes -= bytes;
        let gap = self.gap.take();
        (gap.is_some() || !events.is_empty()).then_some(Batch { gap, events })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::events::tests::event;

    fn taken(queue: &mut Queue) -> Option<(Option<u64>, Vec<u64>)> {
        let batch = queue.take()?;
        Some((batch.gap.map(|(number, _)| number), batch.events.iter().map(|event| event.id.sequence).collect()))
    }

    #[test]
    fn keeps_the_order_and_tells_what_went() {
        let mut queue = Queue::new(3, usize::MAX);
        let dropped: u64 = (1..=5).map(|sequence| queue.push(event(sequence))).sum();
        assert_eq!((dropped, queue.len()), (2, 3));
        assert_eq!(taken(&mut queue), Some((Some(2), vec![3, 4, 5])));
        assert_eq!(taken(&mut queue), None);
        queue.push(event(6));
        assert_eq!(queue.lose(3, event(9).id), 4);
        queue.push(event(10));
        assert_eq!(taken(&mut queue), Some((Some(4), vec![10])));
    }

    #[test]
    fn is_bounded_in_bytes_and_so_is_a_request() {
        let each = event(1).frame().len();
        let mut queue = Queue::new(usize::MAX, 2 * each);
        for sequence in 1..=5 {
            queue.push(event(sequence));
        }
        assert_eq!(taken(&mut queue), Some((Some(3), vec![4, 5])));
        let mut queue = Queue::default();
        for sequence in 1..=150 {
            queue.push(event(sequence));
        }
        assert_eq!(taken(&mut queue).map(|(_, events)| events.len()), Some(TOGETHER));
        assert_eq!(taken(&mut queue).map(|(_, events)| events.len()), Some(50));
    }
}
