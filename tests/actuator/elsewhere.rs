//! Endpoints at other paths, with less that may be done, behind a proxy.

use serde_json::json;

use crate::server::{JSON, Server};

async fn status(server: &Server, method: &str, target: &str) -> u16 {
    server.send(method, target, &[], b"").await.status
}

#[tokio::test(start_paused = true)]
async fn endpoints_are_where_they_are_mapped() {
    let server = Server::new(&[
        "--management.endpoints.web.base-path=/manage",
        "--management.endpoints.web.path-mapping.health=healthcheck",
    ]);
    for (path, expected) in [
        ("/manage/healthcheck", 200),
        ("/manage/healthcheck/liveness", 200),
        ("/manage/health", 404),
        ("/actuator/health", 404),
        ("/manage/info", 200),
    ] {
        assert_eq!(status(&server, "GET", path).await, expected, "{path}");
    }
    let links = server.json("/manage").await;
    assert!(links["_links"]["health"]["href"].as_str().is_some_and(|href| href.ends_with("/manage/healthcheck")));
    let undiscovered = Server::new(&["--management.endpoints.web.discovery.enabled=false"]);
    assert_eq!(status(&undiscovered, "GET", "/actuator").await, 404);
    assert_eq!(status(&undiscovered, "GET", "/actuator/health").await, 200);
}

#[tokio::test(start_paused = true)]
async fn access_takes_endpoints_away() {
    let all = "--management.endpoints.web.exposure.include=*";
    let served = async |words: &[&str]| {
        let server = Server::new(&[&[all], words].concat());
        let mut found = Vec::new();
        for (method, path) in
            [("GET", "health"), ("GET", "info"), ("GET", "serviceregistry"), ("POST", "serviceregistry")]
        {
            found.push(!matches!(status(&server, method, &format!("/actuator/{path}")).await, 404 | 405));
        }
        found
    };
    assert_eq!(served(&[]).await, [true, true, true, true]);
    assert_eq!(served(&["--management.endpoint.info.access=none"]).await, [true, false, true, true]);
    assert_eq!(served(&["--management.endpoint.info.enabled=false"]).await, [true, false, true, true]);
    assert_eq!(served(&["--management.endpoints.access.max-permitted=read-only"]).await, [true, true, true, false]);
    let one = ["--management.endpoints.access.default=none", "--management.endpoint.health.access=read-only"];
    assert_eq!(served(&one).await, [true, false, false, false]);
    assert_eq!(served(&["--management.endpoints.web.exposure.exclude=info"]).await, [true, false, true, true]);
}

#[tokio::test(start_paused = true)]
async fn links_believe_a_proxy_only_when_they_are_told_to() {
    let headers = [
        JSON,
        ("Host", "10.20.0.1:8761"),
        ("X-Forwarded-Proto", "https"),
        ("X-Forwarded-Host", "registry.test, inner.test"),
        ("X-Forwarded-Port", "443"),
        ("X-Forwarded-Prefix", "/tools/"),
    ];
    for (words, expected) in [
        (&[][..], "http://10.20.0.1:8761/actuator"),
        (&["--server.forward-headers-strategy=framework"], "https://registry.test/tools/actuator"),
        (&["--server.forward-headers-strategy=none"], "http://10.20.0.1:8761/actuator"),
    ] {
        let links = Server::new(words).get("/actuator", &headers).await.json();
        assert_eq!(links["_links"]["self"]["href"], json!(expected), "{words:?}");
    }
    let server = Server::new(&["--server.forward-headers-strategy=native"]);
    let odd = server.get("/actuator", &[JSON, ("X-Forwarded-Host", "a\"b"), ("X-Forwarded-Port", "8443")]).await.json();
    assert_eq!(odd["_links"]["self"]["href"], "http://localhost:8443/actuator");
}

#[tokio::test(start_paused = true)]
async fn what_can_only_be_read_says_so() {
    let server = Server::new(&[]);
    for path in ["/actuator", "/actuator/health", "/actuator/info", "/actuator/health/liveness"] {
        let options = server.send("OPTIONS", path, &[], b"").await;
        assert_eq!((options.status, options.header("allow")), (200, Some("GET,HEAD,OPTIONS")), "{path}");
        for method in ["POST", "PUT", "DELETE"] {
            let refused = server.send(method, path, &[], b"").await;
            assert_eq!(refused.status, 405, "{method} {path}");
            assert!(refused.header("allow").is_some_and(|allow| allow.contains("GET")));
        }
        let head = server.send("HEAD", path, &[], b"").await;
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
    }
}
