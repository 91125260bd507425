//! New certificates while the server runs.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use reqwest::tls::TlsInfo;

use crate::sockets::server::{SOON, Server};

use super::authority::{Authority, Client, Signed, secured};

/// What a new connection is shown.
async fn shown(server: &Server, authority: &Authority) -> Vec<u8> {
    let client = Client::of(authority).build();
    let answer = client.get(format!("https://{}/eureka/apps", server.address)).send().await.unwrap();
    answer.extensions().get::<TlsInfo>().unwrap().peer_certificate().unwrap().to_vec()
}

async fn until_shown(server: &Server, authority: &Authority, signed: &Signed) {
    let wait = async {
        while shown(server, authority).await != signed.der() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(SOON, wait).await.expect("the new certificate is shown");
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_change_twenty_times_and_no_heartbeat_fails() {
    let (authority, folder) = (Authority::new("own"), tempfile::tempdir().unwrap());
    authority.sign(&["127.0.0.1"]).write(folder.path());
    let mut words = secured(folder.path());
    words.push("--eurekad.ssl.reload-interval=50ms".to_owned());
    let server = Server::start(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let (ended, beats) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
    let mut clients = Vec::new();
    for number in 0..4 {
        let url = format!("https://{}/eureka/apps/A/none", server.address);
        let (kept, ended, beats) = (Client::of(&authority).build(), Arc::clone(&ended), Arc::clone(&beats));
        let config = Client::of(&authority).config();
        clients.push(tokio::spawn(async move {
            while !ended.load(Ordering::Relaxed) {
                // Half of them keep their connection, half make a new one each time.
                let fresh = || reqwest::Client::builder().tls_backend_preconfigured(config.clone()).no_proxy();
                let client = if number % 2 == 0 { kept.clone() } else { fresh().build().unwrap() };
                assert_eq!(client.put(&url).send().await.unwrap().status(), 404);
                beats.fetch_add(1, Ordering::Relaxed);
            }
        }));
    }
    for _ in 0..20 {
        let next = authority.sign(&["127.0.0.1"]);
        next.write(folder.path());
        until_shown(&server, &authority, &next).await;
    }
    ended.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.expect("all heartbeats are answered");
    }
    assert!(beats.load(Ordering::Relaxed) > 20);
}

#[tokio::test]
async fn kubernetes_swaps_a_link_and_what_is_broken_leaves_the_old_in_force() {
    let (authority, folder) = (Authority::new("own"), tempfile::tempdir().unwrap());
    let version = |name: &str| {
        let path = folder.path().join(name);
        fs::create_dir(&path).unwrap();
        path
    };
    let link_to = |target: &str| {
        symlink(target, folder.path().join("..tmp")).unwrap();
        fs::rename(folder.path().join("..tmp"), folder.path().join("..data")).unwrap();
    };
    let (first, second, third) =
        (authority.sign(&["127.0.0.1"]), authority.sign(&["127.0.0.1"]), authority.sign(&["127.0.0.1"]));
    first.write(&version("..1"));
    link_to("..1");
    for file in ["tls.crt", "tls.key"] {
        symlink(format!("..data/{file}"), folder.path().join(file)).unwrap();
    }
    let mut words = secured(folder.path());
    words.push("--eurekad.ssl.reload-interval=50ms".to_owned());
    let mut server = Server::start(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(shown(&server, &authority).await, first.der());

    second.write(&version("..2"));
    link_to("..2");
    until_shown(&server, &authority, &second).await;

    Signed { key: "no key".to_owned(), ..third.clone() }.write(&version("..3"));
    link_to("..3");
    crate::sockets::server::eventually("it is told", || {
        server.log().contains("the old ones stay in force").then_some(())
    });
    assert_eq!(shown(&server, &authority).await, second.der());
    server.signal("HUP");
    crate::sockets::server::eventually("settings are read", || {
        server.log().contains("settings read again").then_some(())
    });
    assert_eq!(shown(&server, &authority).await, second.der());

    third.write(&version("..4"));
    link_to("..4");
    until_shown(&server, &authority, &third).await;
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(0));
    assert_eq!(server.log().matches("the old ones stay in force").count(), 1, "{}", server.log());
    assert!(!server.log().contains("PRIVATE KEY"));
}

#[tokio::test]
async fn a_hang_up_reads_certificates_at_once() {
    let (authority, folder) = (Authority::new("own"), tempfile::tempdir().unwrap());
    authority.sign(&["127.0.0.1"]).write(folder.path());
    let mut words = secured(folder.path());
    words.push("--eurekad.ssl.reload-interval=1h".to_owned());
    let server = Server::start(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let next = authority.sign(&["127.0.0.1"]);
    next.write(folder.path());
    server.signal("HUP");
    until_shown(&server, &authority, &next).await;
}
