//! Whether the machine can do what it is asked: if not, reads of whole lists are refused (503), so that
//! heartbeats and registrations go on. Clients answer a 503 by asking the next server.
//!
//! What is looked at is how late a timer comes: that is how long a request waits before anybody looks at
//! it. One late timer is a pause (of the process, the machine), several in a row are too much work. Java
//! has nothing of the kind; its threads run out, for everybody alike.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// See the module.
#[derive(Debug, Default)]
pub struct Overload {
    /// Timers in a row that came too late.
    late: AtomicU32,
    shedding: AtomicBool,
}

/// A change that is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shedding {
    /// Reads are refused from now on.
    Begins,
    /// Reads are answered again.
    Ends,
}

impl Overload {
    /// How often [`Self::note`] is to be called, by a timer.
    pub const PERIOD: Duration = Duration::from_millis(100);
    /// So many late timers in a row are no pause.
    const IN_A_ROW: u32 = 3;

    /// Notes how late the timer came. `most` is how late it may come; none if nothing is to be refused.
    pub fn note(&self, late: Duration, most: Option<Duration>) -> Option<Shedding> {
        let is_late = most.is_some_and(|most| late > most);
        let in_a_row = if is_late { self.late.load(Ordering::Relaxed).saturating_add(1) } else { 0 };
        self.late.store(in_a_row, Ordering::Relaxed);
        let sheds = in_a_row >= Self::IN_A_ROW;
        match (self.shedding.swap(sheds, Ordering::Relaxed), sheds) {
            (false, true) => Some(Shedding::Begins),
            (true, false) => Some(Shedding::Ends),
            _ => None,
        }
    }

    /// Whether reads of whole lists are to be refused.
    pub fn is_shedding(&self) -> bool {
        self.shedding.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_no_overload() {
        let (overload, most) = (Overload::default(), Some(Duration::from_millis(500)));
        let note = |millis| overload.note(Duration::from_millis(millis), most);
        assert_eq!([note(120_000), note(0), note(900), note(900), note(500)], [None; 5]);
        assert!(!overload.is_shedding());
        assert_eq!([note(501), note(600), note(700), note(800)], [None, None, Some(Shedding::Begins), None]);
        assert!(overload.is_shedding());
        assert_eq!([note(20), note(20)], [Some(Shedding::Ends), None]);
        assert!(!overload.is_shedding());
    }

    #[test]
    fn it_can_be_switched_off() {
        let overload = Overload::default();
        for _ in 0..10 {
            assert_eq!(overload.note(Duration::from_secs(9), None), None);
        }
        assert!(!overload.is_shedding());
    }
}
