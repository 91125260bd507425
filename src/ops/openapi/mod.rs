//! What can be asked of this server, described for programs: `docs/openapi.yaml`, as JSON at `/eureka/openapi.json`.

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use serde_json::Value;

use crate::access::Needs;

use super::Context;

/// The one source of the document.
const YAML: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/openapi.yaml"));

/// `GET /eureka/openapi.json`; `context_path` is what lies before it.
pub(super) fn router(context: &Context, context_path: &str) -> Router {
    let (context_path, read) = (context_path.to_owned(), Arc::new(OnceLock::new()));
    let answer = async move || answer(read.get_or_init(|| document(&context_path)).clone());
    context.access.over(Router::new().route("/eureka/openapi.json", get(answer)), Needs::Login)
}

/// The document of a server below a context path; none if it cannot be read, which a test rules out.
fn document(context_path: &str) -> Option<Bytes> {
    let mut document: Value = serde_saphyr::from_str(YAML).ok()?;
    if !context_path.is_empty() {
        document["servers"][0]["url"] = context_path.into();
    }
    Some(document.to_string().into())
}

fn answer(document: Option<Bytes>) -> Response {
    let json = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    document.map_or_else(|| StatusCode::NOT_FOUND.into_response(), |document| (json, document).into_response())
}
