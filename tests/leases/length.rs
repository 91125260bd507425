//! How long a lease lasts.

use super::fleet::Fleet;

const EXACT: &[&str] = &["--eureka.server.enable-self-preservation=false"];
const JAVA: &[&str] = &["--eureka.server.enable-self-preservation=false", "--eurekad.lease.java-length=true"];

/// Renews once (if asked) and gives after how many seconds the instance is evicted.
async fn lasts(words: &[&str], renewed: bool, interval: i32, duration: i32) -> u64 {
    let fleet = Fleet::new(words);
    fleet.register("ORDERS", "ord-1", interval, duration);
    if renewed {
        fleet.pass(5).await;
        fleet.beat("ORDERS", "ord-1");
    }
    for second in 1..=300 {
        fleet.pass(1).await;
        if fleet.evict().expired == 1 {
            return second;
        }
    }
    panic!("never evicted");
}

#[tokio::test(start_paused = true)]
async fn case_050_a_lease_lasts_as_long_as_it_says() {
    assert_eq!(lasts(EXACT, true, 20, 40).await, 41);
    assert_eq!(lasts(EXACT, false, 20, 40).await, 41);
}

#[tokio::test(start_paused = true)]
async fn case_050_javas_double_length_is_a_setting() {
    assert_eq!(lasts(JAVA, true, 20, 40).await, 81);
    assert_eq!(lasts(JAVA, false, 20, 40).await, 41);
}

#[tokio::test(start_paused = true)]
async fn a_duration_shorter_than_two_heartbeats_is_stretched() {
    assert_eq!(lasts(EXACT, true, 30, 10).await, 61);
    assert_eq!(lasts(EXACT, false, 30, 10).await, 34, "the first heartbeat has come by then");
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_after_the_lapse_and_before_the_eviction_revives() {
    let fleet = Fleet::new(EXACT);
    fleet.register("ORDERS", "ord-1", 30, 90);
    fleet.pass(91).await;
    assert!(!fleet.has("ORDERS", "ord-1"), "a lapsed lease is not shown while leases may expire");
    fleet.beat("ORDERS", "ord-1");
    assert!(fleet.has("ORDERS", "ord-1"));
    assert_eq!(fleet.evict().expired, 0);
}

#[tokio::test(start_paused = true)]
async fn an_expired_lease_shows_its_end() {
    let fleet = Fleet::new(EXACT);
    fleet.register("ORDERS", "ord-1", 30, 90);
    fleet.pass(91).await;
    assert_eq!(fleet.evict().expired, 1);
    let last = fleet.app.registry().last_cancelled();
    assert_eq!(last.len(), 1);
    assert_eq!(last[0].cause.as_str(), "expired");
}

#[tokio::test(start_paused = true)]
async fn a_lapsed_lease_does_not_hide_its_namesake_in_another_app() {
    let fleet = Fleet::new(EXACT);
    for app in ["BILLING", "ORDERS"] {
        fleet.register(app, "shared", 30, 90);
    }
    for alive in ["BILLING", "ORDERS"] {
        fleet.pass(50).await;
        fleet.beat(alive, "shared");
        fleet.pass(50).await;
        let found = fleet.app.registry().instance_anywhere("shared").expect("one is alive");
        assert_eq!(found.instance.app.as_str(), alive);
        fleet.register("BILLING", "shared", 30, 90);
        fleet.register("ORDERS", "shared", 30, 90);
    }
}
