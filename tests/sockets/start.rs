//! The start of the process: arguments, settings, port, and the first requests.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::server::{SOON, Server, command, output};
use super::wire::{get, heartbeat, register};

#[test]
fn help_and_version_are_printed_and_nothing_is_started() {
    let dir = tempfile::tempdir().expect("a folder");
    let help = output(command(dir.path(), &["--help"]));
    assert!(help.status.success());
    let help = String::from_utf8(help.stdout).expect("text");
    assert!(help.contains("eurekad [COMMAND] [--PROPERTY=VALUE]..."), "{help}");
    assert!(!help.contains("listening"));
    let version = output(command(dir.path(), &["--version"]));
    assert!(version.status.success());
    assert_eq!(version.stdout, concat!("eurekad ", env!("CARGO_PKG_VERSION"), "\n").as_bytes());
    let wrong = output(command(dir.path(), &["swim"]));
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("swim"));
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let dir = tempfile::tempdir().expect("a folder");
    for address in ["--server.address=127.0.0.1", "--server.address="] {
        let ended = output(command(dir.path(), &[&format!("--server.port={port}"), address]));
        assert_eq!(ended.status.code(), Some(1), "{address}");
        let said = String::from_utf8(ended.stderr).expect("text");
        assert!(said.contains(&format!("cannot listen on port {port} (server.port)")), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn all_mistakes_in_the_settings_are_told_with_exit_code_78() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("application.yml"), "eureka:\n  server:\n    enable-self-preservation: perhaps\n")
        .expect("a file");
    let mut wrong = command(dir.path(), &["--server.port=many", "--eurekad.http.idle-timeout=soon"]);
    wrong.env("EUREKA_SERVER_RENEWAL_PERCENT_THRESHOLD", "most");
    let ended = output(wrong);
    assert_eq!(ended.status.code(), Some(78));
    let said = String::from_utf8(ended.stderr).expect("text");
    for mistake in [
        "enable-self-preservation = \"perhaps\" (application.yml line 3)",
        "renewal-percent-threshold = \"most\" (environment variable EUREKA_SERVER_RENEWAL_PERCENT_THRESHOLD)",
        "server.port = \"many\" (argument)",
        "eurekad.http.idle-timeout = \"soon\" (argument)",
    ] {
        assert!(said.contains(mistake), "{mistake} is not in:\n{said}");
    }
    assert!(ended.stdout.is_empty(), "it has begun: {}", String::from_utf8_lossy(&ended.stdout));
}

#[test]
fn words_win_over_the_environment_and_that_over_files() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(dir.path().join("config")).expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).expect("a file");
    // Each sets what the ones after it do not, and what they do wrongly.
    write(
        "application.properties",
        "server.servlet.context-path=/files\nserver.port=1\neureka.server.disable-delta=true\n",
    );
    write("config/application.yml", "server:\n  servlet:\n    context-path: /config\n  port: 2\n");
    let mut mixed = command(dir.path(), &[]);
    mixed.env("SERVER_PORT", "3").env("SERVER_SERVLET_CONTEXT_PATH", "/environment");
    let server = Server::run(mixed, None);
    let mut wire = server.connect();
    assert_eq!(wire.ask(get("/environment/eureka/apps", "")).status, 200);
    assert_eq!(wire.ask(get("/config/eureka/apps", "")).status, 404);
    assert_eq!(wire.ask(get("/environment/eureka/apps/delta", "")).status, 403, "from the file");
    drop(server);
    let mut from_files = command(dir.path(), &["--eureka.server.disable-delta=false"]);
    from_files.env("UNRELATED", "1");
    let server = Server::run(from_files, None);
    let mut wire = server.connect();
    assert_eq!(wire.ask(get("/config/eureka/apps", "")).status, 200);
    assert_eq!(wire.ask(get("/config/eureka/apps/delta", "")).status, 200, "the word wins");
}

#[test]
fn what_is_probably_a_mistake_is_warned_about() {
    let server = Server::start(&["--eureka.server.eviction-interval-timer-in-msec=5"]);
    let log = server.log();
    let warning = log.lines().find(|line| line.contains("WARN")).expect("a warning");
    assert!(warning.contains("eviction-interval-timer-in-ms"), "{warning}");
}

#[test]
fn case_032_the_first_answers_are_as_good_as_any() {
    // Not a port from the system's choice: who asks for such a one often enough is connected to itself.
    let address: SocketAddr = (21_000 + std::process::id() % 8_000..30_000)
        .filter_map(|port| Some(SocketAddr::from(([127, 0, 0, 1], u16::try_from(port).ok()?))))
        .find(|address| TcpListener::bind(address).is_ok())
        .expect("a port");
    let (begin, done) = (Instant::now(), AtomicBool::new(false));
    let attempt = |request: &str| -> Option<String> {
        let mut socket = TcpStream::connect(address).ok()?;
        socket.set_read_timeout(Some(SOON)).expect("an option");
        socket.write_all(request.as_bytes()).ok()?;
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).ok()?;
        Some(String::from_utf8_lossy(&answer).into_owned())
    };
    let closing =
        |request: String| request.replacen("Host: localhost\r\n", "Host: localhost\r\nConnection: close\r\n", 1);
    let requests = [
        closing(register("ORDERS", "ord-1")),
        closing(get("/eureka/apps", "Accept: application/json\r\n")),
        closing(get("/eureka/apps/delta", "")),
        closing(heartbeat("ORDERS", "ord-1")),
    ];
    let answers = std::thread::scope(|scope| {
        let hammers: Vec<_> = (0..requests.len())
            .map(|n| {
                let (request, attempt, done) = (&requests[n], &attempt, &done);
                scope.spawn(move || {
                    let mut answers = Vec::new();
                    while !done.load(Ordering::Relaxed) && begin.elapsed() < SOON {
                        answers.extend(attempt(request));
                    }
                    answers
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(100));
        let dir = tempfile::tempdir().expect("a folder");
        let server = Server::run(command(dir.path(), &[&format!("--server.port={}", address.port())]), None);
        std::thread::sleep(Duration::from_millis(500));
        done.store(true, Ordering::Relaxed);
        let answers: Vec<Vec<String>> = hammers.into_iter().map(|hammer| hammer.join().expect("answers")).collect();
        drop(server);
        answers
    });
    let documented: [&[&str]; 4] = [&["204"], &["200"], &["200"], &["200", "404"]];
    for (answers, documented) in answers.iter().zip(documented) {
        assert!(answers.len() > 10, "only {} answers", answers.len());
        for answer in answers {
            let status = answer.split(' ').nth(1).unwrap_or_default();
            assert!(documented.contains(&status), "{answer}");
        }
    }
}
