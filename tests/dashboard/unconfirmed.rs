//! What is known from before a restart alone is marked until its client is heard.

use std::time::Duration;

use serde_json::{Value, json};

use eurekad::registry::Remembered;

use super::page::Page;
use super::register;
use crate::server::{Server, body};

/// A server that was restarted: of its two instances one has been heard since.
async fn restarted() -> Server {
    let before = Server::new(&[]);
    for id in ["ord-1", "ord-2"] {
        register(&before, &body("ORDERS", id)).await;
    }
    let (_, leases) = before.app.registry().all_own();
    let server = Server::not_open(&[]);
    let registry = server.app.registry();
    registry.open(registry.recall(leases.iter().map(|lease| Remembered::of(lease))));
    assert_eq!(server.put("/eureka/apps/ORDERS/ord-1").await.status, 200);
    server
}

#[tokio::test(start_paused = true)]
async fn pages_say_who_is_unconfirmed_and_how_many() {
    let server = restarted().await;
    let page = Page::get(&server, "/", &[]).await;
    let apps = page.all_by_id("instances").last().unwrap();
    assert_eq!(page.rows(apps)[1][3], "UP (2) - ord-1 , ord-2 unconfirmed");
    let count = &page.by_id("unconfirmed").text;
    assert!(count.starts_with("Unconfirmed, known from before the restart alone: 1 of 2 instances."), "{count}");
    let page = Page::get(&server, "/app/ORDERS", &[]).await;
    let rows = page.rows(page.by_id("rows"));
    assert_eq!((&*rows[1][1], &*rows[2][1]), ("UP", "UP unconfirmed"));
    let page = Page::get(&server, "/app/ORDERS/ord-2", &[]).await;
    assert_eq!(page.by_id("unconfirmed").text, "unconfirmed, known from before the restart alone");
    assert_eq!(page.value("What becomes of it"), "it goes when it lapses, unless its client renews or registers");

    assert_eq!(server.put("/eureka/apps/ORDERS/ord-2").await.status, 200);
    for target in ["/", "/app/ORDERS", "/app/ORDERS/ord-2"] {
        let page = Page::get(&server, target, &[]).await;
        assert!(!page.html.contains("nconfirmed"), "{target}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_script_and_operators_are_told_and_clients_are_not() {
    let server = restarted().await;
    let marks = |list: &Value| {
        let instances = list["instances"].as_array().unwrap().clone();
        instances.iter().map(|each| each["unconfirmed"].as_bool().unwrap_or(false)).collect::<Vec<_>>()
    };
    for target in ["/instances.json", "/eureka/operations/instances"] {
        assert_eq!(marks(&server.json(target).await), [false, true], "{target}");
    }
    assert_eq!(server.json("/eureka/operations/preservation").await["unconfirmed"], 1);
    let told = server.json("/eureka/operations/explain/ORDERS/ord-2").await;
    assert_eq!(told["unconfirmed"], true);
    server.pass(20).await;
    let told = server.json("/eureka/operations/explain/ORDERS/ord-2").await["sentence"].take();
    let expected = "It is known from before the restart and unconfirmed; it was read 20 s ago; its lease lasts 90 s \
                    after that. Unless its client renews or registers it goes in 70 s.";
    assert_eq!(told, json!(expected));
    let list = server.get("/eureka/apps", &[]).await.text();
    assert!(!list.contains("nconfirmed"), "{list}");
}

/// Self-preservation guards what was heard here.
#[tokio::test(start_paused = true)]
async fn one_that_has_lapsed_is_not_said_to_be_kept() {
    let server = restarted().await;
    tokio::time::advance(Duration::from_secs(1)).await;
    server.pass(90).await;
    let page = Page::get(&server, "/app/ORDERS/ord-2", &[]).await;
    assert_eq!(page.value("What becomes of it"), "it has lapsed, and goes with one of the next rounds");
}
