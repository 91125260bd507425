//! Nodes that are killed together and started one after the other, each with its registry on disk: who is unconfirmed at
//! the first one is so at those that copy it.

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::sockets::server::{SOON, Server, eventually};
use crate::sockets::wire::{instance, post};

use super::cluster::{addresses, agree, beat_all, everything, ids, is_open, node, replicas};

const COUNT: usize = 20;
const LEASE: Duration = Duration::from_secs(8);

/// Three places for nodes: their addresses and their disks.
struct Places {
    all: [SocketAddr; 3],
    disks: [TempDir; 3],
}

impl Places {
    fn start(&self, at: usize) -> Server {
        let path = format!("--eurekad.snapshot.path={}", self.disks[at].path().join("registry.snapshot").display());
        let words = [
            &path,
            "--eurekad.snapshot.interval=100",
            "--eurekad.peers.digest-interval=1",
            "--eureka.server.eviction-interval-timer-in-ms=200",
            "--eureka.server.registry-sync-retries=1",
            "--eureka.server.registry-sync-retry-wait-ms=100",
        ];
        node(self.all[at], &self.all, &words)
    }

    /// Three nodes that held instances and are gone, each at once.
    fn killed() -> Self {
        let disks = std::array::from_fn(|_| tempfile::tempdir().expect("a folder"));
        let places = Self { all: addresses(), disks };
        let nodes = [0, 1, 2].map(|at| places.start(at));
        for node in &nodes {
            is_open(node);
            eventually("the peers answer", || (replicas(node).available.len() == 2).then_some(()));
        }
        let mut wire = nodes[0].connect();
        let lease = format!(r#"{{"renewalIntervalInSecs":2,"durationInSecs":{}}}"#, LEASE.as_secs());
        for id in ids("ord", COUNT) {
            let body = instance("ORDERS", &id).replace(r#"{"durationInSecs":90}"#, &lease);
            assert_eq!(wire.ask(post("ORDERS", &body)).status, 204);
        }
        agree(&nodes.each_ref(), SOON);
        for disk in &places.disks {
            let file = disk.path().join("registry.snapshot");
            eventually("all are on disk", || {
                let text = std::fs::read_to_string(&file).ok()?;
                ids("ord", COUNT).all(|id| text.contains(&format!("\"{id}\""))).then_some(())
            });
        }
        // Dropping one kills it.
        drop(nodes);
        places
    }
}

#[test]
fn clients_that_do_not_return_are_kept_by_no_node_that_copied_one_from_a_snapshot() {
    let places = Places::killed();
    let nodes = [0, 1, 2].map(|at| {
        let node = places.start(at);
        is_open(&node);
        assert_eq!(everything(&node).len(), COUNT, "node {at} has all with the first answer");
        node
    });
    eventually("nobody has anything", || nodes.iter().all(|node| everything(node).is_empty()).then_some(()));
    // Longer than nodes wait until they compare what they hold.
    thread::sleep(Duration::from_secs(3));
    assert!(nodes.iter().all(|node| everything(node).is_empty()));
}

#[test]
fn clients_that_return_to_one_node_are_missing_at_none_that_copied_it() {
    let places = Places::killed();
    let first = places.start(0);
    is_open(&first);
    let beat = || assert!(beat_all(&first, "ORDERS", ids("ord", COUNT)).iter().all(|status| *status == 200));
    let others = [1, 2].map(|at| {
        let node = places.start(at);
        is_open(&node);
        assert_eq!(everything(&node).len(), COUNT, "node {at} has all with the first answer");
        node
    });
    for _ in 0..2 * (LEASE.as_secs() + 2) {
        beat();
        for node in others.iter().chain([&first]) {
            assert_eq!(everything(node).len(), COUNT);
        }
        thread::sleep(Duration::from_millis(500));
    }
}
