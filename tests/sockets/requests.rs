//! Requests in all the ways that clients write them, and the answers byte by byte.

use super::server::Server;
use super::wire::{Answer, Wire, get, heartbeat, instance, register, request};

const JSON: &str = "Accept: application/json\r\n";

fn registered() -> (Server, Wire) {
    let server = Server::start(&[]);
    let mut wire = server.connect();
    assert_eq!(wire.ask(register("ORDERS", "ord-1")).status, 204);
    (server, wire)
}

/// The head's lines but the date, which may change between two answers, and the length of no body,
/// which HEAD need not name.
fn lines(answer: &Answer) -> Vec<&str> {
    answer.head.lines().filter(|line| !line.starts_with("Date: ") && *line != "Content-Length: 0").collect()
}

#[test]
fn case_002_a_heartbeat_is_answered_with_length_zero_and_not_a_byte_more() {
    let (_server, mut wire) = registered();
    for _ in 0..3 {
        wire.send(heartbeat("ORDERS", "ord-1"));
        wire.send(get("/eureka/apps/ORDERS/ord-1", JSON));
        let beat = wire.answer();
        assert_eq!((beat.status, beat.header("content-length")), (200, Some("0")));
        assert_eq!(beat.header("transfer-encoding"), None);
        // The next answer must begin right after the first one's head, or its status would not be there.
        let read = wire.answer();
        assert_eq!(read.status, 200);
        assert!(read.head.starts_with("HTTP/1.1 200 "), "{}", read.head);
        assert!(read.text().starts_with("{\"instance\":{"));
    }
    assert_eq!(wire.ask(heartbeat("ORDERS", "ghost")).header("content-length"), Some("0"));
    assert_eq!(wire.ask(heartbeat("ORDERS", "ord-1")).status, 200);
}

#[test]
fn a_registration_is_answered_204_without_body_or_length() {
    let (_server, mut wire) = registered();
    let answer = wire.ask(register("ORDERS", "ord-2"));
    assert_eq!((answer.status, answer.header("content-length"), answer.header("transfer-encoding")), (204, None, None));
    assert_eq!(wire.ask(get("/eureka/apps", JSON)).status, 200);
}

#[test]
fn a8_a_connection_is_kept_until_somebody_says_close() {
    let (server, mut wire) = registered();
    for _ in 0..200 {
        assert_eq!(wire.ask(heartbeat("ORDERS", "ord-1")).header("connection"), None);
    }
    for close in ["Connection: close\r\n", "connection: CLOSE\r\n"] {
        let mut wire = server.connect();
        assert_eq!(wire.ask(request("PUT", "/eureka/apps/ORDERS/ord-1", "Connection: keep-alive\r\n")).status, 200);
        let last = wire.ask(request("PUT", "/eureka/apps/ORDERS/ord-1", close));
        assert_eq!((last.status, last.header("connection")), (200, Some("close")));
        wire.closed();
    }
}

#[test]
fn a8_http_1_0_is_answered() {
    let (server, _) = registered();
    let mut wire = server.connect();
    let answer = wire.ask("GET /eureka/apps/ORDERS/ord-1 HTTP/1.0\r\nAccept: application/json\r\n\r\n");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("transfer-encoding"), None);
    wire.closed();
    let mut wire = server.connect();
    let kept = "PUT /eureka/apps/ORDERS/ord-1 HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n";
    for _ in 0..2 {
        assert_eq!(wire.ask(kept).status, 200);
    }
}

#[test]
fn a8_header_names_come_in_any_case() {
    let (_server, mut wire) = registered();
    let plain = wire.ask(get("/eureka/apps", "Accept: application/json\r\nX-Eureka-Accept: compact\r\n"));
    assert!(plain.text().starts_with('{'));
    for headers in [
        "ACCEPT: application/json\r\nX-EUREKA-ACCEPT: compact\r\n",
        "accept:application/json\r\nx-eureka-accept:compact\r\n",
    ] {
        assert_eq!(wire.ask(get("/eureka/apps", headers)).body, plain.body, "{headers}");
    }
    let body = instance("ORDERS", "ord-2");
    let shouted = format!(
        "POST /eureka/apps/ORDERS HTTP/1.1\r\nHOST: x\r\nCONTENT-TYPE: application/json\r\nCONTENT-LENGTH: {}\r\n\r\n{body}",
        body.len()
    );
    assert_eq!(wire.ask(shouted).status, 204);
}

