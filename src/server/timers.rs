//! A thread for short work that must be done in time.
//!
//! What blocks goes to the runtime's own pool, where it waits for all that came before it: whoever asks for enough
//! could hold up the lease clock there, and with it the ends of leases. Here one piece of work waits for another of
//! the registry's own, and for nothing else. (Java's timers have threads of their own, too.)

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, SendError, Sender};
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

type Work = Box<dyn FnOnce() + Send>;

/// The thread. Copies are the same one; it ends with the last of them.
#[derive(Clone, Debug)]
pub(super) struct Timers(Sender<Work>);

/// The work panicked.
#[derive(Debug, thiserror::Error)]
#[error("it panicked: {0}")]
pub(super) struct Panicked(String);

impl Timers {
    /// Starts the thread. Where the system gives none, work is done in place.
    pub(super) fn start() -> Self {
        let (sender, work) = mpsc::channel::<Work>();
        let runtime = Handle::try_current().ok();
        let run = move || {
            let _entered = runtime.as_ref().map(Handle::enter);
            for work in work {
                work();
            }
        };
        if let Err(error) = thread::Builder::new().name("timers".to_owned()).spawn(run) {
            tracing::warn!(%error, "there is no thread for the timers, they share one with requests");
        }
        Self(sender)
    }

    /// Does it there, after what came before, and waits for it.
    pub(super) async fn run(&self, work: impl FnOnce() + Send + 'static) -> Result<(), Panicked> {
        let (done, is_done) = oneshot::channel();
        let caught: Work = Box::new(move || {
            let _nobody_waits = done.send(catch_unwind(AssertUnwindSafe(work)));
        });
        if let Err(SendError(caught)) = self.0.send(caught) {
            caught();
        }
        match is_done.await {
            Ok(Err(panic)) => Err(Panicked(message(&*panic).to_owned())),
            Ok(Ok(())) | Err(_) => Ok(()),
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn work_is_done_although_the_pool_is_full() {
        let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        runtime.block_on(async {
            let (release, busy) = mpsc::channel::<()>();
            let busy = tokio::task::spawn_blocking(move || busy.recv());
            Timers::start().run(|| {}).await.unwrap();
            release.send(()).unwrap();
            busy.await.unwrap().unwrap();
        });
    }

    #[tokio::test]
    async fn work_that_panics_ends_itself_only() {
        let timers = Timers::start();
        // Without the panic hook, which would write to the test's output.
        let panicked = timers.run(|| std::panic::resume_unwind(Box::new("broken"))).await;
        assert_eq!(panicked.unwrap_err().to_string(), "it panicked: broken");
        timers.run(|| {}).await.unwrap();
    }
}
