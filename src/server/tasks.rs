//! Background work on timers. Every task is tracked and ends with the shutdown; none dies silently.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::registry::{LeaseClock, Registry};
use crate::settings::Settings;

/// Starts all timers. Java starts the one that ends leases with the opening for traffic; so does this.
pub(super) fn start(
    tasks: &Tasks,
    registry: &Arc<Registry>,
    catalog: &Arc<Catalog>,
    clock: &Clock,
    settings: &Settings,
) {
    let (beaten, time) = (Arc::clone(registry), clock.clone());
    tasks.every("lease clock", LeaseClock::BEAT, move || {
        if let Some(pause) = beaten.lease_clock().beat(time.mono()) {
            tracing::warn!(?pause, "the process was paused, the pause counts for no lease");
        }
    });
    let evicted = Arc::clone(registry);
    tasks.every("eviction", settings.leases.eviction_interval, move || {
        evicted.evict();
    });
    let updated = Arc::clone(registry);
    tasks.every("renewal threshold", settings.preservation.threshold_update_interval, move || {
        updated.update_threshold();
    });
    let swept = Arc::clone(catalog);
    tasks.every("delta retention", settings.catalog.delta_sweep, move || swept.sweep_delta());
    if let Some(interval) = settings.catalog.read_only_copy {
        tasks.refreeze(Arc::clone(catalog), clock.clone(), interval);
    }
}

/// The running tasks, and the sign for them to end.
#[derive(Clone, Debug)]
pub(super) struct Tasks {
    /// Who is running.
    pub(super) tracker: TaskTracker,
    /// When to end.
    pub(super) ending: CancellationToken,
}

impl Tasks {
    /// Does something on a timer, first after one interval. A run that panics is logged and ends
    /// itself only.
    fn every(&self, name: &'static str, interval: Duration, work: impl Fn() + Send + Sync + 'static) {
        let ending = self.ending.clone();
        let work = Arc::new(work);
        self.tracker.spawn(async move {
            while ending.run_until_cancelled(tokio::time::sleep(interval)).await.is_some() {
                let work = Arc::clone(&work);
                if let Err(error) = tokio::task::spawn_blocking(move || work()).await {
                    tracing::error!(task = name, %error, "a background task failed, it goes on");
                }
            }
        });
    }

    /// Renews the frozen copy at whole multiples of its interval, as Java's timer does.
    fn refreeze(&self, catalog: Arc<Catalog>, clock: Clock, interval: Duration) {
        let ending = self.ending.clone();
        self.tracker.spawn(async move {
            let period = u64::try_from(interval.as_millis()).unwrap_or(u64::MAX).max(1);
            loop {
                let now = u64::try_from(clock.now().wall).unwrap_or_default();
                let wait = Duration::from_millis(period - now % period);
                if ending.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
                    return;
                }
                catalog.refreeze().await;
            }
        });
    }
}
