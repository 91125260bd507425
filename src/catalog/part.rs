//! Part of a list: the instances that somebody asks for (`?status=UP`, `?zone=`, …), with the hash code of just them.
//!
//! Whoever asks chooses the filter, so that what is kept of parts, how long, and the work for them are bounded apart
//! from all else: one part is chosen and written at a time, the pages of the whole registry are looked through off
//! the runtime's workers, and whoever asks for one more while many wait is refused. A part that turns out to show the
//! same instances as before is not written again, so that its readers have it already.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use tokio::sync::{Mutex, MutexGuard, Semaphore, SemaphorePermit};

use crate::blocking::off_the_workers;
use crate::codec::{Document, Group};
use crate::model::{AppName, Instance, Selection};

use super::page::{Page, shown};
use super::read_model::{Source, hash_code};
use super::ready::{Capacity, ReadyAnswers};
use super::{TooManyBuilt, What};

/// A list, and which of its instances are meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// The list; neither the delta nor a part itself.
    pub(super) of: What,
    /// In order, so that equal ones are equal texts.
    pub(super) only: Selection,
}

impl What {
    /// Those instances of this list that are meant. The delta has no parts: its hash code is that of the whole.
    #[must_use]
    pub fn only(self, mut only: Selection) -> Self {
        if only.is_empty() || matches!(self, Self::Delta | Self::Part(_)) {
            return self;
        }
        only.apps.sort_unstable();
        only.apps.dedup();
        only.zones.sort_unstable();
        only.zones.dedup();
        only.statuses.sort_unstable();
        only.statuses.dedup();
        only.metadata.sort_unstable();
        only.metadata.dedup();
        Self::Part(Arc::new(Part { of: self, only }))
    }
}

/// Answers that are ready, and whose turn it is to have one made.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) ready: ReadyAnswers,
    /// A permit for everybody who may wait.
    waiting: Semaphore,
    building: Mutex<()>,
}

/// Filters whose answers are to be made and wait for their turn. (Readers of one filter are one.)
const MOST_WAITING: usize = 64;
/// Beside a bound in bytes, since answers may be empty and filters long.
const CAPACITY: Capacity = Capacity { bytes: 32 * 1024 * 1024, answers: 1_000 };
/// Pages of more instances than this are looked through off the workers.
const WORTH_A_THREAD: usize = 2_000;

impl Default for Parts {
    fn default() -> Self {
        Self { ready: ReadyAnswers::with(CAPACITY), waiting: Semaphore::new(MOST_WAITING), building: Mutex::new(()) }
    }
}

/// The right to make one answer.
pub(super) struct Turn<'a> {
    _place: SemaphorePermit<'a>,
    _one_at_a_time: MutexGuard<'a, ()>,
}

impl Parts {
    /// Waits until no other part is made.
    pub(super) async fn turn(&self) -> Result<Turn<'_>, TooManyBuilt> {
        let place = self.waiting.try_acquire().map_err(|_| TooManyBuilt)?;
        Ok(Turn { _place: place, _one_at_a_time: self.building.lock().await })
    }
}

/// What a part shows.
pub(super) struct Chosen {
    pub(super) document: Document,
    pub(super) members: Members,
}

/// Which instances an answer shows, to see whether another one shows the same; it keeps none of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Members(Vec<Weak<Instance>>);

impl Members {
    fn of(apps: &[Group]) -> Self {
        let instances = apps.iter().flat_map(|app| &app.instances);
        Self(instances.map(|shown| Arc::downgrade(&shown.instance)).collect())
    }

    /// Whether both are the same instances, none of them changed.
    pub(super) fn are(&self, others: &Self) -> bool {
        self.0.len() == others.0.len() && self.0.iter().zip(&others.0).all(|(one, other)| one.ptr_eq(other))
    }

    /// About the bytes that they take.
    pub(super) fn kept(&self) -> usize {
        self.0.len() * size_of::<Instance>()
    }
}

/// Chooses from a list.
pub(super) async fn choose(source: Source, part: Arc<Part>) -> Chosen {
    let is_long = match &source {
        Source::Pages { pages, .. } => pages.iter().map(|page| page.leases().len()).sum::<usize>() > WORTH_A_THREAD,
        Source::Document(_) => false,
    };
    let choose = move || chosen(source, &part.only);
    if is_long { off_the_workers(choose).await } else { choose() }
}

fn chosen(source: Source, only: &Selection) -> Chosen {
    let (version, apps) = match source {
        Source::Pages { pages, .. } => (1, of_pages(&pages, only)),
        Source::Document(Document::Applications { version, apps, .. }) => {
            let apps = apps.into_iter().map(|app| of_app(app, only));
            (version, apps.filter(|app| !app.instances.is_empty()).collect())
        }
        Source::Document(Document::Application(app)) => {
            let app = of_app(app, only);
            let members = Members::of(std::slice::from_ref(&app));
            return Chosen { document: Document::Application(app), members };
        }
    };
    let mut counts = BTreeMap::new();
    for shown in apps.iter().flat_map(|app| &app.instances) {
        *counts.entry(shown.instance.status).or_default() += 1;
    }
    let members = Members::of(&apps);
    Chosen { document: Document::Applications { version, hash: hash_code(&counts), apps }, members }
}

fn of_app(mut app: Group, only: &Selection) -> Group {
    app.instances.retain(|shown| only.matches(&shown.instance));
    app
}

fn of_pages(pages: &[Arc<Page>], only: &Selection) -> Vec<Group> {
    let mut apps: Vec<Group> = Vec::new();
    let leases = pages.iter().filter(|page| may_have(page, &only.apps)).flat_map(|page| page.leases());
    for lease in leases.filter(|lease| only.matches(&lease.instance)) {
        let name = &lease.instance.app;
        match apps.last_mut().filter(|app| app.name == *name) {
            Some(app) => app.instances.push(shown(lease)),
            None => apps.push(Group { name: name.clone(), instances: vec![shown(lease)] }),
        }
    }
    apps
}

/// Whether a page may have instances of any of these applications, which are in order; none: of any at all.
fn may_have(page: &Page, apps: &[AppName]) -> bool {
    let first = page.first().map(|first| apps.partition_point(|app| *app < first.app)).and_then(|at| apps.get(at));
    apps.is_empty() || first.zip(page.last()).is_some_and(|(app, last)| *app <= last.app)
}

#[cfg(test)]
mod tests;
