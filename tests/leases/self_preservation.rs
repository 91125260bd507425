//! When silent instances may go.

use std::time::Duration;

use super::fleet::{Fleet, id};

use eurekad::model::AppName;
use eurekad::registry::Origin;

fn everybody(app: &str, ids: std::ops::Range<usize>) -> Vec<(String, String)> {
    ids.map(|n| (app.to_owned(), format!("{app}-{n}"))).collect()
}

#[tokio::test(start_paused = true)]
async fn the_threshold_counts_leases_and_no_phantom() {
    let fleet = Fleet::new(&[]);
    assert_eq!(fleet.app.registry().renewal_threshold(), 0);
    for expected in [1, 3, 5, 6, 8, 10, 11] {
        fleet.register("ORDERS", &format!("ord-{expected}"), 30, 90);
        assert_eq!(fleet.app.registry().renewal_threshold(), expected);
    }
    fleet.register("ORDERS", "ord-1", 30, 90);
    assert_eq!(fleet.app.registry().renewal_threshold(), 11, "registering again adds nobody");
    fleet.app.registry().cancel(&AppName::new("ORDERS"), &id("ord-1"), Origin::Client);
    fleet.app.registry().cancel(&AppName::new("ORDERS"), &id("nobody"), Origin::Client);
    assert_eq!(fleet.app.registry().renewal_threshold(), 10);
}

#[tokio::test(start_paused = true)]
async fn phantoms_are_expected_when_the_user_says_so() {
    let fleet = Fleet::new(&["--eureka.instance.registry.default-open-for-traffic-count=1"]);
    let thresholds: Vec<_> = (0..=7)
        .map(|n| {
            if n > 0 {
                fleet.register("ORDERS", &format!("ord-{n}"), 30, 90);
            }
            fleet.app.registry().renewal_threshold()
        })
        .collect();
    assert_eq!(thresholds, [1, 3, 5, 6, 8, 10, 11, 13], "what a Java server shows");
    fleet.app.registry().update_threshold();
    assert_eq!(fleet.app.registry().renewal_threshold(), 11);
}

#[tokio::test(start_paused = true)]
async fn case_046_each_interval_counts_for_itself() {
    let fleet = Fleet::new(&[]);
    for n in 0..5 {
        fleet.register("FAST", &format!("FAST-{n}"), 10, 30);
        fleet.register("SLOW", &format!("SLOW-{n}"), 30, 90);
    }
    assert_eq!(fleet.app.registry().renewal_threshold(), 34);
    let set = Fleet::new(&["--eureka.server.expected-client-renewal-interval-seconds=30"]);
    for n in 0..5 {
        set.register("FAST", &format!("FAST-{n}"), 10, 30);
    }
    assert_eq!(set.app.registry().renewal_threshold(), 8, "one interval for all when the user sets it");
}

