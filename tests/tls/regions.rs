//! Remote regions that are followed by https.

use std::path::Path;

use crate::sockets::server::{Server, eventually};
use crate::sockets::wire::get;

use super::authority::{Authority, Client, secured};

/// A registry by https that wants certificates of its authority, with an instance.
async fn region(authority: &Authority, folder: &Path) -> Server {
    authority.sign(&["127.0.0.1"]).write(folder);
    std::fs::write(folder.join("ca.crt"), &authority.pem).unwrap();
    let mut words = secured(folder);
    words.push(format!("--server.ssl.trust-certificate={}/ca.crt", folder.display()));
    words.push("--server.ssl.client-auth=need".to_owned());
    let server = Server::start(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let own = authority.sign(&["client"]);
    let client = Client { shows: Some(&own), ..Client::of(authority) }.build();
    let url = format!("https://{}/eureka/apps/FAR", server.address);
    let body = r#"{"instance":{"instanceId":"far-1","hostName":"h","app":"FAR","ipAddr":"10.0.0.1","status":"UP",
        "dataCenterInfo":{"@class":"x","name":"MyOwn"}}}"#;
    let answer = client.post(url).header("Content-Type", "application/json").body(body).send().await.unwrap();
    assert_eq!(answer.status(), 204);
    server
}

/// A plain server that follows it.
fn follower(region: &Server, words: &[String]) -> Server {
    let url = format!("--eureka.server.remote-region-urls-with-name.far=https://{}/eureka/", region.address);
    let words: Vec<&str> = words.iter().map(String::as_str).chain([url.as_str()]).collect();
    Server::start(&words)
}

#[tokio::test]
async fn a_region_is_followed_by_https_with_a_certificate_on_both_sides() {
    let (authority, folder) = (Authority::new("own"), tempfile::tempdir().unwrap());
    let region = region(&authority, folder.path()).await;
    let folder = folder.path().display();
    let near = follower(
        &region,
        &[
            format!("--spring.ssl.bundle.pem.far.keystore.certificate={folder}/tls.crt"),
            format!("--spring.ssl.bundle.pem.far.keystore.private-key={folder}/tls.key"),
            format!("--spring.ssl.bundle.pem.far.truststore.certificate={folder}/ca.crt"),
            "--eurekad.regions.ssl.bundle=far".to_owned(),
        ],
    );
    let mut wire = near.connect();
    eventually("the region's instance is shown", || {
        wire.ask(get("/eureka/apps?regions=far", "")).text().contains("far-1").then_some(())
    });
}

#[tokio::test]
async fn a_region_of_another_authority_is_not_followed_for_that_reason() {
    let (authority, foreign) = (Authority::new("own"), Authority::new("foreign"));
    let folder = tempfile::tempdir().unwrap();
    let region = region(&authority, folder.path()).await;
    let other = folder.path().join("other.crt");
    std::fs::write(&other, &foreign.pem).unwrap();
    let near = follower(&region, &[format!("--eureka.server.remote-region-trust-store={}", other.display())]);
    eventually("it is told why", || {
        near.log().contains("its certificate is of an authority that is not trusted here").then_some(())
    });
    assert!(!near.connect().ask(get("/eureka/apps?regions=far", "")).text().contains("far-1"));
}

#[tokio::test]
async fn a_region_that_wants_a_certificate_says_so_to_who_has_none() {
    let (authority, folder) = (Authority::new("own"), tempfile::tempdir().unwrap());
    let region = region(&authority, folder.path()).await;
    let trust = format!("--eureka.server.remote-region-trust-store={}/ca.crt", folder.path().display());
    let near = follower(&region, &[trust]);
    eventually("it is told why", || near.log().contains("wants a certificate").then_some(()));
}
