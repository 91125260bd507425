//! Many readers, slow ones and the shutdown, over sockets of the binary.

use std::time::{Duration, Instant};

use super::reading::Parser;
use crate::sockets::memory::resident;
use crate::sockets::server::{SOON, Server, eventually};
use crate::sockets::wire::{Wire, get, heartbeat, instance, post, request};

/// A stream that has been answered.
fn open(server: &Server, query: &str) -> Wire {
    let mut wire = server.connect();
    wire.send(get(&format!("/eureka/events?{query}"), ""));
    let (status, head) = wire.head();
    assert_eq!(status, 200, "{head}");
    wire
}

/// A registration of a quarter of a megabyte: some of them fill whatever lies between a server and a reader.
fn large(n: usize) -> String {
    let entries: Vec<_> = (0..20).map(|key| format!("\"{key}\":\"{}\"", "x".repeat(12 << 10))).collect();
    let metadata = format!("\"metadata\":{{\"n\":\"{n}\",{}}},\"status\"", entries.join(","));
    post("ORDERS", &instance("ORDERS", "ord-0").replacen("\"status\"", &metadata, 1))
}

/// Reads until an event about this instance has come.
fn read_until(wire: &mut Wire, parser: &mut Parser, id: &str) {
    loop {
        while let Some(seen) = parser.next() {
            if seen.data["instance"] == id {
                return;
            }
        }
        parser.add(&wire.chunk().expect("not over"));
    }
}

#[test]
fn a_thousand_readers_hear_of_a_change_and_one_that_takes_nothing_is_dropped() {
    const READERS: usize = 1_000;
    let files = rlimit::increase_nofile_limit(4_096).expect("a limit");
    assert!(files > 1_200, "{files} files are too few for this test");
    let server = Server::start(&["--eurekad.http.max-connections=2000", "--logging.level.eurekad.ops=debug"]);
    server.fill("ORDERS", (0..10).map(|n| format!("ord-{n}")));
    let mut readers: Vec<_> = (0..READERS).map(|_| (open(&server, "app=STOCK"), Parser::default())).collect();
    let mut stalled = server.connect();
    stalled.take_little();
    stalled.send(get("/eureka/events", ""));
    assert_eq!(stalled.head().0, 200);

    let before = resident(&server);
    let mut writer = server.connect();
    let begin = Instant::now();
    for n in 0..60 {
        assert_eq!(writer.ask(large(n)).status, 204);
        assert_eq!(writer.ask(heartbeat("ORDERS", "ord-1")).status, 200);
    }
    assert!(begin.elapsed() < SOON * 10, "readers hold writers up");
    server.fill("STOCK", ["sto-1".to_owned()]);
    for (wire, parser) in &mut readers {
        read_until(wire, parser, "sto-1");
    }
    // The window, and what the kernel does not hold of connections.
    let grown = resident(&server).saturating_sub(before);
    assert!(grown < 64 << 20, "{grown} bytes");
    // After half a minute in which it took nothing.
    let dropped = |server: &Server| server.log().contains("a reader of events was too slow, it is closed");
    let patient = Instant::now();
    while !dropped(&server) {
        assert!(patient.elapsed() < Duration::from_mins(5), "it is never dropped");
        std::thread::sleep(Duration::from_millis(50));
    }
    // What the kernel still has for it would take long to read.
    eventually("it is closed", || (!stalled.try_send("G")).then_some(()));
    // The others are still there.
    server.fill("STOCK", ["sto-2".to_owned()]);
    for (wire, parser) in readers.iter_mut().take(10) {
        read_until(wire, parser, "sto-2");
    }
}

#[test]
fn a_quiet_stream_outlives_the_limits_of_a_connection() {
    let server = Server::start(&[
        "--eurekad.http.idle-timeout=500ms",
        "--eurekad.http.head-timeout=500ms",
        "--eurekad.http.request-timeout=500ms",
        "--eurekad.events.keep-alive=1",
    ]);
    let (mut wire, mut parser) = (open(&server, ""), Parser::default());
    // Each is a second later than the one before.
    let mut alive = 0;
    while alive < 3 {
        let chunk = wire.chunk().expect("not over");
        alive += usize::from(chunk.starts_with(b":\nid: "));
        parser.add(&chunk);
    }
    server.fill("ORDERS", ["ord-1".to_owned()]);
    read_until(&mut wire, &mut parser, "ord-1");
}

