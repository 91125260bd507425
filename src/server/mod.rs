//! Wires registry, read model, API and tasks together; owns start-up, the opening for traffic and the
//! order of the shutdown.
//!
//! | file | what |
//! | --- | --- |
//! | `connections`, `timed_io` | accepting, time limits of a connection |
//! | `exchange` | a request and its answer on a connection, bodies that nobody reads |
//! | `listen` | sockets and the limit of open files |
//! | `own_record` | the server's own instance, as `eureka.instance.*` describes it |
//! | `figures` | memory, processors, uptime for the status document |
//! | `tasks` | work on timers |

mod connections;
mod exchange;
mod figures;
mod listen;
mod own_record;
mod tasks;
mod timed_io;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use axum::Router;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::codec::StatusDocument;
use crate::http::{Api, BodiesInFlight, BodyLimits, RequestSettings, router};
use crate::logging::AccessLog;
use crate::registry::{Registry, Rules};
use crate::settings::Settings;

pub use listen::{bind, raise_file_limit};

use connections::Connections;
use exchange::Leftovers;
use tasks::Tasks;
use timed_io::Patience;

/// How long a reader may take nothing of its answer.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);
/// Descriptors that connections never take: logs, peers, what the runtime needs.
const RESERVED_FILES: u64 = 64;

/// A server without sockets and timers: what requests are answered by.
#[derive(Clone)]
pub struct App {
    registry: Arc<Registry>,
    catalog: Arc<Catalog>,
    router: Router,
    clock: Clock,
    requests: Arc<ArcSwap<RequestSettings>>,
    /// The settings in force; timers follow them.
    settings: watch::Sender<Settings>,
}

impl App {
    /// Makes one, with an empty registry that is not open for traffic yet.
    pub fn new(settings: &Settings, clock: Clock) -> Self {
        let registry = Arc::new(Registry::new(rules(settings), clock.clone()));
        let catalog = Arc::new(Catalog::new(Arc::clone(&registry), settings.catalog.clone(), clock.clone()));
        let requests = Arc::new(ArcSwap::from_pointee(request_settings(settings)));
        let api = Api {
            registry: Arc::clone(&registry),
            catalog: Arc::clone(&catalog),
            settings: Arc::clone(&requests),
            status: status_document(settings, &clock),
            bodies: BodiesInFlight::new(settings.http.bodies_in_flight),
            refused: Arc::default(),
            clock: clock.clone(),
        };
        let router = router(api, &settings.http.context_path);
        let (settings, _) = watch::channel(settings.clone());
        Self { registry, catalog, router, clock, requests, settings }
    }

    /// The API.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// The registry.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The read model.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Opens for traffic. There are no peers to copy from yet, so nothing was copied.
    pub fn open(&self) {
        self.registry.open(0);
    }

    /// Goes by other settings from now on, as far as they can change while the server runs: leases,
    /// self-preservation, the life of answers, the delta, bounds of bodies and the timers of all that.
    /// Addresses, ports, time limits of connections, the frozen copy, the size of the delta and the own
    /// record stay as they were at the start.
    pub fn change_settings(&self, settings: &Settings) {
        self.registry.change_rules(rules(settings));
        self.catalog.change_settings(settings.catalog.clone());
        self.requests.store(Arc::new(request_settings(settings)));
        self.settings.send_replace(settings.clone());
    }

    fn start_tasks(&self, tasks: &Tasks) {
        tasks::start(tasks, &self.registry, &self.catalog, &self.clock, &self.settings.subscribe());
    }
}

/// Serves until `shutdown` ends, then lets running requests finish within
/// `spring.lifecycle.timeout-per-shutdown-phase`. True when all of them did.
pub async fn serve(
    settings: &Settings,
    listeners: Vec<TcpListener>,
    access: Option<AccessLog>,
    shutdown: impl Future<Output = ()>,
) -> bool {
    let app = App::new(settings, Clock::system());
    let (draining, killed) = (CancellationToken::new(), CancellationToken::new());
    let work = Tasks { tracker: TaskTracker::new(), ending: draining.clone() };
    let requests = TaskTracker::new();
    app.open();
    app.start_tasks(&work);

    let connections = Connections {
        router: access.map_or_else(|| app.router(), |access| access.over(app.router())),
        patience: Patience {
            head: settings.http.head_timeout,
            idle: settings.http.idle_timeout,
            write: WRITE_PATIENCE,
        },
        head_limit: settings.http.head_limit,
        leftovers: Arc::new(Leftovers {
            time: settings.http.request_timeout,
            bytes: settings.http.body_limit,
            tasks: requests.clone(),
            runtime: Handle::current(),
            draining: draining.clone(),
        }),
        permits: Arc::new(Semaphore::new(most_connections(settings.http.max_connections))),
        tasks: requests.clone(),
        draining: draining.clone(),
        killed: killed.clone(),
    };
    for listener in listeners {
        requests.spawn(connections.clone().serve(listener));
    }

    shutdown.await;
    tracing::info!("shutting down, running requests may finish");
    draining.cancel();
    requests.close();
    work.tracker.close();
    let all = async {
        requests.wait().await;
        work.tracker.wait().await;
    };
    let clean = tokio::time::timeout(settings.http.shutdown_timeout, all).await.is_ok();
    killed.cancel();
    clean
}

fn rules(settings: &Settings) -> Rules {
    Rules {
        leases: settings.leases.clone(),
        preservation: settings.preservation.clone(),
        opening: settings.opening.clone(),
        catalog: settings.catalog.clone(),
    }
}

fn request_settings(settings: &Settings) -> RequestSettings {
    RequestSettings {
        limits: BodyLimits {
            bytes: settings.http.body_limit,
            time: settings.http.request_timeout,
            content: settings.limits,
        },
        delta_enabled: settings.catalog.delta_enabled,
    }
}

/// The user's limit, unless fewer files may be open.
fn most_connections(wanted: usize) -> usize {
    let files = listen::file_limit().map_or(u64::MAX, |files| files.saturating_sub(RESERVED_FILES).max(1));
    usize::try_from(files).unwrap_or(usize::MAX).min(wanted).clamp(1, Semaphore::MAX_PERMITS)
}

fn status_document(settings: &Settings, clock: &Clock) -> Arc<dyn Fn() -> StatusDocument + Send + Sync> {
    let own = Arc::new(own_record::own_record(settings, clock.now().wall));
    // There are no peers yet: none is registered, none available.
    let healthy = settings.replication.min_available_peers.map(|wanted| wanted == 0);
    let started = clock.mono();
    let clock = clock.clone();
    Arc::new(move || StatusDocument {
        general: figures::general(clock.mono().since(started)),
        application: ["registered-replicas", "available-replicas", "unavailable-replicas"]
            .map(|name| (name, String::new()))
            .to_vec(),
        own: Arc::clone(&own),
        healthy,
    })
}
