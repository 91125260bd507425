//! Health: parts, groups, who sees what.

use serde_json::{Value, json};

use crate::server::{JSON, Server, body};

const DETAILS: &str = "--management.endpoint.health.show-details=always";

fn names(object: &Value) -> Vec<&str> {
    object.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[tokio::test(start_paused = true)]
async fn case_099_health_tells_of_the_cluster() {
    let server = Server::new(&[DETAILS, "--eureka.server.min-available-instances-for-peer-replication=1"]);
    server.register(&body("ORDERS", "ord-1")).await;
    server.app.peers().set(&["http://10.255.0.1:8761/eureka/".parse().expect("a URL")]);
    let health = server.json("/actuator/health").await;
    assert_eq!((&health["status"], names(&health)), (&json!("UP"), vec!["components", "groups", "status"]));
    let parts = &health["components"];
    let expected = [
        "discoveryComposite",
        "diskSpace",
        "livenessState",
        "overload",
        "peers",
        "ping",
        "readinessState",
        "refreshScope",
        "registry",
        "ssl",
    ];
    assert_eq!(names(parts), expected);
    let registry = &parts["registry"]["details"];
    assert_eq!((&registry["instances"], &registry["applications"]), (&json!(1), &json!(1)));
    assert!(registry["selfPreservation"]["sentence"].as_str().is_some_and(|text| text.ends_with('.')));
    let eureka = &parts["discoveryComposite"]["components"]["eureka"];
    assert_eq!(eureka["details"]["applications"], json!({"ORDERS": 1}));
    assert_eq!(
        (&eureka["status"], &eureka["description"]),
        (&json!("UNKNOWN"), &json!("Remote status from Eureka server"))
    );
    let peers = &parts["peers"];
    let of = |name: &str| peers["details"][name].clone();
    assert_eq!([of("up"), of("needed"), of("queueAgeSeconds")], [json!(0), json!(1), json!(0)]);
    assert_eq!(of("known").as_u64(), of("each").as_array().map(|each| each.len() as u64));
    for target in ["/actuator/health/liveness", "/actuator/health/readiness"] {
        let state = server.json(target).await;
        assert_eq!(state["status"], "UP", "no peer answers, which does not count");
    }
}

#[tokio::test(start_paused = true)]
async fn the_part_that_fails_is_named() {
    let server = Server::not_open(&[DETAILS]);
    let health = server.get("/actuator/health", &[JSON]).await;
    assert_eq!((health.status, &health.json()["status"]), (503, &json!("OUT_OF_SERVICE")));
    let parts = health.json()["components"].clone();
    let failing: Vec<_> = names(&parts).into_iter().filter(|name| parts[name]["status"] == "OUT_OF_SERVICE").collect();
    assert_eq!(failing, ["readinessState", "registry"]);
    assert!(parts["registry"]["description"].as_str().is_some_and(|text| text.contains("not open")));
    assert_eq!(server.get("/actuator/health/liveness", &[JSON]).await.status, 200);
    let full = Server::new(&[DETAILS, "--management.health.diskspace.threshold=8000000000GB"]);
    let disk = full.get("/actuator/health/diskSpace", &[JSON]).await;
    assert_eq!((disk.status, &disk.json()["status"]), (503, &json!("DOWN")));
    assert_eq!(full.get("/actuator/health", &[JSON]).await.status, 503);
    assert_eq!(full.get("/actuator/health/readiness", &[JSON]).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn parts_are_seen_by_whom_the_user_wants() {
    let hidden = Server::new(&[]);
    assert_eq!(hidden.json("/actuator/health").await, json!({"groups": ["liveness", "readiness"], "status": "UP"}));
    for path in ["ping", "nothing", "liveness/livenessState", "peers/x"] {
        let reply = hidden.get(&format!("/actuator/health/{path}"), &[JSON]).await;
        assert_eq!((reply.status, reply.body.len()), (404, 0), "{path}");
    }
    let parts = Server::new(&["--management.endpoint.health.show-components=always"]);
    assert_eq!(parts.json("/actuator/health/ping").await, json!({"status": "UP"}));
    assert_eq!(parts.json("/actuator/health/registry").await, json!({"status": "UP"}), "no details");
    let state = json!({"components": {"livenessState": {"status": "UP"}}, "status": "UP"});
    assert_eq!(parts.json("/actuator/health/liveness").await, state);
    assert_eq!(parts.json("/actuator/health/liveness/livenessState").await, json!({"status": "UP"}));
    assert_eq!(parts.json("/actuator/health/discoveryComposite/discoveryClient").await, json!({"status": "UP"}));
    for path in ["nothing", "liveness/ping", "ping/ping"] {
        assert_eq!(parts.get(&format!("/actuator/health/{path}"), &[JSON]).await.status, 404, "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_is_authorized_has_logged_in() {
    let when = "--management.endpoint.health.show-details=when-authorized";
    let shown = async |words: &[&str], login: Option<&str>| {
        let server = Server::new(words);
        let login = login.map(|login| crate::security::basic(login, "pass"));
        let headers: Vec<_> = login.iter().map(|login| ("Authorization", login.as_str())).collect();
        let reply = server.get("/actuator/health", &headers).await;
        assert_eq!(reply.status, 200);
        reply.json()["components"].is_object()
    };
    let users = [
        when,
        "--eurekad.security.users[0].name=operator",
        "--eurekad.security.users[0].password=pass",
        "--eurekad.security.users[0].roles=operate",
        "--eurekad.security.users[1].name=reader",
        "--eurekad.security.users[1].password=pass",
        "--eurekad.security.users[1].roles=read",
    ];
    assert!(!shown(&[when], None).await, "without logins nobody is");
    assert!(!shown(&users, None).await);
    assert!(!shown(&users, Some("stranger")).await);
    assert!(shown(&users, Some("reader")).await);
    for role in ["operate", "ADMIN"] {
        let roles = format!("--management.endpoint.health.roles={role}");
        let users: Vec<&str> = users.iter().copied().chain([roles.as_str()]).collect();
        assert!(!shown(&users, Some("reader")).await, "{role}");
        assert!(shown(&users, Some("operator")).await, "{role}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_group_has_its_own_parts() {
    let server = Server::not_open(&[
        "--management.endpoint.health.group.traffic.include=readinessState,ping",
        "--management.endpoint.health.group.traffic.show-components=always",
        "--management.endpoint.health.group.rest.include=*",
        "--management.endpoint.health.group.rest.exclude=readinessState,registry",
    ]);
    let health = server.get("/actuator/health", &[JSON]).await.json();
    assert_eq!(health["groups"], json!(["liveness", "readiness", "rest", "traffic"]));
    let traffic = server.get("/actuator/health/traffic", &[JSON]).await;
    assert_eq!((traffic.status, names(&traffic.json()["components"])), (503, vec!["ping", "readinessState"]));
    assert_eq!(server.json("/actuator/health/traffic/ping").await, json!({"status": "UP"}));
    assert_eq!(server.json("/actuator/health/rest").await, json!({"status": "UP"}));
    let without = Server::new(&["--management.endpoint.health.probes.enabled=false"]);
    assert_eq!(without.json("/actuator/health").await, json!({"status": "UP"}));
    assert_eq!(without.get("/actuator/health/liveness", &[JSON]).await.status, 404);
}
