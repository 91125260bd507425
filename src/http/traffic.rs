//! How many requests there were, of which kind, and how long they took; and how many connections there are.
//!
//! There is a cell for each template of a path, method and status that was ever answered, so that who asks cannot
//! make more of them: a name in a path is never part of one. An answer costs two looks at the clock and four
//! additions, without a lock. The time is that until the head of the answer is there; its body may take longer.
//! (Java's are Micrometer's; there all that its resources answer with success is of one template, `UNKNOWN`.)

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::middleware::{Next, from_fn};
use http::{Method, StatusCode};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::route::Route;

/// Upper ends of all buckets but the last, in seconds.
pub const BUCKETS: [f64; 7] = [0.0005, 0.002, 0.01, 0.05, 0.25, 1.0, 5.0];
const BUCKET_NANOS: [u64; 7] = [500_000, 2_000_000, 10_000_000, 50_000_000, 250_000_000, 1_000_000_000, 5_000_000_000];

/// Those that have a name; the frequent ones come first.
const METHODS: [Method; 6] = [Method::PUT, Method::GET, Method::POST, Method::DELETE, Method::HEAD, Method::OPTIONS];
const CODES: [u16; 20] =
    [200, 204, 404, 304, 409, 503, 401, 403, 400, 405, 406, 408, 413, 414, 415, 422, 429, 431, 302, 500];

/// See the module.
#[derive(Debug)]
pub struct Traffic {
    /// By route, method and status; the last of each is for all others.
    api: Box<[OnceLock<Box<Cell>>]>,
    /// What is beside the API, by its template; held for one look-up.
    beside: Mutex<BTreeMap<(String, usize, u16), Arc<Cell>>>,
    in_flight: AtomicU64,
    connections: AtomicU64,
    accepted: AtomicU64,
}

/// What was answered to requests of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Served {
    /// The template of their path; none where there is nothing at their paths.
    pub template: Option<String>,
    /// Their method; none if it is an unusual one.
    pub method: Option<Method>,
    /// The status; none if it is an unusual one.
    pub status: Option<StatusCode>,
    /// How many took how long: up to each of [`BUCKETS`], and longer.
    pub buckets: [u64; BUCKETS.len() + 1],
    /// How long all of them took.
    pub took: Duration,
}

#[derive(Debug, Default)]
struct Cell {
    buckets: [AtomicU64; BUCKETS.len() + 1],
    nanos: AtomicU64,
}

impl Cell {
    fn count(&self, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let place = BUCKET_NANOS.iter().position(|end| nanos <= *end).unwrap_or(BUCKET_NANOS.len());
        if let Some(bucket) = self.buckets.get(place) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    fn served(&self, template: Option<String>, method: usize, status: Option<u16>) -> Served {
        Served {
            template,
            method: METHODS.get(method).cloned(),
            status: status.and_then(|status| StatusCode::from_u16(status).ok()),
            buckets: std::array::from_fn(|place| {
                self.buckets.get(place).map_or(0, |bucket| bucket.load(Ordering::Relaxed))
            }),
            took: Duration::from_nanos(self.nanos.load(Ordering::Relaxed)),
        }
    }
}

impl Default for Traffic {
    fn default() -> Self {
        let cells = Route::ALL.len() * (METHODS.len() + 1) * (CODES.len() + 1);
        Self {
            api: (0..cells).map(|_| OnceLock::new()).collect(),
            beside: Mutex::default(),
            in_flight: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            accepted: AtomicU64::new(0),
        }
    }
}

/// A request that is being answered; one that is given up counts no longer.
pub(super) struct Running<'a> {
    traffic: &'a Traffic,
    begin: Instant,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.traffic.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Running<'_> {
    /// Counts a request of the API by its answer.
    pub(super) fn answered(self, route: Route, method: &Method, status: StatusCode) {
        let code = status.as_u16();
        let code = CODES.iter().position(|other| *other == code).unwrap_or(CODES.len());
        let place = (route as usize * (METHODS.len() + 1) + place_of(method)) * (CODES.len() + 1) + code;
        if let Some(cell) = self.traffic.api.get(place) {
            cell.get_or_init(Box::default).count(self.begin.elapsed());
        }
    }
}

fn place_of(method: &Method) -> usize {
    METHODS.iter().position(|other| other == method).unwrap_or(METHODS.len())
}

