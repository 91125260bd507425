//! What the parts of a server are made from: the settings that concern each.

use std::sync::Arc;

use crate::clock::Clock;
use crate::codec::StatusDocument;
use crate::http::{BodyLimits, RequestSettings};
use crate::model::Instance;
use crate::ops::figures;
use crate::peers::{Identity, NodeId, OwnIdentity, Peers};
use crate::registry::{Registry, Rules};
use crate::settings::Settings;

/// What this node says of itself to others.
pub(super) fn own_identity(node: NodeId, registry: Arc<Registry>) -> OwnIdentity {
    Arc::new(move || Identity::own(node, registry.was_opened()))
}

/// What the registry goes by.
pub(super) fn rules(settings: &Settings) -> Rules {
    Rules {
        leases: settings.leases.clone(),
        preservation: settings.preservation.clone(),
        opening: settings.opening.clone(),
        catalog: settings.catalog.clone(),
    }
}

/// What requests are answered by.
pub(super) fn request_settings(settings: &Settings) -> RequestSettings {
    let limits = BodyLimits {
        bytes: settings.http.body_limit,
        setting: "eurekad.limits.body-size",
        time: settings.http.request_timeout,
        content: settings.limits,
    };
    RequestSettings {
        limits,
        batch_limits: BodyLimits { bytes: settings.http.batch_limit, setting: "eurekad.limits.batch-size", ..limits },
        rate_limit: settings.rate_limit.clone(),
        delta_enabled: settings.catalog.delta_enabled,
    }
}

/// Makes the status document of now.
pub(super) fn status_document(
    settings: &Settings,
    own: Arc<Instance>,
    clock: &Clock,
    peers: Peers,
) -> Arc<dyn Fn() -> StatusDocument + Send + Sync> {
    let wanted = settings.replication.min_available_peers;
    let started = clock.mono();
    let clock = clock.clone();
    Arc::new(move || {
        let reports = peers.reports();
        let available = u32::try_from(reports.iter().filter(|peer| peer.is_available()).count()).unwrap_or(u32::MAX);
        StatusDocument {
            general: figures::general(clock.mono().since(started)),
            application: figures::replicas(&reports),
            own: Arc::clone(&own),
            healthy: wanted.map(|wanted| available >= wanted),
        }
    })
}
