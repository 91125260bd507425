//! Peers that are down, or that answer as no peer does.

use std::time::{Duration, Instant};

use crate::sockets::server::eventually;
use crate::sockets::wire::register;

use super::cluster::{address, addresses, ask, beat_all, ids, is_open, lines_about, node, processor_time, replicas};
use super::fake_peer::{FakePeer, Manner, answer};

#[test]
fn case_059_a_peer_that_is_down_makes_few_lines() {
    let ([own], away, flapping) = (addresses(), address(), FakePeer::start(Manner::Well));
    let a = node(own, &[away, flapping.address], &["--eureka.server.registry-sync-retries=1"]);
    is_open(&a);
    a.fill("ORDERS", ids("ord", 100));
    for round in 0..20 {
        let busy = Manner::Bytes(answer("503 Service Unavailable", "", ""));
        flapping.behave(if round % 2 == 0 { busy } else { Manner::Well });
        assert!(beat_all(&a, "ORDERS", ids("ord", 100)).iter().all(|status| *status == 200));
        a.fill("ORDERS", ids("ord", 10));
        std::thread::sleep(Duration::from_millis(150));
    }
    eventually("it is known", || (replicas(&a).unavailable.len() == 1).then_some(()));
    for peer in [away, flapping.address] {
        let lines = lines_about(&a, peer);
        assert!((1..10).contains(&lines), "{lines} lines about {peer}:\n{}", a.log());
    }
    let log = a.log();
    assert!(!log.contains("panicked") && !log.contains("stack backtrace"), "{log}");
}

#[test]
fn case_060_answers_that_are_none_cost_nothing_and_later_ones_count() {
    const WATCHED: Duration = Duration::from_secs(4);
    // What is sent on a connection that was closed without a word is sent again at once.
    let json = "Content-Type: application/json\r\nConnection: close\r\n";
    let manners: [(&str, Vec<u8>); 9] = [
        ("garbage", answer("200 OK", json, "\u{1}\u{2}{{{[[[\"")),
        ("too few", answer("200 OK", json, r#"{"responseList":[]}"#)),
        (
            "too many",
            answer("200 OK", json, &format!(r#"{{"responseList":[{}]}}"#, [r#"{"statusCode":200}"#; 900].join(","))),
        ),
        ("empty", answer("200 OK", json, "")),
        ("html", answer("200 OK", "Content-Type: text/html\r\n", "<html><body>It works!</body></html>")),
        ("busy", answer("503 Service Unavailable", "", "")),
        ("nowhere", answer("404 Not Found", "", "")),
        ("cut off", b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"resp".to_vec()),
        ("no http", b"SSH-2.0-OpenSSH_9.2\r\n".to_vec()),
    ];
    let peers: Vec<_> =
        manners.into_iter().map(|(name, bytes)| (name, FakePeer::start(Manner::Bytes(bytes)))).collect();
    let addresses: Vec<_> = peers.iter().map(|(_, peer)| peer.address).collect();
    let a = node(address(), &addresses, &["--eurekad.first-copy.limit=1"]);
    is_open(&a);
    a.fill("ORDERS", ids("ord", 300));
    let (before, asked) = (processor_time(&a), peers.iter().map(|(_, peer)| peer.requests()).collect::<Vec<_>>());
    let begun = Instant::now();
    std::thread::sleep(WATCHED);
    let used = processor_time(&a).saturating_sub(before);
    assert!(used < WATCHED / 4, "{used:?} of processor time within {WATCHED:?}");
    for ((name, peer), before) in peers.iter().zip(asked) {
        let more = peer.requests() - before;
        // One that answers greetings is greeted and sent something, and then waited for for half a second.
        let most = 4 + 4 * usize::try_from(begun.elapsed().as_secs() + 1).expect("a few");
        assert!(more <= most, "{name}: {more} requests, and not {most}");
    }
    assert_eq!(ask(&a, register("ORDERS", "last")), 204);
    for (_, peer) in &peers {
        peer.behave(Manner::Well);
    }
    for (name, peer) in &peers {
        eventually(name, || peer.items().contains(&"Register last".to_owned()).then_some(()));
        let items = peer.items();
        for id in ids("ord", 300) {
            assert!(items.contains(&format!("Register {id}")), "{name} was never told of {id}");
        }
    }
}
