//! What operators ask and do, beside the Eureka API.
//!
//! | module | what |
//! | --- | --- |
//! | `actuator` | Spring Boot's endpoints: health, loggers, refresh |
//! | `dashboard` | pages for people |
//! | `figures` | memory, processors, uptime, replicas |
//!
//! Each folder has a `router` of its own paths, made from the same [`Context`]; [`router`] puts them together.

pub mod actuator;
pub mod dashboard;
pub(crate) mod figures;

use std::sync::Arc;

use axum::Router;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::access::{Access, OverLimit};
use crate::catalog::Catalog;
use crate::clock::{Clock, Monotonic};
use crate::http::Overload;
use crate::logging::LogLevels;
use crate::model::Instance;
use crate::peers::{Peers, Regions};
use crate::registry::Registry;
use crate::settings::Settings;

use actuator::Refresh;

/// What the endpoints work on. Copies are the same one.
#[derive(Clone)]
pub struct Context {
    /// The state.
    pub registry: Arc<Registry>,
    /// Its read model.
    pub catalog: Arc<Catalog>,
    /// The other nodes.
    pub peers: Peers,
    /// The remote regions.
    pub regions: Regions,
    /// Who may do what.
    pub access: Access,
    /// What limits refused.
    pub over_limit: Arc<OverLimit>,
    /// Whether there is too much to do.
    pub overload: Arc<Overload>,
    /// The server's own record.
    pub own: Arc<Instance>,
    /// The settings in force.
    pub settings: watch::Receiver<Settings>,
    /// The time.
    pub clock: Clock,
    /// When the server began.
    pub started: Monotonic,
    /// Cancelled when the server refuses traffic.
    pub draining: CancellationToken,
    /// The log's levels; none in a server without a log of its own.
    pub levels: Option<LogLevels>,
    /// Reads the settings again; none in a server that has nowhere to read them from.
    pub refresh: Option<Refresh>,
}

impl Context {
    /// Whether traffic is welcome: not before the opening, and not during the shutdown.
    pub fn is_ready(&self) -> bool {
        self.registry.is_open() && !self.draining.is_cancelled()
    }
}

/// What lies beside the API on its own port, below the context path (`server.servlet.context-path`); the actuator
/// only where it has no port of its own.
pub fn router(context: &Context, with_actuator: bool) -> Router {
    let context_path = context.settings.borrow().http.context_path.clone();
    let mut routes = Router::new();
    if with_actuator {
        routes = routes.merge(actuator::router(context, &context_path));
    }
    let routes = if context_path.is_empty() { routes } else { Router::new().nest(&context_path, routes) };
    // It tells the context path with a slash from that without.
    routes.merge(dashboard::router(context))
}
