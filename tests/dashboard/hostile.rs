//! What clients register is data, whatever it says.

use serde_json::json;

use super::page::Page;
use super::{amazon, register};
use crate::server::{Server, body_with, encoded};

const MARKUP: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}&amp;\u{202E}";

#[tokio::test(start_paused = true)]
async fn markup_in_any_field_stays_text() {
    let server = Server::new(&[]);
    let id = MARKUP.replace('/', "|");
    let members = json!({
        "instanceId": id, "hostName": MARKUP, "ipAddr": MARKUP, "appGroupName": MARKUP, "vipAddress": MARKUP,
        "secureVipAddress": MARKUP, "sid": MARKUP, "asgName": MARKUP, "homePageUrl": format!("http://{MARKUP}"),
        "statusPageUrl": "javascript:alert(1)", "healthCheckUrl": format!("JavaScript:{MARKUP}"),
        "metadata": {"zone": MARKUP, MARKUP: MARKUP, "note": "</td></tr></table></script>"},
    });
    register(&server, &body_with(&id, &id, &members)).await;
    register(&server, &amazon("WEAVING", &id, &json!({"ami-id": MARKUP, "availability-zone": MARKUP}))).await;
    let name = encoded(&id.to_uppercase());
    let app = format!("/app/{name}");
    let instance = format!("{app}/{}", encoded(&id));
    for target in ["/", "/lastn", &app, &instance, &format!("/app/WEAVING/{}", encoded(&id))] {
        let page = Page::get(&server, target, &[]).await;
        assert_eq!(page.reply.status, 200, "{target}");
        assert_eq!(page.named("script").count(), 1, "{target}");
        assert_eq!(page.named("img").count(), 0, "{target}");
        for element in &page.elements {
            for (attribute, value) in &element.attributes {
                assert!(!attribute.starts_with("on"), "{target}: {element:?}");
                let is_link = ["href", "src", "action"].contains(&attribute.as_str());
                assert!(!is_link || !value.to_lowercase().starts_with("javascript:"), "{target}: {value}");
            }
        }
    }
    let page = Page::get(&server, &instance, &[]).await;
    assert_eq!(page.value("Host name"), MARKUP);
    assert_eq!(page.value("Home page"), format!("http://{MARKUP}"));
    assert_eq!(page.value("note"), "</td></tr></table></script>");
    assert_eq!(page.named("h1").next().unwrap().text, id);
}

/// They made pages ill-formed, and could clear the terminal of whoever reads figures there.
#[tokio::test(start_paused = true)]
async fn control_characters_stand_in_no_page_and_no_label() {
    let server = Server::new(&["--management.endpoints.web.exposure.include=prometheus"]);
    let (app, id) = ("OR\u{1b}[31mDERS", "ord\u{7}-1");
    register(&server, &body_with(app, id, &json!({"metadata": {"no\u{8}te": "\u{FFFF}"}}))).await;
    let name = encoded(&app.to_uppercase());
    for target in ["/".to_owned(), "/lastn".to_owned(), format!("/app/{name}"), format!("/app/{name}/{}", encoded(id))]
    {
        let page = Page::get(&server, &target, &[]).await;
        assert_eq!(page.reply.status, 200, "{target}");
        assert!(page.html.contains("OR\u{FFFD}[31MDERS"), "{target}: {}", page.html);
    }
    let figures = server.get("/actuator/prometheus", &[]).await.text();
    assert!(figures.contains("OR\u{FFFD}[31MDERS"), "{figures}");
    assert!(!figures.contains(|c: char| c.is_control() && c != '\n'), "{figures}");
}

#[tokio::test(start_paused = true)]
async fn only_what_must_be_there_is_enough() {
    let server = Server::new(&[]);
    let nothing = json!({
        "statusPageUrl": null, "homePageUrl": null, "healthCheckUrl": null, "metadata": null, "vipAddress": null,
        "secureVipAddress": null, "leaseInfo": null, "port": null, "securePort": null, "countryId": null,
        "instanceId": null, "lastDirtyTimestamp": null, "lastUpdatedTimestamp": null,
    });
    register(&server, &body_with("ORDERS", "ord-1", &nothing)).await;
    for target in ["/", "/app/ORDERS", "/app/ORDERS/ord-1.test", "/instances.json"] {
        assert_eq!(server.get(target, &[]).await.status, 200, "{target}");
    }
    let page = Page::get(&server, "/app/ORDERS/ord-1.test", &[]).await;
    assert_eq!(page.value("Status page"), "–");
}

#[tokio::test(start_paused = true)]
async fn browsers_are_told_to_run_nothing_else() {
    let server = Server::new(&[]);
    for target in ["/", "/lastn", "/app/NOBODY", "/app/NOBODY/1", "/instances.json", "/dashboard.js", "/dashboard.css"]
    {
        let reply = server.get(target, &[]).await;
        let policy = reply.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'"),
            "{policy}"
        );
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{target}");
        assert_eq!(reply.header("x-frame-options"), Some("DENY"), "{target}");
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"), "{target}");
    }
    let page = Page::get(&server, "/", &[]).await;
    assert_eq!(page.named("style").count(), 0);
    assert!(page.elements.iter().all(|element| element.attribute("style").is_none()));
}
