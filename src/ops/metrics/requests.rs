//! Figures of what is asked and refused. Requests have the name and the labels that Spring Boot gives them, so that
//! boards made for these show them.

use prometheus_client::registry::Unit;

use crate::access::Limit;
use crate::http::{BUCKETS, Served};
use crate::ops::Context;

use super::family::{Family, Labels, Value};

pub(super) fn families(context: &Context) -> Vec<Family> {
    let help = "Time until the head of an answer was there, by template of the path.";
    let mut requests = Family::histogram("http_server_requests", help).in_unit(Unit::Seconds);
    for served in context.traffic.served() {
        let ends = BUCKETS.into_iter().chain([f64::INFINITY]);
        let buckets = ends.zip(served.buckets).collect();
        requests.push(labels(&served), Value::Sizes { buckets, sum: served.took.as_secs_f64() });
    }
    let mut refusals = Family::counter("eurekad_limit_refusals", "What limits refused or let wait.");
    for limit in Limit::ALL {
        refusals.push(vec![("limit", limit.name().into())], context.over_limit.of(limit));
    }
    let traffic = &context.traffic;
    vec![
        requests,
        Family::gauge("eurekad_http_requests_in_flight", "Requests that are being answered.").of(traffic.in_flight()),
        Family::gauge("eurekad_http_connections", "Connections that are open.").of(traffic.open_connections()),
        Family::counter("eurekad_http_connections_accepted", "Connections since the start.")
            .of(traffic.accepted_connections()),
        refusals,
        Family::gauge("eurekad_overloaded", "Whether lists are refused, since there is too much to do.")
            .of(context.overload.is_shedding()),
    ]
}

/// `DefaultServerRequestObservationConvention`; nothing here ends with an exception.
fn labels(served: &Served) -> Labels {
    let status = served.status;
    let outcome = status.map_or("UNKNOWN", |status| match status.as_u16() / 100 {
        1 => "INFORMATIONAL",
        2 => "SUCCESS",
        3 => "REDIRECTION",
        4 => "CLIENT_ERROR",
        5 => "SERVER_ERROR",
        _ => "UNKNOWN",
    });
    let nowhere = || if status.is_some_and(|status| status == 404) { "NOT_FOUND" } else { "UNKNOWN" }.to_owned();
    vec![
        ("error", "none".into()),
        ("exception", "none".into()),
        ("method", served.method.as_ref().map_or("UNKNOWN".to_owned(), ToString::to_string).into()),
        ("outcome", outcome.into()),
        ("status", status.map_or("UNKNOWN".to_owned(), |status| status.as_str().to_owned()).into()),
        ("uri", served.template.clone().unwrap_or_else(nowhere).into()),
    ]
}
