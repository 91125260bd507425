//! Wires registry, read model, API and tasks together; owns start-up, the opening for traffic and the
//! order of the shutdown.
//!
//! | file | what |
//! | --- | --- |
//! | `app` | what requests are answered by |
//! | `connections`, `conversation`, `timed_io` | accepting, what is said on a connection, its time limits |
//! | `per_address` | how many connections each address has |
//! | `secured`, `multiplexed` | handshakes, HTTP/2 |
//! | `ending` | the end, in its order |
//! | `exchange` | a request and its answer on a connection, bodies that nobody reads |
//! | `listen` | sockets and the limit of open files |
//! | `opening` | when lists may be read, and with what |
//! | `own_record` | the server's own instance, as `eureka.instance.*` describes it |
//! | `tasks`, `timers` | work on timers, a thread for what must be done in time |
//! | `parts` | what the parts are made from |
//! | `process` | what the process lends: log, settings, signals |
//! | `reload` | settings that are read again while the server runs |
//! | `supervisor` | what the service manager is told |

mod app;
mod complaint;
mod connections;
mod conversation;
mod ending;
mod exchange;
mod listen;
mod multiplexed;
mod opening;
mod own_record;
mod parts;
mod per_address;
mod process;
mod reload;
mod schedule;
mod secured;
mod supervisor;
mod tasks;
mod timed_io;
mod timers;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Clock;
use crate::ops::actuator::{InForce, Refresh};
use crate::settings::{ManagementPort, Settings};
use crate::snapshot::Snapshot;

pub use app::{App, Ops};
pub use listen::{BindError, Inherited, Sockets, raise_file_limit};
pub use own_record::machine;
pub use process::{Process, end_of_process};
pub use reload::ReadSettings;
pub use supervisor::Supervisor;

use connections::Connections;
use ending::Ending;
use exchange::Leftovers;
use per_address::PerAddress;
use reload::Reload;
use tasks::{Tasks, hung_up};
use timed_io::Patience;
use timers::Timers;

/// How long a reader may take nothing of its answer.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);
/// Descriptors that connections never take: logs, peers, what the runtime needs.
const RESERVED_FILES: u64 = 64;

/// Serves until `shutdown` ends, and for `eurekad.http.shutdown-delay` after it; then lets running requests finish
/// within `spring.lifecycle.timeout-per-shutdown-phase`. True when all of them did.
pub async fn serve(
    settings: &Settings,
    sockets: Sockets,
    process: Process,
    shutdown: impl Future<Output = ()>,
) -> bool {
    let Process { access, levels, files, read_settings, hangups, tls, supervisor } = process;
    let app = App::with_tls(&with_real_port(settings, &sockets.api), Clock::system(), &tls);
    let (draining, killed) = (CancellationToken::new(), CancellationToken::new());
    let leaving = CancellationToken::new();
    let (tracker, timers) = (TaskTracker::new(), Timers::start());
    let work = Tasks { tracker, leaving: leaving.clone(), ending: draining.clone(), timers };
    let requests = TaskTracker::new();
    let reload = read_settings.map(|read| Arc::new(Reload::new(app.clone(), read, levels.clone(), tls.clone())));
    if let Some(hangups) = hangups {
        let (reload, registry) = (reload.clone(), Arc::clone(app.registry()));
        work.hang_up(hangups, move || {
            supervisor.while_reloading(&registry, || hung_up(files.as_ref(), reload.as_deref()));
        });
    }
    work.keep_told(supervisor, app.registry());
    if let Some(reload) = reload.clone() {
        work.watch_trees(&app, reload);
    }
    app.start_tasks(&work);
    work.watch_certificates(&app, tls.clone());
    let snapshot = Snapshot::of(&settings.snapshot, app.registry(), app.clock());
    work.find_peers(&app, snapshot.as_ref()).await;
    if let Some(snapshot) = snapshot.clone() {
        work.keep_snapshot(&app, snapshot);
    }

    let in_force = reload.clone().map(|reload| -> InForce { Arc::new(move || reload.in_force()) });
    let refresh = reload.map(|reload| -> Refresh { Arc::new(move || reload.run()) });
    let ops = Ops { leaving: leaving.clone(), levels, refresh, in_force };
    let logged = |router: Router| access.as_ref().map_or(router.clone(), |access| access.over(router));
    let (router, management) = match settings.management.port {
        ManagementPort::Same => (app.with_operations(ops, true), None),
        ManagementPort::Own(_) => (app.with_operations(ops.clone(), false), Some(app.actuator(ops))),
        ManagementPort::Off => (app.with_operations(ops, false), None),
    };
    let answers_are_last = Arc::new(AtomicBool::new(false));
    // The log sees all requests, so all go its way then.
    let api = access.is_none().then(|| app.api().clone());
    let connections = Connections {
        api,
        router: logged(router),
        tls: tls.server,
        refused: Arc::default(),
        patience: Patience {
            head: settings.http.head_timeout,
            idle: settings.http.idle_timeout,
            write: WRITE_PATIENCE,
            exchanges: settings.http.request_timeout.saturating_add(WRITE_PATIENCE),
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
        per_address: PerAddress::new(settings.http.max_connections_per_address),
        over_limit: Arc::clone(app.over_limit()),
        traffic: Arc::clone(app.traffic()),
        tasks: requests.clone(),
        answers_are_last: Arc::clone(&answers_are_last),
        draining: draining.clone(),
        killed: killed.clone(),
    };
    if let (Some(listener), Some(router)) = (sockets.management, management) {
        // Probes get through when clients have taken every connection.
        let permits = Arc::new(Semaphore::new(MANAGEMENT_CONNECTIONS));
        let per_address = PerAddress::default();
        let (api, router, tls) = (None, logged(router), tls.management);
        let own = Connections { api, router, tls, permits, per_address, ..connections.clone() };
        requests.spawn(own.serve(listener));
    }
    for listener in sockets.api {
        requests.spawn(connections.clone().serve(listener));
    }

    shutdown.await;
    Ending { app, work, requests, answers_are_last, killed, supervisor, snapshot }.run(&settings.http).await
}

/// Connections to a management port of its own.
const MANAGEMENT_CONNECTIONS: usize = 64;

/// `server.port=0` is whatever port is free, and an inherited socket has one of its own: the own record tells which.
fn with_real_port(settings: &Settings, listeners: &[TcpListener]) -> Settings {
    let mut settings = settings.clone();
    if let Some(address) = listeners.first().and_then(|listener| listener.local_addr().ok()) {
        settings.http.port = address.port();
    }
    settings
}

/// The user's limit, unless fewer files may be open.
fn most_connections(wanted: usize) -> usize {
    let files = listen::file_limit().map_or(u64::MAX, |files| files.saturating_sub(RESERVED_FILES).max(1));
    usize::try_from(files).unwrap_or(usize::MAX).min(wanted).clamp(1, Semaphore::MAX_PERMITS)
}
