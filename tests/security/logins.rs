//! Logins over sockets: what is answered, what is written down, and what changes while the server runs.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use tempfile::TempDir;

use super::{a_user_a_role, basic};
use crate::sockets::server::{Server, command, eventually};
use crate::sockets::wire::{Wire, get, request};

fn login(user: &str, password: &str) -> String {
    format!("Authorization: {}\r\n", basic(user, password))
}

fn with_files(dir: TempDir, words: &[String]) -> Server {
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    Server::run(command(dir.path(), &words), Some(dir))
}

fn status(wire: &mut Wire, user: &str, password: &str) -> u16 {
    wire.ask(get("/eureka/apps", &login(user, password))).status
}

/// Anyone who reached the port could read, register, hijack and delete.
#[test]
fn case_083_nobody_gets_in_without_a_login() {
    let words = a_user_a_role();
    let server = Server::start(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let mut wire = server.connect();
    let body = "Content-Type: application/json\r\nContent-Length: 7\r\n";
    for (method, path) in [
        ("GET", "/eureka/apps"),
        ("GET", "/eureka/v2/apps/delta"),
        ("POST", "/eureka/apps/ORDERS"),
        ("PUT", "/eureka/apps/ORDERS/1"),
        ("DELETE", "/eureka/apps/ORDERS/1"),
        ("PUT", "/eureka/apps/ORDERS/1/status?value=DOWN"),
        ("POST", "/eureka/peerreplication/batch/"),
        ("GET", "/eureka/nothing"),
        ("OPTIONS", "/eureka/apps"),
    ] {
        // A body that nobody reads does not get in the way of the next request.
        let answer = wire.ask(request(method, path, body) + "{\"a\":1}");
        assert_eq!((answer.status, answer.body.len()), (401, 0), "{method} {path}");
        assert_eq!(answer.header("content-length"), Some("0"), "{method} {path}");
        assert_eq!(answer.header("www-authenticate"), Some("Basic realm=\"Realm\""));
    }
    assert_eq!(wire.ask(get("/actuator/health", "")).status, 200);
    assert_eq!(status(&mut wire, "read", "pass"), 200);
    let posted = wire.ask(request("POST", "/eureka/apps/ORDERS", &(login("read", "pass") + body)) + "{\"a\":1}");
    assert_eq!((posted.status, posted.body.len()), (403, 0));
}

#[test]
fn a_management_port_of_its_own_takes_the_same_logins() {
    let server = Server::start(&["--spring.security.user.password=pass", "--management.server.port=0"]);
    let address = eventually("the second address", || {
        let log = server.log();
        log.split("address=").nth(2)?.split_whitespace().next()?.parse().ok()
    });
    let mut wire = Wire::open(address);
    assert_eq!(wire.ask(get("/actuator/health", "")).status, 200);
    assert_eq!(wire.ask(get("/actuator", "")).status, 401);
    assert_eq!(wire.ask(get("/nothing", "")).status, 401);
    assert_eq!(wire.ask(get("/nothing", &login("user", "pass"))).status, 404);
    assert_eq!(wire.ask(get("/actuator", &login("user", "pass"))).status, 200);
}

/// A browser adds a remembered login to it by itself.
#[test]
fn a_page_of_another_site_changes_nothing_by_the_actuator() {
    let words = ["--management.endpoints.web.exposure.include=*", "--spring.security.user.password=pass"];
    let server = Server::start(&words);
    let ask = |more: &str| {
        let head = format!("{}Content-Length: 0\r\n{more}", login("user", "pass"));
        server.connect().ask(request("POST", "/actuator/refresh", &head)).status
    };
    assert_eq!(ask("Sec-Fetch-Site: cross-site\r\n"), 403);
    assert_eq!(ask("Origin: http://evil.example\r\n"), 403);
    assert_eq!((ask("Sec-Fetch-Site: same-origin\r\n"), ask("")), (200, 200));
}

#[test]
fn a_server_that_must_not_be_open_does_not_start() {
    let dir = TempDir::new().unwrap();
    let output = command(dir.path(), &["--eurekad.security.require=true"]).output().unwrap();
    assert_eq!(output.status.code(), Some(78));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("spring.security.user.password"), "{told}");
}

