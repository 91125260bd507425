//! Registries of other regions, copied for readers here (`RemoteRegionRegistry`).
//!
//! A task each polls a region and tells the registry what it holds. Nobody waits for one: not the start
//! (Java's does), not a request. A region that fails keeps its last copy, and is named in the log once when
//! that begins and once when it ends.
//!
//! What a region may make this server hold is bounded (`eurekad.regions.answer-size`, `.instances`): an answer
//! of more is a failure like any other.
//!
//! A region is asked for what is registered **there**. Java asks for the plain list, which shows the
//! regions of that server as well: two servers that are each other's regions then keep each other's dead
//! instances alive. A request that names a region that nobody knows is answered with local instances alone,
//! by Java's servers too.
//!
//! | file | what |
//! | --- | --- |
//! | `poll` | what to ask next, and what an answer means |

mod poll;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use http::StatusCode;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::blocking::off_the_workers;
use crate::clock::Clock;
use crate::codec::json::{self, ListedInstance};
use crate::codec::{Limits, ReadError};
use crate::model::{AppName, Refusal};
use crate::registry::{RegionChange, RegionId, Registry, RemoteInstance};
use crate::settings::{NO_REGION, RegionSettings, RemoteRegion};

use super::begun_again::keep_running;
use super::calls::{Calls, Reply};
use super::identity::NodeId;
use super::line::{Failure, News};
use poll::{Ask, List, Outcome, Poll};

/// The remote regions. Copies share them.
#[derive(Clone)]
pub struct Regions {
    settings: Arc<RegionSettings>,
    registry: Arc<Registry>,
    calls: Calls,
    node: NodeId,
    clock: Clock,
}

impl fmt::Debug for Regions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Regions").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Regions {
    /// Those of the settings, for a registry that knows them by name, of this node.
    pub fn new(settings: RegionSettings, registry: Arc<Registry>, calls: Calls, node: NodeId, clock: Clock) -> Self {
        Self { settings: Arc::new(settings), registry, calls, node, clock }
    }

    /// Copies all of them from now on, until `ending`.
    pub fn start(&self, tasks: &TaskTracker, ending: &CancellationToken) {
        for region in &self.settings.regions {
            let Some(id) = self.registry.region(&region.name) else { continue };
            let apps = self.settings.apps_of(&region.name);
            let follower = Follower {
                regions: self.clone(),
                region: region.clone(),
                id,
                apps: apps.map(|apps| Arc::new(apps.iter().map(|app| AppName::new(app.trim())).collect())),
            };
            tasks.spawn(follower.keep(tasks.clone(), ending.clone()));
        }
    }
}

/// Whoever follows one region.
#[derive(Clone)]
struct Follower {
    regions: Regions,
    region: RemoteRegion,
    id: RegionId,
    /// The applications that are shown; none: all.
    apps: Option<Arc<HashSet<AppName>>>,
}

impl Follower {
    async fn keep(self, tasks: TaskTracker, ending: CancellationToken) {
        let run = || {
            let follower = self.clone();
            async move { follower.follow().await }
        };
        let tell =
            |error| tracing::error!(region = self.region.name, %error, "copying a region failed, it begins anew");
        keep_running(tasks, ending, run, tell).await;
    }

    async fn follow(&self) {
        let Regions { settings, registry, clock, .. } = &self.regions;
        let mut poll = Poll::new(settings, rand::random());
        let mut refused = 0;
        loop {
            sleep(poll.due().since(clock.mono())).await;
            let ask = poll.ask(clock.mono());
            let (list, unread) = match self.ask(ask).await {
                Ok(answer) => answer,
                Err(failure) => {
                    self.tell(poll.failed(failure, clock.mono()));
                    continue;
                }
            };
            if ask == Ask::Full && unread.len() != refused {
                refused = unread.len();
                if let Some(refusal) = unread.first() {
                    tracing::warn!(
                        region = self.region.name,
                        instances = refused,
                        refusal,
                        "instances of a region cannot be shown"
                    );
                }
            }
            let first = !registry.is_region_loaded(self.id);
            let (outcome, news) = poll.answered(ask, list, clock.mono());
            let instances = self.take(outcome).await;
            if first && let Some(instances) = instances {
                tracing::info!(region = self.region.name, url = %self.region.url, instances, "copied a region");
            }
            self.tell(news);
        }
    }

