//! Eviction rounds.

use super::fleet::Fleet;

const OFF: &[&str] = &["--eureka.server.enable-self-preservation=false"];

#[tokio::test(start_paused = true)]
async fn case_051_a_round_keeps_the_guarded_share() {
    let fleet = Fleet::new(OFF);
    fleet.register_many("ORDERS", 20);
    fleet.pass(60).await;
    for n in 5..20 {
        fleet.beat("ORDERS", &format!("ORDERS-{n}"));
    }
    fleet.pass(40).await;
    assert_eq!(fleet.evict().expired, 3);
    assert_eq!(fleet.evict().expired, 2);
    assert_eq!(fleet.evict().expired, 0);
}

#[tokio::test(start_paused = true)]
async fn ten_lapsed_leases_go_as_in_java() {
    let fleet = Fleet::new(OFF);
    fleet.register_many("ORDERS", 10);
    fleet.pass(91).await;
    let mut left = Vec::new();
    while fleet.len() > 0 {
        fleet.evict();
        left.push(fleet.len());
    }
    assert_eq!(left, [8, 6, 5, 4, 3, 2, 1, 0]);
}

#[tokio::test(start_paused = true)]
async fn who_goes_first_is_chance() {
    let mut firsts = std::collections::HashSet::new();
    for _ in 0..40 {
        let fleet = Fleet::new(OFF);
        fleet.register_many("ORDERS", 6);
        fleet.pass(91).await;
        fleet.evict();
        firsts.insert(fleet.app.registry().last_cancelled()[0].id.clone());
    }
    assert!(firsts.len() > 1, "always {firsts:?}");
}

#[tokio::test(start_paused = true)]
async fn an_app_without_instances_is_gone() {
    let fleet = Fleet::new(OFF);
    fleet.register("ORDERS", "ord-1", 30, 90);
    fleet.pass(91).await;
    fleet.evict();
    assert!(fleet.app.registry().is_empty());
    assert!(fleet.app.registry().overrides().is_empty());
    assert_eq!(fleet.app.registry().renewal_threshold(), 0);
}
