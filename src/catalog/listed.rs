//! All instances of a list, for whoever wants something else of them than a document.

use std::sync::Arc;

use crate::model::Instance;
use crate::registry::{Lease, Version};

use super::page::Page;

/// What a list showed at one version. It holds up nobody.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The version.
    pub version: Version,
    pub(super) pages: Vec<Arc<Page>>,
}

impl Listed {
    /// The instances, by application and id.
    pub fn instances(&self) -> impl Iterator<Item = &Arc<Instance>> {
        self.leases().map(|lease| &lease.instance)
    }

    /// Their leases, in the same order.
    pub fn leases(&self) -> impl Iterator<Item = &Arc<Lease>> {
        self.pages.iter().flat_map(|page| page.leases())
    }
}
