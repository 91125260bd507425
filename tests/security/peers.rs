//! Peers with logins.

use std::net::SocketAddr;

use crate::replication::cluster::{addresses, ask, holds};
use crate::sockets::server::{Server, eventually};
use crate::sockets::wire::request;

use super::basic;

/// Reading is open, so that the test sees what is there.
const LOGINS: [&str; 7] = [
    "--eurekad.security.anonymous=read",
    "--eurekad.security.users[0].name=node",
    "--eurekad.security.users[0].password=pa%:ss/é",
    "--eurekad.security.users[0].roles=peer",
    "--eurekad.security.users[1].name=client",
    "--eurekad.security.users[1].password=pass",
    "--eurekad.security.public-health=false",
];

/// A node whose one peer is there, by this login.
fn node(own: SocketAddr, peer: SocketAddr, login: &str) -> Server {
    let peer = format!("--eureka.client.service-url.defaultZone=http://{login}@{peer}/eureka/");
    let words = ["--eurekad.first-copy.limit=2", "--eureka.server.registry-sync-retry-wait-ms=100", peer.as_str()];
    Server::start_at(own, &LOGINS.into_iter().chain(words).collect::<Vec<_>>())
}

/// An instance comes or goes, by the client's login.
fn tell(node: &Server, method: &str, path: &str, body: &str) -> u16 {
    let login = format!(
        "Authorization: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
        basic("client", "pass"),
        body.len()
    );
    ask(node, request(method, path, &login) + body)
}

fn register(node: &Server, id: &str) {
    let body = format!(
        "{{\"instance\":{{\"instanceId\":\"{id}\",\"hostName\":\"a.test\",\"app\":\"ORDERS\",\"ipAddr\":\"10.20.0.11\",\
         \"status\":\"UP\",\"dataCenterInfo\":{{\"@class\":\"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo\",\
         \"name\":\"MyOwn\"}}}}}}"
    );
    assert_eq!(tell(node, "POST", "/eureka/apps/ORDERS", &body), 204);
}

#[test]
fn nodes_replicate_by_the_login_in_their_urls() {
    let [a, b] = addresses();
    let login = "node:pa%25%3Ass%2F%C3%A9";
    let first = node(a, b, login);
    eventually("it opens alone", || (ask(&first, request("GET", "/eureka/apps", "")) == 200).then_some(()));
    register(&first, "ord-1");
    let second = node(b, a, login);
    eventually("the first copy comes with the login", || holds(&second, "ORDERS", "ord-1").then_some(()));
    register(&second, "ord-2");
    eventually("a change comes", || holds(&first, "ORDERS", "ord-2").then_some(()));
    assert_eq!(tell(&first, "DELETE", "/eureka/apps/ORDERS/ord-1", ""), 200);
    eventually("a cancellation comes", || (!holds(&second, "ORDERS", "ord-1")).then_some(()));
    for node in [&first, &second] {
        assert!(!node.log().contains("pa%"), "{}", node.log());
    }
}

#[test]
fn a_node_that_may_not_replicate_is_told_why() {
    for (login, reason) in [("client:pass", "not allowed to the login"), ("node:wrong", "it takes another login")] {
        let [a, b] = addresses();
        let first = node(a, b, "node:pa%25%3Ass%2F%C3%A9");
        let second = node(b, a, login);
        register(&second, "ord-1");
        eventually("the reason is told", || {
            second.log().lines().any(|line| line.contains("a peer fails") && line.contains(reason)).then_some(())
        });
        assert!(!holds(&first, "ORDERS", "ord-1"));
        assert!(!second.log().contains("wrong@") && !second.log().contains(":pass"));
    }
}
