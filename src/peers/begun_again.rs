//! Tasks that must not die: a run that panics is told and begun again.

use std::future::Future;

use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::line::LONGEST_WAIT;

/// Runs something in a task of its own until it ends or `ending` is cancelled. After a panic, which `tell`
/// hears of, it is run again in a moment.
pub(super) async fn keep_running<R>(
    tasks: TaskTracker,
    ending: CancellationToken,
    run: impl Fn() -> R,
    tell: impl Fn(JoinError),
) where
    R: Future<Output = ()> + Send + 'static,
{
    loop {
        let (work, ends) = (run(), ending.clone());
        let Err(error) = tasks.spawn(async move { ends.run_until_cancelled(work).await }).await else { return };
        tell(error);
        if ending.run_until_cancelled(tokio::time::sleep(LONGEST_WAIT)).await.is_none() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_run_that_panics_is_begun_again_until_one_ends() {
        let (runs, told) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
        let run = || {
            let run = runs.fetch_add(1, Ordering::Relaxed);
            // Without the panic hook, which would write to the test's output.
            async move {
                if run < 2 {
                    std::panic::resume_unwind(Box::new("broken"))
                }
            }
        };
        let tell = |_| {
            told.fetch_add(1, Ordering::Relaxed);
        };
        keep_running(TaskTracker::new(), CancellationToken::new(), run, tell).await;
        assert_eq!((runs.load(Ordering::Relaxed), told.load(Ordering::Relaxed)), (3, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_begun_again_at_the_end() {
        let ending = CancellationToken::new();
        let (end, runs) = (ending.clone(), AtomicUsize::new(0));
        let run = || {
            runs.fetch_add(1, Ordering::Relaxed);
            async { std::panic::resume_unwind(Box::new("broken")) }
        };
        keep_running(TaskTracker::new(), ending, run, |_| end.cancel()).await;
        assert_eq!(runs.load(Ordering::Relaxed), 1);
    }
}
