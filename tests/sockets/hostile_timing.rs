//! Clients that take their time, and many of them.

use std::time::Duration;

use super::bystander::Bystander;
use super::server::{Server, eventually};
use super::wire::{Wire, get, heartbeat, register, request};

#[test]
fn who_sends_byte_by_byte_does_not_keep_a_connection() {
    const CLIENTS: usize = 200;
    let server = Server::start(&["--eurekad.http.head-timeout=1s", "--eurekad.http.request-timeout=1s"]);
    let others = Bystander::of(&server);
    let head = get("/eureka/apps", &format!("X-Fill: {}\r\n", "x".repeat(10_000)));
    let body = register("SLOW", "slow-1");
    let unread = request("PUT", "/eureka/apps/QUIET/quiet-1", "Content-Length: 10000\r\n") + &" ".repeat(10_000);
    let (at_once, _) = body.split_once("\r\n\r\n").expect("a head");
    let mut slow: Vec<(Wire, &str, usize)> = (0..CLIENTS)
        .map(|n| match n % 3 {
            0 => (server.connect(), head.as_str(), 0),
            1 => (server.connect(), body.as_str(), at_once.len() + 4),
            _ => (server.connect(), unread.as_str(), unread.len() - 10_000),
        })
        .collect();
    for (wire, text, sent) in &mut slow {
        wire.send(&text[..*sent]);
    }
    eventually("all slow connections are closed", || {
        slow.retain_mut(|(wire, text, sent)| {
            let more = text.get(*sent..*sent + 1).is_some_and(|byte| wire.try_send(byte));
            *sent += 1;
            more && !wire.is_closed()
        });
        std::thread::sleep(Duration::from_millis(50));
        slow.is_empty().then_some(())
    });
    assert_eq!(server.connect().ask(heartbeat("SLOW", "slow-1")).status, 404);
    others.was_answered("200 clients send byte by byte");
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs 10,000 connections: run it alone"]
#[expect(clippy::print_stdout, reason = "CI shows what it cost")]
fn ten_thousand_idle_connections_cost_little() {
    const WANTED: u64 = 10_000;
    const OTHERS: u64 = 500;
    /// Bytes for each, and for what comes and goes.
    const A_CONNECTION: u64 = 32 << 10;
    const SOMETHING: u64 = 64 << 20;
    let (soft, hard) = rlimit::Resource::NOFILE.get().expect("a limit");
    if soft < hard {
        rlimit::Resource::NOFILE.set(hard, hard).expect("a new limit");
    }
    let many = WANTED.min(hard.saturating_sub(OTHERS));
    let server = Server::start(&["--eurekad.http.max-connections=20000", "--eurekad.http.head-timeout=5m"]);
    let before = super::memory::resident(&server);
    let others = Bystander::of(&server);
    let mut idle: Vec<Wire> = (0..many).map(|_| server.connect()).collect();
    // Half of them have been used before.
    for wire in idle.iter_mut().step_by(2) {
        assert_eq!(wire.ask(heartbeat("QUIET", "quiet-1")).status, 200);
    }
    let grown = super::memory::resident(&server).saturating_sub(before);
    println!("{many} idle connections: {} KB each", (grown >> 10) / many);
    assert_eq!(server.connect().ask(heartbeat("QUIET", "quiet-1")).status, 200);
    assert!(grown < many * A_CONNECTION + SOMETHING, "{grown} bytes for {many} connections");
    drop(idle);
    eventually("all connections are given back", || (server.open_files() < 100).then_some(()));
    others.was_answered("10,000 connections are idle");
    assert_eq!(server.connect().ask(heartbeat("QUIET", "quiet-1")).status, 200);
}
