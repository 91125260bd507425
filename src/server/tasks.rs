//! Background work on timers. Every task is tracked and ends with the shutdown; none dies silently. What a disk holds up
//! goes on by itself then, and nobody waits for it.

use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::Signal;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access::tls::Tls;
use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::http::{Overload, Shedding};
use crate::logging::LogFiles;
use crate::peers::discovery::Discovery;

use crate::settings::{OwnRegistration, OwnRoot, Settings};
use crate::snapshot::Snapshot;

use super::App;
use super::opening::Opening;
use super::reload::Reload;
use super::schedule::READ_SECRETS_AGAIN;
use super::timers::Timers;

/// How soon a task that failed begins again.
const RUN_AGAIN: Duration = Duration::from_secs(1);

/// How long the start waits for what is on disk.
const LONGEST_READ: Duration = Duration::from_secs(2);

/// The running tasks, and the sign for them to end.
#[derive(Clone, Debug)]
pub(super) struct Tasks {
    /// Who is running.
    pub(super) tracker: TaskTracker,
    /// When clients are to go elsewhere, some time before the end.
    pub(super) leaving: CancellationToken,
    /// When to end.
    pub(super) ending: CancellationToken,
    /// Where work is done that must not wait for requests.
    pub(super) timers: Timers,
}

impl Tasks {
    /// Does something on a timer, first after one interval; a change of the settings begins the wait
    /// anew. A run that panics is logged and ends itself only.
    pub(super) fn every(
        &self,
        name: &'static str,
        settings: &watch::Receiver<Settings>,
        interval: fn(&Settings) -> Duration,
        work: impl Fn() + Send + Sync + 'static,
    ) {
        let work = Arc::new(work);
        self.whenever_due(settings, interval, move || {
            let work = Arc::clone(&work);
            survive(name, tokio::task::spawn_blocking(move || work()))
        });
    }

    /// The same for short work that must not wait for what requests do.
    pub(super) fn in_time(
        &self,
        name: &'static str,
        settings: &watch::Receiver<Settings>,
        interval: fn(&Settings) -> Duration,
        work: impl Fn() + Send + Sync + 'static,
    ) {
        let (work, timers) = (Arc::new(work), self.timers.clone());
        self.whenever_due(settings, interval, move || {
            let (work, timers) = (Arc::clone(&work), timers.clone());
            async move { survive(name, timers.run(move || work())).await }
        });
    }

    fn whenever_due<R: Future<Output = ()> + Send>(
        &self,
        settings: &watch::Receiver<Settings>,
        interval: fn(&Settings) -> Duration,
        run: impl Fn() -> R + Send + 'static,
    ) {
        let (ending, mut settings) = (self.ending.clone(), settings.clone());
        self.tracker.spawn(async move {
            while let Some(due) = ending.run_until_cancelled(wait(&mut settings, interval)).await {
                if due {
                    ending.run_until_cancelled(run()).await;
                }
            }
        });
    }

    /// Follows what happens, and tells whom the settings name.
    pub(super) fn tell_events(&self, app: &App) {
        let events = app.events().clone();
        self.keep_running("events", move || {
            let events = events.clone();
            async move { events.follow().await }
        });
        for place in 0..app.webhooks().len() {
            let app = app.clone();
            self.keep_running("webhook", move || {
                let app = app.clone();
                async move { app.webhooks().serve(place, app.events(), app.registry()).await }
            });
        }
    }

    /// Does something until the end; a run that panics is logged, and the next one begins.
    fn keep_running<R>(&self, name: &'static str, run: impl Fn() -> R + Send + 'static)
    where
        R: Future<Output = ()> + Send + 'static,
    {
        let (ending, tracker) = (self.ending.clone(), self.tracker.clone());
        self.tracker.spawn(async move {
            while !ending.is_cancelled() {
                let (run, ends) = (run(), ending.clone());
                let run = tracker.spawn(async move { ends.run_until_cancelled(run).await.unwrap_or_default() });
                survive(name, run).await;
                // What fails at once must not fill the log.
                ending.run_until_cancelled(tokio::time::sleep(RUN_AGAIN)).await;
            }
        });
    }

    /// Looks how late a timer comes.
    pub(super) fn watch_load(&self, overload: Arc<Overload>, settings: &watch::Receiver<Settings>) {
        let (ending, settings) = (self.ending.clone(), settings.clone());
        self.tracker.spawn(async move {
            let mut due = Instant::now() + Overload::PERIOD;
            while ending.run_until_cancelled(tokio::time::sleep_until(due)).await.is_some() {
                let now = Instant::now();
                let most = settings.borrow().http.shed_after;
                match overload.note(now - due, most) {
                    Some(Shedding::Begins) => {
                        tracing::warn!(late = ?(now - due), "there is too much to do, reads of whole lists are refused");
                    }
                    Some(Shedding::Ends) => tracing::info!("reads of whole lists are answered again"),
                    None => {}
                }
                due = now + Overload::PERIOD;
            }
        });
    }

