//! `GET /eureka/events/poll`: the next events as one JSON document, for those who cannot read a stream.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Version};
use tokio::time::Instant;

use super::Serving;
use super::event::Event;
use super::filter::Filter;
use super::hub::Place;
use super::id::EventId;
use super::question::{Begin, Question};
use super::reader::{AT_A_TIME, Next, Reader};
use super::snapshot::Snapshot;

/// Answers a reader that has a place: at once if there is something, else as soon as there is or the wait is over.
pub(super) async fn answer(serving: &Serving, place: Place, question: Question, version: Version) -> Response {
    let events = &serving.events;
    let wait = match version {
        Version::HTTP_2 => question.wait.min(serving.longest_silence),
        _ => question.wait,
    };
    let cursor = match question.begin(events) {
        Begin::After(cursor) => cursor,
        begin => {
            let is_gap = matches!(begin, Begin::Gap(_));
            if let Begin::Gap(reason) = begin {
                serving.tell_gap(reason);
            }
            if question.snapshot {
                return with_instances(place, question.filter, is_gap, events.snapshot().await);
            }
            return json(document(events.id(events.last()), is_gap, &[]));
        }
    };
    let mut reader = Reader::new(place, question.filter, cursor);
    let next = reader.next(question.limit, Instant::now() + wait);
    let found = serving.leaving.run_until_cancelled(next).await;
    match found {
        Some(Next::Events(found)) => json(document(events.id(reader.cursor), false, &found)),
        Some(Next::Nothing) | None => json(document(events.id(reader.cursor), false, &[])),
        Some(Next::Gone) => {
            serving.tell_gap("not kept any more");
            json(document(events.id(events.last()), true, &[]))
        }
    }
}

fn document(id: EventId, is_gap: bool, events: &[Arc<Event>]) -> Vec<u8> {
    let mut document = format!(r#"{{"id":"{id}","gap":{is_gap},"events":["#).into_bytes();
    for (place, event) in events.iter().enumerate() {
        if place > 0 {
            document.push(b',');
        }
        document.extend_from_slice(&event.json());
    }
    document.extend_from_slice(b"]}");
    document
}

/// All instances, written piece by piece as they are read.
fn with_instances(place: Place, filter: Filter, is_gap: bool, snapshot: Arc<Snapshot>) -> Response {
    let id = place.events.id(snapshot.sequence);
    let head = format!(r#"{{"id":"{id}","gap":{is_gap},"events":[],"instances":["#);
    let begun = (place, filter, snapshot, 0, true, Some(Bytes::from(head)));
    let pieces = stream::unfold(Some(begun), |begun| async move {
        let (place, filter, snapshot, mut next, mut is_first, head) = begun?;
        if let Some(head) = head {
            return Some((Ok::<_, Infallible>(head), Some((place, filter, snapshot, next, is_first, None))));
        }
        let registry = place.events.registry();
        let mut json = snapshot.write_members(&mut next, &filter, registry, AT_A_TIME, &mut is_first).await;
        if next < snapshot.leases.len() {
            return Some((Ok(json.into()), Some((place, filter, snapshot, next, is_first, None))));
        }
        json.extend_from_slice(b"]}");
        Some((Ok(json.into()), None))
    });
    json(Body::from_stream(pieces))
}

fn json(body: impl Into<Body>) -> Response {
    const HEADERS: [(http::HeaderName, HeaderValue); 2] = [
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (HEADERS, body.into()).into_response()
}