/// A connection that counts until this is dropped.
#[derive(Debug)]
pub struct OpenConnection(Arc<Traffic>);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Traffic {
    /// A request begins.
    pub(super) fn begin(&self) -> Running<'_> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        Running { traffic: self, begin: Instant::now() }
    }

    /// A connection begins.
    pub fn connected(self: Arc<Self>) -> OpenConnection {
        self.connections.fetch_add(1, Ordering::Relaxed);
        self.accepted.fetch_add(1, Ordering::Relaxed);
        OpenConnection(self)
    }

    /// The same routes, each counted by the template of its path below the context path.
    pub fn over(self: &Arc<Self>, router: Router, context_path: &str) -> Router {
        let (traffic, context_path) = (Arc::clone(self), context_path.to_owned());
        router.layer(from_fn(move |request: Request, next: Next| {
            let (traffic, context_path) = (Arc::clone(&traffic), context_path.clone());
            async move {
                let template = request.extensions().get().map(|path: &MatchedPath| path.as_str().to_owned());
                let method = place_of(request.method());
                let running = traffic.begin();
                let answer = next.run(request).await;
                if let Some(template) = template {
                    let below = template.strip_prefix(&context_path).unwrap_or(&template).to_owned();
                    let kind = (below, method, answer.status().as_u16());
                    let cell = Arc::clone(traffic.beside.lock().entry(kind).or_default());
                    cell.count(running.begin.elapsed());
                }
                answer
            }
        }))
    }

    /// All that was answered so far.
    pub fn served(&self) -> Vec<Served> {
        let methods = METHODS.len() + 1;
        let codes = CODES.len() + 1;
        let api = self.api.iter().enumerate().filter_map(|(place, cell)| {
            let route = Route::ALL.get(place / codes / methods)?;
            let template = route.template().map(str::to_owned);
            Some(cell.get()?.served(template, place / codes % methods, CODES.get(place % codes).copied()))
        });
        let mut served: Vec<_> = api.collect();
        let beside = self.beside.lock();
        served.extend(
            beside
                .iter()
                .map(|((template, method, status), cell)| cell.served(Some(template.clone()), *method, Some(*status))),
        );
        served
    }

    /// Requests that are being answered now.
    pub fn in_flight(&self) -> u64 {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Connections that are open now.
    pub fn open_connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }

    /// Connections since the start.
    pub fn accepted_connections(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_counted_apart_and_unusual_ones_together() {
        let traffic = Traffic::default();
        let answer = |route, method: &str, status| {
            let method = Method::from_bytes(method.as_bytes()).unwrap_or_default();
            traffic.begin().answered(route, &method, StatusCode::from_u16(status).unwrap_or_default());
        };
        for _ in 0..3 {
            answer(Route::Instance, "PUT", 200);
        }
        answer(Route::Instance, "PUT", 404);
        answer(Route::Asg, "PUT", 200);
        answer(Route::Nothing, "BREW", 418);
        answer(Route::Nothing, "WHEN", 599);
        let served: Vec<_> = traffic.served();
        let shown: Vec<_> = served
            .iter()
            .map(|served| {
                let count: u64 = served.buckets.iter().sum();
                (served.template.as_deref(), served.method.as_ref(), served.status.map(|status| status.as_u16()), count)
            })
            .collect();
        let (put, instance) = (Some(&Method::PUT), Some("/eureka/apps/{app}/{id}"));
        assert_eq!(
            shown,
            [
                (instance, put, Some(200), 3),
                (instance, put, Some(404), 1),
                (Some("/eureka/asg/{name}/status"), put, Some(200), 1),
                (None, None, None, 2)
            ]
        );
        assert_eq!(traffic.in_flight(), 0);
    }

    #[test]
    fn buckets_have_the_same_ends_in_both_units() {
        for (seconds, nanos) in BUCKETS.iter().zip(BUCKET_NANOS) {
            assert_eq!(Duration::from_secs_f64(*seconds), Duration::from_nanos(nanos));
        }
        let cell = Cell::default();
        for millis in [0, 1, 2, 3, 60_000] {
            cell.count(Duration::from_millis(millis));
        }
        let served = cell.served(None, 0, None);
        assert_eq!((served.buckets, served.took.as_millis()), ([1, 2, 1, 0, 0, 0, 0, 1], 60_006));
    }
}
