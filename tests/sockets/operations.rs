//! What operators do with a running server: probes, levels of the log, settings read again.

use std::path::Path;

use tempfile::TempDir;

use super::server::{Server, command, eventually, output};
use super::wire::{Wire, get, request};

fn written(dir: &Path, yaml: &str) {
    std::fs::write(dir.join("application.yml"), yaml).expect("a file");
}

/// A server that reads `application.yml`, with these words.
fn with_file(yaml: &str, words: &[&str]) -> (Server, std::path::PathBuf) {
    let dir = TempDir::new().expect("a folder");
    let path = dir.path().to_owned();
    written(&path, yaml);
    (Server::run(command(&path, words), Some(dir)), path)
}

fn post_json(path: &str, body: &str) -> String {
    let headers = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    request("POST", path, &headers) + body
}

#[test]
fn a_probe_needs_no_curl() {
    let mut server = Server::start(&[]);
    let port = format!("--server.port={}", server.address.port());
    let dir = TempDir::new().expect("a folder");
    let check = |path: &Path| {
        let mut check = command(path, &["healthcheck"]);
        check.arg(&port);
        output(check)
    };
    let up = check(dir.path());
    assert_eq!((up.status.code(), String::from_utf8_lossy(&up.stdout).trim()), (Some(0), "UP"));
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(0));
    let down = check(dir.path());
    assert_eq!(down.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&down.stdout).contains("no answer"));
}

