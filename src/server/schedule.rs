//! What is done on timers, and when.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::catalog::UNREAD;
use crate::clock::Clock;
use crate::registry::{LeaseClock, Registry};
use crate::settings::{OwnRegistration, Settings};

use super::App;
use super::tasks::Tasks;

/// How soon secrets count that were changed in their files.
pub(super) const READ_SECRETS_AGAIN: Duration = Duration::from_secs(3);

/// How late an override may end that ends by itself.
const END_OVERRIDES: Duration = Duration::from_secs(1);

/// How often it is looked which instances are gone, for whom they belong to.
const FORGET_OWNERS: Duration = Duration::from_mins(1);

/// Starts all timers. Java starts the one that ends leases with the opening for traffic; so does this.
pub(super) fn start(tasks: &Tasks, app: &App, settings: &watch::Receiver<Settings>) {
    let (beaten, time) = (Arc::clone(app.registry()), app.clock().clone());
    tasks.in_time("lease clock", settings, |_| LeaseClock::BEAT, move || beat(&beaten, &time));
    let (evicted, peers, time) = (Arc::clone(app.registry()), app.peers().clone(), app.clock().clone());
    tasks.in_time(
        "eviction",
        settings,
        |settings| settings.leases.eviction_interval,
        move || {
            if let Some(ago) = peers.last_missing() {
                evicted.note_missing_peer(ago);
            }
            evict(&evicted, &time);
        },
    );
    let updated = Arc::clone(app.registry());
    let interval = |settings: &Settings| settings.preservation.threshold_update_interval;
    tasks.every("renewal threshold", settings, interval, move || updated.update_threshold());
    let swept = Arc::clone(app.catalog());
    tasks.every("delta retention", settings, |settings| settings.catalog.delta_sweep, move || swept.sweep_delta());
    let unread = Arc::clone(app.catalog());
    tasks.every("unread answers", settings, |_| UNREAD / 2, move || unread.drop_unread());
    let access = app.access().clone();
    let secrets = move || {
        access.read_files_again();
        access.tell_rest();
    };
    tasks.every("secrets", settings, |_| READ_SECRETS_AGAIN, secrets);
    let (access, held) = (app.access().clone(), Arc::clone(app.registry()));
    let gone = move || access.forget_owners(|app, id| held.held(app, id).is_none());
    tasks.every("owners of instances", settings, |_| FORGET_OWNERS, gone);
    let lifted = Arc::clone(app.registry());
    let lift = move || {
        lifted.lift_ended_overrides();
    };
    tasks.in_time("ends of overrides", settings, |_| END_OVERRIDES, lift);
    tasks.tell_events(app);
    tasks.watch_load(Arc::clone(app.overload()), settings);
    app.regions().start(&tasks.tracker, &tasks.ending);
    let own_registration = settings.borrow().own.registration;
    if own_registration != OwnRegistration::None {
        tasks.keep_own_record(app.clone(), settings);
    }
    let frozen = settings.borrow().catalog.read_only_copy;
    if let Some(interval) = frozen {
        tasks.refreeze(Arc::clone(app.catalog()), app.clock().clone(), interval);
    }
}

pub(super) fn beat(registry: &Registry, clock: &Clock) {
    if let Some(pause) = registry.lease_clock().beat(clock.mono()) {
        tracing::warn!(?pause, "the process was paused, the pause counts for no lease");
    }
}

pub(super) fn evict(registry: &Registry, clock: &Clock) {
    // After a pause both timers are due at once, and this one may be the first.
    beat(registry, clock);
    if registry.was_opened() {
        registry.evict();
    }
}
