//! What is on which page.

use serde_json::json;

use super::page::Page;
use super::{amazon, register};
use crate::server::{Server, body, body_with};

#[tokio::test(start_paused = true)]
async fn integers_are_grouped_by_the_readers_language() {
    let server = Server::new(&["--eurekad.history.max-entries=10"]);
    for at in 0..1003 {
        register(&server, &body("ORDERS", &format!("ord-{at}"))).await;
    }
    for (language, count, threshold) in
        [("en", "1,003", "1,705"), ("de", "1.003", "1.705"), ("de-CH", "1\u{2019}003", "1\u{2019}705")]
    {
        let page = Page::get(&server, "/", &[("Accept-Language", language)]).await;
        assert_eq!(page.value("Renews threshold"), threshold);
        assert_eq!(page.reply.header("content-language"), Some(language));
        let apps = page.all_by_id("instances").last().unwrap();
        assert!(page.rows(apps)[1][3].starts_with(&format!("UP ({count}) - ord-0 , ord-1 ,")), "{language}");
    }
}

#[tokio::test(start_paused = true)]
async fn labels_have_bare_values_beside_them() {
    let server = Server::new(&["--eureka.environment=prod", "--eureka.datacenter=eu-1"]);
    server.pass(3700).await;
    for target in ["/", "/lastn"] {
        let page = Page::get(&server, target, &[]).await;
        for (label, value) in [
            ("Environment", "prod"),
            ("Data center", "eu-1"),
            ("Uptime", "01:01"),
            ("Lease expiration enabled", "false"),
            ("Renews threshold", "0"),
            ("Renews (last min)", "0"),
        ] {
            assert_eq!(page.value(label), value, "{target} {label}");
        }
        let time = page.value("Current time");
        assert_eq!((time.len(), &time[4..5], &time[10..11], &time[19..20]), (25, "-", "T", " "), "{time}");
        assert!(!page.html.to_uppercase().contains("EMERGENCY"));
    }
    let bodies = [("/", "one"), ("/lastn", "three")];
    for (target, id) in bodies {
        assert_eq!(Page::get(&server, target, &[]).await.named("body").next().unwrap().attribute("id"), Some(id));
    }
}

/// Java's template failed in the middle of the table, after status 200.
#[tokio::test(start_paused = true)]
async fn an_amazon_instance_without_an_image_is_shown() {
    let server = Server::new(&[]);
    register(&server, &amazon("WEAVING", "i-1", &json!({"instance-id": "i-1"}))).await;
    let machine = json!({"instance-id": "i-2", "ami-id": "ami-1", "availability-zone": "xx-1a"});
    register(&server, &amazon("WEAVING", "i-2", &machine)).await;
    let page = Page::get(&server, "/", &[]).await;
    let apps = page.all_by_id("instances").last().unwrap();
    assert_eq!(page.rows(apps)[1], ["WEAVING", "ami-1 (1), n/a (1)", "(1), xx-1a (1)", "UP (2) - i-1 , i-2"]);
    assert_eq!(page.value("status"), "UP", "the rest of the page is there");
}

#[tokio::test(start_paused = true)]
async fn case_079_the_page_shows_a_new_status_at_once() {
    let server = Server::new(&[]);
    register(&server, &body("ORDERS", "ord-1")).await;
    assert_eq!(server.put("/eureka/apps/ORDERS/ord-1/status?value=OUT_OF_SERVICE").await.status, 200);
    let page = Page::get(&server, "/", &[]).await;
    assert_eq!(page.value("ORDERS"), "n/a (1)");
    assert!(page.elements.iter().any(|element| element.text == "OUT_OF_SERVICE (1) - ord-1"));
    let page = Page::get(&server, "/app/ORDERS", &[]).await;
    assert!(page.rows(page.by_id("rows"))[1][1].starts_with("OUT_OF_SERVICE set from outside"));
    assert_eq!(server.delete("/eureka/apps/ORDERS/ord-1/status?value=UP").await.status, 200);
    let page = Page::get(&server, "/app/ORDERS", &[]).await;
    assert_eq!(page.rows(page.by_id("rows"))[1][1], "UP");
}

