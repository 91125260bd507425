//! What the delta and the lists show after a change.

use serde_json::json;

use crate::server::list::{List, array};
use crate::server::{GZIP, JSON, Server, XML, body, body_with};

/// The same list in every form that has all of an instance.
async fn in_all_forms(server: &Server, target: &str) -> Vec<List> {
    let mut lists = Vec::new();
    for headers in [&[JSON][..], &[JSON, GZIP], &[XML], &[XML, GZIP]] {
        lists.push(List::of(&server.get(target, headers).await));
    }
    lists
}

#[tokio::test(start_paused = true)]
async fn case_022_metadata_is_in_every_form_of_the_delta_at_once() {
    let server = Server::new(&[]);
    for id in ["ord-1", "ord-2"] {
        server.register(&body("ORDERS", id)).await;
    }
    for weight in 0..50 {
        for id in ["ord-1", "ord-2"] {
            let target = format!("/eureka/apps/ORDERS/{id}/metadata?weight={weight}");
            assert_eq!(server.put(&target).await.status, 200);
        }
        for target in ["/eureka/apps", "/eureka/apps/delta", "/eureka/apps/ORDERS", "/eureka/vips/orders"] {
            let shown = server.json(target).await;
            let app = shown.pointer("/applications/application/0").unwrap_or(&shown["application"]);
            for instance in array(&app["instance"]) {
                assert_eq!(instance["metadata"], json!({"zone": "z1", "weight": weight.to_string()}), "{target}");
            }
            let shown = server.get(target, &[XML]).await.text();
            assert_eq!(shown.matches(&format!("<weight>{weight}</weight>")).count(), 2, "{target}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn case_025_the_delta_goes_on_during_self_preservation() {
    let server = Server::new(&[]);
    for n in 0..20 {
        server.register(&body("ORDERS", &format!("ord-{n}"))).await;
    }
    server.pass(600).await;
    assert_eq!(server.app.registry().evict().expired, 0, "self-preservation holds them");
    assert!(!server.app.registry().expiry_enabled());
    assert_eq!(server.put("/eureka/apps/ORDERS/ord-1/status?value=DOWN").await.status, 200);
    for delta in in_all_forms(&server, "/eureka/apps/delta").await {
        assert_eq!(delta.hash, "DOWN_1_UP_19_");
        assert_eq!(delta.find("ORDERS", "ord-1").map(|record| &*record.status), Some("DOWN"));
    }
}

#[tokio::test(start_paused = true)]
async fn case_026_stopping_one_instance_removes_one_instance() {
    let server = Server::new(&[]);
    for n in 0..60 {
        server.register(&body("ORDERS", &format!("ord-{n}"))).await;
    }
    for status in [200, 404] {
        assert_eq!(server.delete("/eureka/apps/ORDERS/ord-17").await.status, status);
        for list in in_all_forms(&server, "/eureka/apps").await {
            assert_eq!((list.records.len(), &*list.hash), (59, "UP_59_"));
            assert_eq!(list.find("ORDERS", "ord-17"), None);
        }
        for delta in in_all_forms(&server, "/eureka/apps/delta").await {
            let deleted = delta.entries().into_iter().filter(|(_, _, action)| *action == "DELETED");
            assert_eq!(deleted.collect::<Vec<_>>(), [("ORDERS", "ord-17", "DELETED")]);
            assert_eq!(delta.hash, "UP_59_");
        }
    }
}

/// Java revives the instance, and so does this: it goes when its lease ends.
#[tokio::test(start_paused = true)]
async fn case_027_a_late_status_revives_the_instance_for_one_lease() {
    let server = Server::new(&["--eureka.server.enable-self-preservation=false"]);
    server.register(&body("ORDERS", "ord-1")).await;
    assert_eq!(server.delete("/eureka/apps/ORDERS/ord-1").await.status, 200);
    let late = body_with("ORDERS", "ord-1", &json!({"status": "DOWN"}));
    assert_eq!(server.register(&late).await.status, 204);
    assert_eq!(server.instance("ORDERS", "ord-1").await["status"], "DOWN");
    server.pass(91).await;
    assert_eq!(server.app.registry().evict().expired, 1);
    assert_eq!(server.get("/eureka/apps/ORDERS", &[JSON]).await.status, 404);

    let back = body_with("ORDERS", "ord-1", &json!({"lastDirtyTimestamp": "1700000005000"}));
    assert_eq!(server.register(&back).await.status, 204);
    assert_eq!(server.instance("ORDERS", "ord-1").await["status"], "UP");
}