#[test]
fn tokens_and_passwords_change_with_their_files() {
    let dir = TempDir::new().unwrap();
    let (tokens, password) = (dir.path().join("tokens"), dir.path().join("password"));
    // Nobody may see half a file.
    let write = |path: &Path, text: &str| {
        let new = path.with_extension("new");
        fs::write(&new, text).unwrap();
        fs::rename(new, path).unwrap();
    };
    write(&tokens, "an-old-token-0123456789\n");
    write(&password, "first\n");
    let server = with_files(
        dir,
        &[
            format!("--spring.security.user.password-file={}", password.display()),
            "--eurekad.security.tokens[0].name=ci".to_owned(),
            format!("--eurekad.security.tokens[0].token-file={}", tokens.display()),
        ],
    );
    let mut wire = server.connect();
    let mut bearer = |token: &str| wire.ask(get("/eureka/apps", &format!("Authorization: Bearer {token}\r\n"))).status;
    assert_eq!(bearer("an-old-token-0123456789"), 200);
    // Both count while clients change over.
    write(&tokens, "an-old-token-0123456789\na-new-token-0123456789\n");
    eventually("the new token counts", || (bearer("a-new-token-0123456789") == 200).then_some(()));
    assert_eq!(bearer("an-old-token-0123456789"), 200);
    write(&tokens, "a-new-token-0123456789\n");
    eventually("the old token does not count", || (bearer("an-old-token-0123456789") == 401).then_some(()));
    assert_eq!(bearer("a-new-token-0123456789"), 200);

    let mut wire = server.connect();
    assert_eq!(status(&mut wire, "user", "first"), 200);
    fs::remove_file(&password).unwrap();
    eventually("it is told", || server.log().contains("secrets cannot be read again").then_some(()));
    assert_eq!(status(&mut wire, "user", "first"), 200, "the old one counts");
    write(&password, "second");
    eventually("the new password counts", || (status(&mut wire, "user", "second") == 200).then_some(()));
    assert_eq!(status(&mut wire, "user", "first"), 401);
    assert_eq!(server.log().matches("secrets cannot be read again").count(), 1);
}

/// A password in a folder that Kubernetes mounts was read again only when somebody asked for it.
#[test]
fn a_mounted_secret_counts_as_soon_as_it_is_replaced() {
    let dir = TempDir::new().unwrap();
    let mount = dir.path().join("secrets");
    fs::create_dir(&mount).unwrap();
    let replace = |version: &str, password: &str| {
        fs::create_dir(mount.join(version)).unwrap();
        fs::write(mount.join(version).join("spring.security.user.password"), password).unwrap();
        symlink(version, mount.join("..new")).unwrap();
        fs::rename(mount.join("..new"), mount.join("..data")).unwrap();
    };
    replace("..1", "first");
    symlink("..data/spring.security.user.password", mount.join("spring.security.user.password")).unwrap();
    let server = with_files(dir, &[format!("--spring.config.import=configtree:{}/", mount.display())]);
    let mut wire = server.connect();
    assert_eq!(status(&mut wire, "user", "first"), 200);
    replace("..2", "");
    eventually("it is told", || server.log().contains("no logins are set any more").then_some(()));
    assert_eq!((wire.ask(get("/eureka/apps", "")).status, status(&mut wire, "user", "first")), (401, 200));
    replace("..3", "second");
    eventually("the new password counts", || (status(&mut wire, "user", "second") == 200).then_some(()));
    assert_eq!(status(&mut wire, "user", "first"), 401);
}

#[test]
fn users_and_roles_change_with_a_hang_up() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("application.yml");
    let write = |roles: &str, name: &str| {
        let user = format!("{{name: {name}, password: pass, roles: {roles}}}");
        fs::write(&file, format!("eurekad:\n  security:\n    users:\n      - {user}\n")).unwrap();
    };
    write("read", "a");
    let server = with_files(dir, &[]);
    let mut wire = server.connect();
    assert_eq!((status(&mut wire, "a", "pass"), status(&mut wire, "b", "pass")), (200, 401));
    write("register", "b");
    server.signal("HUP");
    eventually("the new user counts", || (status(&mut wire, "b", "pass") == 403).then_some(()));
    assert_eq!(status(&mut wire, "a", "pass"), 401);
}

