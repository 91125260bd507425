//! Every request, by everybody.

use http::Method;

use super::{a_user_a_role, basic};
use crate::server::{FROM_PEER, JSON, Reply, SENDS_JSON, Server, body};

/// A user for each role; one who may do everything; one who is bound to an application, and an operator who is.
fn server(more: &[&str]) -> Server {
    let mut words = a_user_a_role();
    words.extend(
        [
            "--spring.security.user.password=pass",
            "--eurekad.security.users[5].name=orders",
            "--eurekad.security.users[5].password=pass",
            "--eurekad.security.users[5].apps=ord*",
            "--eurekad.security.users[6].name=bound",
            "--eurekad.security.users[6].password=pass",
            "--eurekad.security.users[6].roles=operate",
            "--eurekad.security.users[6].apps=ord*",
            "--management.endpoints.web.exposure.include=*",
        ]
        .into_iter()
        .chain(more.iter().copied())
        .map(str::to_owned),
    );
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    Server::new(&words)
}

async fn ask(server: &Server, user: Option<&str>, method: &str, target: &str, more: &[(&str, &str)]) -> Reply {
    let login = user.map(|user| basic(user, "pass"));
    let login = login.as_deref().map(|login| ("Authorization", login));
    let headers: Vec<_> = login.into_iter().chain(more.iter().copied()).collect();
    server.send(method, target, &headers, b"").await
}

const ANY: [&str; 7] = ["read", "register", "operate", "peer", "metrics", "orders", "bound"];

/// Method and path below a root; whether it comes from a peer; who may.
const REQUESTS: [(&str, &str, bool, &[&str]); 25] = [
    ("GET", "apps", false, &["read", "peer", "orders"]),
    ("HEAD", "apps", false, &["read", "peer", "orders"]),
    ("GET", "apps/delta", false, &["read", "peer", "orders"]),
    ("GET", "apps/STOCK", false, &["read", "peer", "orders"]),
    ("GET", "apps/STOCK/1", false, &["read", "peer", "orders"]),
    ("GET", "instances/1", false, &["read", "peer", "orders"]),
    ("GET", "vips/a", false, &["read", "peer", "orders"]),
    ("GET", "svips/a", false, &["read", "peer", "orders"]),
    ("GET", "status", false, &["read", "peer", "orders"]),
    ("GET", "serverinfo/statusoverrides", false, &["read", "peer", "orders"]),
    ("GET", "peerreplication/digest", false, &["read", "peer", "orders"]),
    ("POST", "apps/STOCK", false, &["register"]),
    ("PUT", "apps/STOCK/1", false, &["register"]),
    ("DELETE", "apps/STOCK/1", false, &["register"]),
    ("PUT", "apps/ORDERS/1", false, &["register", "orders"]),
    ("DELETE", "apps/%6frd%65rs/1", false, &["register", "orders"]),
    ("PUT", "apps/STOCK/1/status", false, &["operate"]),
    ("DELETE", "apps/ORDERS/1/status", false, &["operate", "orders", "bound"]),
    ("PUT", "apps/ORDERS/1/metadata", false, &["operate", "orders", "bound"]),
    ("PUT", "apps/ORDERS/1", true, &["peer"]),
    ("POST", "apps/ORDERS", true, &["peer"]),
    ("PUT", "apps/ORDERS/1/status", true, &["peer"]),
    ("POST", "peerreplication/batch/", false, &["peer"]),
    ("POST", "peerreplication/digest", false, &["peer"]),
    ("PUT", "asg/a/status", false, &["operate"]),
];

/// The same of what is not below a root of the API.
const OTHERS: [(&str, &str, &[&str]); 38] = [
    ("GET", "/actuator", &ANY),
    ("GET", "/actuator/loggers", &["operate"]),
    ("GET", "/actuator/loggers/ROOT", &["operate"]),
    ("POST", "/actuator/loggers/ROOT", &["operate"]),
    ("POST", "/actuator/refresh", &["operate"]),
    ("GET", "/actuator/info", &ANY),
    ("GET", "/actuator/env", &["operate"]),
    ("GET", "/actuator/env/server.port", &["operate"]),
    ("GET", "/actuator/serviceregistry", &["operate"]),
    ("POST", "/actuator/serviceregistry", &["operate"]),
    // It would not end without the mistake.
    ("GET", "/eureka/events?kind=none", &["read", "peer", "orders"]),
    ("GET", "/eureka/events/poll", &["read", "peer", "orders"]),
    ("GET", "/eureka/v2/events/poll?snapshot=true", &["read", "peer", "orders"]),
    ("GET", "/actuator/prometheus", &["metrics"]),
    ("GET", "/actuator/metrics", &["metrics"]),
    ("GET", "/actuator/metrics/eurekad.leases", &["metrics"]),
    ("GET", "/eureka/prometheus/sd", &["read", "peer", "orders"]),
    ("GET", "/eureka/operations/instances", &["read", "peer", "orders"]),
    ("GET", "/eureka/operations/explain/ORDERS/1", &["read", "peer", "orders"]),
    ("GET", "/eureka/operations/preservation", &["read", "peer", "orders"]),
    ("GET", "/eureka/operations/peers", &["read", "peer", "orders"]),
    ("GET", "/eureka/operations/overrides", &["read", "peer", "orders"]),
    ("GET", "/eureka/operations/drains", &["read", "peer", "orders"]),
    ("POST", "/eureka/operations/overrides/clear", &["operate", "bound"]),
    ("POST", "/eureka/operations/drain", &["operate", "bound"]),
    ("POST", "/eureka/operations/resume", &["operate", "bound"]),
    ("POST", "/eureka/operations/evict", &["operate", "bound"]),
    ("POST", "/eureka/operations/accept", &["operate", "bound"]),
    ("OPTIONS", "/eureka/apps", &ANY),
    ("GET", "/eureka/nothing", &ANY),
    ("GET", "/eureka/apps/%zz", &ANY),
    ("GET", "/nothing", &ANY),
    ("GET", "/", &["read", "peer", "orders"]),
    ("GET", "/lastn", &["read", "peer", "orders"]),
    ("GET", "/app/STOCK", &["read", "peer", "orders"]),
    ("GET", "/app/STOCK/1", &["read", "peer", "orders"]),
    ("GET", "/instances.json", &["read", "peer", "orders"]),
    ("GET", "/dashboard.js", &["read", "peer", "orders"]),
];

