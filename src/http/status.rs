//! A status set from outside, and taken back.

use axum::response::Response;
use http::request::Parts;
use http::{StatusCode, Uri};

use crate::model::{AppName, InstanceStatus, WallMillis};

use super::error::ApiError;
use super::instance::unless_missing;
use super::negotiation::negotiate;
use super::resource::Key;
use super::{Api, origin, query, respond};

/// `PUT apps/{app}/{id}/status?value=`. A mistake is 400 and changes nothing (Java: 500, and a broken
/// timestamp changes the status all the same).
pub(super) fn set(api: &Api, Key { app, id }: &Key<'_>, head: &Parts) -> Result<Response, ApiError> {
    let negotiated = negotiate(&head.headers)?;
    let app = AppName::upper(app);
    let missing = || Err(ApiError::BadRequest(format!("missing value: expected one of {}", InstanceStatus::names())));
    let (status, last_dirty) = unless_missing(api, &app, id, asked(&head.uri, missing))?;
    done(api.registry.set_status(&app, id, status, last_dirty, origin(&head.headers)), negotiated.content_type)
}

/// `DELETE apps/{app}/{id}/status?value=`. Without a value the status becomes UNKNOWN, and the next
/// heartbeat is answered 404 so that the client registers again.
pub(super) fn remove(api: &Api, Key { app, id }: &Key<'_>, head: &Parts) -> Result<Response, ApiError> {
    let negotiated = negotiate(&head.headers)?;
    let app = AppName::upper(app);
    let said = asked(&head.uri, || Ok(InstanceStatus::Unknown));
    let (status, last_dirty) = unless_missing(api, &app, id, said)?;
    done(api.registry.remove_status(&app, id, status, last_dirty, origin(&head.headers)), negotiated.content_type)
}

/// The status, or what stands for one that is not given, and the caller's version of the instance.
fn asked(
    uri: &Uri,
    absent: impl FnOnce() -> Result<InstanceStatus, ApiError>,
) -> Result<(InstanceStatus, Option<WallMillis>), ApiError> {
    let status = query::status(uri, "value")?.map_or_else(absent, Ok)?;
    Ok((status, query::millis(uri, "lastDirtyTimestamp")?))
}

fn done(found: bool, content_type: http::HeaderValue) -> Result<Response, ApiError> {
    if found { Ok(respond::empty(StatusCode::OK, content_type)) } else { Err(ApiError::NotFound) }
}
