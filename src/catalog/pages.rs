//! All instances, sorted by application and id, in pages of some [`PAGE`] bytes of JSON.
//!
//! A change makes one page anew; the bytes of all others stay (see `page`). Small applications share a
//! page, a large one goes over several. A page that has grown to twice its size is split, one that has
//! shrunk to a quarter is put together with a neighbour. Whoever writes a document has a copy of the
//! list of pages and holds nobody up.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::model::{AppName, Instance, InstanceId};
use crate::registry::Lease;

use super::page::Page;

/// What a page has after it was split, about, as full JSON.
pub(super) const PAGE: usize = 128 * 1024;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Pages {
    /// Not one is empty; the last instance of one comes before the first of the next.
    pages: Vec<Arc<Page>>,
}

impl Pages {
    /// Of leases in any order, not two of them of one instance.
    pub(super) fn of(mut leases: Vec<Arc<Lease>>) -> Self {
        leases.sort_unstable_by(|a, b| compare(a, &b.instance.app, &b.instance.id));
        let mut pages = Vec::new();
        let mut page = Page::default();
        for lease in leases {
            if page.weight() >= PAGE {
                pages.push(Arc::new(std::mem::take(&mut page)));
            }
            page.push(lease);
        }
        if !page.is_empty() {
            pages.push(Arc::new(page));
        }
        Self { pages }
    }

    /// Takes a lease in, in place of an earlier one of its instance, which it gives.
    pub(super) fn put(&mut self, lease: Arc<Lease>) -> Option<Arc<Lease>> {
        let (app, id) = (&lease.instance.app, &lease.instance.id);
        let Some(place) = self.page_of(app, id) else {
            let mut page = Page::default();
            page.push(lease);
            self.pages.push(Arc::new(page));
            return None;
        };
        let page = Arc::make_mut(self.pages.get_mut(place)?);
        let earlier = match page.find(app, id) {
            Ok(at) => Some(page.replace(at, lease)),
            Err(at) => {
                page.insert(at, lease);
                None
            }
        };
        if page.weight() > 2 * PAGE
            && let Some(rest) = page.split()
        {
            self.pages.insert(place + 1, Arc::new(rest));
        }
        earlier
    }

    /// Takes a lease out.
    pub(super) fn remove(&mut self, app: &AppName, id: &InstanceId) -> Option<Arc<Lease>> {
        let place = self.page_of(app, id)?;
        let at = self.pages.get(place)?.find(app, id).ok()?;
        let page = Arc::make_mut(self.pages.get_mut(place)?);
        let removed = page.remove(at);
        if page.is_empty() {
            self.pages.remove(place);
        } else if page.weight() < PAGE / 4 {
            self.join(place);
        }
        Some(removed)
    }

    /// The lease of an instance.
    pub(super) fn get(&self, app: &AppName, id: &InstanceId) -> Option<&Arc<Lease>> {
        let page = self.pages.get(self.page_of(app, id)?)?;
        page.leases().get(page.find(app, id).ok()?)
    }

    /// All leases of an application.
    pub(super) fn of_app<'a>(&'a self, app: &'a AppName) -> impl Iterator<Item = &'a Arc<Lease>> {
        let first = self.pages.partition_point(|page| page.last().is_some_and(|last| last.app < *app));
        let pages = self.pages.iter().skip(first).take_while(move |page| page.first().is_some_and(|f| f.app <= *app));
        pages.flat_map(|page| page.leases()).filter(move |lease| lease.instance.app == *app)
    }

    /// The pages as they are.
    pub(super) fn list(&self) -> Vec<Arc<Page>> {
        self.pages.clone()
    }

    /// Where an instance is, or belongs; none where there are no pages.
    fn page_of(&self, app: &AppName, id: &InstanceId) -> Option<usize> {
        let after = self.pages.partition_point(|page| {
            page.leases().first().is_some_and(|first| compare(first, app, id) != Ordering::Greater)
        });
        (!self.pages.is_empty()).then(|| after.saturating_sub(1))
    }

    /// Puts a page together with its smaller neighbour, if both make no more than a page.
    fn join(&mut self, place: usize) {
        let weight = |place: usize| self.pages.get(place).map(|page| page.weight());
        let before = place.checked_sub(1).and_then(weight);
        let left = match (before, weight(place + 1)) {
            (Some(before), Some(after)) if before <= after => place - 1,
            (Some(_), None) => place - 1,
            (_, Some(_)) => place,
            (None, None) => return,
        };
        let both = weight(left).unwrap_or_default() + weight(left + 1).unwrap_or_default();
        if both <= PAGE {
            let right = self.pages.remove(left + 1);
            if let Some(left) = self.pages.get_mut(left) {
                let left = Arc::make_mut(left);
                right.leases().iter().for_each(|lease| left.push(Arc::clone(lease)));
            }
        }
    }
}

/// How an instance stands to another.
pub(super) fn compare(lease: &Lease, app: &AppName, id: &InstanceId) -> Ordering {
    let Instance { app: own_app, id: own_id, .. } = &*lease.instance;
    own_app.cmp(app).then_with(|| own_id.cmp(id))
}

#[cfg(test)]
pub(super) mod tests;
