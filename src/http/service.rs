//! The API as a whole: a request in, its answer out.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode};

use crate::access::Connection;
use crate::peers::{Identity, NODE_HEADER};

use super::error::ApiError;
use super::resource::Resource;
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
                let answer = self.answer_of(resource, &head, body, from).await;
                let answer = self.signed(answer.unwrap_or_else(IntoResponse::into_response));
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
                    let mistake = Resource::of(request.uri().path(), &service.0.context_path).err();
                    service.signed(mistake.unwrap_or(ApiError::NotFound).into_response())
                }
            }
        })
    }

    async fn answer_of(
        &self,
        resource: Resource<'_>,
        head: &Parts,
        body: Body,
        from: &Connection,
    ) -> Result<Response, ApiError> {
        let api = &self.0.api;
        let Some(methods) = resource.methods() else {
            return match head.method {
                Method::POST => peerreplication::digest(api, head, body).await,
                _ => Err(ApiError::NotFound),
            };
        };
        match (&head.method, resource) {
            (&Method::PUT, Resource::Instance(key)) => instance::renew(api, &key, head),
            (&Method::GET | &Method::HEAD, resource) => self.read(resource, methods, head).await,
            (&Method::POST, Resource::App(app)) => apps::register(api, &app, head, body).await,
            (&Method::POST, Resource::Batch) => peerreplication::batch(api, head, body, from).await,
            (&Method::DELETE, Resource::Instance(key)) => instance::cancel(api, key, head),
            (&Method::PUT, Resource::Status(key)) => status::set(api, &key, head),
            (&Method::DELETE, Resource::Status(key)) => status::remove(api, &key, head),
            (&Method::PUT, Resource::Metadata(key)) => metadata::set(api, &key, head),
            (&Method::PUT, Resource::Asg) => serverinfo::asg(head),
            (&Method::OPTIONS, _) => Ok(respond::allowed(StatusCode::OK, methods)),
            _ => Ok(not_allowed(methods)),
        }
    }

    async fn read(&self, resource: Resource<'_>, methods: &'static str, head: &Parts) -> Result<Response, ApiError> {
        let api = &self.0.api;
        match resource {
            Resource::Apps => apps::all(api, head).await,
            Resource::Delta => apps::delta(api, head).await,
            Resource::App(app) => apps::one(api, &app, head).await,
            Resource::Instance(key) => instance::one(api, &key, head),
            Resource::Anywhere(id) => instance::anywhere(api, &id, head),
            Resource::Vip(vip) => vips::plain(api, &vip, head).await,
            Resource::SecureVip(vip) => vips::secure(api, &vip, head).await,
            Resource::ServerStatus => serverinfo::status(api, head),
            Resource::Overrides => Ok(serverinfo::status_overrides(api)),
            Resource::Status(_) | Resource::Metadata(_) | Resource::Batch | Resource::Digest | Resource::Asg => {
                Ok(not_allowed(methods))
            }
        }
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
