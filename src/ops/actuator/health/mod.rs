//! Health, as probes and people ask for it (`HealthEndpoint`). Liveness depends on nothing but this process; readiness
//! is whether traffic is welcome. Neither depends on peers.
//!
//! | file | what |
//! | --- | --- |
//! | `report` | a health with its parts, and how it is shown |
//! | `parts` | what it is made of |
//! | `disk` | room on the disk |

mod disk;
mod parts;
mod report;

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::request::Parts;
use serde_json::Value;

use crate::settings::{HealthGroup, Shown};

use super::{Actuator, shows};

use disk::Disk;

/// What health looks at. Copies are the same one.
#[derive(Clone, Debug, Default)]
pub(super) struct Health(Arc<Disk>);

/// `GET health`.
pub(super) async fn whole(State(actuator): State<Actuator>, head: Parts) -> Response {
    answer(&actuator, &head, None, &[]).await
}

/// `GET health/{group}`, `health/{part}` and what is below: without a body 404 for what there is not, or may not be
/// seen.
pub(super) async fn below(State(actuator): State<Actuator>, Path(path): Path<String>, head: Parts) -> Response {
    let path: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    let groups = groups(&actuator);
    let group = path.first().and_then(|name| groups.iter().find(|group| group.name == *name));
    let path = if group.is_some() { path.get(1..).unwrap_or_default() } else { &path };
    answer(&actuator, &head, group, path).await
}

async fn answer(actuator: &Actuator, head: &Parts, group: Option<&HealthGroup>, path: &[&str]) -> Response {
    let settings = &actuator.settings.health;
    let Shown { components, details, roles } = group.map_or(&settings.shown, |group| &group.shown);
    let components = shows(actuator, head, *components, roles).await;
    let details = shows(actuator, head, *details, roles).await;
    if !components && !path.is_empty() {
        return StatusCode::NOT_FOUND.into_response();
    }
    let wanted =
        |part: &str| group.is_none_or(|group| group.has(part)) && path.first().is_none_or(|wanted| *wanted == part);
    let whole = parts::look(&actuator.context, settings, &actuator.health.0, wanted, details).await;
    let Some(report) = whole.at(path.iter()) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut shown = report.json(components, details);
    if group.is_none() && path.is_empty() {
        let mut names: Vec<_> = groups(actuator).into_iter().map(|group| Value::String(group.name)).collect();
        names.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
        if !names.is_empty() {
            shown["groups"] = Value::Array(names);
            shown.sort_all_objects();
        }
    }
    let code = if report.status.is_fine() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    super::json(&head.headers, code, &shown)
}

/// The user's groups, and the two that probes ask for unless the user has others of these names.
fn groups(actuator: &Actuator) -> Vec<HealthGroup> {
    let settings = &actuator.settings.health;
    let mut groups = settings.groups.clone();
    for (name, part) in [("liveness", "livenessState"), ("readiness", "readinessState")] {
        if settings.probes && !groups.iter().any(|group| group.name == name) {
            let (include, shown) = (vec![part.to_owned()], settings.shown.clone());
            groups.push(HealthGroup { name: name.to_owned(), include, exclude: Vec::new(), shown });
        }
    }
    groups
}
