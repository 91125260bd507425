//! The registry, its delta, one application, and registration into it.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::access::{Caller, Limit};
use crate::catalog::{TooManyBuilt, What};
use crate::codec::{Format, Limits, ReadError, json, xml};
use crate::model::AppName;

use super::body::Room;
use super::error::ApiError;
use super::negotiation::{list_form, negotiate, request_format};
use super::regions::Regions;
use super::{Api, BodyLimits, body, conditional, filter, origin, respond};

/// `GET apps`: everything. Never 404, even when there is nothing.
pub(super) async fn all(api: &Api, head: &Parts) -> Result<Response, ApiError> {
    list_of(api, head, What::Apps, true, Regions::named(api, &head.uri)).await
}

/// `GET apps/delta`: what changed within the retention.
pub(super) async fn delta(api: &Api, head: &Parts) -> Result<Response, ApiError> {
    if !api.settings.load().delta_enabled {
        negotiate(&head.headers)?;
        return Err(ApiError::Forbidden);
    }
    list_of(api, head, What::Delta, true, Regions::named(api, &head.uri)).await
}

/// `GET apps/{app}`: never compressed, as in Java.
pub(super) async fn one(api: &Api, app: &str, head: &Parts) -> Result<Response, ApiError> {
    list(api, head, What::App(AppName::new(app)), false).await
}

/// Any whole list, once the registry is open for traffic.
pub(super) async fn list(api: &Api, head: &Parts, what: What, may_compress: bool) -> Result<Response, ApiError> {
    list_of(api, head, what, may_compress, Regions::Plain).await
}

async fn list_of(
    api: &Api,
    head: &Parts,
    what: What,
    may_compress: bool,
    regions: Regions,
) -> Result<Response, ApiError> {
    let headers = &head.headers;
    let (form, content_type) = list_form(headers, may_compress)?;
    if !api.registry.is_open() {
        return Err(ApiError::Forbidden);
    }
    if api.overload.is_shedding() {
        return Err(ApiError::Overloaded);
    }
    let what = match what {
        What::Delta => what,
        what => what.only(filter::selection(&head.uri)?),
    };
    let regions = match regions {
        Regions::Plain => api.catalog.plain_regions(),
        Regions::Loaded(regions) => regions,
        Regions::Awaited => return Err(ApiError::Forbidden),
    };
    let answer = api.catalog.answer_with(regions, &what, form).await;
    let answer = answer.map_err(|TooManyBuilt| ApiError::Overloaded)?.ok_or(ApiError::NotFound)?;
    Ok(conditional::ready(headers, api.node, answer, form, content_type))
}

/// `POST apps/{app}`: registers an instance.
pub(super) async fn register(
    api: &Api,
    app: &str,
    head: &Parts,
    body: Body,
    caller: Option<&Caller>,
) -> Result<Response, ApiError> {
    let limits = api.settings.load().limits;
    let read = read_body(api, &head.headers, body, limits, |format, bytes, limits| match format {
        Format::Json => json::read_instance(bytes, limits),
        Format::Xml => xml::read_instance(bytes, limits),
    });
    let Read { content: registration, negotiated, room: _room } = read.await?;
    let instance = registration
        .accept(&AppName::new(app), api.clock.now().wall)
        .map_err(|refusal| ApiError::Refused { refusal, content_type: negotiated.clone() })?;
    api.registry.check_room(&instance.app, &instance.id)?;
    if caller.is_some_and(|caller| !api.access.claim(caller, instance.app.clone(), instance.id.clone())) {
        return Err(ApiError::NotTheOwner);
    }
    api.registry.register(instance, origin(&head.headers));
    Ok(respond::empty(StatusCode::NO_CONTENT, negotiated))
}

/// What a body says.
pub(super) struct Read<T> {
    pub(super) content: T,
    /// The type to answer in.
    pub(super) negotiated: HeaderValue,
    /// What a large body takes, until it is done with.
    pub(super) room: Room,
}

/// Reads a body in JSON or XML. Checks in Java's order: the request's type if it has one, `Accept`, and
/// then a missing type.
pub(super) async fn read_body<T: Send + 'static>(
    api: &Api,
    headers: &HeaderMap,
    body: Body,
    limits: BodyLimits,
    read: impl FnOnce(Format, &[u8], &Limits) -> Result<T, ReadError> + Send + 'static,
) -> Result<Read<T>, ApiError> {
    let format = if headers.contains_key(CONTENT_TYPE) { Some(request_format(headers)?) } else { None };
    let negotiated = negotiate(headers)?.content_type;
    let over_limit = Arc::clone(&api.over_limit);
    let interpret = move |bytes: &[u8]| match format {
        Some(format) if bytes.is_empty() => {
            Err(ApiError::Unreadable { format, message: "cannot parse request body: it is empty".into() })
        }
        Some(format) => read(format, bytes, &limits.content).map_err(|error| {
            if let ReadError::Limit { .. } = error {
                over_limit.count(Limit::Content);
            }
            ApiError::Unreadable { format, message: error.to_string() }
        }),
        None if bytes.is_empty() => {
            Err(ApiError::BadRequest("the request has neither a Content-Type nor a body".into()))
        }
        None => Err(ApiError::UnsupportedMediaType),
    };
    let read = body::read(headers, body, limits, &api.bodies, interpret).await;
    let (content, room) = read.map_err(|error| match (error, format) {
        (ApiError::BadRequest(message), Some(format)) => ApiError::Unreadable { format, message },
        (error, _) => error,
    })?;
    Ok(Read { content, negotiated, room })
}