#[tokio::test(start_paused = true)]
async fn case_081_host_address_and_port_stand_side_by_side() {
    let server = Server::new(&[]);
    let ports = json!({"hostName": "3f2a9c.internal", "securePort": {"$": 8443, "@enabled": "true"}});
    register(&server, &body_with("ORDERS", "ord-1", &ports)).await;
    let page = Page::get(&server, "/app/orders", &[]).await;
    let row = &page.rows(page.by_id("rows"))[1];
    assert_eq!(row[..6], ["ord-1", "UP", "3f2a9c.internal", "10.20.0.11", "8080, 8443", "z1"]);
}

#[tokio::test(start_paused = true)]
async fn an_instance_has_all_its_fields_its_timer_and_its_history() {
    let server = Server::new(&[]);
    register(&server, &body("ORDERS", "ord-1")).await;
    server.pass(10).await;
    assert_eq!(server.put("/eureka/apps/ORDERS/ord-1/status?value=OUT_OF_SERVICE").await.status, 200);
    server.pass(5).await;
    let page = Page::get(&server, "/app/orders/ord-1", &[]).await;
    assert_eq!(page.reply.status, 200);
    for (name, value) in [
        ("Host name", "ord-1.test"),
        ("Port", "8080"),
        ("Secure port", "8443 (not in use)"),
        ("Status page", "http://ord-1.test:8080/info"),
        ("zone", "z1"),
        ("Auto scaling group", "–"),
    ] {
        assert_eq!(page.value(name), value);
    }
    assert_eq!(page.by_id("ends").text, "ends in 1 min 25 s");
    assert_eq!(page.by_id("why").text, "set from outside 5 s ago");
    let history: Vec<_> = page.rows(page.by_id("history")).into_iter().map(|row| row[1..5].join(" ")).collect();
    assert_eq!(history[1..], ["status set client UP OUT_OF_SERVICE", "registered client not there UP"]);
    assert!(page.by_id("json").text.contains("\"instanceId\": \"ord-1\""));
}

#[tokio::test(start_paused = true)]
async fn an_instance_that_is_gone_tells_why() {
    let server = Server::new(&[]);
    register(&server, &body("ORDERS", "ord-1")).await;
    assert_eq!(server.delete("/eureka/apps/ORDERS/ord-1").await.status, 200);
    let page = Page::get(&server, "/app/ORDERS/ord-1", &[]).await;
    assert_eq!(page.reply.status, 404);
    let history = page.rows(page.by_id("history"));
    assert_eq!(history[1][1..5], ["cancelled", "client", "UP", "gone"]);
    let page = Page::get(&server, "/app/ORDERS", &[]).await;
    assert_eq!(page.reply.status, 404);
    assert_eq!(page.rows(page.by_id("gone"))[1][2..], ["cancelled", "client"]);
    let page = Page::get(&server, "/lastn", &[]).await;
    assert_eq!(page.rows(page.by_id("lastNCanceled"))[1][1..], ["ORDERS(ord-1)", "cancelled", "client"]);
    let page = Page::get(&server, "/app/NOBODY/nowhere", &[]).await;
    assert!(page.html.contains("No such instance is registered. Nothing is kept of one."));
}

#[tokio::test(start_paused = true)]
async fn peers_are_listed_with_what_is_wrong() {
    let server = Server::new(&[]);
    let peers = ["http://u:secret@127.0.0.1:1/eureka/", "http://127.0.0.1:2/eureka/", "http://127.0.0.2:2/eureka/"];
    server.app.peers().set(&peers.map(|url| url.parse().unwrap()));
    let page = Page::get(&server, "/", &[]).await;
    let replicas = page.named("li").map(|peer| peer.text.as_str()).collect::<Vec<_>>();
    assert_eq!(replicas, ["127.0.0.1:1", "127.0.0.1:2", "127.0.0.2"]);
    let homes: Vec<_> = page.named("a").filter_map(|a| a.attribute("href")).filter(|a| a.contains("127.0.0")).collect();
    assert_eq!(homes, ["http://127.0.0.1:1/", "http://127.0.0.1:2/", "http://127.0.0.2:2/"]);
    assert_eq!(page.rows(page.by_id("peers"))[1][0], "http://127.0.0.1:1/eureka/");
    assert!(page.value("registered-replicas").starts_with("http://127.0.0.1:1/eureka/, "));
    assert!(!page.html.contains("secret"));
}