#[test]
fn a_shutdown_ends_streams_at_once_and_waits_for_no_stalled_one() {
    // Whoever waits for a reader waits so long.
    let mut server = Server::start(&["--spring.lifecycle.timeout-per-shutdown-phase=10m"]);
    server.fill("ORDERS", (0..10).map(|n| format!("ord-{n}")));
    let mut streams: Vec<_> = (0..20).map(|_| open(&server, "")).collect();
    let mut waiting = server.connect();
    let first = waiting.ask(get("/eureka/events/poll", "")).text();
    let id = first.split('"').nth(3).expect("an id").to_owned();
    waiting.send(get(&format!("/eureka/events/poll?since={id}&wait=60"), ""));
    let mut stalled = server.connect();
    stalled.take_little();
    stalled.send(get("/eureka/events", ""));
    let mut writer = server.connect();
    for n in 0..60 {
        assert_eq!(writer.ask(large(n)).status, 204);
    }
    eventually("the poll is answered", || waiting.hears_within(Duration::from_millis(1)).then_some(()));
    server.signal("TERM");
    for stream in &mut streams {
        // In the middle of an event, if it was not read for a second.
        eventually("a stream ends", || stream.is_closed().then_some(()));
    }
    assert_eq!(server.exit_code_within(SOON * 5), Some(0), "a reader holds the shutdown up");
    assert!(server.log().contains("all requests are answered"), "{}", server.log());
}

#[test]
fn case_105_a_reader_goes_on_after_its_connection_broke() {
    let server = Server::start(&["--server.servlet.context-path=/registry"]);
    let register = |id: &str| {
        let body = instance("ORDERS", id);
        let headers = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        let request = request("POST", "/registry/eureka/apps/ORDERS", &headers) + &body;
        assert_eq!(server.connect().ask(request).status, 204);
    };
    let stream = |headers: &str| {
        let mut wire = server.connect();
        wire.send(get("/registry/eureka/v2/events", headers));
        assert_eq!(wire.head().0, 200);
        (wire, Parser::default())
    };
    let (mut wire, mut parser) = stream("");
    register("ord-1");
    read_until(&mut wire, &mut parser, "ord-1");
    wire.vanish();
    register("ord-2");
    register("ord-3");
    let (mut wire, mut again) = stream(&format!("Last-Event-ID: {}\r\n", parser.last_id.expect("an id")));
    let mut seen = Vec::new();
    while seen.len() < 2 {
        again.add(&wire.chunk().expect("not over"));
        while let Some(event) = again.next() {
            seen.push(event.words());
        }
    }
    assert_eq!(seen, ["registered ORDERS/ord-2 ->UP", "registered ORDERS/ord-3 ->UP"]);
}

#[test]
fn a_peer_that_fails_is_told() {
    let peer = Server::start(&[]);
    let url = format!("--eureka.client.service-url.defaultZone=http://{}/eureka/", peer.address);
    let server = Server::start(&[&url]);
    let (mut wire, mut parser) = (open(&server, "kind=peer"), Parser::default());
    // It is there, and hears of this.
    server.fill("ORDERS", ["ord-1".to_owned()]);
    eventually("the peer is told", || (peer.hash_code() == "UP_1_").then_some(()));
    let address = peer.address;
    drop(peer);
    server.fill("ORDERS", ["ord-2".to_owned()]);
    let seen = loop {
        match parser.next().filter(|seen| seen.kind == "peer") {
            Some(seen) => break seen,
            None => parser.add(&wire.chunk().expect("not over")),
        }
    };
    assert_eq!((seen.data["state"].as_str(), seen.id.is_some()), (Some("down"), true));
    assert_eq!(seen.data["peer"], format!("http://{address}/eureka/"));
}
