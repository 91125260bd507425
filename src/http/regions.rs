//! The remote regions that a request names.

use http::Uri;

use crate::registry::RegionSet;

use super::{Api, query};

/// What `regions=` says (`ApplicationsResource`). Order and letter case do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Regions {
    /// Nothing: the user's settings say which.
    Plain,
    /// These, of which there are copies; those that nobody knows are passed over.
    Loaded(RegionSet),
    /// One of them has not been copied yet. (Java refuses as well while any other has not.)
    Awaited,
}

impl Regions {
    pub(super) fn named(api: &Api, uri: &Uri) -> Self {
        let list = query::first(uri, "regions").unwrap_or_default().to_lowercase();
        let mut names = list.split(',').map(str::trim).filter(|name| !name.is_empty()).peekable();
        if names.peek().is_none() {
            return Self::Plain;
        }
        let mut set = RegionSet::NONE;
        for name in names {
            match api.registry.region(name) {
                Some(region) if api.registry.is_region_loaded(region) => set = set.with(region),
                Some(_) => return Self::Awaited,
                None => tracing::debug!(region = name, "a request names a region that is not known"),
            }
        }
        Self::Loaded(set)
    }
}
