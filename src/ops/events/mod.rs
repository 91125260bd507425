//! What happens, told as it happens (no counterpart in a Java server).
//!
//! Changes of instances come from the registry's log, and with them what peers and self-preservation do; each
//! becomes one [`Event`] with one number, written once. Readers have a place of their own among the last events:
//! one that is slow holds up nobody and costs nothing, and one that is too slow is closed. Whoever comes back goes
//! on after the last event that it has, or is told that it missed something. `docs/events.md` is for readers.
//!
//! | file | what |
//! | --- | --- |
//! | `event`, `id` | an event, its bytes and its number |
//! | `window` | the last events |
//! | `hub` | from the registry into the window |
//! | `snapshot` | all instances at one number |
//! | `interest` | whether anybody wants any |
//! | `filter`, `question` | what a reader wants |
//! | `reader` | a reader's place |
//! | `stream`, `poll` | server-sent events, long poll |
//! | `figures` | what is counted |

mod event;
mod figures;
mod filter;
mod hub;
mod id;
mod interest;
mod poll;
mod question;
mod reader;
mod snapshot;
mod stream;
mod window;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::request::Parts;
use http::{HeaderValue, StatusCode};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::access::Needs;
use crate::http::Overload;
use crate::settings::{LONGEST_KEEP_ALIVE, Role};

use super::Context;

pub use event::Event;
pub use figures::EventFigures;
pub use filter::Filter;
pub use hub::Events;
pub use id::EventId;
pub use interest::Interest;

use hub::Place;
use question::Question;

/// Marks an answer that goes on until one side ends it: a shutdown does not wait for who reads it.
#[derive(Clone, Copy, Debug)]
pub struct Endless;

/// What readers are answered by.
#[derive(Clone)]
struct Serving {
    events: Events,
    overload: Arc<Overload>,
    max_readers: usize,
    keep_alive: Duration,
    /// A connection with many requests at a time is closed when nothing was sent on it for some longer.
    longest_silence: Duration,
    leaving: CancellationToken,
}

/// The paths of readers.
pub fn router(context: &Context) -> Router {
    let settings = context.settings.borrow();
    let serving = Serving {
        events: context.events.clone(),
        overload: Arc::clone(&context.overload),
        max_readers: settings.events.max_readers,
        keep_alive: settings.events.keep_alive,
        longest_silence: settings.http.request_timeout.saturating_add(LONGEST_KEEP_ALIVE),
        leaving: context.leaving.clone(),
    };
    let routes = Router::new()
        .route("/eureka/events", get(stream_events))
        .route("/eureka/v2/events", get(stream_events))
        .route("/eureka/events/poll", get(poll_events))
        .route("/eureka/v2/events/poll", get(poll_events));
    context.access.over(routes, Needs::Role(Role::Read)).with_state(serving)
}

async fn stream_events(State(serving): State<Serving>, request: Request) -> Response {
    let (head, _body) = request.into_parts();
    match serving.begin(&head).await {
        Ok((question, place)) => stream::answer(&serving, place, question).await,
        Err(refusal) => refusal,
    }
}

async fn poll_events(State(serving): State<Serving>, request: Request) -> Response {
    let (head, _body) = request.into_parts();
    match serving.begin(&head).await {
        Ok((question, place)) => poll::answer(&serving, place, question, head.version).await,
        Err(refusal) => refusal,
    }
}

impl Serving {
    /// What is asked, and a place for who asks; everything until now has become an event then.
    async fn begin(&self, head: &Parts) -> Result<(Question, Place), Response> {
        let question =
            Question::of(&head.uri, &head.headers).map_err(|mistake| refused(StatusCode::BAD_REQUEST, &mistake))?;
        if question.snapshot {
            // Part of a list must not be taken for the whole.
            if !self.events.registry().is_open() {
                return Err(later("not open for traffic yet"));
            }
            if self.overload.is_shedding() {
                return Err(later("there is too much to do"));
            }
        }
        let place = self.events.admit(self.max_readers);
        let place = place.ok_or_else(|| later("there are eurekad.events.max-readers already"))?;
        self.events.catch_up().await;
        Ok((question, place))
    }

    fn tell_gap(&self, reason: &'static str) {
        self.events.counters().gaps.fetch_add(1, Ordering::Relaxed);
        tracing::debug!(reason, "a reader of events has missed some");
    }
}

fn refused(status: StatusCode, error: &str) -> Response {
    const JSON: HeaderValue = HeaderValue::from_static("application/json");
    (status, [(CONTENT_TYPE, JSON)], json!({"error": error}).to_string()).into_response()
}

fn later(error: &str) -> Response {
    let mut response = refused(StatusCode::SERVICE_UNAVAILABLE, error);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    response
}

#[cfg(test)]
pub(super) mod tests;
