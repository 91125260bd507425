//! A node that starts without a way to its cluster does not take itself for the first one.

use std::net::SocketAddr;

use crate::dns_stub::{DnsStub, Trouble};
use crate::sockets::server::{Server, eventually};
use crate::sockets::wire::get;

use super::cluster::{address, ask, everything, is_open, peers};
use super::fake_peer::{Deaf, FakePeer, Manner, registry};

const QUICK: [&str; 3] = [
    "--eureka.server.peer-node-connect-timeout-ms=100",
    "--eureka.server.registry-sync-retries=1",
    "--eureka.server.registry-sync-retry-wait-ms=10",
];
const WAITS: &str = "not open yet, a peer may have something to copy";
const GIVES_UP: &str = "opening without a copy, a peer that may have something does not give it";

fn start(own: SocketAddr, words: &[&str]) -> Server {
    let words: Vec<_> = QUICK.iter().chain(words).copied().collect();
    Server::start_at(own, &words)
}

fn says(node: &Server, line: &str) {
    eventually(line, || node.log().contains(line).then_some(()));
}

#[test]
fn peers_that_cannot_be_reached_are_waited_for_until_the_limit() {
    let (deaf, plain) = (Deaf::listen(), FakePeer::start(Manner::With(registry(&["ord-1"]))));
    let listed = |url: &str| format!("--eureka.client.service-url.defaultZone={url}");
    let name = "a".repeat(64);
    let cut_off = [
        peers(&[deaf.address]),
        listed(&format!("http://{name}.test:8761/eureka/")),
        listed(&format!("https://{}/eureka/", plain.address)),
        "--eurekad.peers.file=not-there".to_owned(),
    ];
    let nodes = cut_off.map(|words| start(address(), &[&words, "--eurekad.first-copy.limit=3s"]));
    for mut node in nodes {
        is_open(&node);
        node.signal("TERM");
        node.exit_code();
        let log = node.log();
        assert_eq!(log.matches(GIVES_UP).count(), 1, "{log}");
        assert!(log.matches(WAITS).count() <= 1, "{log}");
        assert!(!log.contains("no peer has anything"), "{log}");
    }
}

#[test]
fn a_node_that_cannot_ask_for_names_copies_once_it_can() {
    let (dns, peer) = (DnsStub::start(), FakePeer::start(Manner::With(registry(&["ord-1", "ord-2"]))));
    dns.addresses("nodes.test", &[&peer.address.ip().to_string()]);
    dns.trouble("nodes.test", None, Trouble::Failure);
    let server = format!("--eurekad.peers.dns-server={}", dns.address());
    let often = "--eureka.server.peer-eureka-nodes-update-interval-ms=20";
    let node = start(address(), &[&server, "--eurekad.peers.dns=nodes.test", often]);
    says(&node, WAITS);
    let asked = dns.asked("nodes.test");
    eventually("it goes on asking", || (dns.asked("nodes.test") > asked + 4).then_some(()));
    assert_eq!(ask(&node, get("/eureka/apps", "")), 403);
    dns.recover();
    is_open(&node);
    assert_eq!(everything(&node).len(), 2);
}

#[test]
fn a_name_that_leads_to_nobody_holds_up_no_first_node() {
    let dns = DnsStub::start();
    let server = format!("--eurekad.peers.dns-server={}", dns.address());
    let node = start(address(), &[&server, "--eurekad.peers.dns=nodes.test"]);
    is_open(&node);
    says(&node, "no peer has anything to copy");
}
