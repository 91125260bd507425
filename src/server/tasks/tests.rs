#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Read as _, Seek as _};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::codec::json;
use crate::model::AppName;
use crate::registry::Origin;
use crate::server::App;

use super::*;
use crate::registry::LeaseClock;
use crate::server::schedule::{beat, evict};

fn tasks() -> Tasks {
    let (leaving, ending) = (CancellationToken::new(), CancellationToken::new());
    Tasks { tracker: TaskTracker::new(), leaving, ending, timers: Timers::start() }
}

async fn end(tasks: Tasks) {
    tasks.ending.cancel();
    tasks.tracker.close();
    tokio::time::timeout(Duration::from_secs(10), tasks.tracker.wait()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_panics_is_logged_and_the_next_one_comes() {
    let mut log = tempfile::tempfile().unwrap();
    let subscriber = tracing_subscriber::fmt().with_writer(Arc::new(log.try_clone().unwrap())).finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    // Another thread that came to the same line first may have found that nobody listens.
    tracing::callsite::rebuild_interest_cache();
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

#[test]
fn leases_end_although_requests_have_taken_every_thread() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().max_blocking_threads(1).build().unwrap();
    runtime.block_on(async {
        let (release, busy) = std::sync::mpsc::channel::<()>();
        let busy = tokio::task::spawn_blocking(move || busy.recv());
        let (tasks, (tell, mut told)) = (tasks(), tokio::sync::mpsc::unbounded_channel());
        let (_settings, settings) = watch::channel(Settings::default());
        tasks.in_time("lease clock", &settings, |_| Duration::from_millis(1), move || tell.send(()).unwrap());
        assert!(told.recv().await.is_some());
        release.send(()).unwrap();
        busy.await.unwrap().unwrap();
        end(tasks).await;
    });
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
    assert_eq!(tasks.tracker.len(), 11);
    tokio::time::sleep(Duration::from_secs(100)).await;
    assert_eq!(tasks.tracker.len(), 12, "none has died; events are followed in one within another");
    // A clock that is held goes on by itself while another thread works.
    tokio::time::resume();
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
