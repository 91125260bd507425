//! Metadata set from outside.

use axum::response::Response;
use http::StatusCode;
use http::request::Parts;

use crate::access::Limit;
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
    check(&lease.instance.metadata, &entries, &api.settings.load().limits.content).map_err(|error| {
        api.over_limit.count(Limit::Content);
        ApiError::BadRequest(error.to_string())
    })?;
    if !api.registry.set_metadata(&app, id, entries) {
        return Err(ApiError::NotFound);
    }
    Ok(respond::empty(StatusCode::OK, negotiated.content_type))
}

/// Whether an instance may have these entries besides, or in place of, those that it has.
fn check(held: &Metadata, entries: &[(Text, Text)], limits: &Limits) -> Result<(), ReadError> {
    let Limits { metadata_entries, metadata_length, metadata_size, .. } = *limits;
    let over = |problem| Err(ReadError::Limit { path: "metadata".into(), problem });
    if entries.iter().any(|(key, value)| key.len().max(value.len()) > metadata_length) {
        return over(format!("at most {metadata_length} bytes in a key or value (eurekad.limits.metadata-length)"));
    }
    let all = held.with(entries.iter().cloned());
    if all.len() > metadata_entries {
        return over(format!("at most {metadata_entries} entries (eurekad.limits.metadata-entries)"));
    }
    if all.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>() > metadata_size {
        return over(format!("at most {metadata_size} bytes in all keys and values (eurekad.limits.metadata-size)"));
    }
    Ok(())
}
