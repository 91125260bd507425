//! `/app/{app}`: the instances of an application, and who has left it.

use std::collections::{BTreeMap, HashSet};

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;

use crate::model::AppName;

use super::row::Row;
use super::{Asker, Dashboard, Frame, instance};

#[derive(Template)]
#[template(path = "dashboard/application.html")]
struct Page<'a> {
    frame: Frame,
    name: &'a str,
    /// How many instances have each status.
    counts: Vec<(&'static str, String)>,
    rows: Vec<Row<'a>>,
    /// How many more there are.
    left_out: Option<String>,
    /// Whether something can be done about them here.
    is_held_here: bool,
    gone: Vec<Gone>,
}

/// An instance that has left.
struct Gone {
    id: String,
    page: String,
    time: String,
    cause: &'static str,
    origin: &'static str,
}

/// Rows that a browser shows without delay.
const MOST_ROWS: usize = 1000;
/// So many that left are listed.
const MOST_GONE: usize = 20;

/// `GET /app/{app}`.
pub(super) async fn page(State(dashboard): State<Dashboard>, Path(name): Path<String>, asker: Asker) -> Response {
    answer(dashboard, &name, asker, "../").await
}

/// `GET /app?name=…&instance=…`: for names that no path carries.
pub(super) async fn by_query(State(dashboard): State<Dashboard>, asker: Asker) -> Response {
    let name = asker.asked("name").unwrap_or_default();
    match asker.asked("instance") {
        Some(id) => instance::answer(dashboard, &name, &id, asker, "./").await,
        None => answer(dashboard, &name, asker, "./").await,
    }
}

async fn answer(dashboard: Dashboard, name: &str, asker: Asker, home: &'static str) -> Response {
    let app = AppName::new(name);
    dashboard
        .answer(asker, move |dashboard, asker| {
            let frame = dashboard.frame_of(&app, asker, home);
            let leases = dashboard.context.catalog.leases_of(&app);
            let gone = dashboard.gone(&app, &frame, asker);
            let mut counts = BTreeMap::new();
            for lease in &leases {
                *counts.entry(lease.instance.status).or_insert(0) += 1;
            }
            let counts = counts.into_iter().map(|(status, count)| (status.as_str(), asker.language.count(count)));
            let more = leases.len().saturating_sub(MOST_ROWS);
            let page = Page {
                name: app.as_str(),
                counts: counts.collect(),
                rows: leases.iter().take(MOST_ROWS).map(|lease| Row::of(lease, asker.now)).collect(),
                left_out: (more > 0).then(|| asker.language.count(more)),
                is_held_here: leases.iter().any(|lease| lease.region.is_none()),
                gone,
                frame,
            };
            let status = if leases.is_empty() { StatusCode::NOT_FOUND } else { StatusCode::OK };
            Ok((status, page.render()?))
        })
        .await
}

impl Dashboard {
    /// Who has left an application and is not back, newest first.
    fn gone(&self, app: &AppName, frame: &Frame, asker: &Asker) -> Vec<Gone> {
        let mut seen = HashSet::new();
        let left = self.context.registry.last_cancelled();
        let left = left.iter().filter(|event| event.app == *app && seen.insert(event.id.clone()));
        let left = left.filter(|event| self.context.catalog.lease(app, &event.id).is_none());
        let gone = left.map(|event| Gone {
            id: event.id.as_str().to_owned(),
            page: frame.links.instance(app.as_str(), event.id.as_str()),
            time: asker.language.time(&self.moments.zoned(event.at)),
            cause: event.cause.as_str(),
            origin: event.origin.as_str(),
        });
        gone.take(MOST_GONE).collect()
    }
}
