//! The lists that readers of the same regions get: one sorted copy, its ready answers, its frozen copy.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use parking_lot::{Mutex, MutexGuard};

use crate::blocking::off_the_workers;
use crate::clock::Clock;
use crate::codec::pieces::Frame;
use crate::codec::{Document, Format, Group, json, xml};
use crate::model::Instance;
use crate::registry::{RegionSet, Registry, Version};
use crate::settings::CatalogSettings;

use super::answer::{self, MOST_PLAIN};
use super::frozen::{Frozen, Kept};
use super::read_model::{Moment, ReadModel, Source, Stamp};
use super::ready::{Age, Built, ReadyAnswers};
use super::{Answer, Coding, Form, Piece, UNREAD, What, gzip, paged};

/// The lists of this server and of some remote regions.
#[derive(Debug)]
pub(super) struct View {
    registry: Arc<Registry>,
    regions: RegionSet,
    /// The copy that documents are written from; held for look-ups and clones, never while one is
    /// written.
    model: Mutex<ReadModel>,
    ready: ReadyAnswers,
    /// How often the delta was swept; written with the model held.
    swept: AtomicU64,
    frozen: Option<Frozen>,
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
        settings: Arc<ArcSwap<CatalogSettings>>,
        clock: Clock,
    ) -> Self {
        let current = settings.load();
        Self {
            registry,
            regions,
            model: Mutex::new(ReadModel::new(current.delta_entries, regions)),
            ready: ReadyAnswers::default(),
            swept: AtomicU64::new(0),
            frozen: current.read_only_copy.map(|_| Frozen::default()),
            settings,
            clock,
        }
    }

    /// The remote regions that are shown beside this server's instances.
    pub(super) fn regions(&self) -> RegionSet {
        self.regions
    }

    /// See [`Catalog::answer`](super::Catalog::answer).
    pub(super) async fn answer(&self, what: &What, form: Form) -> Option<Answer> {
        let Some(frozen) = &self.frozen else {
            return self.live(what, form).await;
        };
        if let Some(Kept(answer)) = frozen.get(what, form) {
            return answer;
        }
        let live = self.live(what, form).await;
        frozen.keep(what.clone(), form, live.clone());
        live
    }

    /// Renews the frozen copy.
    pub(super) async fn refreeze(&self) {
        if let Some(frozen) = &self.frozen {
            for (what, form) in frozen.asked_for() {
                if self.stamp(&what).is_none() {
                    frozen.forget(&what, form);
                    continue;
                }
                let live = self.live(&what, form).await;
                frozen.keep(what, form, live);
            }
        }
    }

    /// Applies what happened since, before the log forgets it.
    pub(super) fn catch_up(&self) {
        self.model.lock().catch_up(&self.registry);
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
        let forms = self.ready.drop_unread(Age { now: self.clock.mono(), most: UNREAD });
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
    async fn live(&self, what: &What, form: Form) -> Option<Answer> {
        let wanted = Moment { version: self.registry.version(), swept: self.swept.load(Ordering::Acquire) };
        let now = Age { now: self.clock.mono(), most: self.settings.load().auto_expiration };
        if let Some(answer) = self.ready.get(what, form, now.now).and_then(|slot| slot.as_of(wanted, now)) {
            return Some(answer);
        }
        let Some(stamp) = self.stamp(what) else {
            return nobody(what, form, wanted.version);
        };
        let slot = self.ready.slot(what, form, now.now);
        if let Some(answer) = slot.same(stamp, wanted, now) {
            return Some(answer);
        }
        let _one_at_a_time = slot.building().await;
        // Whoever was first may have made what is wanted, or something newer.
        if let Some(answer) = slot.as_of(wanted, now).or_else(|| slot.same(stamp, wanted, now)) {
            return Some(answer);
        }
        let (stamp, moment, source) = {
            let mut model = self.model.lock();
            let moment = model.catch_up(&self.registry);
            match (model.stamp(what), model.source(what)) {
                (Some(stamp), Some(source)) => (stamp, moment, source),
                _ => return nobody(what, form, moment.version),
            }
        };
        let (answer, at) = match source {
            Source::Pages { hash, pages } => {
                let paged = paged::assemble(pages, hash, form, now, MOST_PLAIN).await;
                (Answer::of(moment.version, paged.pieces), paged.oldest)
            }
            Source::Document(document) => (write(document, form, moment.version).await, now.now),
        };
        self.ready.keep(what, &slot, Built { stamp, moment, at, answer: answer.clone() });
        Some(answer)
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
        What::Apps | What::Delta | What::Vip(_) | What::SecureVip(_) => {
            let empty = Document::Applications { version: -1, hash: String::new(), apps: Vec::new() };
            Some(Answer::of(version, pieces(&empty, form)))
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
mod tests {
    use super::*;
    use crate::blocking::tests::while_no_thread_is_free;
    use crate::catalog::page::shown;
    use crate::catalog::pages::tests::lease;
    use crate::codec::Detail;
    use crate::model::AppName;

    const FORM: Form = Form { format: Format::Json, detail: Detail::Full, coding: Coding::Plain };

    /// An application of two instances of so many kilobytes each.
    fn app(kilobytes: usize) -> Document {
        let instances = [1, 2].map(|id| shown(&lease(1, id, kilobytes))).into();
        Document::Application(Group { name: AppName::new("A1"), instances })
    }

    #[test]
    fn a_document_of_few_large_instances_is_not_written_on_a_worker() {
        let (at_once, long) =
            while_no_thread_is_free(write(app(1), FORM, Version(1)), write(app(300), FORM, Version(1)));
        assert_eq!(at_once, (true, false), "there is no thread for it yet");
        assert!(long.length > 600_000);
    }
}
