//! Where the dashboard is, and that its links hold there.

use std::collections::BTreeSet;

use url::Url;

use super::page::Page;
use super::register;
use crate::server::{Server, body};

/// All that pages lead to on this server, seen as from a browser at that address.
async fn crawl(server: &Server, prefix: &str, start: &str) -> BTreeSet<String> {
    let begin = Url::parse(&format!("http://proxy.test{prefix}{start}")).unwrap();
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![begin]);
    while let Some(at) = waiting.pop() {
        let inside = at.as_str().strip_prefix("http://proxy.test").unwrap();
        let inside = inside.strip_prefix(prefix).unwrap_or_else(|| panic!("{at} leaves the prefix")).to_owned();
        if !seen.insert(inside.clone()) {
            continue;
        }
        let reply = server.get(&inside, &[("Accept", "text/html,application/xml")]).await;
        assert_eq!(reply.status, 200, "{inside}");
        if reply.header("content-type") != Some("text/html;charset=UTF-8") {
            continue;
        }
        let page = Page::get(server, &inside, &[]).await;
        let links = page.elements.iter().flat_map(|element| ["href", "src"].map(|name| element.attribute(name)));
        for link in links.flatten() {
            assert!(!link.starts_with('/'), "{inside}: {link} is not relative");
            if !link.contains("://") {
                let mut target = at.join(link).unwrap();
                target.set_fragment(None);
                waiting.push(target);
            }
        }
        let dataset = page.named("body").next().unwrap();
        let api = at.join(dataset.attribute("data-api").unwrap()).unwrap().join("apps").unwrap();
        waiting.push(api);
    }
    seen
}

async fn filled(words: &[&str], context_path: &str) -> Server {
    let server = Server::new(words);
    for (app, id) in [("ORDERS", "10.1.2.3:orders:8080"), ("ORDERS", "../é"), ("A/B", "a;b=c"), ("X%2F", "..")] {
        let target = format!("{context_path}/eureka/apps/{}", crate::server::encoded(app));
        assert_eq!(server.post(&target, &body(app, id)).await.status, 204);
    }
    server
}

#[tokio::test(start_paused = true)]
async fn every_link_is_relative_and_leads_to_what_is_there() {
    for (words, context_path, start) in [
        (&[][..], "", "/"),
        (&["--server.servlet.context-path=/ctx"], "/ctx", "/ctx/"),
        (&["--eureka.dashboard.path=/a/board"], "", "/a/board"),
        (&["--eureka.dashboard.path=/a/board"], "", "/a/board/"),
        (&["--server.servlet.context-path=/ctx", "--eureka.dashboard.path=/board"], "/ctx", "/ctx/board"),
    ] {
        let server = filled(words, context_path).await;
        for prefix in ["", "/registry"] {
            let seen = crawl(&server, prefix, start).await;
            for part in ["lastn", "dashboard.css", "dashboard.js", "dashboard.svg", "/eureka/apps"] {
                assert!(seen.iter().any(|path| path.ends_with(part)), "{start}: {part} of {seen:?}");
            }
            let instances = seen.iter().filter(|path| path.contains("/eureka/apps/")).count();
            assert_eq!(instances, 3, "{seen:?}");
        }
    }
}

/// A browser takes `apps/../id5` for `id5`.
#[tokio::test(start_paused = true)]
async fn nothing_leads_where_a_browser_would_go_up() {
    let server = Server::new(&[]);
    for (app, id) in [("..", "id5"), ("ORDERS", "."), ("ORDERS", "ord-1")] {
        register(&server, &body(app, id)).await;
        let target = format!("/app?name={app}&instance={id}");
        let page = Page::get(&server, &target, &[]).await;
        assert_eq!(page.reply.status, 200, "{target}");
        assert_eq!(page.all_by_id("raw").count(), usize::from(id == "ord-1"), "{target}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_context_path_alone_leads_to_its_page() {
    let server = Server::new(&["--server.servlet.context-path=/a/ctx"]);
    let reply = server.get("/a/ctx", &[]).await;
    assert_eq!((reply.status, reply.header("location")), (302, Some("ctx/")));
    assert_eq!(server.get("/a/ctx/", &[]).await.status, 200);
    assert_eq!(server.get("/", &[]).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn there_is_none_where_it_is_switched_off_or_elsewhere() {
    let off = Server::new(&["--eureka.dashboard.enabled=false"]);
    for target in ["/", "/lastn", "/app/ORDERS", "/instances.json", "/dashboard.css"] {
        assert_eq!(off.get(target, &[]).await.status, 404, "{target}");
    }
    assert_eq!(off.get("/eureka/apps", &[]).await.status, 200);
    let moved = Server::new(&["--eureka.dashboard.path=board/"]);
    for (target, status) in [("/", 404), ("/lastn", 404), ("/board", 200), ("/board/", 200), ("/board/lastn", 200)] {
        assert_eq!(moved.get(target, &[]).await.status, status, "{target}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_is_read_and_nothing_else() {
    let server = Server::new(&[]);
    register(&server, &body("ORDERS", "ord-1")).await;
    let page = server.get("/", &[("Accept", "application/json")]).await;
    assert_eq!(page.header("content-type"), Some("text/html;charset=UTF-8"), "as in Spring, whatever is asked for");
    let head = server.send("HEAD", "/", &[], b"").await;
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-type"), page.header("content-type"));
    for method in ["POST", "PUT", "DELETE"] {
        let reply = server.send(method, "/", &[], b"").await;
        assert_eq!(reply.status, 405, "{method}");
        assert!(reply.header("allow").unwrap().contains("GET"), "{method}");
    }
    assert_eq!(server.send("OPTIONS", "/", &[], b"").await.header("allow"), Some("GET,HEAD,OPTIONS"));
}

#[tokio::test(start_paused = true)]
async fn what_is_built_in_is_sent_once() {
    let server = Server::new(&[]);
    for (target, content_type) in
        [("/dashboard.css", "text/css"), ("/dashboard.js", "text/javascript"), ("/dashboard.svg", "image/svg+xml")]
    {
        let reply = server.get(target, &[]).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(content_type)));
        let again = server.get(target, &[("If-None-Match", reply.header("etag").unwrap())]).await;
        assert_eq!((again.status, again.body.len()), (304, 0));
        assert_eq!(again.header("etag"), reply.header("etag"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_page_is_compressed_where_that_is_welcome() {
    let server = Server::new(&[]);
    for at in 0..300 {
        register(&server, &body("ORDERS", &format!("ord-{at}"))).await;
    }
    for (welcome, coding) in [("gzip, br", Some("gzip")), ("gzip;q=0", None), ("br", None)] {
        let reply = server.get("/", &[("Accept-Encoding", welcome)]).await;
        assert_eq!(reply.header("content-encoding"), coding, "{welcome}");
        assert!(reply.text().contains("ord-299"));
    }
}
