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
    /// Opens with so many instances that were copied from a peer. Reads files, and waits for them however long.
    pub(super) async fn open(self, copied: usize) {
        let Self { registry, snapshot } = self;
        let Some(snapshot) = snapshot else {
            registry.open(copied);
            return;
        };
        let open = move || {
            let recalled = snapshot.recall(copied > 0);
            registry.open(copied.max(recalled));
        };
        survive("opening", tokio::task::spawn_blocking(open)).await;
    }
}
