//! Views of the sets of regions that requests name.
//!
//! Whoever asks chooses the set, so that the number of views and the work for them are bounded: the views
//! that were asked for last are kept, and what is not kept is built for one set at a time, up to its first
//! answer, off the runtime's workers. Whoever asks for another one meanwhile waits, or is refused when many
//! wait. Readers of views that are kept do not notice. (Java keeps an answer for each text of `regions=` for
//! three minutes, and makes all of them at a time.)

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::blocking::off_the_workers;
use crate::registry::RegionSet;

use super::view::View;
use super::{Answer, Form, What};

/// Sets of regions that are kept ready; each has a sorted copy and answers of its own.
const MOST_KEPT: usize = 8;
/// Readers that wait for views that are not kept, or have one built.
const MOST_WAITING: usize = 16;

/// Too many wait already for lists of regions, or parts of lists, that are not kept ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many lists of regions or parts of lists are to be built")]
pub struct TooManyBuilt;

/// See the module.
#[derive(Debug)]
pub(super) struct Views {
    /// Asked for last comes first; held for look-ups alone.
    kept: Mutex<Vec<Arc<View>>>,
    /// A permit for everybody who may wait.
    waiting: Semaphore,
    /// Held while a view is built.
    building: Arc<tokio::sync::Mutex<()>>,
}

impl Default for Views {
    fn default() -> Self {
        Self { kept: Mutex::default(), waiting: Semaphore::new(MOST_WAITING), building: Arc::default() }
    }
}

impl Views {
    /// An answer of the view of these regions, which `new` makes if there is none.
    pub(super) async fn answer(
        &self,
        regions: RegionSet,
        new: impl FnOnce() -> View,
        what: &What,
        form: Form,
    ) -> Result<Option<Answer>, TooManyBuilt> {
        if let Some(view) = self.get(regions) {
            return view.answer(what, form).await;
        }
        let _place = self.waiting.try_acquire().map_err(|_| TooManyBuilt)?;
        let one_at_a_time = Arc::clone(&self.building).lock_owned().await;
        // Whoever was first may have built it.
        if let Some(view) = self.get(regions) {
            drop(one_at_a_time);
            return view.answer(what, form).await;
        }
        let view = Arc::new(new());
        let (built, what, runtime) = (Arc::clone(&view), what.clone(), Handle::current());
        // It goes on, and the next one waits for it, when whoever asked goes away.
        let answer = off_the_workers(move || {
            let _one_at_a_time = one_at_a_time;
            built.catch_up();
            runtime.block_on(built.answer(&what, form))
        });
        let answer = answer.await;
        self.keep(&view);
        answer
    }

    /// Those that are kept.
    pub(super) fn kept(&self) -> Vec<Arc<View>> {
        self.kept.lock().clone()
    }

    fn get(&self, regions: RegionSet) -> Option<Arc<View>> {
        let mut kept = self.kept.lock();
        let place = kept.iter().position(|view| view.regions() == regions)?;
        kept.get_mut(..=place)?.rotate_right(1);
        kept.first().cloned()
    }

    fn keep(&self, view: &Arc<View>) {
        let mut kept = self.kept.lock();
        kept.retain(|other| other.regions() != view.regions());
        kept.insert(0, Arc::clone(view));
        kept.truncate(MOST_KEPT);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::catalog::{Catalog, Coding};
    use crate::clock::Clock;
    use crate::codec::{Detail, Format};
    use crate::registry::{Registry, Rules};
    use crate::settings::Settings;

    const FORM: Form = Form { format: Format::Json, detail: Detail::Full, coding: Coding::Plain };
    const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

    fn catalog() -> Catalog {
        let Settings { leases, preservation, opening, catalog, .. } = Settings::default();
        let rules = Rules { leases, preservation, opening, catalog: catalog.clone() };
        let registry = Registry::new(rules, Clock::system()).with_regions(NAMES);
        Catalog::new(Arc::new(registry), catalog, Clock::system())
    }

    /// One of the 63 sets that are not all regions.
    fn set(catalog: &Catalog, number: usize) -> RegionSet {
        let each = NAMES.iter().enumerate().filter(|(place, _)| number >> place & 1 == 1);
        each.fold(RegionSet::NONE, |set, (_, name)| set.with(catalog.registry.region(name).unwrap()))
    }

    async fn ask(catalog: &Catalog, number: usize) -> Result<Option<Answer>, TooManyBuilt> {
        catalog.answer_with(set(catalog, number), &What::Apps, FORM).await
    }

    #[tokio::test]
    async fn the_views_that_were_asked_for_last_are_kept() {
        let catalog = catalog();
        for number in (0..MOST_KEPT).chain([0, MOST_KEPT]) {
            assert!(ask(&catalog, number).await.unwrap().is_some());
        }
        let kept: Vec<_> = catalog.others.kept().iter().map(|view| view.regions()).collect();
        let expected: Vec<_> =
            [MOST_KEPT, 0].into_iter().chain((2..MOST_KEPT).rev()).map(|number| set(&catalog, number)).collect();
        assert_eq!(kept, expected);
    }

    #[tokio::test]
    async fn sets_that_are_not_kept_are_built_one_at_a_time_and_hold_up_no_reader_of_others() {
        let catalog = catalog();
        ask(&catalog, 0).await.unwrap();
        let built = catalog.others.building.lock().await;
        let mut waiting: Vec<_> = (1..=MOST_WAITING).map(|number| Box::pin(ask(&catalog, number))).collect();
        let mut nobody = Context::from_waker(Waker::noop());
        for asked in &mut waiting {
            assert!(asked.as_mut().poll(&mut nobody).is_pending());
        }
        assert_eq!(catalog.others.kept().len(), 1, "nothing is built meanwhile");
        let refused = pin!(ask(&catalog, MOST_WAITING + 1)).poll(&mut nobody);
        assert!(matches!(refused, Poll::Ready(Err(TooManyBuilt))));
        assert!(ask(&catalog, 0).await.unwrap().is_some(), "kept");
        assert!(ask(&catalog, 63).await.unwrap().is_some(), "what whoever names no regions reads");
        drop(built);
        for asked in waiting {
            assert!(asked.await.unwrap().is_some());
        }
        assert!(ask(&catalog, MOST_WAITING + 1).await.unwrap().is_some());
        assert_eq!(catalog.others.kept().len(), MOST_KEPT);
    }
}
