//! What is built in: the style, the script, the icon. Spring's own files, below `/eureka/css` and `/eureka/js`, are not
//! here: only its own pages use them.

use std::hash::{Hash as _, Hasher as _};

use axum::response::Response;
use fnv::FnvHasher;
use http::{HeaderMap, HeaderValue};

use super::respond;

const STYLE: &str = include_str!("../../../templates/dashboard/dashboard.css");
/// The dashboard's script: search, following what happens, actions; a file each, which see each other and are seen by
/// nothing else. Without it the pages list everything all the same.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("../../../templates/dashboard/script/page.js"),
    include_str!("../../../templates/dashboard/script/instances.js"),
    include_str!("../../../templates/dashboard/script/search.js"),
    include_str!("../../../templates/dashboard/script/applications.js"),
    include_str!("../../../templates/dashboard/script/follow.js"),
    include_str!("../../../templates/dashboard/script/actions.js"),
    include_str!("../../../templates/dashboard/script/begin.js"),
    "})();\n"
);
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
