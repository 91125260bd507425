//! `/lastn`: the last leases that came and went.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

use crate::registry::LeaseEvent;

use super::links::Links;
use super::system::System;
use super::{Asker, Dashboard, Frame};

#[derive(Template)]
#[template(path = "dashboard/lastn.html")]
struct Page {
    frame: Frame,
    system: System,
    lists: [List; 2],
}

struct List {
    /// The ids that Spring has.
    pane: &'static str,
    table: &'static str,
    title: &'static str,
    lines: Vec<Line>,
}

struct Line {
    time: String,
    lease: String,
    page: String,
    cause: &'static str,
    origin: &'static str,
}

/// `GET /lastn`.
pub(super) async fn page(State(dashboard): State<Dashboard>, asker: Asker) -> Response {
    dashboard
        .answer(asker, |dashboard, asker| {
            let frame = dashboard.frame(asker, "./");
            let registry = &dashboard.context.registry;
            let lines = |events: Vec<LeaseEvent>| {
                events.iter().map(|event| dashboard.line(event, &frame.links, asker)).collect()
            };
            let lists = [
                List {
                    pane: "cancelled",
                    table: "lastNCanceled",
                    title: "Last 1000 cancelled leases",
                    lines: lines(registry.last_cancelled()),
                },
                List {
                    pane: "registered",
                    table: "lastNRegistered",
                    title: "Last 1000 newly registered leases",
                    lines: lines(registry.last_registered()),
                },
            ];
            let page = Page { system: dashboard.system(asker), lists, frame };
            Ok((StatusCode::OK, page.render()?))
        })
        .await
}

impl Dashboard {
    fn line(&self, event: &LeaseEvent, links: &Links, asker: &Asker) -> Line {
        let LeaseEvent { at, app, id, cause, origin } = event;
        Line {
            time: asker.language.time(&self.moments.zoned(*at)),
            lease: format!("{app}({id})"),
            page: links.instance(app.as_str(), id.as_str()),
            cause: cause.as_str(),
            origin: origin.as_str(),
        }
    }
}
