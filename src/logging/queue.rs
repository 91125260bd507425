//! Lines on their way to a slow place. Whoever logs never waits for a disk or a pipe.
//!
//! A thread takes what has gathered and writes it at once. When it cannot keep up, lines are dropped
//! and counted, and so are those that could not be written; each such time is logged once. (Logback
//! writes in the thread that logs; Tomcat's access log does too.) Memory is bounded by bytes, which
//! a ready-made queue of lines is not.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// What may wait to be written. As much is being written at the same time.
const MOST_BYTES: usize = 4 << 20;
/// What is kept of that memory between two batches.
const KEPT_BYTES: usize = 64 << 10;
/// How long the last lines of one output may take at the exit.
pub(super) const LAST_LINES: Duration = Duration::from_secs(2);

/// Where lines end up. One thread only calls it.
pub(super) trait Sink: Send + 'static {
    /// Writes whole lines.
    fn write(&mut self, lines: &[u8]) -> io::Result<()>;

    /// Opens the file anew, which somebody may have moved away. Where that fails the old one stays.
    fn reopen(&mut self) -> io::Result<()>;
}

/// A way to a sink; copies are the same way.
#[derive(Clone, Debug)]
pub(super) struct Queue(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Something is to do, or is done.
    changed: Condvar,
    /// Lines that were never written.
    lost: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    /// Whole lines.
    waiting: Vec<u8>,
    /// Lines for which there was no room since somebody looked.
    dropped: u64,
    reopen: bool,
    ending: bool,
    ended: bool,
}

impl Queue {
    /// Starts the thread that writes to `sink`; `name` is what it is called in the log.
    pub(super) fn start(name: &'static str, sink: impl Sink) -> io::Result<Self> {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), lost: AtomicU64::new(0) });
        let served = Arc::clone(&shared);
        std::thread::Builder::new().name(name.to_owned()).spawn(move || served.serve(name, sink))?;
        Ok(Self(shared))
    }

    /// Adds a line, with its line end.
    pub(super) fn push(&self, line: &[u8]) {
        let mut state = self.0.state.lock();
        if state.ended || state.waiting.len().saturating_add(line.len()) > MOST_BYTES {
            state.dropped += 1;
            self.0.lost.fetch_add(1, Ordering::Relaxed);
            return;
        }
        state.waiting.extend_from_slice(line);
        drop(state);
        self.0.changed.notify_all();
    }

    /// Has the file opened anew, soon.
    pub(super) fn reopen(&self) {
        self.0.state.lock().reopen = true;
        self.0.changed.notify_all();
    }

    /// How many lines were lost.
    pub(super) fn lost(&self) -> u64 {
        self.0.lost.load(Ordering::Relaxed)
    }

    /// Writes what is there and ends. What is not written after `patience` is lost.
    pub(super) fn end(&self, patience: Duration) {
        let mut state = self.0.state.lock();
        state.ending = true;
        self.0.changed.notify_all();
        self.0.changed.wait_while_for(&mut state, |state| !state.ended, patience);
    }
}

impl Shared {
    fn serve(&self, name: &'static str, mut sink: impl Sink) {
        let mut batch = Vec::new();
        let mut failing = false;
        loop {
            batch.clear();
            batch.shrink_to(KEPT_BYTES);
            let Some((reopen, dropped)) = self.take(&mut batch) else { return };
            if reopen && let Err(error) = sink.reopen() {
                tracing::error!(output = name, %error, "cannot open the log file anew, the old one stays");
            }
            if batch.is_empty() {
                continue;
            }
            match sink.write(&batch) {
                Ok(()) if failing => tracing::info!(output = name, lost = self.lost(), "lines are written again"),
                Ok(()) => {}
                Err(error) => {
                    let lines = batch.split_inclusive(|byte| *byte == b'\n').count();
                    self.lost.fetch_add(u64::try_from(lines).unwrap_or(u64::MAX), Ordering::Relaxed);
                    if !failing {
                        tracing::error!(output = name, %error, "cannot write lines, they are lost");
                    }
                    failing = true;
                    continue;
                }
            }
            failing = false;
            if dropped > 0 {
                tracing::warn!(output = name, dropped, "lines are lost, the output is too slow");
            }
        }
    }

    fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Waits for something to do; none when all is done.
    fn take(&self, batch: &mut Vec<u8>) -> Option<(bool, u64)> {
        let mut state = self.state.lock();
        while state.waiting.is_empty() && !state.reopen {
            if state.ending {
                state.ended = true;
                self.changed.notify_all();
                return None;
            }
            self.changed.wait(&mut state);
        }
        std::mem::swap(batch, &mut state.waiting);
        Some((std::mem::take(&mut state.reopen), std::mem::take(&mut state.dropped)))
    }
}

/// A queue into memory.
#[cfg(test)]
pub(super) fn kept() -> (Queue, Arc<Mutex<Vec<u8>>>) {
    struct Kept(Arc<Mutex<Vec<u8>>>);
    impl Sink for Kept {
        fn write(&mut self, lines: &[u8]) -> io::Result<()> {
            self.0.lock().extend_from_slice(lines);
            Ok(())
        }

        fn reopen(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let written = Arc::default();
    let queue = Queue::start("test", Kept(Arc::clone(&written))).unwrap_or_else(|error| panic!("{error}"));
    (queue, written)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

    use super::*;

    /// Takes a batch when it is told to, and fails when it is told so.
    struct Slow {
        turns: Receiver<io::Result<()>>,
        taken: SyncSender<String>,
    }

    impl Sink for Slow {
        fn write(&mut self, lines: &[u8]) -> io::Result<()> {
            // When the test is over every turn is a good one.
            self.turns.recv().unwrap_or(Ok(()))?;
            self.taken.send(String::from_utf8_lossy(lines).into_owned()).map_err(io::Error::other)
        }

        fn reopen(&mut self) -> io::Result<()> {
            self.taken.send("reopened".to_owned()).map_err(io::Error::other)
        }
    }

    fn slow() -> (Queue, SyncSender<io::Result<()>>, Receiver<String>) {
        let (turn, turns) = sync_channel(10);
        let (taken, batches) = sync_channel(10);
        (Queue::start("test", Slow { turns, taken }).unwrap(), turn, batches)
    }

    fn soon() -> Duration {
        Duration::from_secs(10)
    }

    #[test]
    fn what_waits_is_written_before_the_end() {
        let (queue, turn, batches) = slow();
        queue.push(b"a\n");
        queue.push(b"b\n");
        drop(turn);
        queue.end(soon());
        assert_eq!(batches.try_iter().collect::<String>(), "a\nb\n");
        queue.push(b"c\n");
        assert_eq!(queue.lost(), 1, "too late");
    }

    #[test]
    fn nobody_waits_for_a_sink_and_what_has_no_room_is_counted() {
        let (queue, turn, batches) = slow();
        let line = [b"x".repeat((1 << 20) - 1), b"\n".to_vec()].concat();
        // At most four wait and four are being written.
        for _ in 0..20 {
            queue.push(&line);
        }
        let lost = queue.lost();
        assert!((12..=16).contains(&lost), "{lost}");
        drop(turn);
        queue.end(soon());
        let written = batches.try_iter().map(|batch| batch.len() / line.len()).sum::<usize>();
        assert_eq!(u64::try_from(written).unwrap() + lost, 20);
    }

    #[test]
    fn a_failure_costs_its_lines_only() {
        let (queue, turn, batches) = slow();
        turn.send(Err(io::ErrorKind::StorageFull.into())).unwrap();
        queue.push(b"a\n");
        while queue.lost() == 0 {
            std::thread::yield_now();
        }
        queue.push(b"b\n");
        drop(turn);
        queue.end(soon());
        assert_eq!((batches.try_iter().collect::<String>().as_str(), queue.lost()), ("b\n", 1));
    }

    #[test]
    fn an_end_has_its_limit() {
        let (queue, turn, _batches) = slow();
        queue.push(b"a\n");
        queue.end(Duration::from_millis(50));
        assert!(!queue.0.state.lock().ended, "it did not wait for the slow sink");
        drop(turn);
    }

    #[test]
    fn files_are_opened_anew_without_a_line() {
        let (queue, _turn, batches) = slow();
        queue.reopen();
        assert_eq!(batches.recv().unwrap(), "reopened");
    }
}
