//! One target: events are taken in while others are on their way, so that a slow one loses no more than it must.

use std::pin::pin;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, StatusCode};
use parking_lot::Mutex;
use rand::RngExt as _;
use reqwest::Client;
use tokio::time::{Instant, sleep};

use crate::blocking::off_the_workers;
use crate::clock::Clock;
use crate::ops::events::{Events, Filter};
use crate::peers;
use crate::settings::{OutgoingSecret, Secret, WebhookSettings, text_of_file};

use super::WebhookFigures;
use super::cloud_event;
use super::queue::{Batch, Queue};
use super::signature::{self, SIGNATURE, TIMESTAMP};

/// After a first failure; it doubles with each more.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// A target may ask for a longer wait, up to this.
const LONGEST_WISH: Duration = Duration::from_mins(5);
/// How often the same is told.
const TELL_AGAIN: Duration = Duration::from_mins(1);
/// How many events are taken in at a time.
const AT_A_TIME: usize = 500;
const BYTES_AT_A_TIME: usize = 1 << 20;

/// See the module.
pub(super) struct Target {
    settings: WebhookSettings,
    /// Where it is, without whatever may be secret.
    place: String,
    filter: Filter,
    client: Client,
    clock: Clock,
    /// What a file had when it was last read.
    last_secret: Mutex<Option<Secret>>,
    counters: Counters,
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Counters {
    sent: AtomicU64,
    failed: AtomicU64,
    retried: AtomicU64,
    dropped: AtomicU64,
    queued: AtomicUsize,
}

/// When something was last told, and what has not been since.
#[derive(Debug, Default)]
struct Told {
    failure: Option<Instant>,
    refusal: Option<Instant>,
    drops: Option<Instant>,
    untold_drops: u64,
}

/// What came of a request.
enum Outcome {
    Taken,
    /// It will never be taken.
    Refused(StatusCode),
    /// It may be taken later.
    Failed {
        failure: String,
        wish: Option<Duration>,
    },
}

impl Target {
    pub(super) fn new(settings: WebhookSettings, client: Client, clock: Clock) -> Self {
        let place = settings.url.origin().ascii_serialization();
        let filter = Filter { apps: settings.apps.iter().cloned().collect(), kinds: settings.kinds.clone() };
        let (last_secret, counters, told) = (Mutex::default(), Counters::default(), Mutex::default());
        Self { settings, place, filter, client, clock, last_secret, counters, told }
    }

    pub(super) fn figures(&self) -> WebhookFigures {
        let Counters { sent, failed, retried, dropped, queued } = &self.counters;
        WebhookFigures {
            url: self.place.clone(),
            sent: sent.load(Ordering::Relaxed),
            failed: failed.load(Ordering::Relaxed),
            retried: retried.load(Ordering::Relaxed),
            dropped: dropped.load(Ordering::Relaxed),
            queued: queued.load(Ordering::Relaxed),
        }
    }

    /// Sends what happens from now on, for ever.
    pub(super) async fn serve(&self, events: &Events) {
        let _interest = events.interest();
        events.catch_up().await;
        let (mut cursor, mut published) = (events.last(), events.published());
        let mut queue = Queue::default();
        loop {
            let Some(batch) = self.next(events, &mut cursor, &mut queue) else {
                let _ = published.changed().await;
                continue;
            };
            let mut delivery = pin!(self.deliver(events, &batch));
            loop {
                tokio::select! {
                    () = &mut delivery => break,
                    _ = published.changed() => self.take_in(events, &mut cursor, &mut queue),
                }
            }
        }
    }

    fn next(&self, events: &Events, cursor: &mut u64, queue: &mut Queue) -> Option<Batch> {
        self.take_in(events, cursor, queue);
        let batch = queue.take();
        self.counters.queued.store(queue.len(), Ordering::Relaxed);
        batch
    }

    /// Takes in all that was published.
    fn take_in(&self, events: &Events, cursor: &mut u64, queue: &mut Queue) {
        let mut dropped = 0;
        loop {
            let Some(next) = events.after(*cursor, AT_A_TIME, BYTES_AT_A_TIME) else {
                let last = events.last();
                dropped += queue.lose(last.saturating_sub(*cursor), events.id(last));
                *cursor = last;
                continue;
            };
            let Some(last) = next.last() else { break };
            *cursor = last.id.sequence;
            let wanted = next.into_iter().filter(|event| self.filter.passes(event));
            dropped += wanted.map(|event| queue.push(event)).sum::<u64>();
        }
        self.counters.queued.store(queue.len(), Ordering::Relaxed);
        if dropped > 0 {
            self.tell_drops(dropped);
        }
    }

