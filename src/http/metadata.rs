//! Metadata set from outside.

use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode, Uri};

use crate::model::AppName;

use super::error::ApiError;
use super::negotiation::negotiate;
use super::{Api, query, respond};

/// `PUT apps/{app}/{id}/metadata?key=value&…`: every parameter is an entry.
pub(super) async fn set(
    State(api): State<Api>,
    Path((app, id)): Path<(String, String)>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ApiError> {
    let negotiated = negotiate(&headers)?;
    if !api.registry.set_metadata(&AppName::upper(&app), &id, query::entries(&uri)) {
        return Err(ApiError::NotFound);
    }
    Ok(respond::empty(StatusCode::OK, negotiated.content_type))
}
