//! A client that does nothing wrong while others do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::server::Server;
use super::wire::{heartbeat, register};

/// What a heartbeat should take at most whatever others do; it is printed how long one took.
const AIM: Duration = Duration::from_millis(50);
/// How often others do the same, so that there are some heartbeats meanwhile.
pub(super) const ROUNDS: usize = 10;
/// Between two heartbeats.
const PAUSE: Duration = Duration::from_millis(5);

/// Heartbeats in a thread of their own, all the time; each must be answered 200.
pub(super) struct Bystander {
    done: Arc<AtomicBool>,
    beats: JoinHandle<Vec<Duration>>,
}

impl Bystander {
    pub(super) fn of(server: &Server) -> Self {
        let mut wire = server.connect();
        assert_eq!(wire.ask(register("QUIET", "quiet-1")).status, 204);
        let done = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&done);
        let beats = thread::spawn(move || {
            let mut waits = Vec::new();
            while !over.load(Ordering::Relaxed) {
                let sent = Instant::now();
                assert_eq!(wire.ask(heartbeat("QUIET", "quiet-1")).status, 200);
                waits.push(sent.elapsed());
                thread::sleep(PAUSE);
            }
            waits
        });
        Self { done, beats }
    }

    /// Ends it and says how long it waited. The machine may be busy with others' work, so that only ten times
    /// the aim is too long, and one in a hundred may take longer.
    #[expect(clippy::print_stdout, reason = "CI shows what it cost")]
    pub(super) fn was_answered(self, while_there_was: &str) {
        self.done.store(true, Ordering::Relaxed);
        let mut waits = self.beats.join().expect("all heartbeats were answered");
        waits.sort_unstable();
        let [median, most] = [50, 99].map(|percent| waits[(waits.len() - 1) * percent / 100]);
        println!(
            "{while_there_was}: {} heartbeats, median {median:?}, 99 % {most:?}, longest {:?}",
            waits.len(),
            waits[waits.len() - 1]
        );
        assert!(most < AIM * 10, "{while_there_was}: a heartbeat waited {most:?}");
    }
}
