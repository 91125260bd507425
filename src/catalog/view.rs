//! The lists that readers of the same regions get: one sorted copy, its ready answers, its frozen copy.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use parking_lot::{Mutex, MutexGuard};

use crate::blocking::off_the_workers;
use crate::clock::Clock;
use crate::codec::pieces::Frame;
use crate::codec::{Document, Format, Group, json, xml};
use crate::model::{AppName, Instance};
use crate::registry::{RegionSet, Registry, Version};
use crate::settings::CatalogSettings;

use super::answer::{self, MOST_PLAIN};
use super::figures::Figures;
use super::frozen::{Frozen, Kept};
use super::part::{self, Members, Parts};
use super::read_model::{Moment, ReadModel, Source, Stamp};
use super::ready::{Age, Built, ReadyAnswers};
use super::{Answer, Coding, Form, Listed, Piece, TooManyBuilt, UNREAD, What, gzip, paged};

/// The lists of this server and of some remote regions.
#[derive(Debug)]
pub(super) struct View {
    registry: Arc<Registry>,
    regions: RegionSet,
    /// The copy that documents are written from; held for look-ups and clones, never while one is
    /// written.
    model: Mutex<ReadModel>,
    ready: ReadyAnswers,
    parts: Parts,
    /// How often the delta was swept; written with the model held.
    swept: AtomicU64,
    frozen: Option<Frozen>,
    figures: Arc<Figures>,
    /// Read by every reader without a lock; written by a reload of the settings.
    settings: Arc<ArcSwap<CatalogSettings>>,
    clock: Clock,
}

/// Documents of more instances than this are written off the runtime's workers: some 0.5 ms of work.
const INSTANCES_WORTH_A_THREAD: usize = 200;
/// The same for documents of more bytes as JSON: an instance may be ten megabytes long.
const BYTES_WORTH_A_THREAD: usize = 512 * 1024;

/// Whether a document of these is to be written off the workers.
pub(super) fn is_worth_a_thread<'a>(instances: impl IntoIterator<Item = &'a Instance>) -> bool {
    let (mut count, mut bytes) = (0, 0);
    instances.into_iter().any(|instance| {
        (count, bytes) = (count + 1, bytes + instance.json_length());
        count > INSTANCES_WORTH_A_THREAD || bytes > BYTES_WORTH_A_THREAD
    })
}

impl View {
    pub(super) fn new(
        registry: Arc<Registry>,
        regions: RegionSet,
        figures: Arc<Figures>,
        settings: Arc<ArcSwap<CatalogSettings>>,
        clock: Clock,
    ) -> Self {
        let current = settings.load();
        Self {
            registry,
            regions,
            model: Mutex::new(ReadModel::new(current.delta_entries, regions)),
            ready: ReadyAnswers::default(),
            parts: Parts::default(),
            swept: AtomicU64::new(0),
            frozen: current.read_only_copy.map(|_| Frozen::default()),
            figures,
            settings,
            clock,
        }
    }

    /// The remote regions that are shown beside this server's instances.
    pub(super) fn regions(&self) -> RegionSet {
        self.regions
    }

    /// See [`Catalog::answer`](super::Catalog::answer).
    pub(super) async fn answer(&self, what: &What, form: Form) -> Result<Option<Answer>, TooManyBuilt> {
        let frozen = self.frozen.as_ref().filter(|_| !matches!(what, What::Part(_)));
        let Some(frozen) = frozen else {
            return self.live(what, form).await;
        };
        if let Some(Kept(answer)) = frozen.get(what, form) {
            return Ok(answer);
        }
        let live = self.live(what, form).await?;
        frozen.keep(what.clone(), form, live.clone());
        Ok(live)
    }

    /// Renews the frozen copy.
    pub(super) async fn refreeze(&self) {
        if let Some(frozen) = &self.frozen {
            for (what, form) in frozen.asked_for() {
                if self.stamp(&what).is_none() {
                    frozen.forget(&what, form);
                    continue;
                }
                if let Ok(live) = self.live(&what, form).await {
                    frozen.keep(what, form, live);
                }
            }
        }
    }

    /// How many instances each application has.
    pub(super) fn applications(&self) -> BTreeMap<AppName, usize> {
        let mut model = self.model.lock();
        model.catch_up(&self.registry);
        model.applications()
    }

    /// Applies what happened since, before the log forgets it.
    pub(super) fn catch_up(&self) {
        self.model.lock().catch_up(&self.registry);
    }

    /// All instances that it shows now.
    pub(super) fn listed(&self) -> Listed {
        let mut model = self.model.lock();
        let moment = model.catch_up(&self.registry);
        Listed { version: moment.version, pages: model.pages() }
    }

