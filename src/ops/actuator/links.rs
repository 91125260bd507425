//! The list of the other endpoints.

use axum::extract::State;
use axum::response::Response;
use http::header::HOST;
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};

use super::{Actuator, ENDPOINTS};

/// `GET /actuator`: a link to each exposed endpoint, by the host that the caller asked.
pub(super) async fn links(State(actuator): State<Actuator>, headers: HeaderMap) -> Response {
    let settings = &actuator.settings;
    let base = format!("{}{}{}", origin(&actuator, &headers), actuator.context_path, settings.base_path);
    let mut links = Map::new();
    let mut link = |name: String, path: &str| {
        links.insert(name, json!({"href": format!("{base}{path}"), "templated": path.contains('{')}));
    };
    link("self".to_owned(), "");
    for endpoint in ENDPOINTS.iter().filter(|endpoint| actuator.serves(endpoint)) {
        let path = settings.path(endpoint.id);
        link(endpoint.id.to_owned(), &path);
        if let Some((name, below)) = endpoint.below {
            link(format!("{}-{name}", endpoint.id), &format!("{path}/{below}"));
        }
    }
    super::json(&headers, StatusCode::OK, &json!({"_links": Value::Object(links)}))
}

/// How the caller reached the server: what a proxy says, if it is to be believed, else the host that was asked.
fn origin(actuator: &Actuator, headers: &HeaderMap) -> String {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    // Of several proxies the first is the caller's.
    let first =
        |name: &str| text(name).and_then(|list| list.split(',').next()).map(str::trim).filter(|one| is_plain(one));
    let forwarded = |name: &str| Some(name).filter(|_| actuator.settings.behind_proxy).and_then(first);
    let scheme = forwarded("x-forwarded-proto").unwrap_or(if actuator.is_secure { "https" } else { "http" });
    let host = forwarded("x-forwarded-host").or_else(|| text(HOST.as_str())).unwrap_or("localhost");
    let port =
        forwarded("x-forwarded-port").filter(|port| !matches!((scheme, *port), ("http", "80") | ("https", "443")));
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let port = port.filter(|_| !has_port).map(|port| format!(":{port}")).unwrap_or_default();
    let prefix = forwarded("x-forwarded-prefix").unwrap_or_default().trim_end_matches('/');
    format!("{scheme}://{host}{port}{prefix}")
}

/// Whether it can stand in a URL.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".:-_[]/~".contains(&byte))
}
