//! A peer that does not read.

use std::time::Duration;

use crate::sockets::server::{SOON, eventually};
use crate::sockets::wire::heartbeat;

use super::cluster::{
    agree, ask, beat_all, cancel, cluster, connections_to, everything, ids, lines_about, memory, throughout,
};

#[test]
fn case_055_a_peer_that_stops_reading_gets_one_request_and_catches_up() {
    // A comparison has a connection of its own.
    let [a, b] = cluster(&["--eureka.server.peer-node-read-timeout-ms=500", "--eurekad.peers.digest-interval=off"]);
    a.fill("ORDERS", ids("ord", 1000));
    agree(&[&a, &b], SOON);
    let before = memory(&a);
    b.signal("STOP");
    a.fill("ORDERS", ids("new", 200));
    for id in ids("ord", 100) {
        assert_eq!(ask(&a, cancel("ORDERS", &id)), 200);
    }
    let mut wire = a.connect();
    let mut all = ids("new", 200).cycle();
    throughout(Duration::from_secs(4), || {
        let id = all.next().expect("without end");
        assert_eq!(wire.ask(heartbeat("ORDERS", &id)).status, 200);
        if id.ends_with('0') {
            // One that was given up takes a moment to go.
            eventually("one connection at most", || (connections_to(b.address) <= 1).then_some(()));
        }
        std::thread::sleep(Duration::from_millis(1));
    });
    let beats = beat_all(&a, "ORDERS", ids("ord", 1000).skip(100));
    assert!(beats.iter().all(|status| *status == 200));
    let more = memory(&a).saturating_sub(before);
    assert!(more < 50 << 10, "{more} KiB more");
    b.signal("CONT");
    agree(&[&a, &b], Duration::from_secs(30));
    assert_eq!(everything(&b).len(), 1100);
    assert!(lines_about(&a, b.address) < 20);
}
