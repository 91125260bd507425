//! What health is made of: Spring's parts by their names, and this server's own.
//!
//! Only readiness and the disk can make the whole of it worse. A peer that does not answer and too much to do are named
//! and lower nothing: whoever sends traffic elsewhere for them makes it worse for the others.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::model::InstanceStatus;
use crate::ops::Context;
use crate::peers::PeerReport;
use crate::settings::HealthSettings;

use super::disk::Disk;
use super::report::{Report, Status};

/// The parts by name.
const NAMES: [&str; 10] = [
    "discoveryComposite",
    "diskSpace",
    "livenessState",
    "overload",
    "peers",
    "ping",
    "readinessState",
    "refreshScope",
    "registry",
    "ssl",
];

/// Looks at those parts that are wanted; at what takes work only where `details` are shown.
pub(super) async fn look(
    context: &Context,
    settings: &HealthSettings,
    disk: &Disk,
    wanted: impl Fn(&str) -> bool,
    details: bool,
) -> Report {
    let mut parts = Vec::new();
    for name in NAMES.into_iter().filter(|name| wanted(name)) {
        let part = match name {
            "discoveryComposite" => discovery(context, details),
            "diskSpace" if settings.disk => disk.look(settings).await,
            "livenessState" if settings.probes => Report::of(Status::Up),
            "readinessState" if settings.probes => Report::of(readiness(context)),
            "overload" => overload(context),
            "peers" => peers(context),
            "ping" | "refreshScope" => Report::of(Status::Up),
            "registry" => registry(context, details).await,
            "ssl" => certificates(),
            _ => continue,
        };
        parts.push((name, part));
    }
    Report::of_parts(parts)
}

/// Spring's word for a server that refuses traffic.
fn readiness(context: &Context) -> Status {
    if context.is_ready() { Status::Up } else { Status::OutOfService }
}

/// What Spring Cloud tells of the client in each server: the own record's status, which lowers nothing.
fn discovery(context: &Context, details: bool) -> Report {
    let own = context.registry.instance(context.own.app.as_str(), context.own.id.as_str());
    let status = match own.map(|lease| lease.instance.status) {
        Some(InstanceStatus::Up) => Status::Up,
        Some(InstanceStatus::Down) => Status::Down,
        Some(InstanceStatus::OutOfService) => Status::OutOfService,
        _ => Status::Unknown,
    };
    let applications = if details { context.catalog.applications() } else { BTreeMap::new() };
    let counts: Map<String, Value> =
        applications.iter().map(|(app, count)| (app.to_string(), (*count).into())).collect();
    let services: Vec<String> = applications.keys().map(|app| app.as_str().to_lowercase()).collect();
    let eureka = Report::of(status)
        .described(Some("Remote status from Eureka server".to_owned()))
        .with(json!({"applications": counts}));
    let client = Report::of(Status::Up).with(json!({"services": services}));
    let whole = Report::of_parts(vec![("discoveryClient", client), ("eureka", eureka)]);
    Report { status: if status.is_fine() { Status::Up } else { status }, ..whole }
}

fn overload(context: &Context) -> Report {
    if context.overload.is_shedding() {
        let says = "there is too much to do: whole lists are refused, heartbeats and registrations go on";
        Report::of(Status::Unknown).described(Some(says.to_owned()))
    } else {
        Report::of(Status::Up)
    }
}

fn peers(context: &Context) -> Report {
    let reports = context.peers.reports();
    let up = reports.iter().filter(|peer| peer.is_available()).count();
    let needed = context.settings.borrow().replication.min_available_peers;
    let lag = reports.iter().map(|peer| peer.lag).max().unwrap_or_default();
    let queue: usize = reports.iter().map(|peer| peer.queue).sum();
    let details = json!({
        "known": reports.len(),
        "up": up,
        "needed": needed,
        "queued": queue,
        "queueAgeSeconds": lag.as_secs(),
        "each": reports.iter().map(peer).collect::<Vec<_>>(),
    });
    let missing = reports.len() - up;
    let report = if missing == 0 {
        Report::of(Status::Up)
    } else {
        let says = format!("{missing} of {} peers do not answer", reports.len());
        Report::of(Status::Unknown).described(Some(says))
    };
    report.with(details)
}

fn peer(report: &PeerReport) -> Value {
    let seconds = |ago: Duration| ago.as_secs();
    json!({
        "url": report.url.as_str(),
        "up": report.is_available(),
        "queued": report.queue,
        "queueAgeSeconds": report.lag.as_secs(),
        "lastSuccessSecondsAgo": report.last_success.map(seconds),
        "lastFailure": report.last_failure.as_ref().map(|(_, failure)| failure.to_string()),
    })
}

/// Whether lists may be read, and why leases stay. All leases are looked at for that.
async fn registry(context: &Context, details: bool) -> Report {
    let open = context.registry.is_open();
    let says = (!open).then(|| "not open for traffic yet: lists may not be read".to_owned());
    let report = Report::of(if open { Status::Up } else { Status::OutOfService }).described(says);
    if !details {
        return report;
    }
    let registry = Arc::clone(&context.registry);
    // With too much to do, probes get an answer all the same.
    let Ok(preservation) = context.walks.figures(move || registry.preservation()).await else { return report };
    report.with(json!({
        "instances": context.registry.len(),
        "applications": context.catalog.applications().len(),
        "opened": context.registry.was_opened(),
        "version": context.registry.version().0,
        "selfPreservation": {
            "state": preservation.state.as_str(),
            "keepsLeases": preservation.state.keeps(),
            "silent": preservation.silent,
            "renewalsLastMinute": preservation.renewals,
            "renewalsThreshold": preservation.threshold,
            "sentence": preservation.sentence(),
        },
    }))
}

/// Spring lists certificates by whether they are valid; here one that is not stops the start, or is not taken.
fn certificates() -> Report {
    Report::of(Status::Up).with(json!({"expiringChains": [], "invalidChains": [], "validChains": []}))
}
