//! Bodies of requests: whatever comes with a heartbeat, in pieces, in chunks, and on demand.

use std::fmt::Write as _;
use std::time::Duration;

use super::server::Server;
use super::wire::{Wire, get, heartbeat, instance, register, request};

const BEAT: &str = "/eureka/apps/ORDERS/ord-1";
const A_MOMENT: Duration = Duration::from_millis(50);

fn registered(words: &[&str]) -> (Server, Wire) {
    let server = Server::start(words);
    let mut wire = server.connect();
    assert_eq!(wire.ask(register("ORDERS", "ord-1")).status, 204);
    (server, wire)
}

#[test]
fn a7_nobody_reads_the_body_of_a_put() {
    let (_server, mut wire) = registered(&[]);
    for path in [BEAT, "/eureka/apps/ORDERS/ord-1/status?value=UP", "/eureka/apps/ORDERS/ord-1/metadata?zone=z1"] {
        for body in [
            "Content-Length: 0\r\n\r\n",
            "\r\n",
            "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
            "Content-Type: application/json\r\nContent-Length: 0\r\n\r\n",
            "Content-Type: application/json\r\n\r\n",
            "Content-Length: 2\r\n\r\n{}",
            "Content-Type: text/plain\r\nContent-Length: 4\r\n\r\njunk",
            "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{\"instance",
            "Content-Type: ???\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\0\0\0",
            "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ] {
            let answer = wire.ask(format!("PUT {path} HTTP/1.1\r\nHost: localhost\r\n{body}"));
            assert_eq!((answer.status, answer.header("content-length")), (200, Some("0")), "{path} {body}");
        }
    }
}

#[test]
fn a7_the_body_of_a_put_may_come_after_its_answer() {
    // The head time is short, so that a body taken for the beginning of a request would show.
    let (_server, mut wire) = registered(&["--eurekad.http.head-timeout=500ms"]);
    for path in [BEAT, "/eureka/apps/ORDERS/ghost", "/eureka/nowhere"] {
        let status = if path == BEAT { 200 } else { 404 };
        for headers in ["Content-Length: 9\r\n", "Transfer-Encoding: chunked\r\n"] {
            let answer = wire.ask(request("PUT", path, headers));
            assert_eq!((answer.status, answer.header("connection")), (status, None), "{path} {headers}");
            let pieces = if headers.starts_with("Content") {
                ["{\"a\"", ":", "\"b\"}"]
            } else {
                ["4\r\n{", "\"a\"\r", "\n0\r\n\r\n"]
            };
            for piece in pieces {
                std::thread::sleep(A_MOMENT);
                wire.send(piece);
            }
            std::thread::sleep(Duration::from_millis(700));
            assert_eq!(wire.ask(heartbeat("ORDERS", "ord-1")).status, 200, "{path} {headers}");
        }
    }
}

#[test]
fn a_body_comes_in_pieces() {
    let (_server, mut wire) = registered(&[]);
    let whole = register("ORDERS", "ord-2");
    for piece in whole.as_bytes().chunks(whole.len() / 20) {
        wire.send(piece);
        std::thread::sleep(A_MOMENT / 10);
    }
    assert_eq!(wire.answer().status, 204);
    assert_eq!(wire.ask(heartbeat("ORDERS", "ord-2")).status, 200);
}

#[test]
fn a8_a_body_comes_in_chunks() {
    let (_server, mut wire) = registered(&[]);
    let body = instance("ORDERS", "ord-2");
    let mut chunked = request(
        "POST",
        "/eureka/apps/ORDERS",
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n",
    );
    for piece in body.as_bytes().chunks(7) {
        let piece = std::str::from_utf8(piece).expect("ASCII");
        write!(chunked, "{:x};ext=\"1\"\r\n{piece}\r\n", piece.len()).expect("written");
    }
    chunked += "0\r\nX-Sum: 1\r\n\r\n";
    assert_eq!(wire.ask(&chunked).status, 204);
    assert_eq!(wire.ask(heartbeat("ORDERS", "ord-2")).status, 200);
    let (head, _) = chunked.split_once("\r\n\r\n").expect("a head");
    let answer = wire.ask(format!("{head}\r\n\r\nzz\r\nno chunk\r\n"));
    assert_eq!(answer.status, 400, "{}", answer.text());
}

#[test]
fn a8_the_body_is_asked_for_before_it_is_sent() {
    let (_server, mut wire) = registered(&[]);
    let body = instance("ORDERS", "ord-2");
    let registration =
        format!("Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: {}\r\n", body.len());
    let junk = "Expect: 100-continue\r\nContent-Length: 4\r\n";
    for (head, body, status) in [
        (request("POST", "/eureka/apps/ORDERS", &registration), body.as_str(), 204),
        (request("PUT", BEAT, junk), "junk", 200),
        (request("PUT", "/eureka/apps/ORDERS/ghost", junk), "junk", 404),
        (request("POST", "/eureka/nowhere", junk), "junk", 404),
        (request("POST", "/eureka/apps/ORDERS", junk), "junk", 415),
    ] {
        wire.send(&head);
        assert_eq!(wire.head().0, 100, "{head}");
        assert_eq!(wire.ask(body).status, status, "{head}");
        // A client may send the body without waiting, too.
        wire.send(format!("{head}{body}"));
        assert_eq!((wire.head().0, wire.answer().status), (100, status), "{head}");
    }
    let nothing = request("PUT", BEAT, "Expect: 100-continue\r\nContent-Length: 0\r\n");
    assert_eq!(wire.ask(nothing).status, 200);
    assert!(wire.ask(get("/eureka/apps", "Accept: application/json\r\n")).text().contains("ord-2"));
}

#[test]
fn a_body_that_breaks_off_registers_nobody() {
    let (server, mut wire) = registered(&[]);
    let whole = register("ORDERS", "ord-2");
    let most = &whole[..whole.len() - 1];
    let mut half = server.connect();
    half.send(most);
    half.half_close();
    let answer = half.answer();
    assert_eq!((answer.status, answer.text().contains("broke off")), (400, true));
    half.closed();
    let mut gone = server.connect();
    gone.send(most);
    gone.vanish();
    assert_eq!(wire.ask(heartbeat("ORDERS", "ord-2")).status, 404);
}
