//! Changes reach those peers that a node knows, and nobody else.

use std::time::{Duration, Instant};

use crate::sockets::server::{Server, eventually};
use crate::sockets::wire::{get, heartbeat, register};

use super::cluster::{
    Replicas, addresses, agree, ask, cancel, cluster, everything, holds, ids, is_open, node, remove_status, replicas,
    set_status, state, troubles, url,
};
use super::fake_peer::{Deaf, FakePeer, Manner};

#[test]
fn every_kind_of_change_reaches_the_peer() {
    let [a, b] = cluster(&[]);
    assert_eq!(ask(&a, register("ORDERS", "ord-1")), 204);
    eventually("a registration", || state(&b, "ORDERS", "ord-1"));
    assert_eq!(ask(&a, set_status("ORDERS", "ord-1", "OUT_OF_SERVICE")), 200);
    let out = || Some(("OUT_OF_SERVICE".to_owned(), "OUT_OF_SERVICE".to_owned()));
    eventually("an override", || (state(&b, "ORDERS", "ord-1") == out()).then_some(()));
    assert_eq!(ask(&b, remove_status("ORDERS", "ord-1")), 200);
    let up = || Some(("UP".to_owned(), "UNKNOWN".to_owned()));
    eventually("its removal, the other way", || (state(&a, "ORDERS", "ord-1") == up()).then_some(()));
    assert_eq!(ask(&b, cancel("ORDERS", "ord-1")), 200);
    eventually("a cancel", || (!holds(&a, "ORDERS", "ord-1")).then_some(()));
}

