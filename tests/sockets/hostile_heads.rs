//! Heads made to be read in two ways, or to cost much.

use super::bystander::{Bystander, ROUNDS};
use super::server::{Server, eventually};
use super::wire::{get, heartbeat, register, request};

const KEPT: &str = "/eureka/apps/ORDERS/ord-1";

/// What must not be done: it stands where one reader of HTTP sees a body and another a request.
fn smuggled() -> String {
    request("DELETE", KEPT, "")
}

#[test]
fn a_request_within_a_request_is_never_done() {
    let server = Server::start(&[]);
    server.fill("ORDERS", ["ord-1".to_owned()]);
    let others = Bystander::of(&server);
    let hidden = smuggled();
    let length = hidden.len();
    let post = |headers: &str, body: &str| {
        format!("POST /eureka/apps/ORDERS HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n{headers}\r\n{body}")
    };
    let chunked = format!("0\r\n\r\n{hidden}");
    let all = chunked.len();
    let hiding = [
        (
            "a length and then chunks",
            post(&format!("Content-Length: {all}\r\nTransfer-Encoding: chunked\r\n"), &chunked),
        ),
        (
            "chunks and then a length",
            post(&format!("Transfer-Encoding: chunked\r\nContent-Length: {all}\r\n"), &chunked),
        ),
        ("two lengths", post(&format!("Content-Length: 0\r\nContent-Length: {length}\r\n"), &hidden)),
        ("two lengths in one", post(&format!("Content-Length: 0, {length}\r\n"), &hidden)),
        ("a length with a sign", post("Content-Length: +0\r\n", &hidden)),
        ("a negative length", post("Content-Length: -1\r\n", &hidden)),
        ("a length in hexadecimal", post("Content-Length: 0x0\r\n", &hidden)),
        ("a length of more than 64 bits", post("Content-Length: 18446744073709551616\r\n", &hidden)),
        ("an unknown coding", post("Transfer-Encoding: xchunked\r\n", &hidden)),
        ("chunks that are packed last", post("Transfer-Encoding: chunked, gzip\r\n", &hidden)),
        ("a coding that is none", post("Transfer-Encoding: identity\r\n", &hidden)),
        ("a blank before the colon", post(&format!("Content-Length: 0\r\nContent-Length : {length}\r\n"), &hidden)),
        (
            "a blank before the colon of a coding",
            post(&format!("Transfer-Encoding : chunked\r\nContent-Length: {all}\r\n"), &chunked),
        ),
        ("a folded header", post(&format!("X-A: b\r\n Content-Length: {length}\r\nContent-Length: 0\r\n"), &hidden)),
        ("a folded coding", post(&format!("Transfer-Encoding:\r\n chunked\r\nContent-Length: {all}\r\n"), &chunked)),
        (
            "a carriage return alone",
            post(&format!("X-A: b\rContent-Length: {length}\r\nContent-Length: 0\r\n"), &hidden),
        ),
        (
            "a zero byte in a value",
            post(&format!("X-A: \0\r\nContent-Length: {length}\r\nContent-Length: 0\r\n"), &hidden),
        ),
        ("a zero byte in a name", post("X-\0A: b\r\nContent-Length: 0\r\n", &hidden)),
        (
            "chunks in HTTP/1.0",
            post(&format!("Transfer-Encoding: chunked\r\nContent-Length: {all}\r\n"), &chunked)
                .replacen("1.1", "1.0", 1),
        ),
    ];
    for (what, request) in hiding.iter().cycle().take(hiding.len() * ROUNDS) {
        let mut wire = server.connect();
        wire.try_send(request);
        let status = wire.try_status();
        assert!(matches!(status, Some(400) | None), "{what}: {status:?}");
        eventually(what, || wire.is_closed().then_some(()));
        assert_eq!(server.connect().ask(get(KEPT, "")).status, 200, "{what}");
    }
    others.was_answered("requests hide requests");
}