async fn check(server: &Server, method: &str, target: &str, headers: &[(&str, &str)], who: &[&str]) {
    for user in ANY.into_iter().chain(["user"]) {
        let reply = ask(server, Some(user), method, target, headers).await;
        let may = user == "user" || who.contains(&user);
        assert_eq!(reply.status == 403, !may, "{user} {method} {target}: {}", reply.status);
        assert_ne!(reply.status, 401, "{user} {method} {target}");
        assert!(may || reply.body.is_empty());
    }
    for refused in [ask(server, None, method, target, headers).await, {
        let wrong = basic("user", "wrong");
        let headers: Vec<_> = headers.iter().copied().chain([("Authorization", wrong.as_str())]).collect();
        server.send(method, target, &headers, b"").await
    }] {
        assert_eq!((refused.status, refused.body.len()), (401, 0), "{method} {target}");
        assert_eq!(refused.header("www-authenticate"), Some("Basic realm=\"Realm\""));
        assert_eq!(refused.header("content-type"), None);
    }
}

#[tokio::test(start_paused = true)]
async fn takes_its_role_and_no_other() {
    let server = server(&[]);
    for (method, path, from_peer, who) in REQUESTS {
        let headers: Vec<_> = Some(FROM_PEER).filter(|_| from_peer).into_iter().collect();
        for root in ["/eureka", "/eureka/v2"] {
            check(&server, method, &format!("{root}/{path}"), &headers, who).await;
        }
    }
    for (method, target, who) in OTHERS {
        check(&server, method, target, &[], who).await;
    }
}

