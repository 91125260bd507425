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
//! What remote regions hold comes through the same log. Whoever names no regions reads a view that shows
//! all of them, or none if the user wants it so; a request that names some has a view for that set of
//! them. So an answer of several regions is as fresh as any, and its delta agrees with it. (Java drops
//! answers of regions on local changes, and lets them be stale for three minutes otherwise.)
//!
//! | file | what |
//! | --- | --- |
//! | `answer` | what may be asked for, in which form, and the answer |
//! | `view` | the lists of this server and of some remote regions |
//! | `views` | those of the sets of regions that requests name, bounded in number |
//! | `read_model` | the sorted copy, the hash code, the delta |
//! | `vip_index` | who has which name in its VIP list |
//! | `pages`, `page`, `paged` | the whole registry in pages: a change costs the page that it touched |
//! | `ready` | answers that are ready, made one at a time, bounded in bytes |
//! | `part` | lists of those instances alone that a filter lets through, bounded in number, bytes and work |
//! | `frozen` | the optional copy on a timer |
//! | `listed` | all instances, for others than readers of documents |
//! | `figures` | what lists cost |
//! | `gzip` | compression, in one place |
//! | `leases` | what lists show, for other forms than theirs |

mod answer;
mod figures;
mod frozen;
mod gzip;
mod leases;
mod listed;
mod page;
mod paged;
mod pages;
mod part;
mod read_model;
mod ready;
mod view;
mod views;
mod vip_index;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;

use crate::clock::Clock;
use crate::model::AppName;
use crate::registry::{RegionSet, Registry};
use crate::settings::CatalogSettings;

pub use answer::{Answer, Coding, Form, Piece, What};
pub use figures::ListFigures;
pub use gzip::compress;
pub use listed::Listed;
pub use part::Part;
pub use read_model::hash_code;
pub use views::TooManyBuilt;

use figures::Figures;
use view::View;
use views::Views;

/// See the module.
#[derive(Debug)]
pub struct Catalog {
    registry: Arc<Registry>,
    /// What whoever names no regions reads.
    plain: View,
    /// Those of other sets of regions.
    others: Views,
    figures: Arc<Figures>,
    /// Read by every reader without a lock; written by a reload of the settings.
    settings: Arc<ArcSwap<CatalogSettings>>,
    clock: Clock,
}

/// How long the bytes of a form are kept that nobody reads.
pub const UNREAD: Duration = Duration::from_mins(1);

impl Catalog {
    /// A read model of this registry.
    pub fn new(registry: Arc<Registry>, settings: CatalogSettings, clock: Clock) -> Self {
        let regions = if settings.all_regions { registry.all_regions() } else { RegionSet::NONE };
        let settings = Arc::new(ArcSwap::from_pointee(settings));
        let figures = Arc::new(Figures::default());
        let plain =
            View::new(Arc::clone(&registry), regions, Arc::clone(&figures), Arc::clone(&settings), clock.clone());
        Self { registry, plain, others: Views::default(), figures, settings, clock }
    }

    /// Goes by other settings from now on. Whether there is a frozen copy, the size of the delta, and
    /// which regions whoever names none reads stay as they were.
    pub fn change_settings(&self, settings: CatalogSettings) {
        self.settings.store(Arc::new(settings));
    }

    /// The regions that whoever names none reads.
    pub fn plain_regions(&self) -> RegionSet {
        self.plain.regions()
    }

    /// The answer to a read of a whole list by somebody who names no regions; none for an application that
    /// has no instances, and for a part of a list when there are too many to be made.
    pub async fn answer(&self, what: &What, form: Form) -> Option<Answer> {
        self.plain.answer(what, form).await.unwrap_or(None)
    }

    /// The same with these remote regions and no others. What is not kept ready is built for one set of
    /// regions at a time, and parts of lists one at a time.
    pub async fn answer_with(
        &self,
        regions: RegionSet,
        what: &What,
        form: Form,
    ) -> Result<Option<Answer>, TooManyBuilt> {
        if regions == self.plain.regions() {
            return self.plain.answer(what, form).await;
        }
        let new = || {
            let (registry, settings) = (Arc::clone(&self.registry), Arc::clone(&self.settings));
            View::new(registry, regions, Arc::clone(&self.figures), settings, self.clock.clone())
        };
        self.others.answer(regions, new, what, form).await
    }

    /// How many instances each application has, as whoever names no regions reads it.
    pub fn applications(&self) -> BTreeMap<AppName, usize> {
        self.plain.applications()
    }

    /// All instances that whoever names no regions reads of now.
    pub fn listed(&self) -> Listed {
        self.plain.listed()
    }

    /// What lists have cost so far.
    pub fn figures(&self) -> Vec<ListFigures> {
        self.figures.all()
    }

    /// Renews the frozen copies; called on their timer.
    pub async fn refreeze(&self) {
        self.plain.refreeze().await;
        let others = self.others.kept();
        for view in others {
            view.refreeze().await;
        }
    }

    /// Drops changes from the delta that are older than its retention; called on its timer
    /// (`delta-retention-timer-interval-in-ms`).
    pub fn sweep_delta(&self) {
        let others = self.others.kept();
        let views = || others.iter().map(|view| &**view).chain([&self.plain]);
        views().for_each(View::catch_up);
        self.registry.sweep_log();
        views().for_each(View::sweep_delta);
    }

    /// Forgets the bytes of forms that nobody has read for [`UNREAD`]; called on a timer.
    pub fn drop_unread(&self) {
        let others = self.others.kept();
        others.iter().map(|view| &**view).chain([&self.plain]).for_each(View::drop_unread);
    }
}
