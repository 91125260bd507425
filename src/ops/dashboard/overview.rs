//! `/`: the page that Spring has, searchable.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

use crate::model::{AppName, Instance};
use crate::registry::Lease;

use super::links::{Links, web_address};
use super::row::{amazon_zone, machine_image};
use super::system::System;
use super::{Asker, Dashboard, Frame};

#[derive(Template)]
#[template(path = "dashboard/overview.html")]
struct Page {
    frame: Frame,
    system: System,
    /// Of the list, for the script.
    version: String,
    /// How many instances there are; none on a page of figures alone.
    instances: Option<String>,
    apps: Vec<App>,
}

/// One line of Spring's table.
struct App {
    name: String,
    page: String,
    images: Vec<Counted>,
    zones: Vec<Counted>,
    statuses: Vec<Status>,
}

struct Counted {
    name: String,
    count: String,
}

struct Status {
    name: &'static str,
    count: String,
    ids: Vec<Listed>,
}

/// One of the instances with that status.
struct Listed {
    id: String,
    url: Option<String>,
    is_unconfirmed: bool,
}

/// `GET /`. With `?figures` without the instances, for the script, which has them from elsewhere.
pub(super) async fn page(State(dashboard): State<Dashboard>, asker: Asker) -> Response {
    answer(dashboard, asker, "./".to_owned()).await
}

/// The page at a path from which `home` leads to the dashboard.
pub(super) async fn answer(dashboard: Dashboard, asker: Asker, home: String) -> Response {
    dashboard
        .answer(asker, move |dashboard, asker| {
            let frame = dashboard.frame(asker, &home);
            // Before the list is: what happens meanwhile is told again.
            let version = dashboard.version();
            let leases = asker.asked("figures").is_none().then(|| dashboard.context.catalog.leases());
            let page = Page {
                version,
                system: dashboard.system(asker),
                instances: leases.as_ref().map(|leases| asker.language.count(leases.len())),
                apps: apps(leases.as_deref().unwrap_or_default(), &frame.links, asker),
                frame,
            };
            Ok((StatusCode::OK, page.render()?))
        })
        .await
}

/// The lines, of leases that are sorted by application.
fn apps(leases: &[Arc<Lease>], links: &Links, asker: &Asker) -> Vec<App> {
    let of_apps = leases.chunk_by(|a, b| a.instance.app == b.instance.app);
    of_apps.filter_map(|leases| Some(app(&leases.first()?.instance.app, leases, links, asker))).collect()
}

fn app(name: &AppName, leases: &[Arc<Lease>], links: &Links, asker: &Asker) -> App {
    let counted = |name_of: fn(&Instance) -> &str| {
        let mut counts = BTreeMap::new();
        for lease in leases {
            *counts.entry(name_of(&lease.instance)).or_insert(0) += 1;
        }
        let counts = counts.into_iter();
        counts.map(|(name, count)| Counted { name: name.to_owned(), count: asker.language.count(count) }).collect()
    };
    let mut by_status: BTreeMap<_, Vec<Listed>> = BTreeMap::new();
    for lease in leases {
        let instance = &lease.instance;
        let url = web_address(instance.status_page_url.as_ref()).map(str::to_owned);
        let listed = Listed { id: instance.id.as_str().to_owned(), url, is_unconfirmed: lease.is_unconfirmed() };
        by_status.entry(instance.status).or_default().push(listed);
    }
    let statuses = by_status.into_iter();
    App {
        name: name.as_str().to_owned(),
        page: links.app(name.as_str()),
        images: counted(|instance| machine_image(instance).unwrap_or("n/a")),
        zones: counted(|instance| amazon_zone(instance).unwrap_or_default()),
        statuses: statuses
            .map(|(status, ids)| Status { name: status.as_str(), count: asker.language.count(ids.len()), ids })
            .collect(),
    }
}
