//! Slow and broken clients cost nobody else anything.

use std::time::{Duration, Instant};

use super::server::{Server, eventually};
use super::wire::{Wire, get, heartbeat, register};

const CLIENTS: usize = 200;
/// Far less than any time limit of a connection, and enough for a machine that is busy.
const AT_ONCE: Duration = Duration::from_secs(5);

/// Heartbeats at once, one after the other; gives the longest wait for an answer.
fn beat_for(wire: &mut Wire, time: Duration) -> Duration {
    let begin = Instant::now();
    let mut longest = Duration::ZERO;
    while begin.elapsed() < time {
        let sent = Instant::now();
        assert_eq!(wire.ask(heartbeat("ORDERS", "ord-1")).status, 200);
        longest = longest.max(sent.elapsed());
        std::thread::sleep(Duration::from_millis(5));
    }
    longest
}

#[test]
fn others_are_answered_at_once_whatever_two_hundred_clients_do() {
    let server = Server::start(&[]);
    server.fill("ORDERS", (0..50).map(|n| format!("ord-{n}")));
    let mut wire = server.connect();
    let registration = register("ORDERS", "half");
    let list = get("/eureka/apps", "Accept: application/json\r\n").repeat(100);
    let mut held = Vec::new();
    for n in 0..CLIENTS {
        let mut bad = server.connect();
        match n % 5 {
            0 => bad.send("PUT /eureka/apps/ORDERS/ord-1 HTT"),
            1 => bad.send(&registration[..registration.len() / 2]),
            2 => bad.send("\0\u{1}nonsense\r\n\r\n"),
            3 => {
                // Asks for much and reads none of it.
                bad.take_little();
                bad.send(&list);
            }
            _ => {
                bad.send(&registration[..registration.len() - n % registration.len()]);
                bad.vanish();
                continue;
            }
        }
        held.push(bad);
    }
    let longest = beat_for(&mut wire, Duration::from_secs(1));
    assert!(longest < AT_ONCE, "a heartbeat waited {longest:?}");
    assert_eq!(server.connect().ask(register("ORDERS", "ord-new")).status, 204);
    held.into_iter().for_each(Wire::vanish);
    let longest = beat_for(&mut wire, Duration::from_secs(1));
    assert!(longest < AT_ONCE, "a heartbeat waited {longest:?}");
    assert!(!server.log().contains("ERROR"), "{}", server.log());
    // A machine that is busy otherwise may have held up all of the process.
    let warnings = server.log();
    let warnings = warnings.lines().filter(|line| line.contains("WARN") && !line.contains("the process was paused"));
    assert_eq!(warnings.count(), 0, "{}", server.log());
}

#[cfg(target_os = "linux")]
#[test]
fn case_095_descriptors_come_back_after_two_thousand_abandoned_connections() {
    let server = Server::start(&["--eurekad.http.head-timeout=2s"]);
    server.fill("ORDERS", ["ord-1".to_owned()]);
    let base = server.open_files();
    let registration = register("ORDERS", "half");
    for n in 0..2_000 {
        let mut wire = server.connect();
        match n % 4 {
            0 => {}
            1 => wire.send("GET /eureka/apps HT"),
            2 => wire.send(&registration[..registration.len() - 1]),
            _ => wire.send(get("/eureka/apps", "")),
        }
        if n % 8 < 4 {
            wire.vanish();
        }
    }
    eventually("all descriptors are given back", || (server.open_files() <= base).then_some(()));
    assert_eq!(server.connect().ask(heartbeat("ORDERS", "ord-1")).status, 200);
}
