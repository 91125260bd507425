//! Nodes that are stopped and started while clients go on, and clients that change the node.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::sockets::server::{SOON, eventually};
use crate::sockets::wire::{Wire, heartbeat, instance, post, register};

use super::cluster::{addresses, agree, cluster, connections_to, everything, holds, ids, is_open, node, replicas, url};
use super::fake_peer::{FakePeer, Manner};

#[test]
fn case_071_any_node_takes_any_call() {
    let [a, b] = cluster(&[]);
    let mut wires = [a.connect(), b.connect()];
    let mut turn = 0_usize;
    let mut ask = |request: String| {
        turn += 1;
        wires[turn % 2].ask(request).status
    };
    let mut missed = 0;
    for id in ids("ord", 500) {
        assert_eq!(ask(register("ORDERS", &id)), 204);
        missed += usize::from(ask(heartbeat("ORDERS", &id)) == 404);
        // The next one begins at the other node.
        ask(heartbeat("ORDERS", &id));
    }
    agree(&[&a, &b], SOON);
    for round in 0..3 {
        for id in ids("ord", 500) {
            assert_eq!(ask(heartbeat("ORDERS", &id)), 200, "{id} in round {round}");
        }
        ask(heartbeat("ORDERS", "ord-0"));
    }
    assert!(missed < 500, "every second heartbeat missed the registration");
}

/// Clients that renew their leases for as long as they may, each at the node that answers.
fn renew(nodes: [SocketAddr; 2], count: usize, until: &AtomicBool) -> (usize, usize) {
    let (mut at, mut lost, mut beats) = (0, 0, 0);
    let mut wire: Option<Wire> = None;
    while !until.load(Ordering::Relaxed) {
        for id in ids("ord", count) {
            // As a client does it: whoever does not answer is left for the next.
            let status = loop {
                if let Some(wire) = &mut wire
                    && let Some(answer) = wire.try_ask(heartbeat("ORDERS", &id))
                {
                    break answer.status;
                }
                at = (at + 1) % nodes.len();
                wire = Wire::try_open(nodes[at]);
                if wire.is_none() {
                    thread::sleep(Duration::from_millis(10));
                }
            };
            beats += 1;
            lost += usize::from(status != 200);
        }
        thread::sleep(Duration::from_millis(300));
    }
    (beats, lost)
}

#[test]
fn case_072_a_rolling_restart_loses_nobody() {
    const COUNT: usize = 200;
    let words = ["--eureka.server.enable-self-preservation=false", "--eureka.server.eviction-interval-timer-in-ms=200"];
    let [mut a, mut b] = cluster(&words);
    let mut wire = a.connect();
    for id in ids("ord", COUNT) {
        let short = instance("ORDERS", &id)
            .replace(r#""durationInSecs":90"#, r#""renewalIntervalInSecs":1,"durationInSecs":8"#);
        assert_eq!(wire.ask(post("ORDERS", &short)).status, 204);
    }
    agree(&[&a, &b], SOON);
    let both = [a.address, b.address];
    let over = AtomicBool::new(false);
    let (beats, lost) = thread::scope(|scope| {
        let clients = scope.spawn(|| renew(both, COUNT, &over));
        for (own, other, stopped) in [(both[0], both[1], &mut a), (both[1], both[0], &mut b)] {
            thread::sleep(Duration::from_millis(500));
            stopped.signal("TERM");
            assert_eq!(stopped.exit_code(), Some(0));
            *stopped = node(own, &[other], &words);
            is_open(stopped);
            assert_eq!(everything(stopped).len(), COUNT, "the new one has all");
            eventually("it is a peer", || (replicas(stopped).available.len() == 1).then_some(()));
        }
        // Longer than a lease.
        thread::sleep(Duration::from_millis(8_500));
        over.store(true, Ordering::Relaxed);
        clients.join().expect("the clients")
    });
    assert!(beats > 5 * COUNT, "{beats} heartbeats");
    assert_eq!(lost, 0, "of {beats} heartbeats");
    for node in [&a, &b] {
        assert_eq!(everything(node).len(), COUNT);
        assert!(!node.log().contains("evicted"), "{}", node.log());
    }
}

#[test]
fn case_100_what_came_in_before_the_end_is_on_the_peer() {
    let [mut a, b] = cluster(&[]);
    let taken = AtomicUsize::new(0);
    thread::scope(|scope| {
        for client in 0..5 {
            let (a, taken) = (&a, &taken);
            scope.spawn(move || {
                a.fill("ORDERS", ids(&format!("ord-{client}"), 100));
                taken.fetch_add(100, Ordering::Relaxed);
            });
        }
    });
    a.signal("TERM");
    assert_eq!(a.exit_code(), Some(0));
    assert_eq!(everything(&b).len(), taken.load(Ordering::Relaxed));
}

#[test]
fn a_dead_peer_does_not_hold_up_the_end() {
    let [own, other, away] = addresses();
    let silent = FakePeer::start(Manner::Never);
    let b = node(other, &[], &[]);
    let mut a = node(own, &[silent.address, away, other], &[]);
    a.fill("ORDERS", ids("ord", 100));
    eventually("it waits for the silent one", || (connections_to(silent.address) > 0).then_some(()));
    let begin = Instant::now();
    a.signal("TERM");
    assert_eq!(a.exit_code(), Some(0));
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    assert!(holds(&b, "ORDERS", "ord-99"), "the healthy one has all");
    assert!(a.log().contains("some changes were not told to all peers"), "{}", a.log());
}

#[test]
fn a_connection_that_breaks_at_the_end_costs_no_change() {
    let [own] = addresses();
    let peer = FakePeer::start(Manner::Well);
    let mut a = node(own, &[peer.address], &["--eureka.client.register-with-eureka=true"]);
    eventually("the peer answers", || (replicas(&a).available == [url(peer.address)]).then_some(()));
    let told = |action: &str| peer.items().iter().any(|item| item.starts_with(action));
    a.fill("ORDERS", ["ord-1".to_owned()]);
    eventually("it tells", || told("Register").then_some(()));
    // Its own record is the last change.
    peer.behave(Manner::BreaksOnce);
    a.signal("TERM");
    assert_eq!(a.exit_code(), Some(0));
    assert!(told("Cancel"), "{:?}: {}", peer.items(), a.log());
}