    /// Sends until it is taken, or refused for good.
    async fn deliver(&self, events: &Events, batch: &Batch) {
        let (content_type, body) = cloud_event::body(batch, events.epoch(), self.clock.now().wall);
        let body = bytes::Bytes::from(body);
        let number = u64::try_from(batch.events.len()).unwrap_or_default();
        let mut wait = FIRST_WAIT;
        loop {
            match self.send(content_type, body.clone()).await {
                Outcome::Taken => {
                    self.counters.sent.fetch_add(number, Ordering::Relaxed);
                    self.tell_success();
                    return;
                }
                Outcome::Refused(status) => {
                    self.counters.failed.fetch_add(number, Ordering::Relaxed);
                    self.tell_refusal(status);
                    return;
                }
                Outcome::Failed { failure, wish } => {
                    self.counters.retried.fetch_add(1, Ordering::Relaxed);
                    self.tell_failure(&failure);
                    // From half of it on, so that the nodes of a cluster do not knock at the same moments.
                    let part = rand::rng().random_range(0.5..1.0);
                    sleep(wait.mul_f64(part).max(wish.unwrap_or_default().min(LONGEST_WISH))).await;
                    wait = (wait * 2).min(LONGEST_WAIT);
                }
            }
        }
    }

    async fn send(&self, content_type: &'static str, body: bytes::Bytes) -> Outcome {
        let secret = match self.secret().await {
            Ok(secret) => secret,
            Err(problem) => return Outcome::Failed { failure: problem, wish: None },
        };
        let mut request = self.client.post(self.settings.url.clone()).header(CONTENT_TYPE, content_type);
        if let Some(secret) = secret {
            let now = self.clock.now().wall / 1_000;
            let signature = signature::of(secret.reveal(), now, &body);
            request = request.header(TIMESTAMP, now).header(SIGNATURE, signature);
        }
        match request.body(body).send().await {
            Ok(response) => outcome(response.status(), response.headers()),
            Err(error) => Outcome::Failed { failure: peers::failure(&error).to_string(), wish: None },
        }
    }

    /// The secret as it is now; what a file had before if it cannot be read.
    async fn secret(&self) -> Result<Option<Secret>, String> {
        let path = match &self.settings.secret {
            None => return Ok(None),
            Some(OutgoingSecret::Text(secret)) => return Ok(Some(secret.clone())),
            Some(OutgoingSecret::File(path)) => path.clone(),
        };
        match off_the_workers(move || text_of_file(&path)).await {
            Ok(text) => {
                let secret = Secret::new(text.as_str());
                *self.last_secret.lock() = Some(secret.clone());
                Ok(Some(secret))
            }
            Err(error) => match self.last_secret.lock().clone() {
                Some(secret) => Ok(Some(secret)),
                None => Err(format!("cannot be told without its secret: {error}")),
            },
        }
    }

    fn tell_failure(&self, failure: &str) {
        if is_due(&mut self.told.lock().failure) {
            tracing::warn!(webhook = self.place, failure, "a webhook fails, events wait and are sent again");
        }
    }

    fn tell_success(&self) {
        if self.told.lock().failure.take().is_some() {
            tracing::info!(webhook = self.place, "a webhook takes events again");
        }
    }

    fn tell_refusal(&self, status: StatusCode) {
        if is_due(&mut self.told.lock().refusal) {
            let status = status.as_u16();
            tracing::warn!(webhook = self.place, status, "a webhook refuses events, they are not sent again");
        }
    }

    fn tell_drops(&self, dropped: u64) {
        self.counters.dropped.fetch_add(dropped, Ordering::Relaxed);
        let mut told = self.told.lock();
        told.untold_drops += dropped;
        if is_due(&mut told.drops) {
            let dropped = std::mem::take(&mut told.untold_drops);
            drop(told);
            tracing::warn!(webhook = self.place, dropped, "events for a webhook were dropped, too many wait");
        }
    }
}

/// Whether something may be told again; it is then.
fn is_due(last: &mut Option<Instant>) -> bool {
    let due = last.is_none_or(|last| last.elapsed() >= TELL_AGAIN);
    if due {
        *last = Some(Instant::now());
    }
    due
}

/// What a status means. A redirection leads to somebody whom the settings do not name.
fn outcome(status: StatusCode, headers: &HeaderMap) -> Outcome {
    let is_later =
        status.is_server_error() || [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(&status);
    if status.is_success() {
        Outcome::Taken
    } else if is_later {
        let wish = headers.get(RETRY_AFTER).and_then(|wish| wish.to_str().ok()?.trim().parse().ok());
        Outcome::Failed { failure: format!("status {}", status.as_u16()), wish: wish.map(Duration::from_secs) }
    } else {
        Outcome::Refused(status)
    }
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Target").field("place", &self.place).finish_non_exhaustive()
    }
}
