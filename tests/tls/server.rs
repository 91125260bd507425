//! A port with TLS, and whoever comes to it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Instant;

use reqwest::Version;
use rustls::SupportedProtocolVersion;

use crate::sockets::server::{SOON, Server, command, output};
use crate::sockets::wire::get;

use super::authority::{Authority, Client, Signed, secured};

const INSTANCE: &str = r#"{"instance":{"instanceId":"a-1","hostName":"h","app":"A","ipAddr":"10.0.0.1","status":"UP",
    "port":{"$":80,"@enabled":"true"},"dataCenterInfo":{"@class":"x","name":"MyOwn"},"vipAddress":"a"}}"#;

/// Clients of one version.
static TLS_1_2: [&SupportedProtocolVersion; 1] = [&rustls::version::TLS12];
static TLS_1_3: [&SupportedProtocolVersion; 1] = [&rustls::version::TLS13];

/// A server with a certificate for its address, and these words.
fn server(authority: &Authority, folder: &Path, words: &[&str]) -> Server {
    authority.sign(&["localhost", "127.0.0.1"]).write(folder);
    std::fs::write(folder.join("ca.crt"), &authority.pem).unwrap();
    let secured = secured(folder);
    let words: Vec<&str> = secured.iter().map(String::as_str).chain(words.iter().copied()).collect();
    Server::start(&words)
}

fn url(server: &Server, path: &str) -> String {
    format!("https://{}{path}", server.address)
}

