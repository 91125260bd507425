//! The end of the process.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::server::{SOON, Server, eventually};
use super::wire::{heartbeat, register, request};

#[test]
fn both_signals_end_it_with_exit_code_0() {
    for signal in ["TERM", "INT"] {
        let mut server = Server::start(&[]);
        server.fill("ORDERS", ["ord-1".to_owned()]);
        let mut idle = server.connect();
        assert_eq!(idle.ask(heartbeat("ORDERS", "ord-1")).status, 200);
        let silent = server.connect();
        let begin = Instant::now();
        server.signal(signal);
        assert_eq!(server.exit_code(), Some(0), "{signal}");
        assert!(begin.elapsed() < Duration::from_secs(10), "idle connections hold it up");
        assert!(server.log().contains("all requests are answered"), "{}", server.log());
        idle.closed();
        silent.closed();
    }
}

#[test]
fn a_running_request_is_finished_and_no_new_one_is_begun() {
    let mut server = Server::start(&[]);
    let whole = register("ORDERS", "ord-1");
    let (half, rest) = whole.split_at(whole.len() - 10);
    let mut running = server.connect();
    running.send(half);
    // The handler is at work once another connection's request that was sent later is answered.
    assert_eq!(server.connect().ask(heartbeat("ORDERS", "ghost")).status, 404);
    server.signal("TERM");
    eventually("new connections are refused", || TcpStream::connect(server.address).is_err().then_some(()));
    assert!(!running.hears_within(Duration::from_millis(300)));
    let answer = running.ask(rest);
    assert_eq!((answer.status, answer.header("connection")), (204, Some("close")));
    running.closed();
    assert_eq!(server.exit_code(), Some(0));
}

#[test]
fn nobody_waits_for_a_body_that_is_not_read() {
    let mut server = Server::start(&[]);
    let mut owing = server.connect();
    assert_eq!(owing.ask(request("PUT", "/eureka/apps/ORDERS/ghost", "Content-Length: 4\r\n")).status, 404);
    let begin = Instant::now();
    server.signal("TERM");
    owing.closed();
    assert_eq!(server.exit_code(), Some(0));
    assert!(begin.elapsed() < Duration::from_secs(10), "it waits for the rest of a request that is answered");
}

#[test]
fn what_does_not_end_within_the_limit_is_cut_off() {
    const LIMIT: Duration = Duration::from_secs(1);
    let mut server = Server::start(&["--spring.lifecycle.timeout-per-shutdown-phase=1s"]);
    let whole = register("ORDERS", "ord-1");
    let mut stuck = server.connect();
    stuck.send(&whole[..whole.len() - 1]);
    assert_eq!(server.connect().ask(heartbeat("ORDERS", "ghost")).status, 404);
    let begin = Instant::now();
    server.signal("TERM");
    stuck.closed();
    assert_eq!(server.exit_code(), Some(0));
    let lasted = begin.elapsed();
    assert!(lasted >= LIMIT && lasted < LIMIT * 10, "{lasted:?}");
    assert!(server.log().contains("some requests were cut off"), "{}", server.log());
}

#[test]
fn immediately_means_without_waiting() {
    let mut server = Server::start(&["--server.shutdown=immediate"]);
    let whole = register("ORDERS", "ord-1");
    let mut stuck = server.connect();
    stuck.send(&whole[..whole.len() - 1]);
    assert_eq!(server.connect().ask(heartbeat("ORDERS", "ghost")).status, 404);
    let begin = Instant::now();
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(0));
    assert!(begin.elapsed() < SOON / 2);
}
