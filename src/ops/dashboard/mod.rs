//! The page that people look at: who is registered, why, and what they can do about it.
//!
//! All that Spring's page tells is there, with its element ids, its labels and its bare values, so that whoever reads
//! it by program goes on. What is beyond: search, pages of applications and instances, causes, and actions, which a
//! script sends to the operations API after a confirmation. Without the script the pages list everything; nothing on
//! them is loaded from elsewhere, and what clients registered is data, never markup (see `respond`).
//!
//! | file | what |
//! | --- | --- |
//! | `overview` | `/`: all applications, search, figures |
//! | `last_leases` | `/lastn`: what came and went |
//! | `application`, `instance` | a page of each |
//! | `system` | what several pages tell of the server, its peers and self-preservation |
//! | `row` | one instance in a table |
//! | `data` | the same for the script, and what has changed since |
//! | `language` | numbers and times as the reader's language has them |
//! | `moments` | times for people |
//! | `links` | where relative links lead |
//! | `assets`, `respond` | what is built in, and the shape of answers |
//!
//! The templates and what is built in lie in `templates/dashboard`.

mod application;
mod assets;
mod data;
mod instance;
mod language;
mod last_leases;
mod links;
mod moments;
mod overview;
mod respond;
mod row;
mod system;

use axum::Router;
use axum::extract::{FromRequestParts, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use http::header::{ALLOW, LOCATION};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::access::{Needs, Visitor};
use crate::clock::Now;
use crate::model::{AppName, WallMillis};
use crate::settings::Role;

use super::Context;
use language::Language;
use links::Links;
use moments::Moments;

/// What the pages are made from. Copies are the same one.
#[derive(Clone)]
struct Dashboard {
    context: Context,
    moments: Moments,
    /// How many segments lie between the context path and the dashboard.
    depth: usize,
    /// Tells versions of this process from those of another one.
    epoch: WallMillis,
}

/// The dashboard at `eureka.dashboard.path` below the context path; nothing where it is switched off.
pub fn router(context: &Context) -> Router {
    let (context_path, settings) = {
        let settings = context.settings.borrow();
        (settings.http.context_path.clone(), settings.dashboard.clone())
    };
    if !settings.enabled {
        return Router::new();
    }
    let dashboard = Dashboard {
        context: context.clone(),
        moments: Moments::local(),
        depth: settings.path.split('/').filter(|segment| !segment.is_empty()).count(),
        epoch: context.clock.now().wall,
    };
    let base = format!("{context_path}{}", settings.path);
    let at = |path: &str| format!("{base}{path}");
    let mut routes = Router::new()
        .route(&at("/"), read(get(overview::page)))
        .route(&at("/lastn"), read(get(last_leases::page)))
        .route(&at("/app"), read(get(application::by_query)))
        .route(&at("/app/{app}"), read(get(application::page)))
        .route(&at("/app/{app}/{instance}"), read(get(instance::page)))
        .route(&at("/instances.json"), read(get(data::instances)))
        .route(&at("/dashboard.css"), read(get(assets::style)))
        .route(&at("/dashboard.js"), read(get(assets::script)))
        .route(&at("/dashboard.svg"), read(get(assets::icon)));
    if let Some((_, last)) = base.rsplit_once('/') {
        let below = format!("{last}/");
        let whole = if settings.path.is_empty() {
            // As Tomcat does for a context path; the place holds behind a proxy, too.
            let place = HeaderValue::from_str(&below).unwrap_or(HeaderValue::from_static("./"));
            get(async move || (StatusCode::FOUND, [(LOCATION, place)]))
        } else {
            get(async move |State(dashboard), asker| overview::answer(dashboard, asker, below).await)
        };
        routes = routes.route(&base, read(whole));
    }
    context.access.over(routes.with_state(dashboard), Needs::Role(Role::Read))
}

/// What is read and nothing else; said in Spring's order.
fn read(method: MethodRouter<Dashboard>) -> MethodRouter<Dashboard> {
    method.options(async || [(ALLOW, HeaderValue::from_static("GET,HEAD,OPTIONS"))])
}

/// Who looks, and when.
struct Asker {
    headers: HeaderMap,
    /// What is asked for behind the path.
    query: String,
    language: Language,
    /// None where it is not known, who may do nothing.
    visitor: Option<Visitor>,
    now: Now,
}

impl FromRequestParts<Dashboard> for Asker {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(head: &mut Parts, dashboard: &Dashboard) -> Result<Self, Self::Rejection> {
        let headers = std::mem::take(&mut head.headers);
        Ok(Self {
            language: Language::of(&headers),
            visitor: head.extensions.get().cloned(),
            headers,
            query: head.uri.query().unwrap_or_default().to_owned(),
            now: dashboard.context.clock.now(),
        })
    }
}

impl Asker {
    /// What the query says of a name.
    fn asked(&self, name: &str) -> Option<String> {
        let mut pairs = form_urlencoded::parse(self.query.as_bytes());
        pairs.find_map(|(key, value)| (key == name).then(|| value.into_owned()))
    }
}

/// What surrounds every page.
struct Frame {
    links: Links,
    /// Whether to offer what changes something.
    may_operate: bool,
}

impl Dashboard {
    /// The surroundings of a page of all applications, from which `home` leads to the dashboard. What is offered there
    /// takes who may act on all.
    fn frame(&self, asker: &Asker, home: &str) -> Frame {
        let may_operate = asker.visitor.as_ref().is_some_and(Visitor::may_change_all);
        Frame { links: Links::new(home, self.depth), may_operate }
    }

    /// The same of a page of an application.
    fn frame_of(&self, app: &AppName, asker: &Asker, home: &str) -> Frame {
        let may_operate = asker.visitor.as_ref().is_some_and(|visitor| visitor.may_operate_on(app));
        Frame { may_operate, ..self.frame(asker, home) }
    }

    /// Makes a page on a thread of its own: it may be as long as the registry.
    async fn answer(
        self,
        asker: Asker,
        make: impl FnOnce(&Self, &Asker) -> askama::Result<(StatusCode, String)> + Send + 'static,
    ) -> Response {
        let walks = self.context.walks.clone();
        let make = move || match make(&self, &asker) {
            Ok((status, html)) => {
                respond::page(&self.context.walks, status, &asker.language, &asker.headers, html).into_response()
            }
            Err(error) => {
                tracing::error!(%error, "a page of the dashboard cannot be written");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        };
        walks.list(make).await.into_response()
    }
}