#[tokio::test(start_paused = true)]
async fn every_method_of_every_path_takes_a_login() {
    let server = server(&[]);
    let paths = REQUESTS.iter().map(|(_, path, ..)| format!("/eureka/{path}"));
    let paths: Vec<_> = paths.chain(OTHERS.iter().map(|(_, target, _)| (*target).to_owned())).collect();
    for method in [
        Method::GET,
        Method::PUT,
        Method::POST,
        Method::DELETE,
        Method::PATCH,
        Method::OPTIONS,
        Method::HEAD,
        Method::TRACE,
    ] {
        for path in &paths {
            let reply = ask(&server, None, method.as_str(), path, &[]).await;
            assert_eq!((reply.status, reply.body.len()), (401, 0), "{method} {path}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn health_is_open_unless_the_user_says_otherwise() {
    for path in ["/actuator/health", "/actuator/health/liveness", "/actuator/health/readiness"] {
        assert_eq!(ask(&server(&[]), None, "GET", path, &[]).await.status, 200);
        let closed = server(&["--eurekad.security.public-health=false"]);
        assert_eq!(ask(&closed, None, "GET", path, &[]).await.status, 401);
        assert_eq!(ask(&closed, Some("metrics"), "GET", path, &[]).await.status, 200);
    }
}

#[tokio::test(start_paused = true)]
async fn without_anybody_configured_all_is_open() {
    let open = Server::new(&["--management.endpoints.web.exposure.include=*"]);
    for (method, path, from_peer, _) in REQUESTS {
        let headers: Vec<_> = Some(FROM_PEER).filter(|_| from_peer).into_iter().collect();
        let reply = ask(&open, None, method, &format!("/eureka/{path}"), &headers).await;
        assert!(![401, 403].contains(&reply.status), "{method} {path}: {}", reply.status);
    }
}

/// What anybody may do without a login is said in one setting.
#[tokio::test(start_paused = true)]
async fn whoever_does_not_log_in_reads_where_that_is_allowed() {
    let server = server(&["--eurekad.security.anonymous=read"]);
    assert_eq!(ask(&server, None, "GET", "/eureka/apps", &[]).await.status, 200);
    assert_eq!(ask(&server, None, "PUT", "/eureka/apps/ORDERS/1", &[]).await.status, 401);
    let wrong = basic("read", "wrong");
    assert_eq!(server.get("/eureka/apps", &[("Authorization", &wrong)]).await.status, 401);
}

#[tokio::test(start_paused = true)]
async fn an_instance_is_changed_by_whoever_registered_it() {
    let server = server(&[
        "--eurekad.security.bind-instances=true",
        "--eurekad.security.users[7].name=stock",
        "--eurekad.security.users[7].password=pass",
    ]);
    let sent = body("ORDERS", "ord-1").to_string();
    let register = async |user: &str| {
        let login = basic(user, "pass");
        let headers = [("Authorization", login.as_str()), SENDS_JSON];
        server.send("POST", "/eureka/apps/orders", &headers, sent.as_bytes()).await.status
    };
    let path = "/eureka/apps/Orders/ord-1";
    let asked =
        async |user, method, more: &str| ask(&server, Some(user), method, &format!("{path}{more}"), &[]).await.status;
    assert_eq!(register("orders").await, 204);
    assert_eq!(asked("stock", "PUT", "").await, 403);
    assert_eq!(asked("stock", "DELETE", "").await, 403);
    assert_eq!(register("stock").await, 403);
    assert_eq!(asked("stock", "GET", "").await, 200);
    assert_eq!(asked("orders", "PUT", "").await, 200);
    assert_eq!(asked("operate", "PUT", "/status?value=DOWN").await, 200);
    assert_eq!(asked("user", "DELETE", "").await, 200);
    server.app.access().forget_owners(|_, _| true);
    server.app.access().forget_owners(|_, _| true);
    assert_eq!(register("stock").await, 204);
}

#[tokio::test(start_paused = true)]
async fn an_operator_of_some_applications_operates_on_those_alone() {
    let server = server(&[]);
    let user = basic("user", "pass");
    for (app, id) in [("ORDERS", "ord-1"), ("STOCK", "sto-1")] {
        let sent = body(app, id).to_string();
        let headers = [("Authorization", user.as_str()), SENDS_JSON];
        let target = format!("/eureka/apps/{app}");
        assert_eq!(server.send("POST", &target, &headers, sent.as_bytes()).await.status, 204);
    }
    let bound = basic("bound", "pass");
    let asked = async |what: &str, body: &str| {
        let headers = [("Authorization", bound.as_str()), SENDS_JSON];
        let target = format!("/eureka/operations/{what}");
        let reply = server.send("POST", &target, &headers, body.as_bytes()).await;
        (reply.status, reply.text())
    };
    let before = server.app.registry().version();
    for (what, body) in [
        ("drain", r#"{"select":{"app":"STOCK"}}"#),
        ("drain", r#"{"select":{"zone":"z1"}}"#),
        ("evict", r#"{"select":{"status":"UP"}}"#),
        ("resume", r#"{"select":{"app":["ORDERS","STOCK"]}}"#),
        ("overrides/clear", r#"{"all":true}"#),
        ("accept", "{}"),
    ] {
        let (status, told) = asked(what, body).await;
        assert_eq!(status, 403, "{what} {body}");
        assert!(told.contains("this login may not change"), "{told}");
    }
    assert_eq!(server.app.registry().version(), before);
    let (status, told) = asked("drain", r#"{"select":{"app":"ORDERS"}}"#).await;
    assert_eq!(status, 200, "{told}");
    let listed = ask(&server, Some("read"), "GET", "/eureka/operations/overrides", &[]).await.json();
    assert_eq!(listed["overrides"][0]["owner"], "bound", "whoever logs in is the owner");
}

/// Spring's CSRF protection refused every POST, PUT and DELETE of clients with a login (403).
#[tokio::test(start_paused = true)]
async fn case_086_no_token_against_csrf_is_asked_for() {
    let server = Server::new(&["--spring.security.user.name=admin", "--spring.security.user.password=pass"]);
    let login = basic("admin", "pass");
    let headers = [("Authorization", login.as_str()), SENDS_JSON, JSON];
    let sent = body("ORDERS", "ord-1").to_string();
    assert_eq!(server.send("POST", "/eureka/apps/ORDERS", &headers, sent.as_bytes()).await.status, 204);
    for (method, target) in [
        ("PUT", "/eureka/apps/ORDERS/ord-1"),
        ("PUT", "/eureka/apps/ORDERS/ord-1/status?value=DOWN"),
        ("DELETE", "/eureka/apps/ORDERS/ord-1/status?value=UP"),
        ("DELETE", "/eureka/apps/ORDERS/ord-1"),
    ] {
        assert_eq!(server.send(method, target, &headers, b"").await.status, 200, "{method} {target}");
    }
    let cookie = [("Cookie", "JSESSIONID=1; SESSION=1"), SENDS_JSON];
    assert_eq!(server.send("POST", "/eureka/apps/ORDERS", &cookie, sent.as_bytes()).await.status, 401);
}