#[tokio::test(start_paused = true)]
async fn case_046_a_fast_client_does_not_hide_three_dead_ones() {
    let fleet = Fleet::new(&[]);
    fleet.register("FAST", "FAST-0", 10, 30);
    fleet.register_many("SLOW", 3);
    let evicted = fleet.live(300, 10, &everybody("FAST", 0..1)).await;
    assert_eq!(evicted, 0, "three of four are silent: that is no small loss");
    assert_eq!(fleet.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn case_048_at_the_threshold_expiry_is_off_and_above_it_on() {
    let fleet = Fleet::new(&[]);
    fleet.register_many("ORDERS", 10);
    let threshold = fleet.app.registry().renewal_threshold();
    assert_eq!(threshold, 17);
    for beats in [threshold, threshold + 1] {
        // To the next full minute, whatever was before.
        fleet.pass(60 - (fleet.clock.mono().0 / 1000) % 60).await;
        for n in 0..beats {
            fleet.beat("ORDERS", &format!("ORDERS-{}", n % 10));
        }
        fleet.pass(60).await;
        assert_eq!(fleet.app.registry().renewals_last_minute(), beats);
        assert_eq!(fleet.app.registry().expiry_enabled(), beats > threshold);
    }
}

#[tokio::test(start_paused = true)]
async fn one_dead_of_three_goes() {
    let fleet = Fleet::new(&[]);
    fleet.register_many("ORDERS", 3);
    let evicted = fleet.live(120, 30, &everybody("ORDERS", 0..2)).await;
    assert_eq!(evicted, 1);
    assert!(!fleet.has("ORDERS", "ORDERS-2"));
}

#[tokio::test(start_paused = true)]
async fn half_a_fleet_that_falls_silent_stays() {
    let fleet = Fleet::new(&["--eurekad.self-preservation.accept-after=0"]);
    fleet.register_many("ORDERS", 40);
    let evicted = fleet.live(3_600, 30, &everybody("ORDERS", 0..20)).await;
    assert_eq!(evicted, 0);
}

#[tokio::test(start_paused = true)]
async fn half_a_fleet_that_falls_silent_one_by_one_stays() {
    let fleet = Fleet::new(&["--eurekad.self-preservation.accept-after=0"]);
    fleet.register_many("ORDERS", 40);
    let mut evicted = 0;
    for second in 0..3_600 {
        fleet.pass(1).await;
        // Each has its own beat; from the tenth minute on one more falls silent every two seconds.
        let silent = (second / 2_usize).saturating_sub(300).min(20);
        for n in (silent..40).filter(|n| second % 30 == n % 30) {
            fleet.beat("ORDERS", &format!("ORDERS-{n}"));
        }
        evicted += fleet.evict().expired;
    }
    assert_eq!(evicted, 0);
}

#[tokio::test(start_paused = true)]
async fn case_047_a_scale_in_is_accepted_once_all_others_are_calm() {
    let fleet = Fleet::new(&[]);
    fleet.register_many("ORDERS", 20);
    fleet.register_many("BILLING", 20);
    let alive = everybody("BILLING", 0..20);
    assert_eq!(fleet.live(29 * 60, 30, &alive).await, 0);
    assert_eq!(fleet.live(5 * 60, 30, &alive).await, 20, "accepted after half an hour of calm");
    assert_eq!(fleet.len(), 20);
    assert_eq!(fleet.live(300, 30, &alive).await, 0);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_taken_for_lost_while_a_peer_may_hear_it() {
    let fleet = Fleet::new(&[]);
    fleet.register_many("ORDERS", 5);
    let alive = everybody("ORDERS", 1..5);
    fleet.live(60, 30, &alive).await;
    fleet.app.registry().note_missing_peer(Duration::from_secs(10));
    assert_eq!(fleet.live(110 - 30, 30, &alive).await, 0, "it lapses within a lease after the peer is back");
    assert_eq!(fleet.live(60, 30, &alive).await, 1);
    fleet.register_many("BILLING", 20);
    let alive = everybody("BILLING", 0..20);
    for _ in 0..120 {
        assert_eq!(fleet.live(30, 30, &alive).await, 0, "a large loss");
        fleet.app.registry().note_missing_peer(Duration::ZERO);
    }
    assert_eq!(fleet.live(90, 30, &alive).await, 0);
    assert_eq!(fleet.live(30, 30, &alive).await, 4);
}

#[tokio::test(start_paused = true)]
async fn unrest_puts_the_acceptance_off() {
    let fleet = Fleet::new(&[]);
    fleet.register_many("ORDERS", 20);
    fleet.register_many("BILLING", 20);
    let all = everybody("BILLING", 0..20);
    assert_eq!(fleet.live(25 * 60, 30, &all).await, 0);
    // Another one is silent for two minutes and comes back.
    assert_eq!(fleet.live(120, 30, &all[1..]).await, 0);
    assert_eq!(fleet.live(25 * 60, 30, &all).await, 0);
    assert_eq!(fleet.live(10 * 60, 30, &all).await, 20);
}

#[tokio::test(start_paused = true)]
async fn enough_renewals_let_lapsed_leases_go_as_in_java() {
    let fleet = Fleet::new(&["--eureka.instance.registry.default-open-for-traffic-count=1"]);
    fleet.register_many("ORDERS", 6);
    fleet.register("BUSY", "BUSY-0", 30, 90);
    fleet.pass(91).await;
    assert_eq!(fleet.evict().expired, 0, "seven of seven are silent");
    fleet.pass(60 - 31).await;
    for _ in 0..18 {
        fleet.beat("BUSY", "BUSY-0");
    }
    fleet.pass(61).await;
    assert!(fleet.app.registry().expiry_enabled());
    while fleet.len() > 1 {
        assert!(fleet.evict().expired > 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_fleet_that_is_silent_as_a_whole_is_never_taken_for_lost() {
    let fleet = Fleet::new(&[]);
    fleet.register_many("ORDERS", 40);
    assert_eq!(fleet.live(3 * 3_600, 30, &[]).await, 0, "it may be the network of this server");
    // One comes back: from now on there is somebody to be calm.
    assert_eq!(fleet.live(29 * 60, 30, &everybody("ORDERS", 0..1)).await, 0);
    assert_eq!(fleet.live(3 * 60, 30, &everybody("ORDERS", 0..1)).await, 39);
}

#[tokio::test(start_paused = true)]
async fn an_acceptance_needs_renewals_that_are_on_time() {
    let fleet = Fleet::new(&[]);
    fleet.register_many("ORDERS", 20);
    fleet.register_many("BILLING", 20);
    assert_eq!(fleet.live(3_600, 60, &everybody("BILLING", 0..20)).await, 0, "a minute is late for half of that");
}

#[tokio::test(start_paused = true)]
async fn an_accepted_loss_does_not_count_against_those_that_are_left() {
    let fleet = Fleet::new(&[]);
    fleet.register_many("ORDERS", 20);
    fleet.register_many("BILLING", 20);
    assert_eq!(fleet.live(33 * 60, 30, &everybody("BILLING", 0..20)).await, 20);
    assert_eq!(fleet.live(3 * 60, 30, &everybody("BILLING", 0..19)).await, 1, "one of twenty is a small loss");
}

#[tokio::test(start_paused = true)]
async fn exactly_the_share_that_may_be_missing_is_a_small_loss() {
    for (percent, fleet_of, dead) in [("0.9", 20, 2), ("0.9", 30, 3), ("0.8", 10, 2), ("0.8", 20, 4), ("0.85", 20, 3)] {
        let word = format!("--eureka.server.renewal-percent-threshold={percent}");
        let fleet = Fleet::new(&[&word, "--eurekad.self-preservation.accept-after=0"]);
        fleet.register_many("ORDERS", fleet_of);
        let evicted = fleet.live(300, 30, &everybody("ORDERS", 0..fleet_of - dead)).await;
        assert_eq!(evicted, dead, "{dead} of {fleet_of} at {percent}");
    }
}

/// What is logged by this thread meanwhile.
struct Lines(std::sync::Arc<std::fs::File>);

impl Lines {
    fn new() -> (Self, tracing::subscriber::DefaultGuard) {
        let file = std::sync::Arc::new(tempfile::tempfile().expect("a file"));
        let subscriber = tracing_subscriber::fmt().with_writer(std::sync::Arc::clone(&file)).with_ansi(false).finish();
        (Self(file), tracing::subscriber::set_default(subscriber))
    }

    fn count(&self, text: &str) -> usize {
        use std::io::{Read as _, Seek as _};
        let mut said = String::new();
        let mut file = &*self.0;
        file.rewind().expect("a file");
        file.read_to_string(&mut said).expect("text");
        said.matches(text).count()
    }
}

#[tokio::test(start_paused = true)]
async fn its_beginning_and_its_end_are_told_once() {
    let (lines, _guard) = Lines::new();
    let fleet = Fleet::new(&[]);
    fleet.register_many("ORDERS", 10);
    // Another thread that came to the same line first may have found that nobody listens, just before there was
    // somebody.
    tracing::callsite::rebuild_interest_cache();
    fleet.live(300, 30, &everybody("ORDERS", 0..5)).await;
    let (begin, end) = ("self-preservation keeps their leases", "keeps no lapsed leases any more");
    assert_eq!((lines.count(begin), lines.count(end)), (1, 0));
    fleet.live(120, 30, &everybody("ORDERS", 0..10)).await;
    assert_eq!((lines.count(begin), lines.count(end)), (1, 1));
}
