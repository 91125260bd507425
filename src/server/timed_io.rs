//! A connection that knows what it waits for, and how long.
//!
//! hyper has one timer for the head of a request and for the idle time before it; these are two
//! different things here. A client may be quiet for minutes between two heartbeats on a kept
//! connection, but once it has begun a request its head must come within seconds, and a connection
//! that never speaks is not kept. A reader that takes nothing of its answer for half a minute is gone.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// How long a connection may wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// For the head of a request, from its first byte; for the first byte of a new connection as well.
    pub(super) head: Duration,
    /// For the next request on a kept connection.
    pub(super) idle: Duration,
    /// For a reader to take anything of its answer.
    pub(super) write: Duration,
    /// For an answer to begin, on a connection that carries many requests at a time.
    pub(super) exchanges: Duration,
}

/// What a connection waits for; shared between its socket and the requests on it.
#[derive(Debug)]
pub(super) struct Waiting {
    patience: Patience,
    /// Whether there are many requests at a time (HTTP/2). Then bytes that come need not be part of one.
    is_multiplexed: bool,
    /// Taken alone, as `streams`.
    state: Mutex<State>,
    streams: Mutex<Streams>,
    /// How many of the answers go on until one side ends them.
    endless: AtomicU32,
}

/// A time limit is set when something has to be waited for, so that a request that is there costs no look at
/// the clock.
#[derive(Clone, Copy, Debug)]
enum State {
    /// For the first byte of a request, until then.
    Request(Option<Instant>),
    /// For the rest of its head, until then.
    Head(Option<Instant>),
    /// For the server, with so many requests.
    Answers(u32),
}

/// The requests of a multiplexed connection, by their numbers: the reader of an answer or the sender of a body can be
/// held up while the socket and the other requests are not. None elsewhere.
#[derive(Debug, Default)]
struct Streams {
    last: u64,
    waits: BTreeMap<u64, Wait>,
}

/// What one request waits for.
#[derive(Clone, Copy, Debug, Default)]
struct Wait {
    /// Whether the answer is on its way.
    is_answered: bool,
    until: Option<Instant>,
}

impl Waiting {
    fn new(patience: Patience, is_multiplexed: bool) -> Self {
        let state = Mutex::new(State::Request(Some(Instant::now() + patience.head)));
        Self { patience, is_multiplexed, state, streams: Mutex::default(), endless: AtomicU32::new(0) }
    }

    /// A request has come and begins to be answered. Gives its number.
    pub(super) fn answering(&self) -> u64 {
        let mut state = self.state.lock();
        let others = if let State::Answers(others) = *state { others } else { 0 };
        *state = State::Answers(others.saturating_add(1));
        drop(state);
        if !self.is_multiplexed {
            return 0;
        }
        let streams = &mut *self.streams.lock();
        streams.last += 1;
        streams.waits.insert(streams.last, Wait::default());
        streams.last
    }

    /// A request is in and its answer out. The next one may be at work already.
    pub(super) fn answered(&self, number: u64) {
        if self.is_multiplexed {
            self.streams.lock().waits.remove(&number);
        }
        let mut state = self.state.lock();
        if let State::Answers(requests) = *state {
            *state = if requests > 1 { State::Answers(requests - 1) } else { State::Request(None) };
        }
    }

    /// Whether no request is being answered.
    pub(super) fn is_idle(&self) -> bool {
        !matches!(*self.state.lock(), State::Answers(_))
    }

    /// An answer begins that goes on until one side ends it.
    pub(super) fn endless_begins(&self) {
        self.endless.fetch_add(1, Ordering::Relaxed);
    }

