//! What is not the clients' fault evicts nobody.

use super::fleet::{Fleet, START};

const OFF: &[&str] = &["--eureka.server.enable-self-preservation=false"];

#[tokio::test(start_paused = true)]
async fn case_052_a_pause_of_the_process_evicts_nobody() {
    let fleet = Fleet::new(OFF);
    fleet.register_many("ORDERS", 10);
    fleet.pass(2).await;
    fleet.stop(120).await;
    assert_eq!(fleet.evict().lapsed, 0);
    fleet.pass(85).await;
    assert_eq!(
        fleet.evict().lapsed,
        0,
        "a full lease after the pause, less the seconds before it and what a busy machine explains"
    );
    fleet.pass(7).await;
    assert_eq!(fleet.evict().lapsed, 10, "the pause is taken out once");
}

#[tokio::test(start_paused = true)]
async fn case_052_a_jump_of_the_wall_clock_evicts_nobody() {
    for jump in [3_600_000, -3_600_000] {
        let fleet = Fleet::new(OFF);
        fleet.register_many("ORDERS", 10);
        fleet.pass(2).await;
        fleet.clock.jump_wall(jump);
        fleet.pass(80).await;
        assert_eq!(fleet.evict().lapsed, 0);
        fleet.beat("ORDERS", "ORDERS-1");
        let lease = fleet.app.registry().instance("ORDERS", "ORDERS-1").expect("there");
        assert_eq!(lease.times().last_renewal, START + jump + 82_000, "shown times follow the wall clock");
    }
}

#[tokio::test(start_paused = true)]
async fn case_052_whatever_comes_first_after_a_pause_finds_the_leases_as_before() {
    let fleet = Fleet::new(OFF);
    fleet.register_many("ORDERS", 10);
    fleet.pass(2).await;
    tokio::time::advance(std::time::Duration::from_mins(5)).await;
    assert!(fleet.has("ORDERS", "ORDERS-1"), "a reader before the next beat");
    assert_eq!(fleet.evict().lapsed, 0, "a round before the next beat");
}
