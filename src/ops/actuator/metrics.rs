//! `GET /actuator/metrics` and below: the same figures one by one, as Spring shows them (`MetricsEndpoint`).
//!
//! A meter has the name that Micrometer would give it: `http.server.requests` is `http_server_requests_seconds` in the
//! text formats. What Micrometer alone has (`MAX` of timers) is not there.

use std::collections::{BTreeMap, BTreeSet};

use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value as Json, json};

use crate::codec::quoted;
use crate::ops::metrics::{Family, Kind, Value};

use super::Actuator;

/// `GET /actuator/metrics`: the names.
pub(super) async fn names(State(actuator): State<Actuator>, headers: HeaderMap) -> Response {
    let families = match actuator.metrics.gather(&actuator.context).await {
        Ok(families) => families,
        Err(busy) => return busy.into_response(),
    };
    let names: BTreeSet<_> = families.iter().filter(|family| !family.samples.is_empty()).map(meter).collect();
    super::json(&headers, StatusCode::OK, &json!({"names": names}))
}

/// `GET /actuator/metrics/{name}?tag=name:value`: the sum of all samples that have these tags.
pub(super) async fn one(
    State(actuator): State<Actuator>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let mut wanted = BTreeMap::new();
    let query = query.unwrap_or_default();
    for (_, tags) in form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "tag") {
        for tag in tags.split(',') {
            let Some((name, value)) = tag.split_once(':') else {
                let problem = format!("tag: expected name:value, found {}", quoted(tag));
                return (StatusCode::BAD_REQUEST, problem).into_response();
            };
            wanted.insert(name.to_owned(), value.to_owned());
        }
    }
    let families = match actuator.metrics.gather(&actuator.context).await {
        Ok(families) => families,
        Err(busy) => return busy.into_response(),
    };
    match families.iter().find(|family| meter(family) == name).and_then(|family| shown(family, &wanted)) {
        Some(shown) => super::json(&headers, StatusCode::OK, &shown),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn meter(family: &Family) -> String {
    family.name.replace('_', ".")
}

/// With members in the order of Boot 4; none if no sample has these tags.
fn shown(family: &Family, wanted: &BTreeMap<String, String>) -> Option<Json> {
    let fits = |labels: &[(&str, std::borrow::Cow<'_, str>)]| {
        wanted.iter().all(|(name, value)| labels.iter().any(|(own, other)| own == name && other == value))
    };
    let samples: Vec<_> = family.samples.iter().filter(|sample| fits(&sample.labels)).collect();
    if samples.is_empty() {
        return None;
    }
    let mut tags: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, value) in samples.iter().flat_map(|sample| &sample.labels) {
        if !wanted.contains_key(*name) {
            tags.entry(name).or_default().insert(value);
        }
    }
    let tags: Vec<_> = tags.iter().map(|(name, values)| json!({"tag": name, "values": values})).collect();
    let statistic = match family.kind {
        Kind::Counter | Kind::Histogram => "COUNT",
        Kind::Gauge | Kind::Info => "VALUE",
    };
    let total: f64 = samples.iter().map(|sample| sample.value.number()).sum();
    let mut measurements = vec![json!({"statistic": statistic, "value": total})];
    if family.kind == Kind::Histogram {
        let sum: f64 = samples.iter().map(|sample| sum(&sample.value)).sum();
        measurements.push(json!({"statistic": "TOTAL_TIME", "value": sum}));
    }
    let mut shown = Map::new();
    shown.insert("availableTags".into(), tags.into());
    if let Some(unit) = &family.unit {
        shown.insert("baseUnit".into(), unit.as_str().into());
    }
    shown.insert("description".into(), family.help.into());
    shown.insert("measurements".into(), measurements.into());
    shown.insert("name".into(), meter(family).into());
    Some(Json::Object(shown))
}

fn sum(value: &Value) -> f64 {
    match value {
        Value::Sizes { sum, .. } => *sum,
        Value::Count(_) | Value::Number(_) => 0.0,
    }
}