#[tokio::test]
async fn clients_register_and_fetch_by_https_in_both_protocols_and_versions() {
    let (authority, folder) = (Authority::new("own"), tempfile::tempdir().unwrap());
    let mut server = server(&authority, folder.path(), &[]);
    let h2: &[&[u8]] = &[b"h2", b"http/1.1"];
    for (versions, alpn, expected) in [
        (rustls::DEFAULT_VERSIONS, &[] as &[&[u8]], Version::HTTP_11),
        (rustls::DEFAULT_VERSIONS, h2, Version::HTTP_2),
        (&TLS_1_2, &[], Version::HTTP_11),
        (&TLS_1_2, h2, Version::HTTP_2),
        (&TLS_1_3, h2, Version::HTTP_2),
    ] {
        let client = Client { versions, alpn, ..Client::of(&authority) }.build();
        let registered = client.post(url(&server, "/eureka/apps/A")).header("Content-Type", "application/json");
        let registered = registered.body(INSTANCE).send().await.unwrap();
        assert_eq!((registered.status().as_u16(), registered.version()), (204, expected));
        for _ in 0..50 {
            let renewed = client.put(url(&server, "/eureka/apps/A/a-1?status=UP")).send().await.unwrap();
            assert_eq!(renewed.status(), 200);
        }
        let list = client.get(url(&server, "/eureka/apps")).header("Accept", "application/json").send().await.unwrap();
        assert!(list.text().await.unwrap().contains("a-1"));
        let health = client.get(url(&server, "/actuator/health")).send().await.unwrap();
        assert!(health.text().await.unwrap().contains(r#""status":"UP""#));
    }
    server.signal("TERM");
    // The clients are not run meanwhile, so that they do not answer to the end of their connections.
    assert_eq!(server.exit_code(), Some(0));
    assert!(server.log().contains("tls=on"), "{}", server.log());
}

#[tokio::test]
async fn events_are_followed_in_both_protocols_until_the_shutdown() {
    let (authority, folder) = (Authority::new("own"), tempfile::tempdir().unwrap());
    let mut server = server(&authority, folder.path(), &["--eurekad.events.keep-alive=1"]);
    let alpn: [&'static [&'static [u8]]; 2] = [&[], &[b"h2"]];
    let clients = alpn.map(|alpn| Client { alpn, ..Client::of(&authority) }.build());
    let mut streams = Vec::new();
    for (client, version) in clients.iter().zip([Version::HTTP_11, Version::HTTP_2]) {
        let stream = client.get(url(&server, "/eureka/events")).send().await.unwrap();
        assert_eq!((stream.status().as_u16(), stream.version()), (200, version));
        streams.push((stream, String::new()));
    }
    let registered = clients[1].post(url(&server, "/eureka/apps/A")).header("Content-Type", "application/json");
    assert_eq!(registered.body(INSTANCE).send().await.unwrap().status(), 204);
    for (stream, seen) in &mut streams {
        for expected in ["event: ready", "event: registered", ":\nid: "] {
            while !seen.contains(expected) {
                seen.push_str(&String::from_utf8_lossy(&stream.chunk().await.unwrap().expect("not over")));
            }
        }
    }
    server.signal("TERM");
    for (stream, _) in &mut streams {
        while stream.chunk().await.unwrap().is_some() {}
    }
    drop(clients);
    assert_eq!(server.exit_code(), Some(0));
}

#[tokio::test]
async fn a_version_that_is_not_enabled_is_not_spoken() {
    let (authority, folder) = (Authority::new("own"), tempfile::tempdir().unwrap());
    let server = server(&authority, folder.path(), &["--server.ssl.enabled-protocols=TLSv1.3"]);
    let old = Client { versions: &TLS_1_2, ..Client::of(&authority) }.build();
    old.get(url(&server, "/eureka/apps")).send().await.unwrap_err();
    let new = Client::of(&authority).build();
    assert_eq!(new.get(url(&server, "/eureka/apps")).send().await.unwrap().status(), 200);
    let foreign = Authority::new("foreign");
    let stranger = Client::of(&foreign).build().get(url(&server, "/eureka/apps")).send().await;
    assert!(stranger.unwrap_err().is_connect());
}

/// The statuses that clients get: one without a certificate, one of this authority, one of another, one
/// whose certificate has expired. None: no answer.
async fn let_in(wish: &str) -> [Option<u16>; 4] {
    let (authority, foreign) = (Authority::new("own"), Authority::new("foreign"));
    let folder = tempfile::tempdir().unwrap();
    let trust = format!("--server.ssl.trust-certificate={}/ca.crt", folder.path().display());
    let server = server(&authority, folder.path(), &[&trust, &format!("--server.ssl.client-auth={wish}")]);
    let (good, wrong, over) =
        (authority.sign(&["client"]), foreign.sign(&["client"]), authority.sign_until(&["client"], 2010));
    let mut statuses = [None; 4];
    for (status, shows) in statuses.iter_mut().zip([None, Some(&good), Some(&wrong), Some(&over)]) {
        let client = Client { shows, ..Client::of(&authority) }.build();
        *status = client.get(url(&server, "/eureka/apps")).send().await.ok().map(|answer| answer.status().as_u16());
    }
    statuses
}

#[tokio::test]
async fn certificates_of_clients_are_ignored_wanted_or_needed() {
    assert_eq!(let_in("none").await, [Some(200); 4]);
    assert_eq!(let_in("want").await, [Some(200), Some(200), None, None]);
    assert_eq!(let_in("need").await, [None, Some(200), None, None]);
}

#[test]
fn plain_http_on_a_port_with_tls_is_told_that_tls_is_required() {
    let (authority, folder) = (Authority::new("own"), tempfile::tempdir().unwrap());
    let server = server(&authority, folder.path(), &[]);
    let mut wire = server.connect();
    let answer = wire.ask(get("/eureka/apps", ""));
    assert_eq!(
        (answer.status, answer.text().as_str()),
        (400, "Bad Request\r\nThis combination of host and port requires TLS.\r\n")
    );
    assert_eq!(answer.header("content-type"), Some("text/plain;charset=UTF-8"));
}

#[tokio::test]
async fn who_does_not_finish_a_handshake_is_given_up_and_holds_up_nobody() {
    let (authority, folder) = (Authority::new("own"), tempfile::tempdir().unwrap());
    let server = server(&authority, folder.path(), &["--eurekad.http.head-timeout=500ms"]);
    let mut slow: Vec<TcpStream> = (0..20).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    // The beginning of a handshake, whose rest never comes.
    for socket in slow.iter_mut().skip(10) {
        socket.write_all(&[22, 3, 1, 2, 0, 1]).unwrap();
    }
    let client = Client::of(&authority).build();
    assert_eq!(client.get(url(&server, "/eureka/apps")).send().await.unwrap().status(), 200);
    for socket in &mut slow {
        socket.set_read_timeout(Some(SOON)).unwrap();
        let mut rest = Vec::new();
        let begin = Instant::now();
        // Closed, or broken off; not left open until the time-out of this test.
        let _ = socket.read_to_end(&mut rest);
        assert!(begin.elapsed() < SOON, "the connection stays open");
    }
}

#[test]
fn healthcheck_asks_by_https_and_shows_a_certificate_where_one_is_needed() {
    let (authority, folder) = (Authority::new("own"), tempfile::tempdir().unwrap());
    let trust = format!("--server.ssl.trust-certificate={}/ca.crt", folder.path().display());
    for more in [vec![], vec![trust.as_str(), "--server.ssl.client-auth=need"]] {
        let server = server(&authority, folder.path(), &more);
        let port = format!("--server.port={}", server.address.port());
        let secured = secured(folder.path());
        let words: Vec<&str> = secured
            .iter()
            .map(String::as_str)
            .chain(more.iter().copied())
            .chain([port.as_str(), "healthcheck"])
            .collect();
        let asked = output(command(folder.path(), &words));
        assert_eq!((asked.status.code(), String::from_utf8_lossy(&asked.stdout).trim()), (Some(0), "UP"));
    }
}

#[tokio::test]
async fn a_management_port_is_plain_unless_it_has_tls_of_its_own() {
    let (authority, folder) = (Authority::new("own"), tempfile::tempdir().unwrap());
    let own = [
        format!("--management.server.ssl.certificate={}/tls.crt", folder.path().display()),
        format!("--management.server.ssl.certificate-private-key={}/tls.key", folder.path().display()),
    ];
    let client = Client::of(&authority).build();
    for (words, scheme) in [(&[][..], "http"), (&own[..], "https")] {
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["--management.server.port=0"]).collect();
        let server = server(&authority, folder.path(), &words);
        let log = crate::sockets::server::eventually("both ports listen", || {
            let log = server.log();
            (log.matches("address=").count() == 2).then_some(log)
        });
        let address = log.rsplit_once("address=").unwrap().1.split_whitespace().next().unwrap();
        let port = address.rsplit_once(':').unwrap().1;
        let health = client.get(format!("{scheme}://127.0.0.1:{port}/actuator/health")).send().await.unwrap();
        assert_eq!(health.status(), 200, "{scheme}");
    }
}