#[test]
fn case_058_peers_that_swallow_everything_cost_the_others_nothing() {
    let [own, other] = addresses();
    let (silent, deaf) = (FakePeer::start(Manner::Never), Deaf::listen());
    let b = node(other, &[], &[]);
    let a = node(own, &[silent.address, deaf.address, other], &[]);
    let mut wire = a.connect();
    let mut reader = b.connect();
    for id in ids("ord", 100) {
        assert_eq!(wire.ask(register("ORDERS", &id)).status, 204);
        let begin = Instant::now();
        while reader.ask(get(&format!("/eureka/apps/ORDERS/{id}"), "")).status != 200 {
            assert!(begin.elapsed() < Duration::from_secs(10), "{id} takes too long");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

#[test]
fn case_062_a_node_alone_is_ready_at_once_and_complains_of_nothing() {
    let [own] = addresses();
    let begin = Instant::now();
    let alone = Server::start(&[]);
    is_open(&alone);
    let itself = node(own, &[own], &[]);
    is_open(&itself);
    assert!(begin.elapsed() < Duration::from_secs(10), "each within a second, on an idle machine");
    for node in [&alone, &itself] {
        eventually("nothing under replicas", || {
            let nobody = Replicas { registered: vec![], available: vec![], unavailable: vec![] };
            (replicas(node) == nobody).then_some(())
        });
        assert_eq!(troubles(node), [""; 0]);
    }
}

#[test]
fn case_065_what_came_from_a_peer_is_not_sent_on() {
    let [a, b, c] = addresses();
    let words = [
        "--eureka.server.registry-sync-retries=1",
        "--eureka.server.registry-sync-retry-wait-ms=100",
        // On a slow machine a comparison would bring what nobody sent on.
        "--eurekad.peers.digest-interval=off",
    ];
    let ring = [node(a, &[b], &words), node(b, &[c], &words), node(c, &[a], &words)];
    for node in &ring {
        eventually("a line to the next", || (replicas(node).available.len() == 1).then_some(()));
    }
    let [a, b, c] = &ring;
    assert_eq!(ask(a, register("ORDERS", "ord-1")), 204);
    eventually("the next one has it", || state(b, "ORDERS", "ord-1"));
    assert_eq!(ask(a, heartbeat("ORDERS", "ord-1")), 200);
    // More than a whole round of heartbeats takes.
    std::thread::sleep(Duration::from_millis(600));
    assert!(!holds(c, "ORDERS", "ord-1"), "the one after has not");
    let before = everything(a);
    assert_eq!(ask(b, cancel("ORDERS", "ord-1")), 200);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(everything(a), before, "b does not know a");
}

#[test]
#[ignore = "a minute"]
fn case_065_all_nodes_of_a_ring_say_that_it_is_none() {
    let all: [_; 3] = addresses();
    let words = ["--eureka.server.registry-sync-retries=1", "--eureka.server.registry-sync-retry-wait-ms=100"];
    let ring = [0, 1, 2].map(|at| node(all[at], &[all[(at + 1) % 3]], &words));
    let heard = "a server that is not among the peers tells this one things";
    let silent = "a peer answers and tells nothing";
    let begin = Instant::now();
    while !ring.iter().all(|node| node.log().contains(heard) && node.log().contains(silent)) {
        assert!(begin.elapsed() < Duration::from_mins(10), "{}", ring[0].log());
        std::thread::sleep(Duration::from_secs(1));
    }
    // Two greetings more.
    std::thread::sleep(Duration::from_secs(25));
    for (node, next) in ring.iter().zip([all[1], all[2], all[0]]) {
        let log = node.log();
        let lines = |about: &str| log.lines().filter(|line| line.contains(about)).collect::<Vec<_>>();
        let ([heard], [silent]) = (&lines(heard)[..], &lines(silent)[..]) else { panic!("{log}") };
        assert!(heard.contains(&url(next)) && silent.contains(&url(next)), "{heard}\n{silent}");
    }
}

#[test]
fn case_066_replication_needs_no_registration_of_the_servers() {
    for flag in ["true", "false"] {
        let words =
            [format!("--eureka.client.register-with-eureka={flag}"), format!("--eureka.client.fetch-registry={flag}")];
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let [a, b] = cluster(&words);
        assert_eq!(ask(&a, register("ORDERS", "ord-1")), 204);
        eventually("a change reaches the peer", || state(&b, "ORDERS", "ord-1"));
        let (from, to) = (a.address, b.address);
        drop(b);
        // Whoever is told nothing is greeted every 30 s only: a heartbeat shows that it is away.
        assert_eq!(ask(&a, heartbeat("ORDERS", "ord-1")), 200);
        eventually("it is shown as away", || (replicas(&a).unavailable == [url(to)]).then_some(()));
        let b = node(to, &[from], &words);
        is_open(&b);
        assert!(everything(&b).contains_key("ord-1"), "copied before it opened");
        eventually("it is shown as back", || (replicas(&a).available == [url(to)]).then_some(()));
        eventually("and sees the other", || (replicas(&b).available == [url(from)]).then_some(()));
    }
}

#[test]
fn case_101_the_peers_of_all_zones_are_told() {
    let [a, b, c] = addresses();
    let words = [
        "--eureka.client.availability-zones.us-east-1=near,far".to_owned(),
        format!("--eureka.client.service-url.near={}", url(b)),
        format!("--eureka.client.service-url.far={}", url(c)),
    ];
    let (near, far) = (node(b, &[], &[]), node(c, &[], &[]));
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let own = Server::start_at(a, &words);
    is_open(&own);
    assert_eq!(replicas(&own).registered, [url(b), url(c)], "the own zone first");
    assert_eq!(ask(&own, register("ORDERS", "ord-1")), 204);
    for node in [&near, &far] {
        eventually("it is told", || state(node, "ORDERS", "ord-1"));
    }
}

#[test]
fn the_status_document_tells_who_answers() {
    let [own, there, away] = addresses();
    let a = node(own, &[there, away], &["--eureka.server.registry-sync-retries=1"]);
    let expect = |available: &[String], unavailable: &[String]| {
        let shown = Replicas {
            registered: vec![url(there), url(away)],
            available: available.into(),
            unavailable: unavailable.into(),
        };
        eventually("the status document is right", || (replicas(&a) == shown).then_some(()));
    };
    expect(&[], &[url(there), url(away)]);
    let b = node(there, &[], &[]);
    expect(&[url(there)], &[url(away)]);
    let c = node(away, &[], &[]);
    expect(&[url(there), url(away)], &[]);
    drop(b);
    assert_eq!(ask(&a, register("ORDERS", "ord-1")), 204);
    expect(&[url(away)], &[url(there)]);
    eventually("the other is told", || holds(&c, "ORDERS", "ord-1").then_some(()));
}

#[test]
fn two_nodes_on_one_host_are_peers() {
    let [one] = addresses();
    let mut two = one;
    two.set_port(one.port() + 1);
    let words = [
        "--eureka.server.registry-sync-retries=1",
        "--eureka.server.registry-sync-retry-wait-ms=100",
        "--eureka.instance.hostname=localhost",
    ];
    let (a, b) = (node(one, &[one, two], &words), node(two, &[one, two], &words));
    for (node, other) in [(&a, two), (&b, one)] {
        let only = Replicas { registered: vec![url(other)], available: vec![url(other)], unavailable: vec![] };
        eventually("the other one alone is a peer", || (replicas(node) == only).then_some(()));
        is_open(node);
    }
    assert_eq!(ask(&a, register("ORDERS", "ord-1")), 204);
    assert_eq!(ask(&b, register("ORDERS", "ord-2")), 204);
    eventually("each has both", || (everything(&a).len() == 2 && everything(&b).len() == 2).then_some(()));
    agree(&[&a, &b], Duration::from_secs(1));
}

#[test]
fn a_list_with_blanks_and_without_slashes_is_understood() {
    let [own, other] = addresses();
    let b = node(other, &[], &[]);
    let word =
        format!("--eureka.client.service-url.defaultZone= http://{own}/eureka , http://{other}/eureka,{}", url(other));
    let a = Server::start_at(own, &[&word]);
    is_open(&a);
    assert_eq!(ask(&a, register("ORDERS", "ord-1")), 204);
    eventually("it is told", || state(&b, "ORDERS", "ord-1"));
    assert_eq!(replicas(&a).available, [url(other)]);
}
