//! The last events, for readers who each have a place of their own among them.
//!
//! Bounded by count and bytes: the oldest go for the newest. A reader whose next event is gone has missed
//! something and is told so, whatever it was doing; nobody waits for a reader, and nothing is kept for one.

use std::collections::VecDeque;
use std::sync::Arc;

use super::event::Event;

/// What an event costs beside its bytes, about.
const FRAME: usize = 200;

/// See the module.
#[derive(Debug)]
pub(super) struct Window {
    most: usize,
    most_bytes: usize,
    events: VecDeque<Arc<Event>>,
    bytes: usize,
    /// The number of the last event that is not kept.
    begin: u64,
}

/// Something after a place is not kept any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gone;

impl Window {
    /// An empty one for at most so many events of at most so many bytes in all.
    pub(super) fn new(most: usize, most_bytes: usize) -> Self {
        Self { most, most_bytes, events: VecDeque::new(), bytes: 0, begin: 0 }
    }

    /// The number of the last event; 0 before the first.
    pub(super) fn last(&self) -> u64 {
        self.begin + u64::try_from(self.events.len()).unwrap_or_default()
    }

    /// Adds the event with the next number.
    pub(super) fn push(&mut self, event: Event) {
        debug_assert_eq!(event.id.sequence, self.last() + 1);
        self.bytes += cost(&event);
        self.events.push_back(Arc::new(event));
        while self.events.len() > self.most || self.bytes > self.most_bytes {
            let Some(oldest) = self.events.pop_front() else { return };
            self.bytes -= cost(&oldest);
            self.begin += 1;
        }
    }

    /// Something happened that nobody can be told: whoever reads has missed it.
    pub(super) fn lose(&mut self) {
        self.begin = self.last() + 1;
        self.events.clear();
        self.bytes = 0;
    }

    /// Whether everything after a place is kept.
    pub(super) fn reaches(&self, place: u64) -> bool {
        (self.begin..=self.last()).contains(&place)
    }

    /// The next events after a place: at most so many, and as many bytes as that or one event.
    pub(super) fn after(&self, place: u64, most: usize, most_bytes: usize) -> Result<Vec<Arc<Event>>, Gone> {
        if !self.reaches(place) {
            return Err(Gone);
        }
        let first = usize::try_from(place - self.begin).unwrap_or(usize::MAX).min(self.events.len());
        let mut bytes = 0;
        let fits = |event: &&Arc<Event>| {
            let is_first = bytes == 0;
            bytes += event.frame().len();
            is_first || bytes <= most_bytes
        };
        Ok(self.events.range(first..).take(most).take_while(fits).cloned().collect())
    }
}

fn cost(event: &Event) -> usize {
    event.frame().len() + FRAME
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::events::EventId;
    use crate::peers::NodeId;
    use crate::registry::PreservationNews;

    fn event(sequence: u64) -> Event {
        let id = EventId { epoch: NodeId::of(7), sequence };
        let news = PreservationNews { at: 1, held: None, lapsed: 0, silent: 0, renewals: 0, threshold: 0 };
        Event::of_preservation(id, &news)
    }

    fn after(window: &Window, place: u64) -> Result<Vec<u64>, Gone> {
        Ok(window.after(place, 100, 1 << 20)?.iter().map(|event| event.id.sequence).collect())
    }

    #[test]
    fn keeps_so_many_and_tells_who_is_behind() {
        let mut window = Window::new(3, usize::MAX);
        assert_eq!((after(&window, 0), after(&window, 1)), (Ok(vec![]), Err(Gone)), "1 has not happened");
        for sequence in 1..=5 {
            window.push(event(sequence));
        }
        assert_eq!(window.last(), 5);
        assert_eq!((after(&window, 1), after(&window, 2)), (Err(Gone), Ok(vec![3, 4, 5])));
        assert_eq!((after(&window, 5), after(&window, 6)), (Ok(vec![]), Err(Gone)));
        window.lose();
        assert_eq!((window.last(), after(&window, 5), after(&window, 6)), (6, Err(Gone), Ok(vec![])));
        window.push(event(7));
        assert_eq!(after(&window, 6), Ok(vec![7]));
    }

    #[test]
    fn keeps_and_gives_so_many_bytes() {
        let each = event(1).frame().len();
        let mut window = Window::new(100, 4 * (each + FRAME));
        for sequence in 1..=9 {
            window.push(event(sequence));
        }
        assert_eq!(after(&window, 5), Ok(vec![6, 7, 8, 9]));
        assert_eq!(after(&window, 4), Err(Gone));
        let taken = |bytes| window.after(5, 100, bytes).map(|events| events.len());
        assert_eq!((taken(1), taken(2 * each), taken(2 * each + 1)), (Ok(1), Ok(2), Ok(2)), "one at least");
        assert_eq!(window.after(5, 3, usize::MAX).map(|events| events.len()), Ok(3));
    }
}
