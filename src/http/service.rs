//! The API as a whole: a request in, its answer out.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode};

use crate::access::{Caller, Connection, Fetch, Fetcher, Needs};
use crate::peers::{Identity, NODE_HEADER};

use super::error::ApiError;
use super::resource::Resource;
use super::route::Route;
use super::{Api, apps, instance, metadata, peerreplication, respond, serverinfo, status, vips};

/// The API below a context path. Copies are the same one.
#[derive(Clone)]
pub struct Service(Arc<Shared>);

struct Shared {
    api: Api,
    /// Its segments.
    context_path: Vec<String>,
    /// What every answer says of this node, before and after the opening for traffic.
    identity: [HeaderValue; 2],
}

impl Service {
    /// The API below a context path (`server.servlet.context-path`: empty or `/x`).
    pub fn new(api: Api, context_path: &str) -> Self {
        let context_path = context_path.split('/').filter(|segment| !segment.is_empty()).map(str::to_owned).collect();
        let identity = [false, true].map(|open| Identity::own(api.node, open).header());
        Self(Arc::new(Shared { api, context_path, identity }))
    }

    /// The answer to a request for a resource of the API; the request itself if it is for anything else. `from`
    /// is who sent it, as far as that is known.
    pub async fn answer(&self, request: Request, from: &Connection) -> Result<Response, Request> {
        let (head, body) = request.into_parts();
        match Resource::of(head.uri.path(), &self.0.context_path) {
            Ok(Some(resource)) => {
                let (running, route) = (self.0.api.traffic.begin(), resource.route());
                let answer = if self.0.api.access.is_guarded() || resource.is_privileged() {
                    Box::pin(self.answer_through(resource, &head, body, from)).await
                } else {
                    self.answer_of(&resource, &head, body, from, None).await.unwrap_or_else(|error| self.refusal(error))
                };
                let answer = self.signed(answer);
                running.answered(route, &head.method, answer.status());
                Ok(if head.method == Method::HEAD { respond::head_alone(answer) } else { answer })
            }
            Ok(None) | Err(_) => Err(Request::from_parts(head, body)),
        }
    }

    /// The API alone, with an answer to everything: 404 where there is nothing.
    pub fn router(&self) -> Router {
        let service = self.clone();
        Router::new().fallback(async move |request: Request| {
            let from = request.extensions().get().cloned().unwrap_or_default();
            match service.answer(request, &from).await {
                Ok(answer) => answer,
                Err(request) => {
                    let (head, _body) = request.into_parts();
                    let running = service.0.api.traffic.begin();
                    let mistake = Resource::of(head.uri.path(), &service.0.context_path).err();
                    let nothing = |_| async { mistake.unwrap_or(ApiError::NotFound).into_response() };
                    // Whoever has no login is not told what is here and what is not.
                    let answer = service.0.api.access.through(&head, &from, Needs::Login, nothing).await;
                    running.answered(Route::Nothing, &head.method, answer.status());
                    service.signed(answer)
                }
            }
        })
    }

    /// The answer to somebody who may have it.
    async fn answer_through(&self, resource: Resource<'_>, head: &Parts, body: Body, from: &Connection) -> Response {
        let needs = resource.needs(head);
        let access = &self.0.api.access;
        let answer = async |caller: Option<Caller>| {
            let anothers = caller.as_ref().filter(|caller| resource.cancels_anothers(&self.0.api, caller, head));
            let answered = self.answer_of(&resource, head, body, from, caller.as_ref()).await;
            if let (Err(ApiError::NotTheOwner), Some(caller)) = (&answered, &caller) {
                return access.not_the_owner(head, from, caller);
            }
            let answer = answered.unwrap_or_else(|error| self.refusal(error));
            if let Some(caller) = anothers {
                access.dealt_with_anothers(head, from, caller, answer.status());
            }
            answer
        };
        access.through(head, from, needs, answer).await
    }

