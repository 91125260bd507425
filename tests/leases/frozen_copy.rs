//! The copy on a timer, for those who ask for it (`use-read-only-response-cache=true`).

use super::fleet::Fleet;

use eurekad::catalog::{Coding, Form, Piece, What};
use eurekad::codec::{Detail, Format};
use eurekad::model::AppName;

const FORM: Form = Form { format: Format::Json, detail: Detail::Full, coding: Coding::Plain };

async fn read(fleet: &Fleet, what: What) -> Option<String> {
    let answer = fleet.app.catalog().answer(&what, FORM).await?;
    Some(
        String::from_utf8(answer.pieces.into_iter().flat_map(Piece::into_bytes).collect::<Vec<_>>())
            .expect("JSON is UTF-8"),
    )
}

fn orders() -> What {
    What::App(AppName::new("ORDERS"))
}

#[tokio::test(start_paused = true)]
async fn readers_see_the_last_tick() {
    let fleet = Fleet::new(&["--eureka.server.use-read-only-response-cache=true"]);
    assert!(read(&fleet, What::Apps).await.expect("there").contains(r#""application":[]"#));
    assert_eq!(read(&fleet, orders()).await, None);
    fleet.register("ORDERS", "ord-1", 30, 90);
    assert!(read(&fleet, What::Apps).await.expect("there").contains(r#""application":[]"#));
    assert_eq!(read(&fleet, orders()).await, None, "a miss is kept too, as in Java");
    assert!(read(&fleet, What::Delta).await.expect("there").contains("ord-1"), "what nobody asked for is live");
    assert!(fleet.has("ORDERS", "ord-1"), "single instances are always live");
    fleet.app.catalog().refreeze().await;
    for what in [What::Apps, orders()] {
        assert!(read(&fleet, what).await.expect("there").contains("ord-1"));
    }
}

#[tokio::test(start_paused = true)]
async fn names_that_nobody_has_are_forgotten_at_the_tick() {
    let fleet = Fleet::new(&["--eureka.server.use-read-only-response-cache=true"]);
    fleet.register("ORDERS", "ord-1", 30, 90);
    for n in 0..5_000 {
        assert_eq!(read(&fleet, What::App(AppName::new(&n.to_string()))).await, None);
        assert!(read(&fleet, What::Vip(n.to_string().into())).await.is_some_and(|list| !list.contains("ord-1")));
    }
    fleet.app.catalog().refreeze().await;
    assert!(read(&fleet, orders()).await.expect("there").contains("ord-1"));
    fleet.register("ORDERS", "ord-2", 30, 90);
    assert!(!read(&fleet, orders()).await.expect("there").contains("ord-2"), "it found room in the copy");
}

#[tokio::test(start_paused = true)]
async fn an_update_interval_alone_freezes_nothing() {
    let fleet = Fleet::new(&["--eureka.server.response-cache-update-interval-ms=60000"]);
    assert_eq!(read(&fleet, orders()).await, None);
    fleet.register("ORDERS", "ord-1", 30, 90);
    assert!(read(&fleet, orders()).await.expect("there").contains("ord-1"));
}

#[tokio::test(start_paused = true)]
async fn shown_lease_times_are_renewed_after_the_expiration() {
    let fleet = Fleet::new(&[]);
    fleet.register("ORDERS", "ord-1", 30, 900);
    let first = read(&fleet, What::Apps).await;
    fleet.pass(100).await;
    fleet.beat("ORDERS", "ord-1");
    assert_eq!(read(&fleet, What::Apps).await, first, "a heartbeat is no change");
    fleet.pass(81).await;
    let later = read(&fleet, What::Apps).await.expect("there");
    assert!(later.contains(r#""lastRenewalTimestamp":1760000100000"#), "{later}");
}
