//! What a document shows, apart from how it is written.

use std::sync::Arc;

use crate::model::{AppName, Instance, LeaseTimes};

/// The two syntaxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// `application/json`.
    Json,
    /// `application/xml`.
    Xml,
}

/// How much of each instance (`EurekaAccept`, header `X-Eureka-Accept`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detail {
    /// Everything.
    Full,
    /// `compact`: what a load balancer needs.
    Compact,
}

/// Bytes of an answer to a batch after which it tells codes alone. Whoever gets a 409 without the newer
/// copy takes nothing over and asks again with the next heartbeat.
pub(super) const ENOUGH_ENTITIES: usize = 4 * 1024 * 1024;

/// An instance with the lease times to show beside it.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The instance.
    pub instance: Arc<Instance>,
    /// Its lease at the moment of reading.
    pub times: LeaseTimes,
}

/// The `sid`, unless it is one of Java's words for none.
pub(super) fn shown_sid(instance: &Instance) -> Option<&str> {
    instance.sid.as_deref().filter(|sid| !matches!(*sid, "na" | "unknown"))
}

/// Whether an entry of Amazon's metadata is shown in compact documents (`AbstractEurekaJacksonCodec`).
pub(super) fn shown_in_compact(amazon_key: &str) -> bool {
    matches!(amazon_key, "instance-id" | "public-ipv4" | "public-hostname" | "local-ipv4" | "availability-zone")
}

/// One application of a document (`Application`).
#[derive(Clone, Debug)]
pub struct Group {
    /// Its name.
    pub name: AppName,
    /// Its instances.
    pub instances: Vec<Shown>,
}

/// A cached document: whole registry, delta, VIP list (`Applications`) or one application.
#[derive(Clone, Debug)]
pub enum Document {
    /// `applications`.
    Applications {
        /// `versions__delta`: "1" for the registry, a running number for the delta, "-1" for a VIP.
        version: i64,
        /// `apps__hashcode`.
        hash: String,
        /// The applications.
        apps: Vec<Group>,
    },
    /// `application`.
    Application(Group),
}

/// `StatusInfo`: the document of `GET /status`.
#[derive(Clone, Debug)]
pub struct StatusDocument {
    /// `generalStats`: names and values in order.
    pub general: Vec<(&'static str, String)>,
    /// `applicationStats`: names and values in order.
    pub application: Vec<(&'static str, String)>,
    /// The server's own record, with zero lease times.
    pub own: Arc<Instance>,
    /// Whether enough peers are available; shown in XML only when a threshold is set.
    pub healthy: Option<bool>,
}
