//! A status set from outside, and taken back.

use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode, Uri};

use crate::model::{AppName, InstanceStatus};

use super::error::ApiError;
use super::negotiation::negotiate;
use super::{Api, origin, query, respond};

/// `PUT apps/{app}/{id}/status?value=`. A mistake is 400 and changes nothing (Java: 500, and a broken
/// timestamp changes the status all the same).
pub(super) async fn set(
    State(api): State<Api>,
    Path((app, id)): Path<(String, String)>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ApiError> {
    let negotiated = negotiate(&headers)?;
    let app = AppName::upper(&app);
    if api.registry.instance(&app, &id).is_none() {
        return Err(ApiError::NotFound);
    }
    let status = query::status(&uri, "value")?
        .ok_or_else(|| ApiError::BadRequest(format!("missing value: expected one of {}", InstanceStatus::names())))?;
    let last_dirty = query::millis(&uri, "lastDirtyTimestamp")?;
    done(api.registry.set_status(&app, &id, status, last_dirty, origin(&headers)), negotiated.content_type)
}

/// `DELETE apps/{app}/{id}/status?value=`. Without a value the status becomes UNKNOWN, and the next
/// heartbeat is answered 404 so that the client registers again.
pub(super) async fn remove(
    State(api): State<Api>,
    Path((app, id)): Path<(String, String)>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ApiError> {
    let negotiated = negotiate(&headers)?;
    let app = AppName::upper(&app);
    if api.registry.instance(&app, &id).is_none() {
        return Err(ApiError::NotFound);
    }
    let status = query::status(&uri, "value")?.unwrap_or(InstanceStatus::Unknown);
    let last_dirty = query::millis(&uri, "lastDirtyTimestamp")?;
    done(api.registry.remove_status(&app, &id, status, last_dirty, origin(&headers)), negotiated.content_type)
}

fn done(found: bool, content_type: http::HeaderValue) -> Result<Response, ApiError> {
    if found { Ok(respond::empty(StatusCode::OK, content_type)) } else { Err(ApiError::NotFound) }
}
