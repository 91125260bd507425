//! `/eureka/prometheus/sd`: all instances as targets (Prometheus' `http_sd_configs`), with the labels of its own
//! `eureka_sd_configs`.
//!
//! What Prometheus finds through Eureka's API it has to read as XML, uncompressed, all of it every time. This is the
//! same as JSON, compressed if wanted, nothing where nothing has changed, and only what is asked for (the filters of
//! lists). All who read it at a time are given the same bytes. Values are as they were registered; `eureka_sd` shows metadata as XML has it, `&lt;` for `<`.

use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher as _};
use std::sync::{Arc, Weak};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use fnv::FnvHasher;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use parking_lot::Mutex;
use serde::Serialize;

use crate::access::Needs;
use crate::catalog::{Listed, compress};
use crate::http::{has_tag, selection, takes_gzip};
use crate::model::{DataCenter, Instance, Metadata, Selection, Text};
use crate::ops::Context;
use crate::ops::walks::Busy;
use crate::registry::Version;
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
    let targets = Targets { context: context.clone(), latest: Arc::default() };
    let routes = Router::new().route("/eureka/prometheus/sd", get(all)).with_state(targets);
    context.access.over(routes, Needs::Role(Role::Read))
}

/// What an answer is made from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Asked {
    version: Version,
    only: Selection,
    is_gzip: bool,
}

/// An answer, as long as somebody reads it.
type Latest = (Asked, Weak<Bytes>);

#[derive(Clone)]
struct Targets {
    context: Context,
    /// Held for looking it up.
    latest: Arc<Mutex<Option<Latest>>>,
}

impl Targets {
    /// `"<process>-<version of the registry>-<filters and form>"`: versions begin anew with each process.
    fn tag(&self, asked: &Asked) -> String {
        let mut hasher = FnvHasher::default();
        asked.hash(&mut hasher);
        format!("\"{}-{}-{:x}\"", self.context.events.epoch(), asked.version.0, hasher.finish())
    }

    /// The same answer, if somebody is reading it.
    fn latest(&self, asked: &Asked) -> Option<Arc<Bytes>> {
        let latest = self.latest.lock();
        let (known, document) = latest.as_ref()?;
        document.upgrade().filter(|_| known == asked)
    }

    /// Answers the same to all who read it at a time.
    fn written(&self, asked: Asked, listed: &Listed) -> Result<Arc<Bytes>, Refused> {
        // It may have been made while this one waited for its turn.
        if let Some(document) = self.latest(&asked) {
            return Ok(document);
        }
        let wanted = listed.instances().filter(|instance| asked.only.matches(instance));
        let json = serde_json::to_vec(&wanted.map(|instance| group(instance)).collect::<Vec<_>>())?;
        let bytes = if asked.is_gzip { compress(&json) } else { json };
        let document = Arc::new(self.context.walks.held(bytes)?);
        *self.latest.lock() = Some((asked, Arc::downgrade(&document)));
        Ok(document)
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error(transparent)]
    Busy(#[from] Busy),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// The bytes of an answer that several read.
struct Shared(Arc<Bytes>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

async fn all(State(targets): State<Targets>, uri: Uri, headers: HeaderMap) -> Response {
    let context = &targets.context;
    let only = match selection(&uri) {
        Ok(only) => only,
        Err(mistake) => return mistake.into_response(),
    };
    // Prometheus keeps what it has; an empty list would make it forget.
    if !context.registry.is_open() {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let listed = context.catalog.listed();
    let is_gzip = takes_gzip(&headers);
    let asked = Asked { version: listed.version, only, is_gzip };
    let tag = targets.tag(&asked);
    let is_known = has_tag(&headers, &tag) || headers.get(IF_NONE_MATCH).is_some_and(|known| known == "*");
    let always = [(ETAG, tag), (VARY, "Accept-Encoding".to_owned())];
    if is_known {
        return (StatusCode::NOT_MODIFIED, always).into_response();
    }
    let walks = context.walks.clone();
    let written = walks.list(move || targets.written(asked, &listed)).await;
    match written.map_err(Refused::Busy).flatten() {
        Ok(document) => {
            let coding = is_gzip.then_some([(CONTENT_ENCODING, HeaderValue::from_static("gzip"))]);
            let content_type = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
            let mut answer = (always, content_type, Body::from(Bytes::from_owner(Shared(document)))).into_response();
            answer.headers_mut().extend(coding.into_iter().flatten());
            answer
        }
        Err(Refused::Busy(busy)) => busy.into_response(),
        Err(error) => {
            tracing::error!(%error, "writing the targets for prometheus failed");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
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
