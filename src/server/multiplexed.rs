//! HTTP/2, which clients choose by ALPN: what a connection with many requests at a time may cost.

use hyper::rt::Executor;
use hyper::server::conn::http2;
use tokio_util::task::TaskTracker;

/// Requests of one connection at a time. More wait for their turn.
const REQUESTS: u32 = 100;
/// Bytes of a body that are taken in before anybody reads them.
const BODY_WINDOW: u32 = 128 << 10;
/// The same of all bodies of a connection.
const BODIES_WINDOW: u32 = 512 << 10;
/// Bytes of an answer that are handed over before they are out.
const ANSWER_BUFFER: usize = 64 << 10;
/// Requests that a client took back and nobody has looked at yet; with more the connection ends
/// (CVE-2023-44487).
const TAKEN_BACK: usize = 20;
/// Requests that were no right ones; with more the connection ends.
const WRONG: usize = 64;

/// Connections whose heads have so many bytes at most.
pub(super) fn builder(tasks: TaskTracker, head_limit: usize) -> http2::Builder<Tracked> {
    let mut builder = http2::Builder::new(Tracked(tasks));
    builder
        .max_concurrent_streams(REQUESTS)
        .max_header_list_size(u32::try_from(head_limit).unwrap_or(u32::MAX))
        .initial_stream_window_size(BODY_WINDOW)
        .initial_connection_window_size(BODIES_WINDOW)
        .max_send_buf_size(ANSWER_BUFFER)
        .max_pending_accept_reset_streams(TAKEN_BACK)
        .max_local_error_reset_streams(WRONG);
    builder
}

/// Runs each request as a task that the shutdown waits for.
#[derive(Clone, Debug)]
pub(super) struct Tracked(TaskTracker);

impl<F> Executor<F> for Tracked
where
    F: Future<Output: Send> + Send + 'static,
{
    fn execute(&self, request: F) {
        self.0.spawn(request);
    }
}
