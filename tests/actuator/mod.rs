//! Spring Boot's actuator: what it shows, to whom, and where.

mod elsewhere;
mod health;

use serde_json::json;

use crate::server::{JSON, Server, body};

const ALL: &str = "--management.endpoints.web.exposure.include=*";

#[tokio::test(start_paused = true)]
async fn the_status_page_of_the_own_record_is_there() {
    let server = Server::new(&[
        "--info.team.name=registry",
        "--info.team.password=hidden",
        "--management.info.env.enabled=true",
    ]);
    let info = server.json("/actuator/info").await;
    assert_eq!(info["team"], json!({"name": "registry", "password": "******"}));
    assert_eq!(info["build"]["name"], "eurekad");
    let bare = Server::new(&["--info.a=b", "--management.info.build.enabled=false"]);
    assert_eq!(bare.json("/actuator/info").await, json!({}));
}

#[tokio::test(start_paused = true)]
async fn every_link_leads_somewhere() {
    let server = Server::new(&[ALL, "--server.servlet.context-path=/registry"]);
    let links = server.get("/registry/actuator", &[JSON, ("Host", "registry.test:8761")]).await.json();
    let links = links["_links"].as_object().expect("links").clone();
    assert_eq!(links["self"]["href"], "http://registry.test:8761/registry/actuator");
    assert!(links.len() > 8, "{links:?}");
    for (name, link) in links {
        let href = link["href"].as_str().expect("a link");
        assert_eq!(link["templated"], href.contains('{'));
        let path = href.strip_prefix("http://registry.test:8761").expect("this host");
        let path = path.replace("{*path}", "liveness").replace("{name}", "ROOT").replace("{toMatch}", "server.port");
        let path = path.replace("{requiredMetricName}", "eurekad.leases");
        let reply = server.get(&path, &[JSON]).await;
        // What works on the process has nothing to work on here, and says so without a body.
        let of_process = ["env", "loggers", "refresh"].iter().any(|own| name.starts_with(own));
        assert!(reply.status == 200 || of_process && matches!(reply.status, 404 | 405), "{name}: {}", reply.status);
    }
}

#[tokio::test(start_paused = true)]
async fn the_own_record_is_taken_out_of_traffic_and_back() {
    let server = Server::new(&[ALL, "--spring.application.name=registry"]);
    let target = "/actuator/serviceregistry";
    assert_eq!(server.json(target).await, json!({"status": "UNKNOWN"}));
    let nobody = server.post(target, &json!({"status": "DOWN"})).await;
    assert_eq!(nobody.status, 404);
    assert!(nobody.text().contains("register-with-eureka"));
    let own = server.get("/eureka/status", &[JSON]).await.json();
    let id = own["instanceInfo"]["instanceId"].as_str().expect("an id").to_owned();
    assert_eq!(server.register(&body("REGISTRY", &id)).await.status, 204);
    assert_eq!(server.json(target).await, json!({"overriddenStatus": "UNKNOWN", "status": "UP"}));
    assert_eq!(server.post(target, &json!({"status": "OUT_OF_SERVICE"})).await.status, 200);
    let out = json!({"overriddenStatus": "OUT_OF_SERVICE", "status": "OUT_OF_SERVICE"});
    assert_eq!(server.json(target).await, out);
    assert_eq!(server.post(target, &json!({"status": "CANCEL_OVERRIDE"})).await.status, 200);
    assert_eq!(server.json(target).await, json!({"overriddenStatus": "UNKNOWN", "status": "UP"}));
    for (wrong, named) in [(json!({"status": "GONE"}), "GONE"), (json!({}), "status"), (json!({"status": 1}), "status")]
    {
        let refused = server.post(target, &wrong).await;
        assert_eq!(refused.status, 400);
        assert!(refused.text().contains(named), "{}", refused.text());
    }
}
