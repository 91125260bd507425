//! Peers that call each other by https, with certificates on both sides.

use std::net::SocketAddr;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::replication::cluster::address;
use crate::sockets::server::{Server, eventually};

use super::authority::{Authority, Client, Signed};

/// A node that shows and wants certificates of one authority.
struct Node {
    server: Server,
    _folder: TempDir,
}

fn bundle(folder: &Path, authority: &Authority, signed: &Signed) -> Vec<String> {
    signed.write(folder);
    std::fs::write(folder.join("ca.crt"), &authority.pem).unwrap();
    let folder = folder.display();
    vec![
        format!("--spring.ssl.bundle.pem.node.keystore.certificate={folder}/tls.crt"),
        format!("--spring.ssl.bundle.pem.node.keystore.private-key={folder}/tls.key"),
        format!("--spring.ssl.bundle.pem.node.truststore.certificate={folder}/ca.crt"),
        "--server.ssl.bundle=node".to_owned(),
        "--server.ssl.client-auth=need".to_owned(),
        "--eurekad.peers.ssl.bundle=node".to_owned(),
        "--eurekad.ssl.reload-interval=100ms".to_owned(),
        "--eureka.server.registry-sync-retries=1".to_owned(),
        "--eureka.server.registry-sync-retry-wait-ms=100".to_owned(),
        "--eurekad.first-copy.limit=1".to_owned(),
    ]
}

fn node(own: SocketAddr, other: SocketAddr, authority: &Authority, signed: &Signed) -> Node {
    let folder = tempfile::tempdir().unwrap();
    let mut words = bundle(folder.path(), authority, signed);
    words.push(format!("--eureka.client.service-url.defaultZone=https://{other}/eureka/"));
    let server = Server::start_at(own, &words.iter().map(String::as_str).collect::<Vec<_>>());
    Node { server, _folder: folder }
}

async fn get(client: &reqwest::Client, node: &Node, path: &str) -> Option<Value> {
    let url = format!("https://{}{path}", node.server.address);
    let answer = client.get(url).header("Accept", "application/json").send().await.ok()?;
    (answer.status() == 200).then_some(answer.json_value().await)
}

trait JsonValue {
    async fn json_value(self) -> Value;
}

impl JsonValue for reqwest::Response {
    async fn json_value(self) -> Value {
        serde_json::from_slice(&self.bytes().await.unwrap()).unwrap_or_default()
    }
}

async fn register(client: &reqwest::Client, node: &Node, id: &str) {
    let body = format!(
        r#"{{"instance":{{"instanceId":"{id}","hostName":"h","app":"A","ipAddr":"10.0.0.1","status":"UP",
        "dataCenterInfo":{{"@class":"x","name":"MyOwn"}}}}}}"#
    );
    let url = format!("https://{}/eureka/apps/A", node.server.address);
    let answer = client.post(url).header("Content-Type", "application/json").body(body).send().await.unwrap();
    assert_eq!(answer.status(), 204);
}

async fn has(client: &reqwest::Client, node: &Node, id: &str) {
    let wait = async {
        while get(client, node, &format!("/eureka/apps/A/{id}")).await.is_none() {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(crate::sockets::server::SOON, wait).await.unwrap_or_else(|_| {
        panic!("{id} did not come: {}", node.server.log());
    });
}

#[tokio::test]
async fn case_089_two_nodes_that_show_each_other_certificates_replicate() {
    let authority = Authority::new("own");
    let [one, two] = [address(), address()];
    let sign = |at: SocketAddr| authority.sign(&[&at.ip().to_string()]);
    let nodes = [node(one, two, &authority, &sign(one)), node(two, one, &authority, &sign(two))];
    let own = authority.sign(&["client"]);
    let client = Client { shows: Some(&own), ..Client::of(&authority) }.build();
    register(&client, &nodes[0], "from-one").await;
    register(&client, &nodes[1], "from-two").await;
    has(&client, &nodes[1], "from-one").await;
    has(&client, &nodes[0], "from-two").await;
}

/// What a node says of a peer with such a certificate.
fn told_of(signed: impl Fn(&Authority, SocketAddr) -> Signed, reason: &str) {
    let authority = Authority::new("own");
    let [one, two] = [address(), address()];
    let far = node(two, one, &authority, &signed(&authority, two));
    let near = node(one, two, &authority, &authority.sign(&[&one.ip().to_string()]));
    let url = format!("peer=https://{two}/eureka/");
    eventually("the peer is told to fail", || {
        let log = near.server.log();
        log.lines().any(|line| line.contains(&url) && line.contains(reason)).then_some(())
    });
    drop(far);
}

#[test]
fn case_089_a_peer_whose_certificate_has_expired_is_unavailable_for_that_reason() {
    told_of(|authority, at| authority.sign_until(&[&at.ip().to_string()], 2010), "its certificate has expired");
}

#[test]
fn a_peer_of_another_authority_is_unavailable_for_that_reason() {
    let foreign = Authority::new("foreign");
    told_of(move |_, at| foreign.sign(&[&at.ip().to_string()]), "is of an authority that is not trusted here");
}

#[test]
fn a_peer_with_a_certificate_for_another_name_is_unavailable_for_that_reason() {
    told_of(|authority, _| authority.sign(&["elsewhere"]), "its certificate is for another name");
}
