//! One instance: reading, heartbeat, cancelling.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::request::Parts;

use crate::codec::{Format, json, xml};
use crate::model::{AppName, InstanceId};
use crate::registry::{Lease, Origin, Renewal};

use super::error::ApiError;
use super::negotiation::{Negotiated, negotiate};
use super::resource::Key;
use super::{Api, origin, query, respond};

/// `GET apps/{app}/{id}`, with its live lease. One that is not here may be in a remote region.
pub(super) fn one(api: &Api, Key { app, id }: &Key<'_>, head: &Parts) -> Result<Response, ApiError> {
    let negotiated = negotiate(&head.headers)?;
    let app = AppName::upper(app);
    let lease = api.registry.instance(&app, id).or_else(|| api.registry.remote_instance(&app, id));
    let lease = lease.ok_or(ApiError::NotFound)?;
    Ok(show(&lease, negotiated))
}

/// `GET instances/{id}`: the first in any application here, else in a remote region.
pub(super) fn anywhere(api: &Api, id: &str, head: &Parts) -> Result<Response, ApiError> {
    let negotiated = negotiate(&head.headers)?;
    let lease = api.registry.instance_anywhere(id).or_else(|| api.registry.remote_instance_anywhere(id));
    let lease = lease.ok_or(ApiError::NotFound)?;
    Ok(show(&lease, negotiated))
}

/// `PUT apps/{app}/{id}`: a heartbeat. Neither body nor `status` are looked at. Whoever has to register
/// is told so (404) whatever else is wrong.
pub(super) fn renew(api: &Api, Key { app, id }: &Key<'_>, head: &Parts) -> Result<Response, ApiError> {
    let negotiated = negotiate(&head.headers)?;
    let origin = origin(&head.headers);
    let app = AppName::upper(app);
    let said = query::millis(&head.uri, "lastDirtyTimestamp").and_then(|last_dirty| match origin {
        Origin::Peer => Ok((last_dirty, query::status(&head.uri, "overriddenstatus")?)),
        Origin::Client | Origin::Operator | Origin::Server | Origin::Region => Ok((last_dirty, None)),
    });
    let (last_dirty, brought) = unless_missing(api, &app, id, said)?;
    match api.registry.renew(&app, id, last_dirty, brought, origin) {
        Renewal::Renewed => Ok(respond::empty(StatusCode::OK, negotiated.content_type)),
        Renewal::RegisterAgain => Err(ApiError::NotFound),
        Renewal::NotYet => Err(ApiError::NotYet),
        Renewal::Newer(lease) => Ok((StatusCode::CONFLICT, show(&lease, negotiated)).into_response()),
    }
}

/// `DELETE apps/{app}/{id}`.
pub(super) fn cancel(api: &Api, Key { app, id }: &Key<'_>, head: &Parts) -> Result<Response, ApiError> {
    let negotiated = negotiate(&head.headers)?;
    if !api.registry.cancel(&AppName::new(app), &InstanceId::new(&**id), origin(&head.headers)) {
        return Err(ApiError::NotFound);
    }
    Ok(respond::empty(StatusCode::OK, negotiated.content_type))
}

/// What a query says of an instance: of one that is not there it does not matter what is wrong with
/// the query.
pub(super) fn unless_missing<T>(api: &Api, app: &str, id: &str, said: Result<T, ApiError>) -> Result<T, ApiError> {
    said.map_err(|mistake| if api.registry.instance(app, id).is_some() { mistake } else { ApiError::NotFound })
}

fn show(lease: &Lease, negotiated: Negotiated) -> Response {
    let bytes = match negotiated.format {
        Format::Json => json::write_instance(&lease.instance, lease.times()),
        Format::Xml => xml::write_instance(&lease.instance, lease.times()),
    };
    respond::document(negotiated.content_type, bytes)
}
