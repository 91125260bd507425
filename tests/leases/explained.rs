//! Why leases stay or go, as operators are told.

use eurekad::model::AppName;
use eurekad::registry::{PreservationReport, PreservationState, SilentApp};

use super::fleet::{Fleet, id};

fn alive(app: &str, ids: std::ops::Range<usize>) -> Vec<(String, String)> {
    ids.map(|n| (app.to_owned(), format!("{app}-{n}"))).collect()
}

fn report(fleet: &Fleet) -> PreservationReport {
    fleet.app.registry().preservation()
}

#[tokio::test(start_paused = true)]
async fn case_049_a_sentence_with_numbers_and_the_apps_concerned() {
    let fleet = Fleet::new(&[]);
    assert_eq!(report(&fleet).sentence(), "No instance is registered.");
    fleet.register_many("ORDERS", 6);
    fleet.register_many("STOCK", 2);
    let everybody = [alive("ORDERS", 0..6), alive("STOCK", 0..2)].concat();
    fleet.live(120, 30, &everybody).await;
    let calm = report(&fleet);
    assert_eq!((calm.state, calm.leases, calm.expected, calm.threshold), (PreservationState::Calm, 8, 16, 13));
    assert_eq!(calm.sentence(), "None of 8 instances is silent: 16 renewals came in the last minute, 16 are expected.");

    let evicted = fleet.live(240, 30, &everybody[..4]).await;
    assert_eq!(evicted, 0);
    let keeping = report(&fleet);
    assert_eq!(keeping.state, PreservationState::Keeping);
    assert!(!keeping.expiry_enabled && keeping.state.keeps());
    let silent = |name: &str, leases, silent| SilentApp { app: AppName::new(name), leases, silent };
    assert_eq!(keeping.apps, [silent("ORDERS", 6, 2), silent("STOCK", 2, 2)]);
    let sentence = keeping.sentence();
    for part in [
        "4 of 8 instances are silent",
        "8 renewals came in the last minute, more than 13 are needed",
        "they are taken for lost in 2",
        "Silent are ORDERS (2 of 6), STOCK (2 of 2).",
    ] {
        assert!(sentence.contains(part), "{part}: {sentence}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_told_is_what_the_next_round_does() {
    for silent in 0..=10 {
        let fleet = Fleet::new(&[]);
        fleet.register_many("ORDERS", 10);
        fleet.live(60, 30, &alive("ORDERS", 0..10)).await;
        // To just before the round in which the leases of the silent ones have lapsed.
        for _ in 0..4 {
            fleet.pass(30).await;
            for (app, id) in alive("ORDERS", silent..10) {
                fleet.beat(&app, &id);
            }
        }
        let told = report(&fleet);
        let round = fleet.evict();
        assert_eq!(told.lapsed, round.lapsed, "{silent}");
        assert_eq!(told.state.keeps(), round.lapsed > 0 && round.expired == 0, "{silent}: {told:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_small_loss_waits_while_a_peer_was_missing() {
    let fleet = Fleet::new(&[]);
    fleet.register_many("ORDERS", 3);
    for _ in 0..4 {
        fleet.pass(30).await;
        fleet.beat("ORDERS", "ORDERS-0");
        fleet.beat("ORDERS", "ORDERS-1");
    }
    fleet.app.registry().note_missing_peer(std::time::Duration::ZERO);
    assert_eq!(report(&fleet).state, PreservationState::PeerMissing);
    assert_eq!(fleet.evict().expired, 0);
}

#[tokio::test(start_paused = true)]
async fn an_operator_accepts_what_is_lost() {
    let fleet = Fleet::new(&[]);
    fleet.register_many("ORDERS", 10);
    fleet.live(240, 30, &alive("ORDERS", 0..5)).await;
    assert_eq!(report(&fleet).state, PreservationState::Keeping);
    assert_eq!(fleet.app.registry().accept_losses(), 5);
    assert_eq!((fleet.len(), report(&fleet).state), (5, PreservationState::Calm));
    let changes = fleet.app.registry().changes_of(&AppName::new("ORDERS"), &id("ORDERS-7"));
    let last = changes.first().map(|change| (change.cause.as_str(), change.origin.as_str()));
    assert_eq!(last, Some(("expired", "operator")));
}

#[tokio::test(start_paused = true)]
async fn a_lease_tells_when_it_ends_and_what_happened() {
    let fleet = Fleet::new(&[]);
    fleet.register_many("ORDERS", 10);
    let explain = |id_of: &str| fleet.app.registry().explain(&AppName::new("orders"), &id(id_of));
    assert!(explain("ORDERS-77").is_none());
    fleet.pass(20).await;
    let young = explain("ORDERS-0").expect("held");
    assert_eq!((young.silent_for.as_secs(), young.is_silent, young.is_lapsed), (20, false, false));
    assert_eq!(young.ends_at, fleet.clock.now().wall + 70_000);
    assert_eq!(young.sentence(), "It registered 20 s ago; its lease lasts 90 s after that. It renews on time.");
    assert_eq!(young.history.len(), 1);
    fleet.pass(30).await;
    let silent = explain("ORDERS-0").expect("held").sentence();
    assert!(silent.contains("unless it renews its lease lapses in 40 s"), "{silent}");
    fleet.pass(60).await;
    fleet.evict();
    let kept = explain("ORDERS-0").expect("self-preservation keeps it").sentence();
    assert!(kept.contains("It has lapsed and is kept. 10 of 10 instances are silent"), "{kept}");
}
