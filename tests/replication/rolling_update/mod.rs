//! A rolling update as Kubernetes plays it: three nodes that know nothing but one name, which leads to all three at any
//! time (`publishNotReadyAddresses`), each stopped in turn by SIGTERM and started again, the next one once it is ready;
//! and clients that know nothing but that name either.
//!
//! No heartbeat may be answered 404, whatever fails at first must succeed at once at another address, and no answer may
//! lack an instance that is there.

mod clients;

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::dns_stub::DnsStub;
use crate::sockets::server::{SOON, Server, eventually};
use crate::sockets::wire::get;

use super::cluster::{addresses, agree, ask, everything, ids, replicas};

use clients::{Client, World};

const NAME: &str = "eurekad-peers.test";
/// Of the instances that stay: shorter than a roll in Kubernetes, and much longer than a busy machine needs to renew all.
const LEASE: Duration = Duration::from_secs(20);

struct Roll {
    /// How many instances stay all the time; others come and go.
    instances: usize,
    /// `eurekad.http.shutdown-delay`.
    delay: Duration,
    /// `minReadySeconds`.
    rest: Duration,
    /// Whoever registered so long ago is known to all nodes, on a slow machine too. Real clients wait for longer with
    /// their first heartbeat.
    known: Duration,
    /// Whether a node finds its snapshot when it is started again.
    keeps_files: bool,
}

#[test]
fn a_rolling_update_fails_no_heartbeat_and_hides_no_instance() {
    let delay = Duration::from_millis(300);
    Roll { instances: 40, delay, keeps_files: true, ..HASTE }.play();
}

/// The settings of the manifests.
const KUBERNETES: Roll = Roll {
    instances: 200,
    delay: Duration::from_secs(5),
    rest: Duration::from_secs(5),
    known: Duration::from_secs(5),
    keeps_files: true,
};
/// As fast as nodes end and start.
const HASTE: Roll = Roll { delay: Duration::ZERO, rest: Duration::ZERO, known: Duration::from_secs(2), ..KUBERNETES };

#[test]
#[ignore = "takes a minute"]
fn a_rolling_update_in_kubernetes() {
    KUBERNETES.play();
}

#[test]
#[ignore = "takes a minute"]
fn a_rolling_update_of_nodes_that_lose_their_files() {
    Roll { keeps_files: false, ..KUBERNETES }.play();
}

#[test]
#[ignore = "takes half a minute"]
fn a_rolling_update_without_any_delay() {
    HASTE.play();
}

/// A place for a node: its address and its disk.
struct Place<'a> {
    address: SocketAddr,
    disk: TempDir,
    dns: &'a DnsStub,
    roll: &'a Roll,
}

impl Place<'_> {
    /// Starts a node there.
    fn start(&mut self) -> Server {
        if !self.roll.keeps_files {
            self.disk = tempfile::tempdir().expect("a folder");
        }
        Server::start_at(
            self.address,
            &[
                &format!("--eurekad.peers.dns={NAME}"),
                &format!("--eurekad.peers.dns-server={}", self.dns.address()),
                &format!("--eurekad.snapshot.path={}", self.disk.path().join("registry.snapshot").display()),
                &format!("--eurekad.http.shutdown-delay={}", self.roll.delay.as_millis()),
                // A machine that is busy with other tests is no fault.
                "--eurekad.overload.shed-after=0",
                // Whoever is not renewed goes at once.
                "--eureka.server.enable-self-preservation=false",
                "--eureka.server.eviction-interval-timer-in-ms=200",
                "--eureka.server.registry-sync-retry-wait-ms=200",
            ],
        )
    }
}

fn is_ready(node: &Server) {
    eventually("the node is ready", || (ask(node, get("/actuator/health/readiness", "")) == 200).then_some(()));
}

fn has_peers(node: &Server) {
    eventually("its peers answer", || (replicas(node).available.len() == 2).then_some(()));
}

impl Roll {
    #[expect(clippy::print_stdout, reason = "CI shows what it cost")]
    fn play(&self) {
        let dns = DnsStub::start();
        let addresses: [SocketAddr; 3] = addresses();
        let hosts = addresses.map(|address| address.ip().to_string());
        dns.addresses(NAME, &hosts.each_ref().map(String::as_str));
        let mut places = addresses.map(|address| {
            let disk = tempfile::tempdir().expect("a folder");
            Place { address, disk, dns: &dns, roll: self }
        });
        let mut nodes = places.each_mut().map(Place::start);
        nodes.iter().for_each(is_ready);
        nodes.iter().for_each(has_peers);

        let world = World::new(|| dns.addresses_of(NAME), addresses[0].port(), self.known);
        let mut first = Client::new(&world);
        for id in ids("stays", self.instances) {
            first.register("STAYS", &id, LEASE);
        }
        agree(&nodes.each_ref(), SOON);

        let took = thread::scope(|scope| {
            let (_ends, world) = (world.ends(), &world);
            let mut passing = vec![scope.spawn(|| Client::new(world).follow())];
            for half in 0..2 {
                let ids: Vec<_> = ids("stays", self.instances).skip(half).step_by(2).collect();
                scope.spawn(move || Client::new(world).renew("STAYS", &ids));
                passing.push(scope.spawn(move || Client::new(world).come_and_go(&format!("passes-{half}"))));
                passing.push(scope.spawn(|| Client::new(world).read_all()));
            }
            thread::sleep(Duration::from_millis(300));
            let begin = Instant::now();
            // The last one first, as a StatefulSet does it.
            for (place, node) in places.iter_mut().zip(&mut nodes).rev() {
                node.signal("TERM");
                assert_eq!(node.exit_code(), Some(0));
                assert!(!node.log().contains("evicted"), "{}", node.log());
                *node = place.start();
                is_ready(node);
                thread::sleep(self.rest);
            }
            let took = begin.elapsed();
            // What is left unconfirmed, and nobody renews, would go now.
            thread::sleep(if self.rest.is_zero() { Duration::from_millis(500) } else { LEASE });
            world.calm();
            for client in passing {
                client.join().expect("a client");
            }
            world.assert_nothing_went_wrong();
            // Sooner than they would compare what they hold.
            agree(&nodes.each_ref(), SOON);
            let held: Vec<_> = everything(&nodes[0]).into_keys().collect();
            assert_eq!(held, world.there(), "what is there in the end");
            took
        });
        println!("{:.1} s for the roll; {}", took.as_secs_f32(), world.figures());
        for node in &nodes {
            assert!(!node.log().contains("evicted"), "{}", node.log());
        }
    }
}
