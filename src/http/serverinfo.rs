//! What the server says of itself, and the one resource that only Amazon has.

use std::collections::BTreeMap;

use axum::response::Response;
use http::request::Parts;

use crate::codec::{Format, json, xml};

use super::error::ApiError;
use super::negotiation::{JSON, negotiate};
use super::{Api, respond};

/// `GET status`. (Java's JSON is a 500 unless a threshold is set.)
pub(super) fn status(api: &Api, head: &Parts) -> Result<Response, ApiError> {
    let negotiated = negotiate(&head.headers)?;
    let document = (api.status)();
    let bytes = match negotiated.format {
        Format::Json => json::write_status(&document),
        Format::Xml => xml::write_status(&document),
    };
    Ok(respond::document(negotiated.content_type, bytes))
}

/// `GET serverinfo/statusoverrides`: `{"<id>":"STATUS"}`. (404 in Java's Spring server, which rewrites
/// the path to one that does not exist.) An id under two applications is shown with the status of the
/// last of them.
pub(super) fn status_overrides(api: &Api) -> Response {
    let overrides = api.registry.overrides();
    let by_id: BTreeMap<_, _> = overrides.iter().map(|(_, id, status)| (id.as_str(), *status)).collect();
    let overrides: Vec<_> = by_id.into_iter().collect();
    respond::document(JSON, json::status_overrides(&overrides))
}

/// `PUT asg/{name}/status`: always 400, as there is no auto scaling group outside Amazon.
pub(super) fn asg(head: &Parts) -> Result<Response, ApiError> {
    negotiate(&head.headers)?;
    Err(ApiError::BadRequest("there are no auto scaling groups here".into()))
}