#[test]
fn a8_a_target_may_be_a_whole_url() {
    let (_server, mut wire) = registered();
    for path in ["/eureka/apps/ORDERS/ord-1", "/eureka/v2/apps/ORDERS/ord-1/", "/eureka//apps/ORDERS/ord-1"] {
        assert_eq!(wire.ask(get(path, JSON)), wire.ask(get(&format!("http://elsewhere.test:1{path}"), JSON)), "{path}");
    }
    assert_eq!(wire.ask(request("PUT", "http://a.test/eureka/apps/ORDERS/ord-1?status=UP", "")).status, 200);
    assert_eq!(wire.ask(request("PUT", "http://a.test/eureka/apps/ORDERS/ghost", "")).status, 404);
}

#[test]
fn odd_targets_are_misses_and_keep_the_connection() {
    let (_server, mut wire) = registered();
    for (method, target) in
        [("OPTIONS", "*"), ("GET", "http://a.test/nothing"), ("CONNECT", "a.test:443"), ("BREW", "/eureka")]
    {
        let answer = wire.ask(request(method, target, ""));
        assert_eq!((answer.status, answer.body.len()), (404, 0), "{method} {target}");
    }
    assert_eq!(wire.ask(heartbeat("ORDERS", "ord-1")).status, 200);
}

#[test]
fn pipelined_requests_are_answered_in_their_order() {
    let (_server, mut wire) = registered();
    let unread = request("PUT", "/eureka/apps/ORDERS/ghost", "Content-Length: 4\r\n") + "junk";
    let one = [heartbeat("ORDERS", "ord-1"), get("/eureka/apps", JSON), unread].concat();
    wire.send(one.repeat(100));
    for _ in 0..100 {
        assert_eq!(wire.answer().status, 200);
        assert!(wire.answer().text().contains("ord-1"));
        assert_eq!(wire.answer().status, 404);
    }
}

#[test]
fn head_has_the_headers_of_get_and_no_body() {
    let (_server, mut wire) = registered();
    for path in [
        "/eureka/apps",
        "/eureka/apps/",
        "/eureka/apps/delta",
        "/eureka/apps/ORDERS",
        "/eureka/apps/ORDERS/ord-1",
        "/eureka/instances/ord-1",
        "/eureka/vips/orders",
        "/eureka/apps/GHOSTS",
        "/eureka/apps/ORDERS/ghost",
        "/eureka/nowhere",
    ] {
        for headers in ["", JSON, "Accept: application/json\r\nAccept-Encoding: gzip\r\n"] {
            let read = wire.ask(get(path, headers));
            wire.send(request("HEAD", path, headers));
            let (status, head) = wire.head();
            let head = Answer { status, head, body: Vec::new() };
            assert_eq!((head.status, lines(&head)), (read.status, lines(&read)), "{path} {headers}");
        }
    }
}

#[test]
fn a_client_that_says_no_more_is_still_answered() {
    let (server, _) = registered();
    for (request, status) in [
        (get("/eureka/apps", JSON), 200),
        (heartbeat("ORDERS", "ord-1"), 200),
        (register("ORDERS", "ord-2"), 204),
        (get("/eureka/apps/GHOSTS", JSON), 404),
    ] {
        let mut wire = server.connect();
        // The server is to find request and end at the same time.
        server.signal("STOP");
        wire.send(request);
        wire.half_close();
        server.signal("CONT");
        assert_eq!(wire.answer().status, status);
        wire.closed();
    }
}

#[test]
fn an_offer_to_speak_http_2_is_not_taken() {
    let (_server, mut wire) = registered();
    let offer =
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAA\r\n";
    for _ in 0..3 {
        assert_eq!(wire.ask(get("/eureka/apps", offer)).status, 200);
        assert_eq!(wire.ask(request("PUT", "/eureka/apps/ORDERS/ord-1", offer)).status, 200);
    }
}

#[test]
fn no_request_at_all_is_400_or_nothing() {
    let (server, _) = registered();
    for nonsense in
        ["hello\r\n\r\n", "GET\r\n\r\n", "GET /eureka/apps HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\r\n\r\n"]
    {
        let mut wire = server.connect();
        let answer = wire.ask(nonsense);
        assert_eq!((answer.status, answer.header("content-length")), (400, Some("0")), "{nonsense}");
        wire.closed();
    }
    let mut wire = server.connect();
    wire.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    wire.closed();
}