#[test]
fn heads_without_end_are_refused() {
    let server = Server::start(&[]);
    let others = Bystander::of(&server);
    #[cfg(target_os = "linux")]
    let before = super::memory::resident(&server);
    let megabyte = "x".repeat(1 << 20);
    for (what, head) in [
        ("a value of 1 MB", get("/eureka/apps", &format!("X-A: {megabyte}\r\n"))),
        ("a name of 1 MB", get("/eureka/apps", &format!("{megabyte}: x\r\n"))),
        ("a target of 1 MB", get(&format!("/eureka/apps/{megabyte}"), "")),
        ("a method of 1 MB", request(&megabyte, "/eureka/apps", "")),
        ("100,000 headers", get("/eureka/apps", &"A: b\r\n".repeat(100_000))),
        ("lines without end", "\r\n".repeat(1 << 20)),
        ("no line at all", megabyte.clone()),
    ] {
        for _ in 0..20 {
            let mut wire = server.connect();
            wire.try_send(&head);
            let status = wire.try_status();
            assert!(matches!(status, Some(400 | 414 | 431) | None), "{what}: {status:?}");
            eventually(what, || wire.is_closed().then_some(()));
        }
    }
    #[cfg(target_os = "linux")]
    assert!(super::memory::resident(&server) < before + (64 << 20));
    others.was_answered("heads are large");
}

#[test]
fn a_path_leads_nowhere_else() {
    let server = Server::start(&["--management.endpoints.web.base-path=/manage"]);
    server.fill("ORDERS", ["ord-1".to_owned()]);
    let others = Bystander::of(&server);
    let mut wire = server.connect();
    let paths = [
        "/eureka/apps/..%2f..",
        "/eureka/apps/..%2f..%2fmanage%2fhealth",
        "/eureka/apps/%2e%2e/%2e%2e/manage/health",
        "/eureka/apps/../../manage/health",
        "/eureka/%2e%2e/manage/health",
        "/eureka/apps/ORDERS/..%2ford-1",
        "/eureka/apps/ORDERS%00/ord-1",
        "/eureka/apps/ORDERS/ord-1%00",
        "/eureka/apps/ORDERS/ord-1%0d%0aX-Injected:%20yes",
        "/eureka/apps/ORDERS/%",
        "/eureka/apps/ORDERS/%zz",
        "/eureka/apps/ORDERS/%c0%af",
        "/eureka/apps/ORDERS/%ff%fe",
        "/eureka/apps/ORDERS/%u006frd-1",
        "/eureka/apps/ORDERS\\ord-1",
        "/eureka/apps%2fORDERS/ord-1",
        "/eureka%2fapps/ORDERS/ord-1",
        "/eureka/apps/ORDERS/ord-1/..;/status",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/eureka/apps/ORDERS/ord%252d1",
        "http://user:pass@other.test/etc/passwd",
        "file:///etc/passwd",
    ];
    for path in paths.iter().cycle().take(paths.len() * ROUNDS) {
        for method in ["GET", "PUT", "DELETE"] {
            let Some(answer) = wire.try_ask(request(method, path, "")) else {
                wire = server.connect();
                continue;
            };
            assert!(matches!(answer.status, 400 | 404 | 405), "{method} {path}: {}", answer.status);
            assert!(!answer.head.contains("X-Injected"), "{}", answer.head);
            if answer.header("connection") == Some("close") || wire.is_closed() {
                wire = server.connect();
            }
        }
    }
    for bytes in [
        &b"GET /eureka/apps/\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n"[..],
        b"GET /eureka/apps/\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n",
    ] {
        let mut wire = server.connect();
        wire.send(bytes);
        let status = wire.try_status();
        assert!(matches!(status, Some(400 | 404)), "{status:?}");
    }
    let mut wire = server.connect();
    for target in [
        "CONNECT other.test:443",
        "CONNECT 127.0.0.1:22",
        "GET http://127.0.0.1:1/eureka/apps/GHOSTS",
        "TRACE /eureka/apps",
    ] {
        let answer = wire.ask(format!("{target} HTTP/1.1\r\nHost: a\r\nCookie: secret\r\n\r\n"));
        assert!(matches!(answer.status, 404 | 405), "{target}: {}", answer.status);
        assert!(!answer.text().contains("secret"), "{target}");
    }
    assert_eq!(wire.ask(heartbeat("ORDERS", "ord-1")).status, 200);
    assert_eq!(wire.ask(register("ORDERS", "ord-1")).status, 204);
    others.was_answered("paths are odd");
}