#[test]
fn all_that_is_wrong_with_certificates_is_told_at_once_and_stops_the_start() {
    let (authority, folder) = (Authority::new("own"), tempfile::tempdir().unwrap());
    let (one, other) = (authority.sign(&["one"]), authority.sign(&["other"]));
    Signed { key: other.key, ..one }.write(folder.path());
    let mut words = secured(folder.path());
    words.extend([
        "--eureka.client.tls.enabled=true".to_owned(),
        "--eureka.client.tls.trust-store=/nowhere/trust.p12".to_owned(),
        "--eureka.server.remote-region-trust-store=/nowhere/region.p12".to_owned(),
    ]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    for command_word in ["serve", "check"] {
        let words = [words.as_slice(), &[command_word]].concat();
        let refused = output(command(folder.path(), &words));
        assert_eq!(refused.status.code(), Some(78));
        let told = format!("{}{}", String::from_utf8_lossy(&refused.stdout), String::from_utf8_lossy(&refused.stderr));
        for part in [
            "server.ssl.certificate-private-key: ",
            "tls.key has a key that is not that of ",
            "eureka.client.tls.trust-store: cannot read /nowhere/trust.p12: No such file",
            "eureka.server.remote-region-trust-store: cannot read /nowhere/region.p12: No such file",
        ] {
            assert!(told.contains(part), "{part} is missing: {told}");
        }
    }
}
