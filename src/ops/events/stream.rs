//! `GET /eureka/events`: server-sent events, for browsers and for programs that read line by line.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderName, HeaderValue};
use rand::RngExt as _;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::event;
use super::hub::Place;
use super::question::{Begin, Question};
use super::reader::{AT_A_TIME, Next, Reader};
use super::snapshot::Snapshot;
use super::{Endless, Serving};

/// A reader whose next event is not kept any more.
#[derive(Debug, thiserror::Error)]
#[error("the reader was too slow")]
struct TooSlow;

/// An answer that goes on until one side ends it.
struct Stream {
    reader: Reader,
    /// What comes before anything else.
    opening: Vec<u8>,
    /// All instances, and the place of the next.
    snapshot: Option<(Arc<Snapshot>, usize)>,
    keep_alive: Duration,
    leaving: CancellationToken,
}

/// Answers a reader that has a place.
pub(super) async fn answer(serving: &Serving, place: Place, question: Question) -> Response {
    let events = &serving.events;
    let begin = question.begin(events);
    // Readers that lost their server do not come back all at once.
    let retry = rand::rng().random_range(1_000..5_000);
    let mut opening = format!("retry: {retry}\n\n").into_bytes();
    let wants_snapshot = question.snapshot && !matches!(begin, Begin::After(_));
    let snapshot = if wants_snapshot { Some(events.snapshot().await) } else { None };
    let last = snapshot.as_ref().map_or_else(|| events.last(), |snapshot| snapshot.sequence);
    let cursor = match begin {
        Begin::After(cursor) => cursor,
        Begin::Now => last,
        Begin::Gap(reason) => {
            serving.tell_gap(reason);
            let since = question.since.as_deref().unwrap_or_default();
            opening.extend_from_slice(&event::gap_frame(events.id(last), since, reason, snapshot.is_none()));
            last
        }
    };
    if snapshot.is_none() && begin == Begin::Now {
        opening.extend_from_slice(&event::ready_frame(events.id(last)));
    }
    let stream = Stream {
        reader: Reader::new(place, question.filter, cursor),
        opening,
        snapshot: snapshot.map(|snapshot| (snapshot, 0)),
        keep_alive: serving.keep_alive,
        leaving: serving.leaving.clone(),
    };
    let body = Body::from_stream(stream::unfold(Some(stream), |stream| async move {
        let mut stream = stream?;
        match stream.next().await {
            Ok(Some(bytes)) => Some((Ok(bytes), Some(stream))),
            Ok(None) => None,
            // The connection is closed then.
            Err(slow) => Some((Err(slow), None)),
        }
    }));
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // nginx would keep events back until there are some kilobytes of them.
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    let mut response = (headers, body).into_response();
    response.extensions_mut().insert(Endless);
    response
}

impl Stream {
    /// The next bytes; none at the end.
    async fn next(&mut self) -> Result<Option<Bytes>, TooSlow> {
        self.reader.asks();
        let leaving = self.leaving.clone();
        let Some(bytes) = leaving.run_until_cancelled(self.bytes()).await else { return Ok(None) };
        self.reader.takes();
        bytes.map(Some)
    }

    async fn bytes(&mut self) -> Result<Bytes, TooSlow> {
        if !self.opening.is_empty() {
            return Ok(std::mem::take(&mut self.opening).into());
        }
        if let Some((snapshot, next)) = &mut self.snapshot {
            let registry = self.reader.place.events.registry();
            let mut frames = snapshot.write_frames(next, &self.reader.filter, registry, AT_A_TIME).await;
            if *next == snapshot.leases.len() {
                frames.extend_from_slice(&event::ready_frame(self.reader.place.events.id(snapshot.sequence)));
                self.snapshot = None;
            }
            return Ok(frames.into());
        }
        match self.reader.next(usize::MAX, Instant::now() + self.keep_alive).await {
            Next::Events(events) => Ok(joined(events.iter().map(|event| event.frame()))),
            // A place without an event: whoever wants few events goes on from here all the same.
            Next::Nothing => {
                let id = self.reader.place.events.id(self.reader.cursor);
                Ok(format!(":\nid: {id}\n\n").into())
            }
            Next::Gone => {
                self.reader.dropped("it fell behind what is kept");
                Err(TooSlow)
            }
        }
    }
}

/// One after the other; a single one is not copied.
fn joined<'a>(frames: impl ExactSizeIterator<Item = &'a Bytes>) -> Bytes {
    let mut frames = frames;
    match (frames.len(), frames.next()) {
        (1, Some(frame)) => frame.clone(),
        (_, first) => {
            let mut all = Vec::with_capacity(AT_A_TIME);
            first.into_iter().chain(frames).for_each(|frame| all.extend_from_slice(frame));
            all.into()
        }
    }
}
