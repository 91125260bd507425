//! Whose password is hashed next.
//!
//! A hash takes a processor for up to seconds, and anybody can ask for one. So few are computed at a time, addresses
//! take turns, however many wait of each, and what waits is bounded.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::failures::TooMany;

/// What may wait: of one address, and in all.
const MOST_OF_ONE: usize = 64;
const MOST: usize = 1000;

/// See the module. Copies are the same.
#[derive(Clone)]
pub(super) struct Turns(Arc<Mutex<Line>>);

/// Who waits. Nobody does while a processor is free.
struct Line {
    free: usize,
    /// Whether one has it that nobody needs.
    has_spare: bool,
    of_address: HashMap<Option<IpAddr>, VecDeque<oneshot::Sender<Turn>>>,
    /// The addresses of those who wait, once each.
    order: VecDeque<Option<IpAddr>>,
}

/// The use of a processor, until it is dropped.
pub(super) struct Turn {
    /// None if it was handed on.
    turns: Option<Turns>,
    is_spare: bool,
}

impl Turns {
    pub(super) fn new(processors: usize) -> Self {
        let (of_address, order) = (HashMap::new(), VecDeque::new());
        Self(Arc::new(Mutex::new(Line { free: processors, has_spare: false, of_address, order })))
    }

    /// Waits for a turn.
    pub(super) async fn take(&self, address: Option<IpAddr>) -> Result<Turn, TooMany> {
        let comes = {
            let line = &mut *self.0.lock();
            if line.free > 0 {
                line.free -= 1;
                return Ok(self.turn(false));
            }
            line.join(address)?
        };
        comes.await.map_err(|_| TooMany)
    }

    /// A turn for what nobody needs: if a processor is free, and one at a time.
    pub(super) fn spare(&self) -> Option<Turn> {
        let line = &mut *self.0.lock();
        if line.free == 0 || line.has_spare {
            return None;
        }
        line.free -= 1;
        line.has_spare = true;
        Some(self.turn(true))
    }

    fn turn(&self, is_spare: bool) -> Turn {
        Turn { turns: Some(self.clone()), is_spare }
    }
}

impl Line {
    fn join(&mut self, address: Option<IpAddr>) -> Result<oneshot::Receiver<Turn>, TooMany> {
        let is_full = |line: &Self| {
            line.of_address.get(&address).map_or(0, VecDeque::len) >= MOST_OF_ONE
                || line.of_address.values().map(VecDeque::len).sum::<usize>() >= MOST
        };
        if is_full(self) {
            for queue in self.of_address.values_mut() {
                queue.retain(|waits| !waits.is_closed());
            }
            if is_full(self) {
                return Err(TooMany);
            }
        }
        let (turn, comes) = oneshot::channel();
        let queue = self.of_address.entry(address).or_insert_with(|| {
            self.order.push_back(address);
            VecDeque::new()
        });
        queue.push_back(turn);
        Ok(comes)
    }

    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        while let Some(address) = self.order.pop_front() {
            let Some(queue) = self.of_address.get_mut(&address) else { continue };
            let next = queue.pop_front();
            if queue.is_empty() {
                self.of_address.remove(&address);
            } else {
                self.order.push_back(address);
            }
            if next.is_some() {
                return next;
            }
        }
        None
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(turns) = self.turns.take() else { return };
        loop {
            let next = {
                let line = &mut *turns.0.lock();
                line.has_spare &= !std::mem::take(&mut self.is_spare);
                let Some(next) = line.next() else {
                    line.free += 1;
                    return;
                };
                next
            };
            match next.send(turns.turn(false)) {
                Ok(()) => return,
                // Whoever waited has gone.
                Err(mut turn) => turn.turns = None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "it stands for what a connection knows")]
    fn from(number: u32) -> Option<IpAddr> {
        Some(IpAddr::V4(number.into()))
    }

    fn line(turns: &Turns) -> parking_lot::MutexGuard<'_, Line> {
        turns.0.lock()
    }

    #[tokio::test]
    async fn nobody_waits_for_all_that_wait_of_another_address() {
        let turns = Turns::new(1);
        let first = turns.take(from(1)).await.unwrap();
        let mut guesses: Vec<_> = (0..50).map(|_| line(&turns).join(from(1)).unwrap()).collect();
        let mut other = line(&turns).join(from(2)).unwrap();
        drop(first);
        let next = guesses[0].try_recv().unwrap();
        assert!(other.try_recv().is_err());
        drop(next);
        assert!(other.try_recv().is_ok());
    }

    #[tokio::test]
    async fn what_waits_is_bounded_by_address_and_in_all() {
        let turns = Turns::new(1);
        let first = turns.take(from(1)).await.unwrap();
        let waits = |address| (0..100).map_while(|_| line(&turns).join(from(address)).ok()).collect::<Vec<_>>();
        let one = waits(1);
        assert_eq!(one.len(), MOST_OF_ONE);
        let all: Vec<_> = (2..100).map(waits).collect();
        assert_eq!(all.iter().map(Vec::len).sum::<usize>() + one.len(), MOST);
        drop((one, all));
        assert_eq!(waits(1).len(), MOST_OF_ONE, "who has gone takes no place");
        drop(first);
        assert_eq!(line(&turns).free, 1);
        assert!(line(&turns).of_address.is_empty() && line(&turns).order.is_empty());
    }

    #[tokio::test]
    async fn what_nobody_needs_takes_no_turn_of_others() {
        let turns = Turns::new(2);
        let spare = turns.spare().unwrap();
        assert!(turns.spare().is_none(), "one at a time");
        let taken = turns.take(from(1)).await.unwrap();
        drop(spare);
        let more = turns.take(from(1)).await.unwrap();
        assert!(turns.spare().is_none(), "none is free");
        drop((taken, more));
        assert!(turns.spare().is_some());
    }
}
