//! The Eureka API over HTTP: one file a resource, as in Java's `com.netflix.eureka.resources`.
//!
//! Everything lies below `/eureka` and `/eureka/v2` alike. A request passes, in Java's order: path
//! (404), method (405), request type (415), `Accept` (406), body (400).
//!
//! | file | Java's resource |
//! | --- | --- |
//! | `apps` | `ApplicationsResource`, `ApplicationResource` |
//! | `instance` | `InstanceResource`, `InstancesResource` |
//! | `status` | status override of `InstanceResource` |
//! | `metadata` | metadata of `InstanceResource` |
//! | `vips` | `VIPResource`, `SecureVIPResource` |
//! | `peerreplication` | `PeerReplicationResource` |
//! | `serverinfo` | `ServerInfoResource`, `StatusResource`, `ASGResource` |
//!
//! The rest serves them: `path` (what counts as the same path), `negotiation`, `body` (reading one
//! within limits), `query`, `regions`, `overload`, `error`, `respond`.

mod apps;
mod body;
mod error;
mod instance;
mod metadata;
mod negotiation;
mod overload;
mod path;
mod peerreplication;
mod query;
mod regions;
mod respond;
mod serverinfo;
mod status;
mod vips;

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use axum::Router;
use axum::response::Response;
use axum::routing::{MethodRouter, get, post, put};
use http::{HeaderMap, StatusCode};
use tower::util::MapResponseLayer;

use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::codec::{Limits, StatusDocument};
use crate::peers::{Identity, NODE_HEADER, NodeId, Peers, Receiver};
use crate::registry::{Origin, Registry};

pub use body::BodiesInFlight;
pub use overload::{Overload, Shedding};

/// What the resources work on.
#[derive(Clone)]
pub struct Api {
    /// The registry.
    pub registry: Arc<Registry>,
    /// Its read model.
    pub catalog: Arc<Catalog>,
    /// What may change while requests come in.
    pub settings: Arc<ArcSwap<RequestSettings>>,
    /// Makes the status document of now.
    pub status: Arc<dyn Fn() -> StatusDocument + Send + Sync>,
    /// Whether whole lists are refused, since there is too much to do.
    pub overload: Arc<Overload>,
    /// Room for large bodies.
    pub bodies: BodiesInFlight,
    /// Takes what peers send.
    pub receiver: Receiver,
    /// Who the other nodes are.
    pub peers: Arc<Peers>,
    /// Who this node is.
    pub node: NodeId,
    /// The time.
    pub clock: Clock,
}

/// What the user says of requests.
#[derive(Clone, Copy, Debug)]
pub struct RequestSettings {
    /// Bounds for bodies.
    pub limits: BodyLimits,
    /// Whether `apps/delta` answers (`disable-delta`).
    pub delta_enabled: bool,
}

/// Bounds for request bodies.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimits {
    /// Bytes after decompression (`eurekad.limits.body-size`).
    pub bytes: usize,
    /// How long a body may take to arrive (`eurekad.http.request-timeout`).
    pub time: Duration,
    /// What may be in it.
    pub content: Limits,
}

/// All routes, below a context path (`server.servlet.context-path`: empty or `/x`).
pub fn router(api: Api, context_path: &str) -> Router {
    const READ: &str = "HEAD,GET,OPTIONS";
    let resources = Router::new()
        .route("/apps", taking(READ, get(apps::all)))
        .route("/apps/delta", taking(READ, get(apps::delta)))
        .route("/apps/{app}", taking("HEAD,POST,GET,OPTIONS", get(apps::one).post(apps::register)))
        .route(
            "/apps/{app}/{id}",
            taking("HEAD,DELETE,GET,OPTIONS,PUT", get(instance::one).put(instance::renew).delete(instance::cancel)),
        )
        .route("/apps/{app}/{id}/status", taking("DELETE,OPTIONS,PUT", put(status::set).delete(status::remove)))
        .route("/apps/{app}/{id}/metadata", taking("OPTIONS,PUT", put(metadata::set)))
        .route("/instances/{id}", taking(READ, get(instance::anywhere)))
        .route("/vips/{vip}", taking(READ, get(vips::plain)))
        .route("/svips/{vip}", taking(READ, get(vips::secure)))
        .route("/peerreplication/batch", taking("POST,OPTIONS", post(peerreplication::batch)))
        .route("/peerreplication/digest", post(peerreplication::digest).fallback(peerreplication::unknown))
        .route("/status", taking(READ, get(serverinfo::status)))
        .route("/serverinfo/statusoverrides", taking(READ, get(serverinfo::status_overrides)))
        .route("/asg/{name}/status", taking("PUT,OPTIONS", put(serverinfo::asg)));
    let signed = signed(&api);
    let both = Router::new().nest("/eureka", resources.clone()).nest("/eureka/v2", resources).with_state(api);
    path::cleaned(both, context_path).layer(MapResponseLayer::new(signed))
}

/// Every answer says which node gives it, also one that refuses: a node knows itself by it, and peers
/// know that there is nothing to copy yet.
fn signed(api: &Api) -> impl Fn(Response) -> Response + Clone + use<> {
    let [opening, open] = [false, true].map(|open| Identity::own(api.node, open).header());
    let registry = Arc::clone(&api.registry);
    move |mut response| {
        let identity = if registry.was_opened() { &open } else { &opening };
        response.headers_mut().insert(NODE_HEADER, identity.clone());
        response
    }
}

/// Methods of a resource, and what is said of them: in Jersey's order, to `OPTIONS` with `HEAD` and in a
/// 405 without.
fn taking(allowed: &'static str, methods: MethodRouter<Api>) -> MethodRouter<Api> {
    methods
        .options(move || respond::allowed(StatusCode::OK, allowed))
        .fallback(move || respond::allowed(StatusCode::METHOD_NOT_ALLOWED, allowed.trim_start_matches("HEAD,")))
}

/// Whether a peer speaks: single calls say so by a header, batches by their path.
fn origin(headers: &HeaderMap) -> Origin {
    match headers.get("x-netflix-discovery-replication") {
        Some(value) if value.as_bytes() == b"true" => Origin::Peer,
        _ => Origin::Client,
    }
}
