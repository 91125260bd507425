//! The opening for traffic: with what a peer gave, else with what was held before the restart.

use std::sync::Arc;

use crate::registry::Registry;
use crate::snapshot::Snapshot;

use super::tasks::survive;

/// What is opened, once.
pub(super) struct Opening {
    pub(super) registry: Arc<Registry>,
    pub(super) snapshot: Option<Snapshot>,
}

impl Opening {
    /// Opens with so many instances that were copied from a peer, at once if there are any. Reads files, and waits for
    /// them however long.
    pub(super) async fn open(self, copied: usize) {
        let Self { registry, snapshot } = self;
        let is_whole = copied > 0 || snapshot.is_none();
        if is_whole {
            registry.open(copied);
        }
        let Some(snapshot) = snapshot else { return };
        let recall = move || {
            let recalled = snapshot.recall(is_whole);
            if !is_whole {
                registry.open(recalled);
            }
        };
        survive("opening", tokio::task::spawn_blocking(recall)).await;
    }
}
