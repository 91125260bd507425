//! Figures of the registry and its lists.

use prometheus_client::registry::Unit;

use crate::catalog::{Coding, ListFigures};
use crate::codec::{Detail, Format};
use crate::ops::Context;
use crate::registry::PreservationState;

use super::applications::Counted;
use super::family::{Family, Labels};

const STATES: [PreservationState; 7] = [
    PreservationState::Off,
    PreservationState::Calm,
    PreservationState::EnoughRenewals,
    PreservationState::SmallLoss,
    PreservationState::Accepting,
    PreservationState::PeerMissing,
    PreservationState::Keeping,
];

/// How many instances there are, as Spring names it.
pub(super) fn instances(counted: &Counted) -> Family {
    let mut family = Family::gauge("eureka_server_instances", "Instances by application and effective status.");
    for ((app, status), count) in &counted.instances {
        family.push(vec![("application", app.clone().into()), ("status", status.as_str().into())], *count);
    }
    family
}

pub(super) fn families(context: &Context, counted: &Counted) -> Vec<Family> {
    let registry = &context.registry;
    let mut changes = Family::counter("eurekad_changes", "Changes of instances, by cause and origin.");
    for ((cause, origin), count) in registry.tally() {
        changes.push(vec![("cause", cause.as_str().into()), ("origin", origin.as_str().into())], count);
    }
    let report = registry.preservation();
    let mut state =
        Family::gauge("eurekad_self_preservation", "The state of self-preservation: 1 for the one that holds.");
    for each in STATES {
        state.push(vec![("state", each.as_str().into())], each == report.state);
    }
    vec![
        Family::gauge("eurekad_applications", "Applications that have instances.").of(counted.applications),
        Family::gauge("eurekad_applications_summed", "Applications that are shown together as \"other\".")
            .of(counted.summed),
        Family::gauge("eurekad_open", "Whether lists may be read.").of(context.is_ready()),
        Family::gauge("eurekad_leases", "Leases that are held, lapsed or not.").of(report.leases),
        Family::gauge("eurekad_leases_silent", "Leases without a renewal for one and a half of their own intervals.")
            .of(report.silent),
        Family::gauge("eurekad_leases_lapsed", "Leases that have lapsed and are still there.").of(report.lapsed),
        Family::gauge("eurekad_leases_unconfirmed", "Leases that are known from before a restart alone.")
            .of(report.unconfirmed),
        state,
        Family::gauge("eurekad_self_preservation_active", "Whether lapsed leases are kept.").of(report.state.keeps()),
        Family::gauge("eurekad_overrides", "Statuses that are set from outside.").of(registry.overrides().len()),
        Family::counter("eurekad_renewals", "Renewals since the start.").of(registry.renewals()),
        Family::gauge("eurekad_renewals_last_minute", "Renewals in the last full minute.").of(report.renewals),
        Family::gauge("eurekad_renewals_expected", "Renewals that all leases promise for a minute.")
            .of(report.expected),
        Family::gauge(
            "eurekad_renewals_threshold",
            "Renewals a minute that must be exceeded for leases to expire by Java's rule.",
        )
        .of(report.threshold),
        changes,
    ]
}

pub(super) fn lists(context: &Context) -> Vec<Family> {
    let mut refreshes = Family::counter("eurekad_list_refreshes", "How often a list was put together anew.");
    let help = "Bytes that were written for lists: of what did not change since the last time there are none.";
    let mut written = Family::counter("eurekad_list_written", help).in_unit(Unit::Bytes);
    let mut last = Family::gauge("eurekad_list_size", "Length of the last answer, as it is sent.").in_unit(Unit::Bytes);
    for figures in context.catalog.figures() {
        refreshes.push(labels(&figures), figures.refreshes);
        written.push(labels(&figures), figures.written);
        last.push(labels(&figures), figures.last);
    }
    vec![refreshes, written, last]
}

fn labels(figures: &ListFigures) -> Labels {
    let form = figures.form;
    vec![
        ("list", figures.list.into()),
        (
            "format",
            match form.format {
                Format::Json => "json",
                Format::Xml => "xml",
            }
            .into(),
        ),
        (
            "detail",
            match form.detail {
                Detail::Full => "full",
                Detail::Compact => "compact",
            }
            .into(),
        ),
        (
            "coding",
            match form.coding {
                Coding::Plain => "plain",
                Coding::Gzip => "gzip",
            }
            .into(),
        ),
    ]
}
