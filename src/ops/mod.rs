//! What operators ask and do, beside the Eureka API.
//!
//! | module | what |
//! | --- | --- |
//! | `operations` | instances found, taken out of traffic and back, explained |
//! | `actuator` | Spring Boot's endpoints: health, info, env, figures, loggers, refresh, service registry |
//! | `openapi` | what can be asked of this server, as OpenAPI describes it |
//! | `events` | what happens, for those who follow it |
//! | `webhooks` | the same, sent to those whom the settings name |
//! | `metrics` | figures, targets for Prometheus |
//! | `dashboard` | pages for people |
//! | `body` | bodies of requests |
//! | `figures` | memory, processors, uptime, replicas |
//! | `walks` | whose turn it is to have every instance looked at |
//!
//! Each folder has a `router` of its own paths, made from the same [`Context`]; [`router`] puts them together.

pub mod actuator;
mod body;
pub mod dashboard;
pub mod events;
pub(crate) mod figures;
mod metrics;
mod openapi;
mod operations;
mod walks;
pub mod webhooks;

use std::sync::Arc;

use axum::Router;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::access::{Access, OverLimit};
use crate::catalog::Catalog;
use crate::clock::{Clock, Monotonic};
use crate::http::{Overload, Traffic};
use crate::logging::LogLevels;
use crate::model::Instance;
use crate::peers::{Peers, Regions};
use crate::registry::Registry;
use crate::settings::Settings;

use actuator::{InForce, Refresh};
use events::Events;
pub use operations::Memory;
pub use walks::Walks;
use webhooks::Webhooks;

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
    /// What happens.
    pub events: Events,
    /// Who is told of it.
    pub webhooks: Webhooks,
    /// Who may do what.
    pub access: Access,
    /// What limits refused.
    pub over_limit: Arc<OverLimit>,
    /// Whether there is too much to do.
    pub overload: Arc<Overload>,
    /// Whose turn it is to have every instance looked at.
    pub walks: Walks,
    /// What was asked.
    pub traffic: Arc<Traffic>,
    /// The server's own record.
    pub own: Arc<Instance>,
    /// The settings in force.
    pub settings: watch::Receiver<Settings>,
    /// What operators did here, for undoing it.
    pub operations: Memory,
    /// The time.
    pub clock: Clock,
    /// When the server began.
    pub started: Monotonic,
    /// Cancelled when clients are to go elsewhere.
    pub leaving: CancellationToken,
    /// The log's levels; none in a server without a log of its own.
    pub levels: Option<LogLevels>,
    /// Reads the settings again; none in a server that has nowhere to read them from.
    pub refresh: Option<Refresh>,
    /// Tells which settings are in force; none in such a server.
    pub in_force: Option<InForce>,
}

impl Context {
    /// Whether traffic is welcome: not before the opening, and not during the shutdown.
    pub fn is_ready(&self) -> bool {
        self.registry.is_open() && !self.leaving.is_cancelled()
    }
}

/// What lies beside the API on its own port, below the context path (`server.servlet.context-path`); the actuator
/// only where it has no port of its own.
pub fn router(context: &Context, with_actuator: bool) -> Router {
    let context_path = context.settings.borrow().http.context_path.clone();
    let mut routes = operations::router(context)
        .merge(events::router(context))
        .merge(metrics::router(context))
        .merge(openapi::router(context, &context_path));
    if with_actuator {
        routes = routes.merge(actuator::router(context, &context_path));
    }
    let routes = if context_path.is_empty() { routes } else { Router::new().nest(&context_path, routes) };
    // It tells the context path with a slash from that without.
    routes.merge(dashboard::router(context))
}
