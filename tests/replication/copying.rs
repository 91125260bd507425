//! What a node does before it lets clients read.

use std::time::Instant;

use crate::sockets::server::{SOON, Server, eventually};
use crate::sockets::wire::{get, heartbeat, instance, post, register};

use super::cluster::{
    addresses, agree, ask, cancel, cluster, everything, holds, ids, is_open, node, replicas, set_status, state, url,
};
use super::fake_peer::{FakePeer, Manner, answer, registry};

#[test]
fn a_node_that_was_killed_copies_everything_before_it_opens() {
    let [a, b] = cluster(&[]);
    a.fill("ORDERS", ids("ord", 50));
    for status in ["DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN"] {
        let body = instance("BILLING", status).replace("\"UP\"", &format!("\"{status}\""));
        assert_eq!(ask(&a, post("BILLING", &body)), 204);
    }
    assert_eq!(ask(&a, set_status("ORDERS", "ord-7", "OUT_OF_SERVICE")), 200);
    agree(&[&a, &b], SOON);
    let (from, to) = (a.address, b.address);
    b.signal("KILL");
    drop(b);
    assert_eq!(ask(&a, cancel("ORDERS", "ord-8")), 200);
    a.fill("ORDERS", ["new".to_owned()]);
    let b = node(to, &[from], &[]);
    is_open(&b);
    assert_eq!(everything(&b), everything(&a), "whole with the first answer");
    assert_eq!(everything(&b).len(), 54);
    let out = ("OUT_OF_SERVICE".to_owned(), "OUT_OF_SERVICE".to_owned());
    assert_eq!(state(&b, "ORDERS", "ord-7"), Some(out));
    // It is a peer like before.
    assert_eq!(ask(&b, register("ORDERS", "ord-8")), 204);
    eventually("it tells", || state(&a, "ORDERS", "ord-8"));
    assert_eq!(ask(&a, register("ORDERS", "ord-9")), 204);
    assert_eq!(ask(&a, register("ORDERS", "later")), 204);
    eventually("it is told", || state(&b, "ORDERS", "later"));
}

/// A node that waits for the list of a peer.
fn waiting(manner: Manner) -> (Server, FakePeer) {
    let [own] = addresses();
    let peer = FakePeer::start(manner);
    let words = [
        "--eureka.server.peer-node-read-timeout-ms=700",
        "--eureka.server.registry-sync-retry-wait-ms=50",
        "--management.endpoint.health.probes.enabled=true",
    ];
    (node(own, &[peer.address], &words), peer)
}

#[test]
fn until_it_has_the_list_a_client_it_does_not_know_is_not_told_to_register() {
    let (a, _peer) = waiting(Manner::Never);
    let answer = a.connect().ask(heartbeat("ORDERS", "ord-1"));
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")), "the next server knows it");
    let told = heartbeat("ORDERS", "ord-1").replace("\r\n\r\n", "\r\nx-netflix-discovery-replication: true\r\n\r\n");
    assert_eq!(ask(&a, told), 404, "a peer sends the whole of it then");
    assert_eq!(ask(&a, register("ORDERS", "ord-1")), 204);
    assert_eq!(ask(&a, heartbeat("ORDERS", "ord-1")), 200);
}

#[test]
fn until_it_has_the_list_clients_read_nothing_and_peers_know_why() {
    let (a, peer) = waiting(Manner::Never);
    for path in ["", "/delta", "/ORDERS"] {
        let refused = a.connect().ask(get(&format!("/eureka/apps{path}"), ""));
        assert_eq!(refused.status, 403, "{path}");
        let said = refused.header("eurekad-node").expect("who it is");
        assert!(said.contains("state=opening"), "{said}");
    }
    assert_eq!(ask(&a, get("/eureka/vips/orders", "")), 403);
    assert_eq!(ask(&a, get("/actuator/health/readiness", "")), 503);
    assert_eq!(ask(&a, get("/actuator/health/liveness", "")), 200);
    assert_eq!(ask(&a, register("ORDERS", "ord-1")), 204, "writes are taken");
    assert!(holds(&a, "ORDERS", "ord-1"));
    peer.behave(Manner::With(registry(&["ord-2"])));
    is_open(&a);
    assert_eq!(ask(&a, get("/actuator/health/readiness", "")), 200);
    assert_eq!(everything(&a).len(), 2);
    assert!(a.connect().ask(get("/eureka/apps", "")).header("eurekad-node").expect("it").contains("state=open;"));
}

#[test]
fn a_cancel_that_comes_during_the_copy_wins_over_it() {
    let (a, peer) = waiting(Manner::Never);
    assert_eq!(ask(&a, register("ORDERS", "ord-1")), 204);
    assert_eq!(ask(&a, cancel("ORDERS", "ord-1")), 200);
    assert_eq!(ask(&a, cancel("ORDERS", "ord-2")), 404, "one that is not here yet");
    peer.behave(Manner::With(registry(&["ord-1", "ord-2", "ord-3"])));
    is_open(&a);
    assert_eq!(everything(&a).into_keys().collect::<Vec<_>>(), ["ord-3"]);
}

#[test]
fn a_list_that_breaks_off_is_not_served() {
    let whole = registry(&["ord-1", "ord-2"]).to_string();
    let mut half = answer("200 OK", "Content-Type: application/json\r\n", &whole);
    half.truncate(half.len() - whole.len() / 3);
    let cut_well = answer("200 OK", "Content-Type: application/json\r\n", &whole[..whole.len() / 2]);
    for broken in [half, cut_well] {
        let (a, peer) = waiting(Manner::Bytes(broken));
        let asked = eventually("it was asked again", || Some(peer.requests()).filter(|asked| *asked > 3));
        assert!(asked < 100);
        assert_eq!(ask(&a, get("/eureka/apps", "")), 403);
        assert!(!holds(&a, "ORDERS", "ord-1"));
        peer.behave(Manner::With(registry(&["ord-1", "ord-2"])));
        is_open(&a);
        assert_eq!(everything(&a).len(), 2);
    }
}

#[test]
fn three_that_start_together_with_nothing_serve_within_seconds() {
    let all: [_; 3] = addresses();
    let begin = Instant::now();
    let nodes = all.map(|own| node(own, &all, &[]));
    for node in &nodes {
        is_open(node);
    }
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    for (own, node) in all.iter().zip(&nodes) {
        let others: Vec<_> = all.into_iter().filter(|other| other != own).map(url).collect();
        eventually("each sees the others", || (replicas(node).available == others).then_some(()));
    }
}

#[test]
fn instances_that_cannot_be_copied_are_told_in_one_line() {
    let ids: Vec<_> = ids("ord", 50).collect();
    let mut list = registry(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let instances = list["applications"]["application"][0]["instance"].as_array_mut().expect("instances");
    for instance in &mut instances[1..] {
        instance.as_object_mut().expect("an object").remove("hostName");
    }
    let (mut a, _peer) = waiting(Manner::With(list));
    is_open(&a);
    assert_eq!(everything(&a).len(), 1);
    a.signal("TERM");
    assert_eq!(a.exit_code(), Some(0));
    let log = a.log();
    let lines: Vec<_> = log.lines().filter(|line| line.contains("cannot be copied")).collect();
    assert!(matches!(&lines[..], [line] if line.contains("instances=49")), "{lines:?}");
}
