//! Work that would hold up one of the runtime's workers, done on a thread of its own.

/// Does it there and waits for it.
///
/// # Panics
///
/// When the work does, as if it had been done in place.
pub async fn off_the_workers<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        // It is never cancelled, so it panicked.
        Err(failed) => std::panic::resume_unwind(failed.into_panic()),
    }
}
