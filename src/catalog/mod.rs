//! The read model: ready answers for everybody who reads whole lists (`ResponseCacheImpl`).
//!
//! The registry's log is applied to a sorted copy (`read_model`); documents are written from that
//! copy, once a version and form, and kept. A reader compares versions: equal ones send bytes that
//! are there already, otherwise one reader catches up and writes while the others wait for it. So a
//! read that begins after a write was answered sees the write, and an answer, its hash code and the
//! delta of the same version agree by construction. Java drops cache entries instead and serves a
//! second copy that is up to 30 s old; that copy is to be had here too, when it is asked for
//! (`use-read-only-response-cache=true`).
//!
//! | file | what |
//! | --- | --- |
//! | `answer` | what may be asked for, in which form, and the answer |
//! | `read_model` | the sorted copy, the hash code, the delta |
//! | `vip_index` | who has which name in its VIP list |
//! | `pages`, `page`, `paged` | the whole registry in pages: a change costs the page that it touched |
//! | `ready` | answers that are ready, made one at a time, bounded in bytes |
//! | `frozen` | the optional copy on a timer |
//! | `gzip` | compression, in one place |

mod answer;
mod frozen;
mod gzip;
mod page;
mod paged;
mod pages;
mod read_model;
mod ready;
mod vip_index;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;

use crate::clock::Clock;
use crate::codec::{Document, Format, json, xml};
use crate::registry::{Registry, Version};
use crate::settings::CatalogSettings;

pub use answer::{Answer, Coding, Form, What};

use frozen::{Frozen, Kept};
use read_model::{Moment, ReadModel, Source, Stamp};
use ready::{Age, Built, ReadyAnswers};

/// See the module.
#[derive(Debug)]
pub struct Catalog {
    registry: Arc<Registry>,
    /// The copy that documents are written from; held for look-ups and clones, never while one is
    /// written.
    model: Mutex<ReadModel>,
    ready: ReadyAnswers,
    /// How often the delta was swept; written with the model held.
    swept: AtomicU64,
    frozen: Option<Frozen>,
    /// Read by every reader without a lock; written by a reload of the settings.
    settings: ArcSwap<CatalogSettings>,
    clock: Clock,
}

/// How long the bytes of a form are kept that nobody reads.
pub const UNREAD: Duration = Duration::from_mins(1);
/// Documents of more instances than this are written off the runtime's workers: some 0.5 ms of work.
const INSTANCES_WORTH_A_THREAD: usize = 200;

impl Catalog {
    /// A read model of this registry.
    pub fn new(registry: Arc<Registry>, settings: CatalogSettings, clock: Clock) -> Self {
        Self {
            registry,
            model: Mutex::new(ReadModel::new(settings.delta_entries)),
            ready: ReadyAnswers::default(),
            swept: AtomicU64::new(0),
            frozen: settings.read_only_copy.map(|_| Frozen::default()),
            settings: ArcSwap::from_pointee(settings),
            clock,
        }
    }

    /// Goes by other settings from now on. Whether there is a frozen copy, and the size of the delta, stay
    /// as they were.
    pub fn change_settings(&self, settings: CatalogSettings) {
        self.settings.store(Arc::new(settings));
    }

    /// The answer to a read of a whole list; none for an application that has no instances.
    pub async fn answer(&self, what: &What, form: Form) -> Option<Answer> {
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

    /// Renews the frozen copy; called on its timer.
    pub async fn refreeze(&self) {
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

    /// Drops changes from the delta that are older than its retention; called on its timer
    /// (`delta-retention-timer-interval-in-ms`).
    pub fn sweep_delta(&self) {
        let mut model = self.model.lock();
        // Before the log forgets what the model has not seen.
        model.catch_up(&self.registry);
        self.registry.sweep_log();
        let moment = model.sweep(self.clock.mono(), self.settings.load().delta_retention);
        self.swept.store(moment.swept, Ordering::Release);
    }

    /// Forgets the bytes of forms that nobody has read for [`UNREAD`]; called on a timer.
    pub fn drop_unread(&self) {
        let forms = self.ready.drop_unread(Age { now: self.clock.mono(), most: UNREAD });
        if !forms.is_empty() {
            let pages = self.model.lock().pages();
            for page in pages {
                for form in &forms {
                    page.forget(*form);
                }
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
                let paged = paged::assemble(pages, hash, form, now).await;
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
            Some(Answer::new(version, bytes(&empty, form)))
        }
    }
}

async fn write(document: Document, form: Form, version: Version) -> Answer {
    let instances = match &document {
        Document::Applications { apps, .. } => apps.iter().map(|app| app.instances.len()).sum(),
        Document::Application(app) => app.instances.len(),
    };
    if instances <= INSTANCES_WORTH_A_THREAD {
        return Answer::new(version, bytes(&document, form));
    }
    match tokio::task::spawn_blocking(move || bytes(&document, form)).await {
        Ok(bytes) => Answer::new(version, bytes),
        // It is never cancelled, so it panicked; the reader's task ends with that panic.
        Err(failed) => std::panic::resume_unwind(failed.into_panic()),
    }
}

fn bytes(document: &Document, form: Form) -> Vec<u8> {
    let plain = match form.format {
        Format::Json => json::write_document(document, form.detail),
        Format::Xml => xml::write_document(document, form.detail),
    };
    match form.coding {
        Coding::Plain => plain,
        Coding::Gzip => gzip::compress(&plain),
    }
}
