//! Work that would hold up one of the runtime's workers, done on a thread of its own.

/// Does it there and waits for it.
///
/// # Panics
///
/// When the work does, as if it had been done in place.
pub async fn off_the_workers<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime ends, and with it whoever waits here.
            Err(_cancelled) => std::future::pending().await,
        },
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::future::poll_fn;
    use std::pin::pin;
    use std::sync::mpsc;
    use std::task::Poll;

    use super::*;

    /// Begins two pieces of work while there is no thread for either. Gives whether each was done at once, and
    /// what the second comes to when there is a thread.
    pub(crate) fn while_no_thread_is_free<T>(
        short: impl Future<Output = T>,
        long: impl Future<Output = T>,
    ) -> ((bool, bool), T) {
        let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        runtime.block_on(async {
            let (release, busy) = mpsc::channel::<()>();
            tokio::task::spawn_blocking(move || busy.recv());
            let (mut short, mut long) = (pin!(short), pin!(long));
            let at_once = poll_fn(|task| {
                Poll::Ready((short.as_mut().poll(task).is_ready(), long.as_mut().poll(task).is_ready()))
            });
            let at_once = at_once.await;
            release.send(()).unwrap();
            (at_once, long.await)
        })
    }

    #[test]
    fn work_that_the_end_of_the_runtime_cancels_is_no_panic() {
        let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        let (release, busy) = mpsc::channel::<()>();
        let mut work = Box::pin(off_the_workers(|| ()));
        runtime.block_on(async {
            tokio::task::spawn_blocking(move || busy.recv());
            poll_fn(|task| {
                assert!(work.as_mut().poll(task).is_pending());
                Poll::Ready(())
            })
            .await;
        });
        runtime.shutdown_background();
        release.send(()).unwrap();
        let other = tokio::runtime::Builder::new_current_thread().build().unwrap();
        other.block_on(poll_fn(|task| {
            assert!(work.as_mut().poll(task).is_pending());
            Poll::Ready(())
        }));
    }

    #[test]
    fn work_waits_for_a_thread() {
        assert_eq!(while_no_thread_is_free(async { 1 }, off_the_workers(|| 2)), ((true, false), 2));
    }
}
