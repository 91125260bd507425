//! All instances as data, and what has changed since: what the script searches, and how it follows what happens.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::model::{AppName, InstanceId};
use crate::registry::{Lease, Version};

use super::row::Row;
use super::{Asker, Dashboard, respond};

#[derive(Debug, Serialize)]
struct Told<'a> {
    /// What to ask for next time.
    version: String,
    /// Whether all are here, and none of those that were known before counts.
    whole: bool,
    instances: Vec<Row<'a>>,
    /// Application and id of those that are gone.
    gone: Vec<(&'a str, &'a str)>,
}

/// Who changed.
#[derive(Debug, Default)]
struct Changed {
    /// As they are now.
    there: Vec<Arc<Lease>>,
    gone: Vec<(AppName, InstanceId)>,
}

/// `GET instances.json?since=…`: what changed after a version, else everything.
pub(super) async fn instances(State(dashboard): State<Dashboard>, asker: Asker) -> Response {
    let walks = dashboard.context.walks.clone();
    let make = move || {
        let since = asker.asked("since").and_then(|text| dashboard.version_of(&text));
        respond::data(&dashboard.context.walks, &asker.headers, dashboard.written(since, &asker))
    };
    walks.list(make).await.into_response()
}

impl Dashboard {
    /// The version of now, as text.
    pub(super) fn version(&self) -> String {
        let Version(version) = self.context.registry.version();
        format!("{}-{version}", self.epoch)
    }

    /// The version that a text of this process means.
    fn version_of(&self, text: &str) -> Option<Version> {
        let (epoch, version) = text.split_once('-')?;
        (epoch == self.epoch.to_string()).then(|| version.parse().ok().map(Version))?
    }

    fn written(&self, since: Option<Version>, asker: &Asker) -> Vec<u8> {
        // Before anything is read: what happens meanwhile is told twice, not never.
        let version = self.version();
        let changed = since.and_then(|since| self.changed(since));
        let whole = changed.is_none();
        let all = || Changed { there: self.context.catalog.leases(), gone: Vec::new() };
        let Changed { there, gone } = changed.unwrap_or_else(all);
        let answer = Told {
            version,
            whole,
            instances: there.iter().map(|lease| Row::of(lease, asker.now)).collect(),
            gone: gone.iter().map(|(app, id)| (app.as_str(), id.as_str())).collect(),
        };
        serde_json::to_vec(&answer).unwrap_or_default()
    }

    /// Who changed; none where that is not known any more.
    fn changed(&self, since: Version) -> Option<Changed> {
        let changes = self.context.registry.changes_since(since)?;
        let instances = changes.iter().map(|change| &change.lease.instance);
        let keys: BTreeSet<_> = instances.map(|instance| (instance.app.clone(), instance.id.clone())).collect();
        let mut found = Changed::default();
        for (app, id) in keys {
            match self.context.catalog.lease(&app, &id) {
                Some(lease) => found.there.push(lease),
                None => found.gone.push((app, id)),
            }
        }
        Some(found)
    }
}
