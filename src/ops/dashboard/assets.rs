//! What is built in: the style, the script, the icon. Spring's own files, below `/eureka/css` and `/eureka/js`, are not
//! here: only its own pages use them.

use std::hash::{Hash as _, Hasher as _};

use axum::response::Response;
use fnv::FnvHasher;
use http::{HeaderMap, HeaderValue};

use super::respond;

const STYLE: &str = include_str!("../../../templates/dashboard/dashboard.css");
const SCRIPT: &str = include_str!("../../../templates/dashboard/dashboard.js");
const ICON: &str = include_str!("../../../templates/dashboard/dashboard.svg");

pub(super) async fn style(headers: HeaderMap) -> Response {
    answer(&headers, "text/css", STYLE)
}

pub(super) async fn script(headers: HeaderMap) -> Response {
    answer(&headers, "text/javascript", SCRIPT)
}

pub(super) async fn icon(headers: HeaderMap) -> Response {
    answer(&headers, "image/svg+xml", ICON)
}

fn answer(headers: &HeaderMap, content_type: &'static str, bytes: &'static str) -> Response {
    let mut hasher = FnvHasher::default();
    bytes.hash(&mut hasher);
    let etag = format!("\"{:016x}\"", hasher.finish());
    respond::asset(headers, HeaderValue::from_static(content_type), &etag, bytes)
}
