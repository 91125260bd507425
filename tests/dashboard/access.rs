//! Who sees the dashboard, and who is offered to change something.

use base64::prelude::{BASE64_STANDARD, Engine as _};

use super::page::Page;
use crate::server::{SENDS_JSON, Server, body};

fn login(user: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:pass")))
}

fn server() -> Server {
    let mut words = Vec::new();
    for (at, role) in ["read", "operate", "register"].into_iter().enumerate() {
        let user = format!("--eurekad.security.users[{at}]");
        let roles = if role == "operate" { "read,operate" } else { role };
        words.extend([format!("{user}.name={role}"), format!("{user}.password=pass"), format!("{user}.roles={roles}")]);
    }
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    Server::new(&words)
}

#[tokio::test(start_paused = true)]
async fn actions_are_offered_to_whom_may_do_them() {
    let server = server();
    let register = login("register");
    let headers = [("Authorization", register.as_str()), SENDS_JSON];
    let sent = body("ORDERS", "ord-1").to_string();
    assert_eq!(server.send("POST", "/eureka/apps/ORDERS", &headers, sent.as_bytes()).await.status, 204);
    for (user, may) in [("read", false), ("operate", true)] {
        let login = login(user);
        for target in ["/", "/app/ORDERS", "/app/ORDERS/ord-1"] {
            let page = Page::get(&server, target, &[("Authorization", &login)]).await;
            assert_eq!(page.named("body").next().unwrap().attribute("data-operate").is_some(), may, "{user} {target}");
            let acts = page.named("button").filter(|button| button.attribute("data-act").is_some()).count();
            assert_eq!(acts > 0, may && target != "/", "{user} {target}");
        }
    }
}

/// Whoever is bound to an application was offered the actions of all.
#[tokio::test(start_paused = true)]
async fn actions_of_an_application_are_offered_to_whom_it_is_given() {
    let server = Server::new(&[
        "--spring.security.user.name=admin",
        "--spring.security.user.password=pass",
        "--eurekad.security.users[0].name=bound",
        "--eurekad.security.users[0].password=pass",
        "--eurekad.security.users[0].roles=read,operate",
        "--eurekad.security.users[0].apps=ord*",
        "--eurekad.security.users[1].name=team",
        "--eurekad.security.users[1].password=pass",
        "--eurekad.security.users[1].roles=read,register",
        "--eurekad.security.users[1].apps=ord*",
    ]);
    let admin = login("admin");
    for (app, id) in [("ORDERS", "ord-1"), ("STOCK", "sto-1")] {
        let headers = [("Authorization", admin.as_str()), SENDS_JSON];
        let (target, sent) = (format!("/eureka/apps/{app}"), body(app, id).to_string());
        assert_eq!(server.send("POST", &target, &headers, sent.as_bytes()).await.status, 204);
    }
    for (user, target, may) in [
        ("bound", "/app/ORDERS", true),
        ("bound", "/app/ORDERS/ord-1", true),
        ("bound", "/app/STOCK", false),
        ("bound", "/app/STOCK/sto-1", false),
        ("bound", "/", false),
        ("team", "/app/ORDERS", false),
        ("admin", "/", true),
    ] {
        let page = Page::get(&server, target, &[("Authorization", &login(user))]).await;
        assert_eq!(page.named("body").next().unwrap().attribute("data-operate").is_some(), may, "{user} {target}");
    }
}

#[tokio::test(start_paused = true)]
async fn all_of_it_takes_the_role_read() {
    let server = server();
    let register = login("register");
    for target in ["/", "/lastn", "/app/ORDERS", "/app/ORDERS/1", "/app?name=A", "/instances.json", "/dashboard.js"] {
        assert_eq!(server.get(target, &[]).await.status, 401, "{target}");
        assert_eq!(server.get(target, &[("Authorization", &register)]).await.status, 403, "{target}");
    }
}

/// Whoever may read without a login gets the style and the script without one, too.
#[tokio::test(start_paused = true)]
async fn what_is_open_to_all_is_open_as_a_whole() {
    let server = Server::new(&[
        "--spring.security.user.name=admin",
        "--spring.security.user.password=pass",
        "--eurekad.security.anonymous=read",
    ]);
    for target in ["/", "/dashboard.js", "/dashboard.css", "/instances.json"] {
        assert_eq!(server.get(target, &[]).await.status, 200, "{target}");
    }
    let page = Page::get(&server, "/", &[]).await;
    assert_eq!(page.named("body").next().unwrap().attribute("data-operate"), None);
}