    /// What the region answered, and why some of it cannot be read.
    async fn ask(&self, ask: Ask) -> Result<(List, Vec<String>), Failure> {
        let list = match ask {
            Ask::Full => "apps/",
            Ask::Delta => "apps/delta",
        };
        let path = format!("{list}?regions={NO_REGION}");
        let Regions { settings, calls, .. } = &self.regions;
        let Reply { status, identity, body } = calls.get(&self.region.url, &path, settings.most_bytes).await?;
        if identity.is_some_and(|identity| identity.node == self.regions.node) {
            return Err(Failure::Faulty("it is this server itself".into()));
        }
        if status != StatusCode::OK {
            return Err(Failure::of_status(status.as_u16()));
        }
        let most = settings.most_instances;
        let read = tokio::task::spawn_blocking(move || read(&body, most)).await;
        read.map_err(Failure::faulty)?.map_err(|error| match error {
            ReadError::Limit { .. } => Failure::TooLarge(error.to_string()),
            error => Failure::faulty(error),
        })
    }

    /// Tells the registry. Gives how many instances it was told of.
    async fn take(&self, outcome: Outcome) -> Option<usize> {
        let (registry, id, apps) = (Arc::clone(&self.regions.registry), self.id, self.apps.clone());
        let is_shown = move |app: &AppName| apps.as_ref().is_none_or(|apps| apps.contains(app));
        let work: Box<dyn FnOnce() -> usize + Send> = match outcome {
            Outcome::Replace(mut all) => Box::new(move || {
                all.retain(|listed| is_shown(&listed.instance.app));
                let instances = all.len();
                registry.replace_region(id, all);
                instances
            }),
            Outcome::Change(mut changes) => Box::new(move || {
                changes.retain(|change| match change {
                    RegionChange::Put(listed) => is_shown(&listed.instance.app),
                    RegionChange::Removed(app, _) => is_shown(app),
                });
                let instances = changes.len();
                registry.change_region(id, changes);
                instances
            }),
            Outcome::Mismatch => {
                tracing::debug!(region = self.region.name, "a delta of a region does not fit, reading everything");
                return None;
            }
        };
        Some(off_the_workers(work).await)
    }

    fn tell(&self, news: Option<News>) {
        let RemoteRegion { name: region, url } = &self.region;
        match news {
            Some(News::Down(failure @ Failure::TooLarge(_))) => {
                tracing::warn!(
                    region,
                    %url,
                    %failure,
                    "a region has more than eurekad.regions.* allow, what is known of it is shown on"
                );
            }
            Some(News::Down(failure)) => {
                tracing::warn!(region, %url, %failure, "a region fails, what is known of it is shown on");
            }
            Some(News::Back(after)) => tracing::info!(region, %url, ?after, "a region is back"),
            None => {}
        }
    }
}

fn read(body: &[u8], most: usize) -> Result<(List, Vec<String>), ReadError> {
    let mut listed = json::read_applications(body, &Limits::default(), most)?;
    let hash = listed.hash.take();
    let (instances, unread) = listed.sorted_out(accepted);
    Ok((List { hash, bytes: body.len(), instances }, unread))
}

fn accepted(listed: ListedInstance) -> Result<RemoteInstance, Refusal> {
    let ListedInstance { registration, times } = listed;
    // The same instance must not look changed with each copy, so that times it lacks are not those of now.
    Ok(RemoteInstance { instance: registration.accept_alone(0)?, times })
}
