//! `/eureka/prometheus/sd`: all instances as targets (Prometheus' `http_sd_configs`), with the labels of its own
//! `eureka_sd_configs`.
//!
//! What Prometheus finds through Eureka's API it has to read as XML, uncompressed, all of it every time. This is the
//! same as JSON, compressed if wanted, nothing where nothing has changed, and only what is asked for (the filters of lists). Values are as they were registered;
//! `eureka_sd` shows metadata as XML has it, `&lt;` for `<`.

use std::collections::BTreeMap;

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use serde::Serialize;

use crate::access::Needs;
use crate::blocking::off_the_workers;
use crate::http::selection;
use crate::model::{DataCenter, Instance, Metadata, Text};
use crate::ops::Context;
use crate::settings::Role;

const PREFIX: &str = "__meta_eureka_app_instance_";

/// One target and what is known of it.
#[derive(Debug, Serialize)]
struct Group {
    targets: [String; 1],
    labels: BTreeMap<String, String>,
}

/// The path, below the context path.
pub(in crate::ops) fn router(context: &Context) -> Router {
    // Versions begin anew with each process.
    let targets = Targets { context: context.clone(), epoch: context.clock.now().wall };
    let routes = Router::new().route("/eureka/prometheus/sd", get(all)).with_state(targets);
    context.access.over(routes, Needs::Role(Role::Read))
}

#[derive(Clone)]
struct Targets {
    context: Context,
    epoch: i64,
}

async fn all(State(Targets { context, epoch }): State<Targets>, uri: Uri, headers: HeaderMap) -> Response {
    let only = match selection(&uri) {
        Ok(only) => only,
        Err(mistake) => return mistake.into_response(),
    };
    // Prometheus keeps what it has; an empty list would make it forget.
    if !context.registry.is_open() {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let listed = context.catalog.listed();
    let tag = format!("\"{epoch}-{}\"", listed.version.0);
    let is_known = headers.get_all(IF_NONE_MATCH).iter().any(|known| names(known, &tag));
    let tag = [(ETAG, tag)];
    if is_known {
        return (StatusCode::NOT_MODIFIED, tag).into_response();
    }
    let write = move || {
        let wanted = listed.instances().filter(|instance| only.matches(instance));
        serde_json::to_vec(&wanted.map(|instance| group(instance)).collect::<Vec<_>>())
    };
    match off_the_workers(write).await {
        Ok(document) => (tag, [(CONTENT_TYPE, HeaderValue::from_static("application/json"))], document).into_response(),
        Err(error) => {
            tracing::error!(%error, "writing the targets for prometheus failed");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

fn names(known: &HeaderValue, tag: &str) -> bool {
    let known = known.to_str().unwrap_or_default();
    known.split(',').map(str::trim).any(|known| known == "*" || known.trim_start_matches("W/") == tag)
}

fn group(instance: &Instance) -> Group {
    let text = |text: &Option<Text>| text.as_deref().unwrap_or_default().to_owned();
    let id = || instance.instance_id.as_deref().unwrap_or_default().to_owned();
    let mut labels = BTreeMap::from([
        ("instance".to_owned(), id()),
        ("__meta_eureka_app_name".to_owned(), instance.app.to_string()),
    ]);
    for (name, value) in [
        ("hostname", instance.host_name.to_string()),
        ("homepage_url", text(&instance.home_page_url)),
        ("statuspage_url", text(&instance.status_page_url)),
        ("healthcheck_url", text(&instance.health_check_url)),
        ("ip_addr", instance.ip_addr.to_string()),
        ("vip_address", text(&instance.vip_address)),
        ("secure_vip_address", text(&instance.secure_vip_address)),
        ("status", instance.status.to_string()),
        ("country_id", instance.country_id.to_string()),
        ("id", id()),
        ("port", instance.port.number.to_string()),
        ("port_enabled", instance.port.enabled.to_string()),
        ("secure_port", instance.secure_port.number.to_string()),
        ("secure_port_enabled", instance.secure_port.enabled.to_string()),
        ("datacenterinfo_name", instance.data_center.name().to_owned()),
    ] {
        labels.insert(format!("{PREFIX}{name}"), value);
    }
    let mut add = |kind: &str, metadata: &Metadata| {
        for (key, value) in metadata.iter() {
            labels.insert(format!("{PREFIX}{kind}_{}", sanitized(key)), value.to_owned());
        }
    };
    if let DataCenter::Amazon(metadata) = &instance.data_center {
        add("datacenterinfo_metadata", metadata);
    }
    add("metadata", &instance.metadata);
    Group { targets: [address(&instance.host_name, instance.port.number)], labels }
}

/// `net.JoinHostPort`: an IPv6 address comes in brackets.
fn address(host: &str, port: i32) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// `strutil.SanitizeLabelName`.
fn sanitized(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect()
}
