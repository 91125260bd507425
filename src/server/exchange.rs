//! A request and its answer, as their connection sees them.
//!
//! Handlers leave bodies unread: those of heartbeats and of whatever is refused. Left alone, hyper
//! would close the connection unless the body has come along with its head, and clients that send the
//! two one after the other would find it broken. So the rest is taken in and thrown away, within the
//! limits of any body, as Tomcat does (`maxSwallowSize`). Until then the connection waits for no
//! request.
//!
//! A body that somebody reads has as much time, whoever reads it: then it ends with an [`io::ErrorKind::TimedOut`],
//! which is a 408 (see `http/body`).

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::Body;
use bytes::{Buf, Bytes};
use http::header::EXPECT;
use http::{Request, Response};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::runtime::Handle;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::ops::events::Endless;

use super::timed_io::Waiting;

/// A request whose body is not in yet, or whose answer is not out; shared by the two.
pub(super) struct Exchange {
    waiting: Arc<Waiting>,
    /// Which one of its connection.
    number: u64,
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.waiting.answered(self.number);
    }
}

impl Exchange {
    /// A request has come.
    pub(super) fn begin(waiting: &Arc<Waiting>) -> Arc<Self> {
        let number = waiting.answering();
        Arc::new(Self { waiting: Arc::clone(waiting), number })
    }

    fn goes_on(&self) {
        self.waiting.goes_on(self.number);
    }
}

/// What becomes of bodies that nobody reads.
#[derive(Debug)]
pub(super) struct Leftovers {
    /// How long a body may take, from the head of its request.
    pub(super) time: Duration,
    /// How many bytes are taken in; the connection is closed when there are more.
    pub(super) bytes: usize,
    pub(super) tasks: TaskTracker,
    pub(super) runtime: Handle,
    /// Cancelled when nothing is to be waited for.
    pub(super) draining: CancellationToken,
}

/// The request as handlers get it.
pub(super) async fn request(
    incoming: Request<Incoming>,
    exchange: Arc<Exchange>,
    rest: Arc<Leftovers>,
) -> Request<Body> {
    if incoming.body().is_end_stream() {
        return incoming.map(|_| Body::empty());
    }
    let (head, body) = incoming.into_parts();
    let until = Instant::now() + rest.time;
    let mut body = RequestBody { incoming: Some(body), first: None, until, late: None, leftovers: rest, exchange };
    if head.headers.contains_key(EXPECT) {
        body.ask_for().await;
    }
    Request::from_parts(head, Body::new(body))
}

/// The answer as the connection sends it.
pub(super) fn answer(response: Response<Body>, exchange: Arc<Exchange>) -> Response<AnswerBody> {
    let is_endless = response.extensions().get::<Endless>().is_some();
    if is_endless {
        exchange.waiting.endless_begins();
    }
    response.map(|body| AnswerBody { body, out: Arc::new(Out(exchange)), is_endless })
}

/// A body that does not go with its reader.
struct RequestBody {
    /// None when it is over.
    incoming: Option<Incoming>,
    /// What came before anybody asked.
    first: Option<Result<Frame<Bytes>, hyper::Error>>,
    until: Instant,
    /// Fires at `until`; there once somebody waits for more.
    late: Option<Pin<Box<Sleep>>>,
    leftovers: Arc<Leftovers>,
    exchange: Arc<Exchange>,
}

impl RequestBody {
    /// Has the client told to go on (`100 Continue`). hyper does that when a body is read, and some
    /// never are; Tomcat does it before it looks at the request.
    async fn ask_for(&mut self) {
        match std::future::poll_fn(|cx| Poll::Ready(self.poll_incoming(cx))).await {
            Poll::Ready(first) => self.first = first,
            // The connection gets its turn, or the answer would be there first.
            Poll::Pending => tokio::task::yield_now().await,
        }
    }

    fn poll_incoming(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(incoming) = &mut self.incoming else {
            return Poll::Ready(None);
        };
        let polled = Pin::new(incoming).poll_frame(cx);
        if let Poll::Ready(None | Some(Err(_))) = polled {
            self.incoming = None;
        }
        polled
    }
}

impl http_body::Body for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let polled = match self.first.take() {
            Some(first) => Poll::Ready(Some(first)),
            None => self.poll_incoming(cx),
        };
        if let Poll::Ready(frame) = polled {
            return Poll::Ready(frame.map(|frame| frame.map_err(BoxError::from)));
        }
        let until = self.until;
        ready!(self.late.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until))).as_mut().poll(cx));
        self.incoming = None;
        let late = io::Error::new(io::ErrorKind::TimedOut, "the body took too long to arrive");
        Poll::Ready(Some(Err(late.into())))
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        let Some(incoming) = self.incoming.take().filter(|incoming| !incoming.is_end_stream()) else {
            return;
        };
        let (exchange, until, leftovers) = (Arc::clone(&self.exchange), self.until, Arc::clone(&self.leftovers));
        let discarding = async move {
            let rest = tokio::time::timeout_at(until, discard(incoming, leftovers.bytes));
            let _ = leftovers.draining.run_until_cancelled(rest).await;
            drop(exchange);
        };
        self.leftovers.tasks.spawn_on(discarding, &self.leftovers.runtime);
    }
}

async fn discard(mut incoming: Incoming, most: usize) {
    let mut taken = 0_usize;
    while let Some(Ok(frame)) = incoming.frame().await {
        taken = taken.saturating_add(frame.data_ref().map_or(0, Bytes::len));
        if taken > most {
            return;
        }
    }
}

/// An answer that is not out yet.
struct Out(Arc<Exchange>);

impl Drop for Out {
    fn drop(&mut self) {
        self.0.waiting.is_out(self.0.number);
    }
}

/// A body that keeps its exchange until it is out.
pub(super) struct AnswerBody {
    body: Body,
    out: Arc<Out>,
    is_endless: bool,
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        if self.is_endless {
            self.out.0.waiting.endless_is_over();
        }
    }
}

/// A piece of an answer. Of HTTP/2 it may wait for its reader long after its body has ended.
pub(super) struct Piece {
    bytes: Bytes,
    out: Arc<Out>,
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.out.0.goes_on();
        self.bytes.advance(count);
    }

    fn copy_to_bytes(&mut self, length: usize) -> Bytes {
        self.bytes.copy_to_bytes(length)
    }
}

impl http_body::Body for AnswerBody {
    type Data = Piece;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        self.out.0.goes_on();
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        let piece = |bytes| Piece { bytes, out: Arc::clone(&self.out) };
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.map_data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
