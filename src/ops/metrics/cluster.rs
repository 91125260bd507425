//! Figures of the other nodes and of remote regions. Labels are URLs without credentials, and names of settings.

use prometheus_client::registry::Unit;

use crate::ops::Context;
use crate::peers::PeerReport;

use super::family::{Family, Value};

pub(super) fn families(context: &Context) -> Vec<Family> {
    let reports = context.peers.reports();
    let each = |mut family: Family, figure: &dyn Fn(&PeerReport) -> Option<Value>| {
        for report in &reports {
            if let Some(value) = figure(report) {
                family.push(vec![("peer", report.url.as_str().to_owned().into())], value);
            }
        }
        family
    };
    let gauge = |name, help, figure: &dyn Fn(&PeerReport) -> Option<Value>| each(Family::gauge(name, help), figure);
    let counter = |name, help, figure: &dyn Fn(&PeerReport) -> u64| {
        each(Family::counter(name, help), &|report| Some(figure(report).into()))
    };
    let mut lost = Family::counter("eurekad_peer_lost", "Changes and heartbeats that a peer was not told, by reason.");
    for report in &reports {
        for (reason, count) in [
            ("expired", report.tally.expired),
            ("overflowed", report.tally.overflowed),
            ("refused", report.tally.refused),
        ] {
            lost.push(vec![("peer", report.url.as_str().to_owned().into()), ("reason", reason.into())], count);
        }
    }
    let seconds = |name, help, figure: &dyn Fn(&PeerReport) -> Option<Value>| {
        each(Family::gauge(name, help).in_unit(Unit::Seconds), figure)
    };
    let mut families = vec![
        gauge("eurekad_peer_up", "Whether a peer answered the last exchange.", &|peer| {
            Some(peer.is_available().into())
        }),
        seconds("eurekad_peer_lag", "Age of the oldest change that waits for a peer.", &|peer| Some(peer.lag.into())),
        seconds("eurekad_peer_last_success_age", "How long ago a peer last answered.", &|peer| {
            peer.last_success.map(Value::from)
        }),
        gauge("eurekad_peer_queue", "Changes and heartbeats that wait for a peer.", &|peer| Some(peer.queue.into())),
        counter("eurekad_peer_sent", "Changes and heartbeats that a peer answered.", &|peer| peer.tally.delivered),
        lost,
        counter("eurekad_peer_conflicts", "Heartbeats of which a peer had newer data.", &|peer| peer.tally.conflicts),
        counter("eurekad_peer_exchanges", "Requests to a peer.", &|peer| peer.tally.exchanges),
        counter("eurekad_peer_failures", "Requests to a peer that failed.", &|peer| peer.tally.failures),
        gauge("eurekad_peer_differences", "Differences that the last comparison with a peer found.", &|peer| {
            peer.compared.map(|(_, compared)| compared.found.into())
        }),
        counter("eurekad_peer_mended", "Differences from a peer that were mended.", &|peer| {
            peer.compared.map_or(0, |(_, compared)| compared.mended)
        }),
    ];
    let mut loaded = Family::gauge("eurekad_region_loaded", "Whether a remote region was ever copied.");
    let mut instances = Family::gauge("eurekad_region_instances", "Instances in the copy of a remote region.");
    for region in &context.settings.borrow().regions.regions {
        if let Some(id) = context.registry.region(&region.name) {
            let labels = || vec![("region", region.name.clone().into())];
            loaded.push(labels(), context.registry.is_region_loaded(id));
            instances.push(labels(), context.registry.region_len(id));
        }
    }
    families.extend([loaded, instances]);
    families
}
