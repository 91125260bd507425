//! Peers come and go while the nodes run.

use std::time::{Duration, Instant};

use crate::dns_stub::DnsStub;
use crate::sockets::server::{Server, eventually};
use crate::sockets::wire::register;

use super::cluster::{addresses, ask, everything, is_open, replicas, state, url};

#[test]
fn case_070_a_node_that_appears_in_dns_fills_itself_and_is_told_everything() {
    let all: [_; 3] = addresses();
    let hosts = all.map(|address| address.ip().to_string());
    let hosts = hosts.each_ref().map(String::as_str);
    let dns = DnsStub::start();
    dns.addresses("nodes.test", &hosts[..2]);
    let words = [
        format!("--eurekad.peers.dns-server={}", dns.address()),
        "--eurekad.peers.dns=nodes.test".to_owned(),
        "--eureka.server.peer-eureka-nodes-update-interval-ms=300".to_owned(),
        "--eureka.server.registry-sync-retries=1".to_owned(),
    ];
    let start = |at: usize| Server::start_at(all[at], &words.each_ref().map(String::as_str));
    let (a, b) = (start(0), start(1));
    is_open(&a);
    eventually("two know each other", || (replicas(&a).available == [url(all[1])]).then_some(()));
    eventually("both ways", || (replicas(&b).available == [url(all[0])]).then_some(()));
    assert_eq!(ask(&a, register("ORDERS", "ord-1")), 204);

    dns.addresses("nodes.test", &hosts);
    let c = start(2);
    is_open(&c);
    assert!(everything(&c).contains_key("ord-1"), "it has filled itself");
    let begin = Instant::now();
    eventually("the others know it", || {
        (replicas(&a).available.len() == 2 && replicas(&b).available.len() == 2).then_some(())
    });
    assert_eq!(ask(&b, register("ORDERS", "ord-2")), 204);
    eventually("it is told", || state(&c, "ORDERS", "ord-2"));
    assert!(begin.elapsed() < Duration::from_mins(1), "DNS is asked every ten seconds");

    drop(c);
    dns.addresses("nodes.test", &hosts[..2]);
    eventually("it is not shown any more", || (replicas(&a).registered == [url(all[1])]).then_some(()));
    assert_eq!(ask(&a, register("ORDERS", "ord-3")), 204);
    eventually("the others go on", || state(&b, "ORDERS", "ord-3"));
    assert_eq!(replicas(&a).unavailable, [""; 0]);
}