    /// The copy as it is now; others wait while it is looked at.
    pub(super) fn current(&self) -> MutexGuard<'_, ReadModel> {
        let mut model = self.model.lock();
        model.catch_up(&self.registry);
        model
    }

    /// Drops changes from the delta that are older than its retention.
    pub(super) fn sweep_delta(&self) {
        let mut model = self.model.lock();
        let moment = model.sweep(self.clock.mono(), self.settings.load().delta_retention);
        self.swept.store(moment.swept, Ordering::Release);
    }

    /// Forgets the bytes of forms that nobody has read for [`UNREAD`].
    pub(super) fn drop_unread(&self) {
        let age = Age { now: self.clock.mono(), most: UNREAD };
        self.parts.ready.drop_unread(age);
        let forms = self.ready.drop_unread(age);
        if forms.is_empty() {
            return;
        }
        let pages = self.model.lock().pages();
        for page in pages {
            for form in &forms {
                page.forget(*form);
            }
        }
    }

    /// An answer of the registry's version of now or later.
    async fn live(&self, what: &What, form: Form) -> Result<Option<Answer>, TooManyBuilt> {
        let ready = if matches!(what, What::Part(_)) { &self.parts.ready } else { &self.ready };
        let wanted = Moment { version: self.registry.version(), swept: self.swept.load(Ordering::Acquire) };
        let now = Age { now: self.clock.mono(), most: self.settings.load().auto_expiration };
        if let Some(answer) = ready.get(what, form, now.now).and_then(|slot| slot.as_of(wanted, now)) {
            return Ok(Some(answer));
        }
        let Some(stamp) = self.stamp(what) else {
            return Ok(nobody(what, form, wanted.version));
        };
        let slot = ready.slot(what, form, now.now);
        if let Some(answer) = slot.same(stamp, wanted, now) {
            return Ok(Some(answer));
        }
        let _one_at_a_time = slot.building().await;
        // Whoever was first may have made what is wanted, or something newer.
        if let Some(answer) = slot.as_of(wanted, now).or_else(|| slot.same(stamp, wanted, now)) {
            return Ok(Some(answer));
        }
        let _turn = if matches!(what, What::Part(_)) { Some(self.parts.turn().await?) } else { None };
        let (stamp, moment, source) = {
            let mut model = self.model.lock();
            let moment = model.catch_up(&self.registry);
            match (model.stamp(what), model.source(what)) {
                (Some(stamp), Some(source)) => (stamp, moment, source),
                _ => return Ok(nobody(what, form, moment.version)),
            }
        };
        let mut members = Members::default();
        let source = if let What::Part(part) = what {
            let chosen = part::choose(source, Arc::clone(part)).await;
            if let Some(answer) = slot.showing(&chosen.members, stamp, moment, now) {
                return Ok(Some(answer));
            }
            members = chosen.members;
            Source::Document(chosen.document)
        } else {
            source
        };
        let (answer, at, written) = match source {
            Source::Pages { hash, pages } => {
                let paged = paged::assemble(pages, hash, form, now, MOST_PLAIN).await;
                (Answer::of(moment.version, paged.pieces), paged.oldest, paged.written)
            }
            Source::Document(document) => {
                let answer = write(document, form, moment.version).await;
                let written = answer.kept();
                (answer, now.now, written)
            }
        };
        self.figures.note(what, form, written, answer.length);
        ready.keep(what, &slot, Built { stamp, moment, at, members, answer: answer.clone() });
        Ok(Some(answer))
    }

    /// How many parts of lists are kept.
    #[cfg(test)]
    pub(super) fn parts_kept(&self) -> usize {
        self.parts.ready.len()
    }

    /// Makes all parts of lists wait.
    #[cfg(test)]
    pub(super) async fn parts_turn(&self) -> Result<part::Turn<'_>, TooManyBuilt> {
        self.parts.turn().await
    }

    fn stamp(&self, what: &What) -> Option<Stamp> {
        let mut model = self.model.lock();
        model.catch_up(&self.registry);
        model.stamp(what)
    }
}

/// The answer for a name that no instance has: a miss for an application, an empty list for a VIP.
fn nobody(what: &What, form: Form, version: Version) -> Option<Answer> {
    match what {
        What::App(_) => None,
        What::Part(part) => nobody(&part.of, form, version),
        What::Apps | What::Delta | What::Vip(_) | What::SecureVip(_) => {
            let empty = Document::Applications { version: -1, hash: String::new(), apps: Vec::new() };
            Some(Answer { writing: 0, ..Answer::of(version, pieces(&empty, form)) })
        }
    }
}

async fn write(document: Document, form: Form, version: Version) -> Answer {
    let is_long = match &document {
        Document::Applications { apps, .. } => is_worth_a_thread(apps.iter().flat_map(instances)),
        Document::Application(app) => is_worth_a_thread(instances(app)),
    };
    if !is_long {
        return Answer::of(version, pieces(&document, form));
    }
    let write = move || match document {
        Document::Applications { version, hash, apps } => {
            let frame = Frame { version, hash: &hash, empty: apps.is_empty() };
            paged::write(apps, frame, form, MOST_PLAIN)
        }
        Document::Application(_) => pieces(&document, form),
    };
    Answer::of(version, off_the_workers(write).await)
}

fn instances(app: &Group) -> impl Iterator<Item = &Instance> {
    app.instances.iter().map(|shown| &*shown.instance)
}

fn pieces(document: &Document, form: Form) -> Vec<Piece> {
    let plain = match form.format {
        Format::Json => json::write_document(document, form.detail),
        Format::Xml => xml::write_document(document, form.detail),
    };
    match form.coding {
        Coding::Plain => answer::plain(plain, MOST_PLAIN),
        Coding::Gzip => vec![gzip::compress(&plain).into()],
    }
}

#[cfg(test)]
mod tests;
