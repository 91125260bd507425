//! Settings that change while the server runs.

use super::fleet::Fleet;

use eurekad::catalog::{Coding, Form, Piece, What};
use eurekad::codec::{Detail, Format};
use eurekad::settings::Settings;

fn change(fleet: &Fleet, words: &[&str]) {
    fleet.app.change_settings(&Settings::from_words(words).expect("valid words"));
}

#[tokio::test(start_paused = true)]
async fn self_preservation_is_switched_off_and_on() {
    let fleet = Fleet::new(&[]);
    fleet.register_many("ORDERS", 10);
    fleet.pass(91).await;
    assert_eq!(fleet.evict().expired, 0);
    change(&fleet, &["--eureka.server.enable-self-preservation=false"]);
    assert!(fleet.app.registry().expiry_enabled());
    assert_eq!(fleet.evict().expired, 2);
    change(&fleet, &[]);
    assert_eq!(fleet.evict().expired, 0);
}

#[tokio::test(start_paused = true)]
async fn the_share_that_is_guarded_changes() {
    let fleet = Fleet::new(&[]);
    fleet.register_many("ORDERS", 10);
    assert_eq!(fleet.app.registry().renewal_threshold(), 17);
    change(&fleet, &["--eureka.server.renewal-percent-threshold=0.5"]);
    assert_eq!(fleet.app.registry().renewal_threshold(), 10);
}

#[tokio::test(start_paused = true)]
async fn leases_last_as_long_as_the_new_rule_says() {
    let fleet = Fleet::new(&["--eureka.server.enable-self-preservation=false"]);
    fleet.register("ORDERS", "ord-1", 10, 40);
    fleet.beat("ORDERS", "ord-1");
    fleet.pass(41).await;
    assert!(!fleet.has("ORDERS", "ord-1"));
    change(&fleet, &["--eureka.server.enable-self-preservation=false", "--eurekad.lease.java-length=true"]);
    assert!(fleet.has("ORDERS", "ord-1"), "Java's lease is twice as long");
}

#[tokio::test(start_paused = true)]
async fn answers_expire_by_the_new_setting() {
    let form = Form { format: Format::Json, detail: Detail::Full, coding: Coding::Plain };
    let fleet = Fleet::new(&[]);
    fleet.register("ORDERS", "ord-1", 30, 900);
    let read = async || {
        fleet
            .app
            .catalog()
            .answer(&What::Apps, form)
            .await
            .expect("there")
            .pieces
            .into_iter()
            .flat_map(Piece::into_bytes)
            .collect::<Vec<_>>()
    };
    let first = read().await;
    fleet.pass(20).await;
    fleet.beat("ORDERS", "ord-1");
    assert_eq!(read().await, first);
    change(&fleet, &["--eureka.server.response-cache-auto-expiration-in-seconds=10"]);
    assert_ne!(read().await, first, "it shows the later heartbeat");
}
