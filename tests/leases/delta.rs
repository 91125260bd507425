//! What the delta shows, and for how long.

use serde_json::Value;

use super::fleet::{Fleet, id};

use eurekad::catalog::{Coding, Form, Piece, What};
use eurekad::codec::{Detail, Format};
use eurekad::model::{AppName, InstanceStatus};
use eurekad::registry::Origin;

async fn read(fleet: &Fleet, what: What) -> Value {
    let form = Form { format: Format::Json, detail: Detail::Full, coding: Coding::Plain };
    let answer = fleet.app.catalog().answer(&what, form).await.expect("there");
    serde_json::from_slice(&answer.pieces.into_iter().flat_map(Piece::into_bytes).collect::<Vec<_>>()).expect("JSON")
}

/// Id and action of each entry, in order.
async fn entries(fleet: &Fleet) -> Vec<(String, String)> {
    let delta = read(fleet, What::Delta).await;
    let mut entries = Vec::new();
    for app in delta["applications"]["application"].as_array().expect("an array") {
        for instance in app["instance"].as_array().expect("an array") {
            let text = |key: &str| instance[key].as_str().expect("a string").to_owned();
            entries.push((text("instanceId"), text("actionType")));
        }
    }
    entries
}

fn entry(id: &str, action: &str) -> (String, String) {
    (id.to_owned(), action.to_owned())
}

#[tokio::test(start_paused = true)]
async fn an_instance_appears_once_with_its_latest_state() {
    let fleet = Fleet::new(&[]);
    fleet.register("ORDERS", "ord-1", 30, 90);
    fleet.register("ORDERS", "ord-2", 30, 90);
    let registry = fleet.app.registry();
    registry.set_status("ORDERS", "ord-1", InstanceStatus::OutOfService, None, Origin::Client);
    assert_eq!(entries(&fleet).await, [entry("ord-2", "ADDED"), entry("ord-1", "MODIFIED")]);
    registry.cancel(&AppName::new("ORDERS"), &id("ord-2"), Origin::Client);
    assert_eq!(entries(&fleet).await, [entry("ord-1", "MODIFIED"), entry("ord-2", "DELETED")]);
    let delta = read(&fleet, What::Delta).await;
    assert_eq!(delta["applications"]["apps__hashcode"], "OUT_OF_SERVICE_1_");
}

#[tokio::test(start_paused = true)]
async fn a_change_stays_for_the_retention_and_heartbeats_are_none() {
    let fleet = Fleet::new(&[]);
    fleet.register("ORDERS", "ord-1", 30, 90);
    fleet.pass(170).await;
    fleet.register("ORDERS", "ord-2", 30, 90);
    fleet.beat("ORDERS", "ord-1");
    fleet.app.catalog().sweep_delta();
    assert_eq!(entries(&fleet).await.len(), 2);
    fleet.pass(11).await;
    assert_eq!(entries(&fleet).await.len(), 2, "dropped by the sweep, as in Java");
    fleet.app.catalog().sweep_delta();
    assert_eq!(entries(&fleet).await, [entry("ord-2", "ADDED")]);
    fleet.pass(170).await;
    fleet.app.catalog().sweep_delta();
    assert!(entries(&fleet).await.is_empty());
    assert_eq!(read(&fleet, What::Apps).await["applications"]["apps__hashcode"], "UP_2_");
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_missed_the_retention_sees_everything() {
    let fleet = Fleet::new(&[]);
    fleet.register("ORDERS", "ord-1", 30, 90);
    assert_eq!(entries(&fleet).await.len(), 1);
    fleet.register("ORDERS", "ord-2", 30, 90);
    fleet.pass(181).await;
    fleet.app.registry().sweep_log();
    fleet.register("ORDERS", "ord-3", 30, 90);
    fleet.app.registry().cancel(&AppName::new("ORDERS"), &id("ord-1"), Origin::Client);
    let apps = read(&fleet, What::Apps).await;
    assert_eq!(apps["applications"]["apps__hashcode"], "UP_2_");
    assert_eq!(entries(&fleet).await, [entry("ord-3", "ADDED"), entry("ord-1", "DELETED")]);
}

#[tokio::test(start_paused = true)]
async fn a_full_delta_drops_its_oldest() {
    let fleet = Fleet::new(&["--eurekad.delta.max-entries=3"]);
    fleet.register_many("ORDERS", 5);
    let ids: Vec<_> = entries(&fleet).await.into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["ORDERS-2", "ORDERS-3", "ORDERS-4"]);
    assert_eq!(read(&fleet, What::Apps).await["applications"]["apps__hashcode"], "UP_5_");
}

#[tokio::test(start_paused = true)]
async fn case_022_metadata_is_in_the_delta_at_once() {
    let fleet = Fleet::new(&[]);
    fleet.register("ORDERS", "ord-1", 30, 90);
    fleet.register("ORDERS", "ord-2", 30, 90);
    for weight in 0..50 {
        for id in ["ord-1", "ord-2"] {
            let entry = vec![("weight".into(), weight.to_string().into())];
            assert!(fleet.app.registry().set_metadata("ORDERS", id, entry));
        }
        for what in [What::Delta, What::Apps] {
            let list = read(&fleet, what).await;
            for n in 0..2 {
                let instance = &list["applications"]["application"][0]["instance"][n];
                assert_eq!(instance["metadata"]["weight"], weight.to_string());
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_sweep_forgets_nothing_that_the_readers_have_not_seen() {
    let fleet = Fleet::new(&["--eureka.server.retention-time-in-ms-in-delta-queue=1000"]);
    assert!(entries(&fleet).await.is_empty());
    fleet.register("ORDERS", "ord-1", 30, 90);
    fleet.pass(2).await;
    fleet.app.catalog().sweep_delta();
    let from = fleet.app.registry().version();
    fleet.register("ORDERS", "ord-2", 30, 90);
    fleet.pass(2).await;
    fleet.app.catalog().sweep_delta();
    assert_eq!(read(&fleet, What::Apps).await["applications"]["apps__hashcode"], "UP_2_");
    assert!(from < fleet.app.registry().version());
}