#[test]
fn a_probe_logs_in_where_health_takes_a_login() {
    let check = |words: &[&str]| {
        let server = Server::start(words);
        let port = format!("--server.port={}", server.address.port());
        let dir = TempDir::new().expect("a folder");
        let mut check = command(dir.path(), &["healthcheck"]);
        check.args(words).arg(&port);
        let output = output(check);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let closed = "--eurekad.security.public-health=false";
    assert_eq!(check(&[closed, "--spring.security.user.password=a:ß"]).0, Some(0));
    let nothing_exposed = "--management.endpoints.web.exposure.exclude=*";
    assert_eq!(check(&[nothing_exposed, "--spring.security.user.password=a:ß"]).0, Some(0));
    let hash = "--spring.security.user.password={bcrypt}$2a$04$gUmb6ts1FIWGnRaKJeJK5.K8/vorrLn6wmIIOxPwO9QWqPzW4oLrq";
    assert_eq!(check(&[hash]).0, Some(0));
    let (code, told) = check(&[closed, hash]);
    assert_eq!(code, Some(1));
    assert!(told.contains("eurekad.security.public-health"), "{told}");
}

#[test]
fn a_management_port_of_its_own_has_the_actuator_and_nothing_else() {
    let (server, _) = with_file(
        "management:\n  server:\n    port: 0\n  endpoints:\n    web:\n      base-path: /manage\n",
        &["--server.servlet.context-path=/registry"],
    );
    assert_eq!(server.connect().ask(get("/registry/eureka/apps", "")).status, 200);
    assert_eq!(server.connect().ask(get("/registry/manage/health", "")).status, 404);
    let management = eventually("the second address", || {
        let log = server.log();
        let address = log.split("address=").nth(2)?.split_whitespace().next()?;
        address.rsplit_once(':')?.1.trim_end_matches(',').parse().ok()
    });
    let mut address = server.address;
    address.set_port(management);
    let mut wire = Wire::open(address);
    let health = wire.ask(get("/manage/health/readiness", ""));
    assert_eq!((health.status, health.text().as_str()), (200, r#"{"status":"UP"}"#));
    assert_eq!(wire.ask(get("/registry/eureka/apps", "")).status, 404);
}

#[test]
fn only_health_and_info_are_exposed_by_default() {
    let server = Server::start(&[]);
    let mut wire = server.connect();
    for seen in ["/actuator/health", "/actuator/info"] {
        assert_eq!(wire.ask(get(seen, "")).status, 200, "{seen}");
    }
    for hidden in ["/actuator/loggers", "/actuator/loggers/ROOT", "/actuator/refresh", "/actuator/env"] {
        assert_eq!(wire.ask(get(hidden, "")).status, 404, "{hidden}");
    }
    assert_eq!(wire.ask(post_json("/actuator/refresh", "{}")).status, 404);
}

#[test]
fn settings_in_force_are_shown_without_secrets() {
    const YAML: &str = "eureka:\n  instance:\n    hostname: host-shown\n    metadata-map:\n      apiToken: hidden\n";
    let exposed = "--management.endpoints.web.exposure.include=env";
    let (server, _) = with_file(YAML, &[exposed]);
    let mut wire = server.connect();
    let masked = wire.ask(get("/actuator/env", "")).text();
    assert!(masked.contains("eureka.instance.hostname") && !masked.contains("host-shown"), "{masked}");
    let (server, _) = with_file(YAML, &[exposed, "--management.endpoint.env.show-values=always"]);
    let mut wire = server.connect();
    let all = wire.ask(get("/actuator/env", "")).text();
    assert!(
        all.starts_with(r#"{"activeProfiles":[],"defaultProfiles":["default"],"propertySources":[{"name":"#),
        "{all}"
    );
    assert!(all.contains("apiToken") && !all.contains("hidden"), "{all}");
    let one = wire.ask(get("/actuator/env/eureka.instance.hostname", "")).text();
    assert!(one.contains(r#""value":"host-shown""#) && one.contains("application.yml"), "{one}");
    assert_eq!(wire.ask(get("/actuator/env/no.such.property", "")).status, 404);
}

#[test]
fn secrets_of_webhooks_and_keys_of_apis_are_shown_nowhere() {
    const YAML: &str = "eureka:\n  instance:\n    metadata-map:\n      api-key: hidden\n\
                        info:\n  app:\n    apikey: hidden\n    name: shown\n\
                        eurekad:\n  webhooks:\n    - url: https://hooks.test:8443/services/hidden?token=hidden\n";
    let (server, _) = with_file(
        YAML,
        &[
            "--management.endpoints.web.exposure.include=env,info",
            "--management.endpoint.env.show-values=always",
            "--management.info.env.enabled=true",
        ],
    );
    let mut wire = server.connect();
    let env = wire.ask(get("/actuator/env", "")).text();
    assert!(env.contains("https://hooks.test:8443") && !env.contains("\"hidden") && !env.contains("/hidden"), "{env}");
    let info = wire.ask(get("/actuator/info", "")).text();
    assert!(info.contains("shown") && !info.contains("hidden"), "{info}");
}

#[test]
fn levels_of_the_log_are_set_while_it_runs() {
    let server = Server::start(&["--management.endpoints.web.exposure.include=loggers,health"]);
    let mut wire = server.connect();
    let all = wire.ask(get("/actuator/loggers", "")).text();
    assert!(all.starts_with(r#"{"levels":["OFF","ERROR","WARN","INFO","DEBUG","TRACE"],"loggers":{"ROOT":"#), "{all}");
    let set = |level: &str| post_json("/actuator/loggers/eurekad::registry", level);
    assert_eq!(wire.ask(set(r#"{"configuredLevel":"TRACE"}"#)).status, 204);
    let one = wire.ask(get("/actuator/loggers/eurekad::registry", "")).text();
    assert_eq!(one, r#"{"configuredLevel":"TRACE","effectiveLevel":"TRACE"}"#);
    server.fill("ORDERS", ["ord-1".to_owned()]);
    assert_eq!(wire.ask(request("PUT", "/eureka/apps/ORDERS/ord-1", "Content-Length: 0\r\n")).status, 200);
    eventually("a heartbeat is logged", || server.log().contains("lease renewed").then_some(()));
    let wrong = wire.ask(set(r#"{"configuredLevel":"LOUD"}"#));
    assert_eq!(wrong.status, 400);
    assert!(wrong.text().contains("LOUD"));
    assert_eq!(wire.ask(post_json("/actuator/loggers/org.elsewhere", "{}")).status, 404);
}

#[test]
fn settings_are_read_again() {
    const BEFORE: &str = "eureka:\n  server:\n    disable-delta: false\nserver:\n  servlet:\n    context-path: ''\n";
    const AFTER: &str = "eureka:\n  server:\n    disable-delta: true\neureka.instance.hostname: elsewhere\n";
    let (server, dir) = with_file(BEFORE, &["--management.endpoints.web.exposure.include=refresh"]);
    let mut wire = server.connect();
    assert_eq!(wire.ask(get("/eureka/apps/delta", "")).status, 200);

    written(&dir, AFTER);
    let refreshed = wire.ask(post_json("/actuator/refresh", ""));
    assert_eq!(refreshed.status, 200);
    let names = refreshed.text();
    assert_eq!(names, r#"["eureka.server.disable-delta","eureka.instance.hostname (after a restart)"]"#);
    assert_eq!(wire.ask(get("/eureka/apps/delta", "")).status, 403);

    written(&dir, "eureka:\n  server:\n    disable-delta: perhaps\n");
    let refused = wire.ask(post_json("/actuator/refresh", ""));
    assert_eq!(refused.status, 422);
    assert!(refused.text().contains("eureka.server.disable-delta"), "{}", refused.text());
    assert_eq!(wire.ask(get("/eureka/apps/delta", "")).status, 403, "the old settings stay in force");

    written(&dir, BEFORE);
    server.signal("HUP");
    eventually("the delta is back", || (wire.ask(get("/eureka/apps/delta", "")).status == 200).then_some(()));
}

#[test]
fn the_own_record_is_kept_when_it_is_asked_for() {
    let server = Server::start(&[
        "--eureka.client.register-with-eureka=true",
        "--spring.application.name=registry",
        "--eureka.instance.lease-renewal-interval-in-seconds=1",
        "--eureka.instance.instance-id=own",
    ]);
    let own = || server.connect().ask(get("/eureka/apps/REGISTRY/own", "Accept: application/json\r\n"));
    eventually("it is registered", || (own().status == 200).then_some(()));
    let text = own().text();
    assert!(text.contains(r#""isCoordinatingDiscoveryServer":"true""#), "{text}");
    assert!(text.contains(&format!(r#""port":{{"$":{},"#, server.address.port())), "{text}");
    let renewed = |text: &str| {
        let (_, rest) = text.split_once("lastRenewalTimestamp\":")?;
        rest.split(',').next().map(str::to_owned)
    };
    let first = renewed(&text);
    eventually("it is renewed", || (renewed(&own().text()) != first).then_some(()));
    assert_eq!(server.connect().ask(request("DELETE", "/eureka/apps/REGISTRY/own", "")).status, 200);
    eventually("it comes back", || (own().status == 200).then_some(()));
    assert_eq!(Server::start(&[]).hash_code(), "", "it is not there unless it is asked for");
}