    /// Such an answer is over.
    pub(super) fn endless_is_over(&self) {
        self.endless.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether there is nothing but such answers.
    pub(super) fn is_endless(&self) -> bool {
        let endless = self.endless.load(Ordering::Relaxed);
        matches!(*self.state.lock(), State::Answers(all) if endless > 0 && all <= endless)
    }

    /// Something was taken of an answer.
    pub(super) fn goes_on(&self, number: u64) {
        if self.is_multiplexed
            && let Some(wait) = self.streams.lock().waits.get_mut(&number)
        {
            *wait = Wait { is_answered: true, until: None };
        }
    }

    /// An answer is out; the rest of its request may not be in.
    pub(super) fn is_out(&self, number: u64) {
        if self.is_multiplexed
            && let Some(wait) = self.streams.lock().waits.get_mut(&number)
        {
            *wait = Wait::default();
        }
    }

    /// Whether a part of a head has come and the rest has not.
    pub(super) fn is_in_head(&self) -> bool {
        matches!(*self.state.lock(), State::Head(_))
    }

    fn bytes_came(&self) {
        if self.is_multiplexed {
            return;
        }
        let mut state = self.state.lock();
        if let State::Request(_) = *state {
            *state = State::Head(None);
        }
    }

    /// Until when to wait, from now on.
    fn until(&self, now: Instant) -> Option<Instant> {
        let Patience { head, idle, write, exchanges } = self.patience;
        match &mut *self.state.lock() {
            State::Request(until) => return Some(*until.get_or_insert(now + idle)),
            State::Head(until) => return Some(*until.get_or_insert(now + head)),
            State::Answers(_) => {}
        }
        let until = |wait: &mut Wait| *wait.until.get_or_insert(now + if wait.is_answered { write } else { exchanges });
        self.streams.lock().waits.values_mut().map(until).min()
    }
}

/// A socket that fails when its patience has ended.
pub(super) struct TimedIo<S> {
    socket: S,
    waiting: Arc<Waiting>,
    /// Since when nothing could be written.
    stalled: Option<Instant>,
    /// Rings at or before the earliest time limit; moved forward lazily, so that a request costs no
    /// timer.
    alarm: Pin<Box<Sleep>>,
}

impl<S> TimedIo<S> {
    /// For one request after the other.
    pub(super) fn new(socket: S, patience: Patience) -> (Self, Arc<Waiting>) {
        Self::of(socket, Waiting::new(patience, false))
    }

    /// For many requests at a time.
    pub(super) fn multiplexed(socket: S, patience: Patience) -> (Self, Arc<Waiting>) {
        Self::of(socket, Waiting::new(patience, true))
    }

    fn of(socket: S, waiting: Waiting) -> (Self, Arc<Waiting>) {
        let (patience, waiting) = (waiting.patience, Arc::new(waiting));
        let alarm = Box::pin(tokio::time::sleep(patience.head));
        (Self { socket, waiting: Arc::clone(&waiting), stalled: None, alarm }, waiting)
    }

    /// Whether the wait that just became pending has lasted too long already; wakes the task when it
    /// will have.
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let patience = self.waiting.patience;
        loop {
            let stalled = self.stalled.map(|since| since + patience.write);
            let now = Instant::now();
            let limit = self.waiting.until(now).into_iter().chain(stalled).min();
            if limit.is_some_and(|limit| limit <= now) {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the client took too long"));
            }
            let ring = limit.unwrap_or(now + patience.idle);
            if self.alarm.deadline() > ring || self.alarm.is_elapsed() {
                self.alarm.as_mut().reset(ring);
            }
            if self.alarm.as_mut().poll(cx).is_pending() {
                return Ok(());
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedIo<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        match Pin::new(&mut self.socket).poll_read(cx, buf) {
            Poll::Ready(Ok(())) => {
                if buf.filled().len() > before {
                    self.waiting.bytes_came();
                }
                Poll::Ready(Ok(()))
            }
            Poll::Ready(failed) => Poll::Ready(failed),
            Poll::Pending => match self.check(cx) {
                Ok(()) => Poll::Pending,
                Err(late) => Poll::Ready(Err(late)),
            },
        }
    }
}

impl<S: AsyncWrite + Unpin> TimedIo<S> {
    fn wrote<T>(&mut self, cx: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.stalled = None;
            return polled;
        }
        self.stalled.get_or_insert_with(Instant::now);
        match self.check(cx) {
            Ok(()) => Poll::Pending,
            Err(late) => Poll::Ready(Err(late)),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedIo<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.socket).poll_write(cx, bytes);
        self.wrote(cx, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.socket).poll_write_vectored(cx, pieces);
        self.wrote(cx, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.socket).poll_flush(cx);
        self.wrote(cx, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // TLS has something to say before.
        let polled = Pin::new(&mut self.socket).poll_shutdown(cx);
        self.wrote(cx, polled)
    }
}

#[cfg(test)]
mod tests;