#[test]
fn who_did_what_is_written_down_and_no_secret_is() {
    let dir = TempDir::new().unwrap();
    let words = [
        "--spring.security.user.name=ops",
        "--spring.security.user.password=the-right-one",
        "--server.tomcat.accesslog.enabled=true",
        "--server.tomcat.accesslog.directory=/dev",
        "--server.tomcat.accesslog.prefix=stdout",
        "--server.tomcat.accesslog.pattern=%u %s %U",
        "--management.endpoints.web.exposure.include=*",
        "--logging.level.root=trace",
    ];
    let mut server = with_files(dir, &words.map(str::to_owned));
    let mut wire = server.connect();
    let ops = login("ops", "the-right-one");
    let level = "{\"configuredLevel\":\"DEBUG\"}";
    let json = format!("{ops}Content-Type: application/json\r\nContent-Length: {}\r\n", level.len());
    assert_eq!(wire.ask(request("POST", "/actuator/loggers/eurekad.http", &json) + level).status, 204);
    assert_eq!(wire.ask(request("PUT", "/eureka/apps/A/1/status?value=UP", &ops)).status, 404);
    assert_eq!(wire.ask(get("/eureka/apps", "")).status, 401);
    for _ in 0..3 {
        assert_eq!(status(&mut wire, "ops\nforged", "the-wrong-one"), 401);
    }
    assert_eq!(wire.ask(get("/eureka/apps", "Authorization: Bearer a-wrong-token\r\n")).status, 401);
    drop(wire);
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(0));
    let log = server.log();
    for expected in [
        "an operator's request was answered user=ops address=127.0.0.1 method=POST path=/actuator/loggers/eurekad.http status=204",
        "an operator's request was answered user=ops address=127.0.0.1 method=PUT path=/eureka/apps/A/1/status status=404",
        "a request was refused user=anonymous address=127.0.0.1 method=GET path=/eureka/apps reason=\"no login\"",
        "a request was refused user=\"ops\\nforged\" address=127.0.0.1 method=GET path=/eureka/apps reason=\"wrong login\"",
        "\nops 204 /actuator/loggers/eurekad.http\n",
        "\n- 401 /eureka/apps\n",
    ] {
        assert_eq!(log.matches(expected).count().min(1), 1, "{expected} is not in\n{log}");
    }
    assert_eq!(log.matches("user=\"ops\\nforged\"").count(), 1, "the same is told once a minute");
    for secret in ["the-right-one", "the-wrong-one", "a-wrong-token", basic("ops", "the-right-one").as_str()] {
        assert!(!log.contains(secret), "{secret}");
    }
}

/// A bcrypt hash takes its time, and heartbeats pay it once.
#[test]
fn a_hashed_password_is_right_over_sockets() {
    // Of `pass`, as libxcrypt hashes it.
    let hash = "--spring.security.user.password={bcrypt}$2a$04$gUmb6ts1FIWGnRaKJeJK5.K8/vorrLn6wmIIOxPwO9QWqPzW4oLrq";
    let server = Server::start(&[hash]);
    let mut wire = server.connect();
    assert_eq!(status(&mut wire, "user", "pass"), 200);
    assert_eq!(status(&mut wire, "user", "pass"), 200);
    assert_eq!(status(&mut wire, "user", "passe"), 401);
}

#[test]
fn a_server_that_is_open_beyond_its_machine_says_so_once() {
    const WARNING: &str = "everybody who reaches this server may change everything";
    let log = |words: &[&str]| {
        let mut server = Server::everywhere(TempDir::new().unwrap(), words);
        server.signal("TERM");
        assert_eq!(server.exit_code(), Some(0));
        server.log()
    };
    assert_eq!(log(&["--server.port=0"]).matches(WARNING).count(), 1);
    assert_eq!(log(&["--server.port=0", "--server.address=127.0.0.1"]).matches(WARNING).count(), 0);
    assert_eq!(log(&["--server.port=0", "--spring.security.user.password=x"]).matches(WARNING).count(), 0);
}