    /// Looks whether certificates, keys and trust have changed.
    pub(super) fn watch_certificates(&self, app: &App, tls: Tls) {
        let settings = app.settings().subscribe();
        self.every("certificates", &settings, |settings| settings.tls.reload_interval, move || tls.look_again(false));
    }

    /// Looks whether folders of secrets have changed that settings were read from.
    pub(super) fn watch_trees(&self, app: &App, reload: Arc<Reload>) {
        let settings = app.settings().subscribe();
        self.every("config trees", &settings, |_| READ_SECRETS_AGAIN, move || reload.look_at_trees());
    }

    /// Follows the peers, and opens for traffic once one of them was copied: at once without peers.
    pub(super) async fn find_peers(&self, app: &App, snapshot: Option<&Snapshot>) {
        let changes = app.settings().subscribe();
        let Settings { peers, http, replication, .. } = changes.borrow().clone();
        let discovery = Discovery::new(peers, OwnRoot::of(&http));
        let (finds, found) = watch::channel(discovery.found());
        let nobody = found.borrow().peers.is_empty() && found.borrow().silent.is_empty();
        let opening = Opening { registry: Arc::clone(app.registry()), snapshot: snapshot.cloned() };
        if nobody {
            // Before any request is answered, unless a disk hangs.
            let ending = self.ending.clone();
            let opened = self.tracker.spawn(async move { ending.run_until_cancelled(opening.open(0)).await });
            let _in_time = tokio::time::timeout(LONGEST_READ, opened).await;
        } else {
            let (copying, found, ending) = (app.clone(), found.clone(), self.ending.clone());
            self.tracker.spawn(async move {
                let copied = async { opening.open(copying.peers().copy(found, &replication).await).await };
                ending.run_until_cancelled(copied).await;
            });
        }
        let (peers, ending) = (app.peers().clone(), self.ending.clone());
        self.tracker.spawn(async move { ending.run_until_cancelled(discovery.keep(changes, finds)).await });
        let ending = self.ending.clone();
        self.tracker.spawn(async move { ending.run_until_cancelled(peers.follow(found)).await });
    }

    /// Keeps the registry on disk.
    pub(super) fn keep_snapshot(&self, app: &App, snapshot: Snapshot) {
        let settings = app.settings().subscribe();
        self.every("snapshot", &settings, |settings| settings.snapshot.interval, move || snapshot.keep());
    }

    /// Keeps the own record registered from now on, and takes it out when clients are to go elsewhere.
    pub(super) fn keep_own_record(&self, app: App, settings: &watch::Receiver<Settings>) {
        let leaving = self.leaving.clone();
        let own = settings.borrow().own.clone();
        self.tracker.spawn(async move {
            app.keep_own_record();
            while leaving.run_until_cancelled(tokio::time::sleep(own.lease_renewal_interval)).await.is_some() {
                app.keep_own_record();
            }
            if own.registration == OwnRegistration::UntilShutdown {
                app.remove_own_record();
            }
        });
    }

    /// Answers `SIGHUP`.
    pub(super) fn hang_up(&self, mut hangups: Signal, answer: impl Fn() + Clone + Send + 'static) {
        let ending = self.ending.clone();
        self.tracker.spawn(async move {
            while let Some(Some(())) = ending.run_until_cancelled(hangups.recv()).await {
                let work = tokio::task::spawn_blocking(answer.clone());
                ending.run_until_cancelled(survive("hang-up", work)).await;
            }
        });
    }

    /// Renews the frozen copy at whole multiples of its interval, as Java's timer does.
    pub(super) fn refreeze(&self, catalog: Arc<Catalog>, clock: Clock, interval: Duration) {
        let (ending, tracker) = (self.ending.clone(), self.tracker.clone());
        self.tracker.spawn(async move {
            let period = u64::try_from(interval.as_millis()).unwrap_or(u64::MAX).max(1);
            loop {
                let now = u64::try_from(clock.now().wall).unwrap_or_default();
                let wait = Duration::from_millis(period - now % period);
                if ending.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
                    return;
                }
                let catalog = Arc::clone(&catalog);
                survive("frozen copy", tracker.spawn(async move { catalog.refreeze().await })).await;
            }
        });
    }
}

/// Opens the log's files anew and reads the settings again, as daemons do when they are hung up on.
pub(super) fn hung_up(files: Option<&LogFiles>, reload: Option<&Reload>) {
    if let Some(files) = files {
        files.reopen();
    }
    if let Some(reload) = reload {
        // It is logged there.
        let _mistakes = reload.run();
    }
}

/// Waits for one interval; false when the settings changed meanwhile.
async fn wait(settings: &mut watch::Receiver<Settings>, interval: fn(&Settings) -> Duration) -> bool {
    let interval = interval(&settings.borrow_and_update());
    tokio::select! {
        () = tokio::time::sleep(interval) => true,
        Ok(()) = settings.changed() => false,
    }
}

/// Waits for a run; one that panicked is logged.
pub(super) async fn survive<E: std::fmt::Display>(name: &'static str, run: impl Future<Output = Result<(), E>>) {
    if let Err(error) = run.await {
        tracing::error!(task = name, %error, "a background task failed, it goes on");
    }
}

#[cfg(test)]
mod tests;
