//! Metadata set from outside.

use axum::response::Response;
use http::StatusCode;
use http::request::Parts;

use crate::codec::{Limits, ReadError};
use crate::model::{AppName, Metadata, Text};

use super::error::ApiError;
use super::negotiation::negotiate;
use super::resource::Key;
use super::{Api, query, respond};

/// `PUT apps/{app}/{id}/metadata?key=value&…`: every parameter is an entry. What would be too much in
/// a registration is 400 here too, since peers are told of it by one.
pub(super) fn set(api: &Api, Key { app, id }: &Key<'_>, head: &Parts) -> Result<Response, ApiError> {
    let negotiated = negotiate(&head.headers)?;
    let app = AppName::upper(app);
    let entries = query::entries(&head.uri);
    let lease = api.registry.instance(&app, id).ok_or(ApiError::NotFound)?;
    check(&lease.instance.metadata, &entries, &api.settings.load().limits.content)?;
    if !api.registry.set_metadata(&app, id, entries) {
        return Err(ApiError::NotFound);
    }
    Ok(respond::empty(StatusCode::OK, negotiated.content_type))
}

fn check(held: &Metadata, entries: &[(Text, Text)], limits: &Limits) -> Result<(), ApiError> {
    let over = |problem| {
        let error = ReadError::Limit { path: "metadata".into(), problem };
        Err(ApiError::BadRequest(error.to_string()))
    };
    let added = entries.iter().filter(|(key, _)| held.get(key).is_none()).count();
    let (most, longest) = (limits.metadata_entries, limits.metadata_length);
    if held.len() + added > most {
        return over(format!("at most {most} entries (eurekad.limits.metadata-entries)"));
    }
    if entries.iter().any(|(key, value)| key.len().max(value.len()) > longest) {
        return over(format!("at most {longest} bytes in a key or value (eurekad.limits.metadata-length)"));
    }
    Ok(())
}
