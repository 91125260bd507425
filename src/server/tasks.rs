//! Background work on timers. Every task is tracked and ends with the shutdown; none dies silently.

use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::Signal;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::catalog::{Catalog, UNREAD};
use crate::clock::Clock;
use crate::http::{Overload, Shedding};
use crate::logging::LogFiles;
use crate::peers::discovery::Discovery;
use crate::registry::{LeaseClock, Registry};
use crate::settings::{OwnRegistration, OwnRoot, Settings};

use super::App;
use super::reload::Reload;

/// Starts all timers. Java starts the one that ends leases with the opening for traffic; so does this.
pub(super) fn start(tasks: &Tasks, app: &App, settings: &watch::Receiver<Settings>) {
    let (beaten, time) = (Arc::clone(app.registry()), app.clock().clone());
    tasks.every("lease clock", settings, |_| LeaseClock::BEAT, move || beat(&beaten, &time));
    let (evicted, peers, time) = (Arc::clone(app.registry()), app.peers().clone(), app.clock().clone());
    tasks.every(
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

fn beat(registry: &Registry, clock: &Clock) {
    if let Some(pause) = registry.lease_clock().beat(clock.mono()) {
        tracing::warn!(?pause, "the process was paused, the pause counts for no lease");
    }
}

fn evict(registry: &Registry, clock: &Clock) {
    // After a pause both timers are due at once, and this one may be the first.
    beat(registry, clock);
    if registry.was_opened() {
        registry.evict();
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
    /// Does something on a timer, first after one interval; a change of the settings begins the wait
    /// anew. A run that panics is logged and ends itself only.
    fn every(
        &self,
        name: &'static str,
        settings: &watch::Receiver<Settings>,
        interval: fn(&Settings) -> Duration,
        work: impl Fn() + Send + Sync + 'static,
    ) {
        let (ending, mut settings) = (self.ending.clone(), settings.clone());
        let work = Arc::new(work);
        self.tracker.spawn(async move {
            while let Some(due) = ending.run_until_cancelled(wait(&mut settings, interval)).await {
                if due {
                    let work = Arc::clone(&work);
                    survive(name, tokio::task::spawn_blocking(move || work())).await;
                }
            }
        });
    }

    /// Looks how late a timer comes.
    fn watch_load(&self, overload: Arc<Overload>, settings: &watch::Receiver<Settings>) {
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

    /// Follows the peers, and opens for traffic once one of them was copied: at once without peers.
    pub(super) fn find_peers(&self, app: &App) {
        let changes = app.settings().subscribe();
        let Settings { peers, http, replication, .. } = changes.borrow().clone();
        let discovery = Discovery::new(peers, OwnRoot::of(&http));
        let (finds, found) = watch::channel(discovery.found());
        let nobody = found.borrow().peers.is_empty() && found.borrow().silent.is_empty();
        if nobody {
            app.open();
        } else {
            let (opening, found, ending) = (app.clone(), found.clone(), self.ending.clone());
            self.tracker.spawn(async move {
                let copy = opening.peers().copy(found, &replication);
                if let Some(instances) = ending.run_until_cancelled(copy).await {
                    opening.registry().open(instances);
                }
            });
        }
        let (peers, ending) = (app.peers().clone(), self.ending.clone());
        self.tracker.spawn(async move { ending.run_until_cancelled(discovery.keep(changes, finds)).await });
        let ending = self.ending.clone();
        self.tracker.spawn(async move { ending.run_until_cancelled(peers.follow(found)).await });
    }

    /// Keeps the own record registered from now on, and takes it out at the end.
    fn keep_own_record(&self, app: App, settings: &watch::Receiver<Settings>) {
        let ending = self.ending.clone();
        let own = settings.borrow().own.clone();
        self.tracker.spawn(async move {
            app.keep_own_record();
            while ending.run_until_cancelled(tokio::time::sleep(own.lease_renewal_interval)).await.is_some() {
                app.keep_own_record();
            }
            if own.registration == OwnRegistration::UntilShutdown {
                app.remove_own_record();
            }
        });
    }

    /// Answers `SIGHUP`.
    pub(super) fn hang_up(&self, mut hangups: Signal, files: Option<LogFiles>, reload: Option<Arc<Reload>>) {
        let ending = self.ending.clone();
        self.tracker.spawn(async move {
            while let Some(Some(())) = ending.run_until_cancelled(hangups.recv()).await {
                let (files, reload) = (files.clone(), reload.clone());
                let work = tokio::task::spawn_blocking(move || hung_up(files.as_ref(), reload.as_deref()));
                survive("hang-up", work).await;
            }
        });
    }

    /// Renews the frozen copy at whole multiples of its interval, as Java's timer does.
    fn refreeze(&self, catalog: Arc<Catalog>, clock: Clock, interval: Duration) {
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
fn hung_up(files: Option<&LogFiles>, reload: Option<&Reload>) {
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
async fn survive(name: &'static str, run: JoinHandle<()>) {
    if let Err(error) = run.await {
        tracing::error!(task = name, %error, "a background task failed, it goes on");
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::io::{Read as _, Seek as _};
    use std::sync::atomic::{AtomicU32, Ordering};

    use crate::codec::json;
    use crate::model::AppName;
    use crate::registry::Origin;
    use crate::server::App;

    use super::*;

    fn tasks() -> Tasks {
        Tasks { tracker: TaskTracker::new(), ending: CancellationToken::new() }
    }

    async fn end(tasks: Tasks) {
        tasks.ending.cancel();
        tasks.tracker.close();
        tokio::time::timeout(Duration::from_secs(1), tasks.tracker.wait()).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_that_panics_is_logged_and_the_next_one_comes() {
        let mut log = tempfile::tempfile().unwrap();
        let subscriber = tracing_subscriber::fmt().with_writer(Arc::new(log.try_clone().unwrap())).finish();
        let _guard = tracing::subscriber::set_default(subscriber);
        let (tasks, runs) = (tasks(), Arc::new(AtomicU32::new(0)));
        let counted = Arc::clone(&runs);
        let (_settings, settings) = watch::channel(Settings::default());
        tasks.every(
            "odd runs",
            &settings,
            |_| Duration::from_secs(1),
            move || {
                if counted.fetch_add(1, Ordering::Relaxed) % 2 == 0 {
                    // Without the panic hook, which would write to the test's output.
                    std::panic::resume_unwind(Box::new("broken"));
                }
            },
        );
        tokio::time::sleep(Duration::from_millis(4_500)).await;
        assert_eq!(runs.load(Ordering::Relaxed), 4);
        end(tasks).await;
        log.rewind().unwrap();
        let mut said = String::new();
        log.read_to_string(&mut said).unwrap();
        let failures = said.matches("a background task failed, it goes on").count();
        assert_eq!((failures, said.matches("odd runs").count()), (2, 2), "{said}");
    }

    fn app(words: &[&str]) -> (App, Clock) {
        let clock = Clock::held(1_760_000_000_000);
        let app = App::new(&Settings::from_words(words).unwrap(), clock.clone());
        app.open();
        (app, clock)
    }

    #[tokio::test(start_paused = true)]
    async fn a_timer_follows_the_settings() {
        let (tasks, runs) = (tasks(), Arc::new(AtomicU32::new(0)));
        let (sender, settings) = watch::channel(Settings::default());
        let counted = Arc::clone(&runs);
        tasks.every(
            "eviction",
            &settings,
            |settings| settings.leases.eviction_interval,
            move || {
                counted.fetch_add(1, Ordering::Relaxed);
            },
        );
        tokio::time::sleep(Duration::from_secs(59)).await;
        assert_eq!(runs.load(Ordering::Relaxed), 0);
        let faster = Settings::from_words(&["--eureka.server.eviction-interval-timer-in-ms=1000"]).unwrap();
        sender.send_replace(faster);
        tokio::time::sleep(Duration::from_millis(2_500)).await;
        assert_eq!(runs.load(Ordering::Relaxed), 2);
        drop(sender);
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(runs.load(Ordering::Relaxed), 4, "it goes on without anybody to change the settings");
        end(tasks).await;
    }

    #[tokio::test(start_paused = true)]
    async fn with_too_much_to_do_lists_are_refused_before_heartbeats() {
        let (app, _) = app(&[]);
        let ask = |method: &str, path: &str| {
            let request = http::Request::builder().method(method).uri(path).body(axum::body::Body::empty()).unwrap();
            tower::ServiceExt::oneshot(app.router(), request)
        };
        for _ in 0..3 {
            app.overload().note(Duration::from_secs(1), Some(Duration::from_millis(500)));
        }
        for list in ["/eureka/apps", "/eureka/apps/delta", "/eureka/apps/A", "/eureka/vips/a"] {
            let answer = ask("GET", list).await.unwrap();
            assert_eq!((answer.status().as_u16(), &answer.headers()["retry-after"]), (503, &"1".parse().unwrap()));
        }
        assert_eq!(ask("PUT", "/eureka/apps/A/a-1").await.unwrap().status(), 404, "a heartbeat is looked at");
        app.overload().note(Duration::ZERO, Some(Duration::from_millis(500)));
        assert_eq!(ask("GET", "/eureka/apps").await.unwrap().status(), 200);
    }

    #[tokio::test(start_paused = true)]
    async fn all_tasks_end_at_once() {
        let (app, _) = app(&["--eureka.server.use-read-only-response-cache=true"]);
        let tasks = tasks();
        app.start_tasks(&tasks);
        assert_eq!(tasks.tracker.len(), 7);
        tokio::time::sleep(Duration::from_secs(100)).await;
        assert_eq!(tasks.tracker.len(), 7, "none has died");
        end(tasks).await;
    }

    #[tokio::test(start_paused = true)]
    async fn case_052_a_round_that_comes_before_the_beat_after_a_pause_evicts_nobody() {
        let (app, clock) = app(&["--eureka.server.enable-self-preservation=false"]);
        let registry = app.registry();
        let body = br#"{"instance":{"app":"A","instanceId":"a-1","hostName":"a-1.test","ipAddr":"10.20.0.11",
            "dataCenterInfo":{"name":"MyOwn"}}}"#;
        let registration = json::read_instance(body, &Settings::default().limits).unwrap();
        registry.register(registration.accept(&AppName::new("A"), 1_760_000_000_000).unwrap(), Origin::Client);
        beat(registry, &clock);
        tokio::time::advance(Duration::from_mins(2)).await;
        evict(registry, &clock);
        assert_eq!(registry.len(), 1);
        for _ in 0..95 {
            tokio::time::advance(LeaseClock::BEAT).await;
            beat(registry, &clock);
        }
        evict(registry, &clock);
        assert_eq!(registry.len(), 0, "the pause is over");
    }
}
