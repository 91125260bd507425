//! A process that was stopped.

use std::time::{Duration, Instant};

use super::server::Server;
use super::wire::{heartbeat, post};

#[test]
fn case_052_a_stopped_process_evicts_nobody_when_it_goes_on() {
    const LEASE: Duration = Duration::from_secs(3);
    let server = Server::start(&[
        "--eureka.server.enable-self-preservation=false",
        "--eureka.server.eviction-interval-timer-in-ms=100",
    ]);
    let ids: Vec<_> = (0..20).map(|n| format!("ord-{n}")).collect();
    let mut wire = server.connect();
    for id in &ids {
        let body = super::wire::instance("ORDERS", id).replace(":90}", ":3}");
        assert_eq!(wire.ask(post("ORDERS", &body)).status, 204);
    }
    server.signal("STOP");
    std::thread::sleep(LEASE * 2);
    server.signal("CONT");
    // Everybody was silent for twice their leases; now they go on as clients do.
    let begin = Instant::now();
    while begin.elapsed() < LEASE / 2 {
        for id in &ids {
            assert_eq!(wire.ask(heartbeat("ORDERS", id)).status, 200, "{id} is gone, {:?} after", begin.elapsed());
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    assert_eq!(server.hash_code(), "UP_20_");
    assert!(!server.log().contains("instance expired"), "{}", server.log());
}
