//! The end, in its order: clients are sent elsewhere, running requests finish, peers hear the last changes, and the disk
//! gets them. Each step has its time; docs/shutdown.md adds them up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::settings::HttpSettings;
use crate::snapshot::Snapshot;

use super::App;
use super::supervisor::Supervisor;
use super::tasks::Tasks;

/// How long the last changes may take to be written to disk.
const LONGEST_WRITE: Duration = Duration::from_secs(5);
/// How long peers are told of the last changes even if the time for the shutdown is over.
const SHORTEST_FLUSH: Duration = Duration::from_secs(1);

/// What is to be ended.
pub(super) struct Ending {
    pub(super) app: App,
    pub(super) work: Tasks,
    /// Connections and what goes on beside them.
    pub(super) requests: TaskTracker,
    /// Set once each answer is the last of its connection.
    pub(super) answers_are_last: Arc<AtomicBool>,
    /// Cancelled when the time for requests is over.
    pub(super) killed: CancellationToken,
    pub(super) supervisor: Supervisor,
    pub(super) snapshot: Option<Snapshot>,
}

impl Ending {
    /// Ends it. True when all running requests were answered.
    pub(super) async fn run(self, settings: &HttpSettings) -> bool {
        let Self { app, work, requests, answers_are_last, killed, supervisor, snapshot } = self;
        supervisor.tell_end();
        let delay = settings.shutdown_delay;
        // Whoever sees that it is not ready is to go elsewhere.
        answers_are_last.store(!delay.is_zero(), Ordering::Relaxed);
        work.leaving.cancel();
        if !delay.is_zero() {
            tracing::info!(?delay, "shutting down, requests are still taken for a while");
            tokio::time::sleep(delay).await;
        }
        tracing::info!("shutting down, running requests may finish");
        work.ending.cancel();
        requests.close();
        work.tracker.close();
        let begun = Instant::now();
        let clean = tokio::time::timeout(settings.shutdown_timeout, requests.wait()).await.is_ok();
        killed.cancel();
        let left = || settings.shutdown_timeout.saturating_sub(begun.elapsed()).max(SHORTEST_FLUSH);
        // They end by themselves, and may have something to tell before.
        let _all = tokio::time::timeout(left(), work.tracker.wait()).await;
        let untold = app.peers().end(left()).await;
        if untold > 0 {
            tracing::warn!(changes = untold, "some changes were not told to all peers");
        }
        if let Some(snapshot) = snapshot {
            let last = work.timers.run(move || snapshot.keep());
            // A disk that hangs does not hold up the end.
            let _given_up = tokio::time::timeout(LONGEST_WRITE, last).await;
        }
        if clean {
            tracing::info!("all requests are answered, bye");
        } else {
            tracing::warn!("the time for the shutdown is over, some requests were cut off");
        }
        clean
    }
}
