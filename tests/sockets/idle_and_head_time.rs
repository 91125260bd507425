//! How long a connection may be quiet, and how long a request may take to arrive.

use std::time::{Duration, Instant};

use super::server::Server;
use super::wire::{get, heartbeat, instance, register, request};

const HEAD: Duration = Duration::from_millis(500);
const IDLE: Duration = Duration::from_secs(4);
/// What may come on top of a limit on a busy machine.
const TEN_TIMES: u32 = 10;

fn server() -> Server {
    let server = Server::start(&["--eurekad.http.head-timeout=500ms", "--eurekad.http.idle-timeout=4s"]);
    server.fill("ORDERS", ["ord-1".to_owned()]);
    server
}

#[track_caller]
fn lasted(time: Duration, limit: Duration) {
    assert!(time >= limit, "closed after {time:?} already, {limit:?} are allowed");
    assert!(time < limit * TEN_TIMES, "kept for {time:?}, {limit:?} are allowed");
}

#[test]
fn case_031_quiet_between_requests_is_not_quiet_within_one() {
    let server = server();
    let mut wire = server.connect();
    for _ in 0..2 {
        assert_eq!(wire.ask(heartbeat("ORDERS", "ord-1")).status, 200);
        std::thread::sleep(HEAD * 2);
    }
    assert_eq!(wire.ask(heartbeat("ORDERS", "ord-1")).status, 200);
    let begin = Instant::now();
    wire.send("PUT /eureka/apps/ORDERS/ord-1 HTTP/1.1\r\nHost: local");
    wire.closed();
    lasted(begin.elapsed(), HEAD);
}

#[test]
fn no_answer_shortens_the_quiet_after_it() {
    let server = server();
    let mut wire = server.connect();
    for request in [
        get("/eureka/apps", ""),
        request("HEAD", "/eureka/apps", ""),
        register("ORDERS", "ord-2"),
        get("/eureka/apps/GHOSTS", ""),
        request("OPTIONS", "/eureka/apps", ""),
    ] {
        wire.send(&request);
        if request.starts_with("HEAD") {
            wire.head();
        } else {
            wire.answer();
        }
        std::thread::sleep(HEAD * 5 / 4);
    }
    assert_eq!(wire.ask(heartbeat("ORDERS", "ord-1")).status, 200);
}

#[test]
fn a_connection_that_never_speaks_is_closed_after_the_head_time() {
    let server = server();
    let begin = Instant::now();
    server.connect().closed();
    lasted(begin.elapsed(), HEAD);
}

#[test]
fn a_connection_without_a_next_request_is_closed_after_the_idle_time() {
    let server = server();
    let mut wire = server.connect();
    let begin = Instant::now();
    assert_eq!(wire.ask(heartbeat("ORDERS", "ord-1")).status, 200);
    wire.closed();
    lasted(begin.elapsed(), IDLE);
}

#[test]
fn a_head_that_trickles_in_gains_no_time() {
    let server = server();
    let mut wire = server.connect();
    assert_eq!(wire.ask(heartbeat("ORDERS", "ord-1")).status, 200);
    let begin = Instant::now();
    wire.send("GET /eureka/apps HTTP/1.1\r\nX: ");
    while wire.try_send("x") && begin.elapsed() < HEAD * TEN_TIMES {
        std::thread::sleep(Duration::from_millis(50));
    }
    lasted(begin.elapsed(), HEAD);
}

const BODY: Duration = Duration::from_secs(1);

#[test]
fn a_body_that_takes_too_long_is_answered_408() {
    let server = Server::start(&["--eurekad.http.request-timeout=1s"]);
    let body = instance("ORDERS", "ord-1");
    let head = request(
        "POST",
        "/eureka/apps/ORDERS",
        &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()),
    );
    for trickles in [false, true] {
        let mut wire = server.connect();
        let begin = Instant::now();
        wire.send(&head);
        let mut bytes = body.as_bytes().iter();
        while !wire.hears_within(Duration::from_millis(50)) && begin.elapsed() < BODY * TEN_TIMES {
            if trickles {
                wire.send([*bytes.next().expect("a long body")]);
            }
        }
        lasted(begin.elapsed(), BODY);
        let answer = wire.answer();
        assert_eq!((answer.status, answer.header("connection"), answer.body.len()), (408, Some("close"), 0));
        wire.closed();
    }
}

#[test]
fn an_operators_body_that_takes_too_long_is_answered_408() {
    let server = Server::start(&[
        "--eurekad.http.request-timeout=1s",
        "--management.endpoints.web.exposure.include=loggers,serviceregistry,refresh",
    ]);
    for path in ["/eureka/operations/drain", "/actuator/loggers/ROOT", "/actuator/serviceregistry"] {
        let mut wire = server.connect();
        let begin = Instant::now();
        wire.send(request("POST", path, "Content-Type: application/json\r\nContent-Length: 100\r\n") + "{");
        assert!(wire.hears_within(BODY * TEN_TIMES), "{path}");
        lasted(begin.elapsed(), BODY);
        let answer = wire.answer();
        assert_eq!((answer.status, answer.header("connection")), (408, Some("close")), "{path}");
        assert!(answer.text().contains("the request took too long to arrive"), "{path}: {}", answer.text());
        wire.closed();
    }
    let mut wire = server.connect();
    let unread = request("POST", "/actuator/refresh", "Content-Type: application/json\r\nContent-Length: 100\r\n");
    assert_eq!(wire.ask(unread).status, 200, "nobody reads it");
}

#[test]
fn a_body_that_nobody_reads_has_as_much_time() {
    let server = Server::start(&["--eurekad.http.request-timeout=1s"]);
    let mut wire = server.connect();
    let begin = Instant::now();
    wire.send(request("PUT", "/eureka/apps/ORDERS/ghost", "Content-Length: 4\r\n"));
    assert_eq!(wire.answer().status, 404);
    wire.closed();
    lasted(begin.elapsed(), BODY);
}
