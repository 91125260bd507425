//! The Eureka API over HTTP: one file a resource, as in Java's `com.netflix.eureka.resources`.
//!
//! Everything lies below `/eureka` and `/eureka/v2` alike. A request passes the logins, if there are any (401,
//! 403), and then, in Java's order: path (404), method (405), request type (415), `Accept` (406), body (400).
//!
//! `resource` says what a path names, `demands` who may have it, `service` sends a request there.
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
//! The rest serves them: `path` (what counts as the same path), `negotiation` and `media_range`, `body`
//! (reading one within limits), `query`, `regions`, `filter`, `conditional`, `overload`, `error`, `respond`.
//! `traffic` counts requests by `route`.

mod apps;
mod body;
mod conditional;
mod demands;
mod error;
mod filter;
mod instance;
mod media_range;
mod metadata;
mod negotiation;
mod overload;
mod path;
mod peerreplication;
mod query;
mod regions;
mod resource;
mod respond;
mod route;
mod serverinfo;
mod service;
mod status;
mod traffic;
mod vips;

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use http::HeaderMap;

use crate::access::{Access, FetchLimiter, OverLimit};
use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::codec::{Limits, StatusDocument};
use crate::peers::{NodeId, Peers, Receiver};
use crate::registry::{Origin, Registry};
use crate::settings::RateLimitSettings;

pub use body::{BodiesInFlight, is_late};
pub use conditional::has as has_tag;
pub use error::ApiError;
pub use filter::selection;
pub use negotiation::takes_gzip;
pub use overload::{Overload, Shedding};
pub use service::Service;
pub use traffic::{BUCKETS, OpenConnection, Served, Traffic};

/// What the resources work on.
pub struct Api {
    /// The registry.
    pub registry: Arc<Registry>,
    /// Who may do what.
    pub access: Access,
    /// Its read model.
    pub catalog: Arc<Catalog>,
    /// What may change while requests come in.
    pub settings: Arc<ArcSwap<RequestSettings>>,
    /// Makes the status document of now.
    pub status: Arc<dyn Fn() -> StatusDocument + Send + Sync>,
    /// How often lists may be read.
    pub fetches: FetchLimiter,
    /// What limits refused.
    pub over_limit: Arc<OverLimit>,
    /// Whether whole lists are refused, since there is too much to do.
    pub overload: Arc<Overload>,
    /// What was asked.
    pub traffic: Arc<Traffic>,
    /// Room for large bodies.
    pub bodies: BodiesInFlight,
    /// Takes what peers send.
    pub receiver: Receiver,
    /// Who the other nodes are.
    pub peers: Peers,
    /// Who this node is.
    pub node: NodeId,
    /// The time.
    pub clock: Clock,
}

/// What the user says of requests.
#[derive(Clone, Debug)]
pub struct RequestSettings {
    /// Bounds for bodies.
    pub limits: BodyLimits,
    /// Bounds for batches of peers.
    pub batch_limits: BodyLimits,
    /// How often lists may be read.
    pub rate_limit: RateLimitSettings,
    /// Whether `apps/delta` answers (`disable-delta`).
    pub delta_enabled: bool,
}

/// Bounds for request bodies.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimits {
    /// Bytes after decompression.
    pub bytes: usize,
    /// The setting that allows more.
    pub setting: &'static str,
    /// How long a body may take to arrive (`eurekad.http.request-timeout`).
    pub time: Duration,
    /// What may be in it.
    pub content: Limits,
}

/// Whether a peer speaks: single calls say so by a header, batches by their path.
fn origin(headers: &HeaderMap) -> Origin {
    match headers.get("x-netflix-discovery-replication") {
        Some(value) if value.as_bytes() == b"true" => Origin::Peer,
        _ => Origin::Client,
    }
}