    async fn answer_of(
        &self,
        resource: &Resource<'_>,
        head: &Parts,
        body: Body,
        from: &Connection,
        caller: Option<&Caller>,
    ) -> Result<Response, ApiError> {
        let api = &self.0.api;
        if let Some(caller) = caller {
            resource.check_owner(api, caller, head)?;
        }
        let Some(methods) = resource.methods() else {
            return match head.method {
                Method::POST => peerreplication::digest(api, head, body).await,
                Method::GET => peerreplication::unconfirmed(api, head).await,
                _ => Err(ApiError::NotFound),
            };
        };
        match (&head.method, resource) {
            (&Method::PUT, Resource::Instance(key)) => instance::renew(api, key, head),
            (&Method::GET | &Method::HEAD, resource) => self.read(resource, methods, head, from).await,
            (&Method::POST, Resource::App(app)) => apps::register(api, app, head, body, caller).await,
            (&Method::POST, Resource::Batch) => peerreplication::batch(api, head, body, from).await,
            (&Method::DELETE, Resource::Instance(key)) => instance::cancel(api, key, head),
            (&Method::PUT, Resource::Status(key)) => status::set(api, key, head),
            (&Method::DELETE, Resource::Status(key)) => status::remove(api, key, head),
            (&Method::PUT, Resource::Metadata(key)) => metadata::set(api, key, head),
            (&Method::PUT, Resource::Asg) => serverinfo::asg(head),
            (&Method::OPTIONS, _) => Ok(respond::allowed(StatusCode::OK, methods)),
            _ => Ok(not_allowed(methods)),
        }
    }

    async fn read(
        &self,
        resource: &Resource<'_>,
        methods: &'static str,
        head: &Parts,
        from: &Connection,
    ) -> Result<Response, ApiError> {
        let api = &self.0.api;
        self.check_rate(resource, head, from)?;
        match resource {
            Resource::Apps => apps::all(api, head).await,
            Resource::Delta => apps::delta(api, head).await,
            Resource::App(app) => apps::one(api, app, head).await,
            Resource::Instance(key) => instance::one(api, key, head),
            Resource::Anywhere(id) => instance::anywhere(api, id, head),
            Resource::Vip(vip) => vips::plain(api, vip, head).await,
            Resource::SecureVip(vip) => vips::secure(api, vip, head).await,
            Resource::ServerStatus => serverinfo::status(api, head),
            Resource::Overrides => Ok(serverinfo::status_overrides(api)),
            Resource::Status(_) | Resource::Metadata(_) | Resource::Batch | Resource::Digest | Resource::Asg => {
                Ok(not_allowed(methods))
            }
        }
    }

    /// Whether there were too many reads of lists lately.
    fn check_rate(&self, resource: &Resource<'_>, head: &Parts, from: &Connection) -> Result<(), ApiError> {
        let fetch = match resource {
            Resource::Apps => Fetch::Full,
            Resource::Delta | Resource::App(_) => Fetch::Part,
            _ => return Ok(()),
        };
        let api = &self.0.api;
        let fetcher =
            Fetcher { name: head.headers.get("discoveryidentity-name").map(HeaderValue::as_bytes), address: from.ip() };
        let is_admitted = api.fetches.admits(fetch, fetcher, &api.settings.load().rate_limit, api.clock.mono());
        if is_admitted { Ok(()) } else { Err(ApiError::TooOften) }
    }

    fn refusal(&self, error: ApiError) -> Response {
        if let Some(limit) = error.limit() {
            self.0.api.over_limit.count(limit);
        }
        error.into_response()
    }

    /// Every answer says which node gives it, also one that refuses: a node knows itself by it, and peers
    /// know that there is nothing to copy yet.
    fn signed(&self, mut response: Response) -> Response {
        let [opening, open] = &self.0.identity;
        let identity = if self.0.api.registry.was_opened() { open } else { opening };
        response.headers_mut().insert(NODE_HEADER, identity.clone());
        response
    }
}

fn not_allowed(methods: &'static str) -> Response {
    respond::allowed(StatusCode::METHOD_NOT_ALLOWED, methods.trim_start_matches("HEAD,"))
}
