//! Three nodes under a load of registrations, cancels and heartbeats; one of them fails in every way
//! that there is, for long. Half a minute each: `cargo test -- --ignored`.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::sockets::server::{SOON, Server, eventually};
use crate::sockets::wire::{heartbeat, register};

use super::cluster::{
    agree, cancel, cluster, connections_to, everything, ids, is_open, lines_about, memory, node, processor_time,
    replicas,
};
use super::fake_peer::{FakePeer, Manner, answer};

const FAULT: Duration = Duration::from_secs(20);
const FLEET: usize = 500;
/// After the end of a fault: the longest wait of a sender, and what a slow machine adds.
const CONVERGED: Duration = Duration::from_secs(30);

/// Clients of two nodes, until they are told to stop. Gives how many calls they made.
fn load(nodes: [SocketAddr; 2], over: &AtomicBool) -> usize {
    let calls = AtomicUsize::new(0);
    thread::scope(|scope| {
        for (which, address) in nodes.into_iter().enumerate() {
            let calls = &calls;
            scope.spawn(move || {
                let mut wire = crate::sockets::wire::Wire::open(address);
                for round in 0.. {
                    let passing = format!("passing-{which}-{round}");
                    assert_eq!(wire.ask(register("PASSING", &passing)).status, 204);
                    for id in ids("ord", FLEET).skip(which * FLEET / 2).take(FLEET / 2) {
                        assert_eq!(wire.ask(heartbeat("ORDERS", &id)).status, 200, "{id}");
                        if over.load(Ordering::Relaxed) {
                            return;
                        }
                        thread::sleep(Duration::from_millis(2));
                    }
                    if round % 2 == 1 {
                        assert_eq!(wire.ask(cancel("PASSING", &passing)).status, 200);
                    }
                    calls.fetch_add(FLEET / 2, Ordering::Relaxed);
                }
            });
        }
    });
    calls.load(Ordering::Relaxed)
}

struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Breaks the third node under load, watches the others, heals it, and waits until all hold the same.
/// `meanwhile` looks at the fault as it lasts.
fn survives<T>(
    fault: impl FnOnce(Server) -> T,
    mut meanwhile: impl FnMut(&T),
    heal: impl FnOnce(T, &[SocketAddr]) -> Server,
) {
    let [a, b, c] = cluster(&["--eureka.server.peer-node-read-timeout-ms=2000"]);
    a.fill("ORDERS", ids("ord", FLEET));
    agree(&[&a, &b, &c], SOON);
    let (over, both, third) = (AtomicBool::new(false), [a.address, b.address], c.address);
    let c = thread::scope(|scope| {
        scope.spawn(|| load(both, &over));
        // Also when something below fails: the clients must not go on for ever.
        let _ends_the_load = Ends(&over);
        thread::sleep(Duration::from_secs(1));
        let before = (memory(&a), processor_time(&a));
        let broken = fault(c);
        for _ in 0..FAULT.as_secs() {
            thread::sleep(Duration::from_secs(1));
            let open = connections_to(third);
            // One for batches, and one for a comparison that was under way.
            assert!(open <= 4, "{open} connections of two nodes");
            meanwhile(&broken);
        }
        assert_eq!(everything(&a).keys().filter(|id| id.starts_with("ord")).count(), FLEET);
        let more = memory(&a).saturating_sub(before.0);
        assert!(more < 50 << 10, "{more} KiB more");
        let used = processor_time(&a).saturating_sub(before.1);
        assert!(used < FAULT / 2, "{used:?} of processor time");
        for node in [&a, &b] {
            let lines = lines_about(node, third);
            assert!((1..20).contains(&lines), "{lines} lines:\n{}", node.log());
            assert!(!node.log().contains("panicked"), "{}", node.log());
        }
        let c = heal(broken, &both);
        is_open(&c);
        c
    });
    agree(&[&a, &b, &c], CONVERGED);
    for node in [&a, &b] {
        eventually("all are available again", || (replicas(node).available.len() == 2).then_some(()));
    }
}

/// A fake in the place of the third node.
fn replaced(manner: Manner) {
    survives(
        |c| {
            let address = c.address;
            drop(c);
            FakePeer::start_at(address, manner)
        },
        // Two nodes, each once in 2.5 s at the least, and the first tries.
        |fake| assert!(fake.requests() < 60, "{} requests", fake.requests()),
        |fake, others| {
            let address = fake.address;
            drop(fake);
            node(address, others, &[])
        },
    );
}

#[test]
#[ignore = "half a minute"]
fn a_node_that_is_paused() {
    survives(
        |c| {
            c.signal("STOP");
            c
        },
        |_| {},
        |c, _| {
            c.signal("CONT");
            c
        },
    );
}

#[test]
#[ignore = "half a minute"]
fn a_node_that_is_killed_and_refuses_connections() {
    survives(
        |c| {
            let address = c.address;
            c.signal("KILL");
            drop(c);
            address
        },
        |_| {},
        |address, others| node(address, others, &[]),
    );
}

#[test]
#[ignore = "half a minute"]
fn a_node_that_is_killed_again_and_again() {
    survives(
        |c| {
            let address = c.address;
            drop(c);
            address
        },
        |address| {
            // Up for less than the copy takes, or a little more.
            let short = node(*address, &[], &[]);
            thread::sleep(Duration::from_millis(300));
            drop(short);
        },
        |address, others| node(address, others, &[]),
    );
}

#[test]
#[ignore = "half a minute"]
fn a_node_that_takes_connections_and_never_answers() {
    replaced(Manner::Never);
}

#[test]
#[ignore = "half a minute"]
fn a_node_that_answers_nonsense() {
    replaced(Manner::Bytes(answer("200 OK", "Content-Type: application/json\r\n", "{{{\u{1}")));
}

#[test]
#[ignore = "half a minute"]
fn a_node_that_is_too_busy() {
    replaced(Manner::Bytes(answer("503 Service Unavailable", "", "")));
}
