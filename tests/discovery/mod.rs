//! Peers are found in DNS and in a file, and the list follows every change.

use std::fs;
use std::path::Path;
use std::time::Duration;

use eurekad::peers::discovery::{Discovery, Found};
use eurekad::settings::{OwnRoot, PeerUrl, Settings};
use hickory_resolver::proto::rr::RecordType;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::dns_stub::{DnsStub, Trouble};

/// Within this everything that should happen has happened, on a slow machine too.
const SOON: Duration = Duration::from_secs(20);
const NODES: &str = "nodes.test";

fn settings(dns: &DnsStub, words: &[&str]) -> Settings {
    let server = format!("--eurekad.peers.dns-server={}", dns.address());
    let words: Vec<&str> = words.iter().copied().chain([server.as_str()]).collect();
    Settings::from_words(&words).unwrap()
}

fn discovery(settings: &Settings) -> Discovery {
    Discovery::new(settings.peers.clone(), OwnRoot::of(&settings.http))
}

fn urls(found: &Found) -> Vec<&str> {
    found.peers.iter().map(PeerUrl::as_str).collect()
}

/// A list that is kept current.
struct Kept {
    settings: watch::Sender<Settings>,
    found: watch::Receiver<Found>,
    task: AbortHandle,
}

impl Kept {
    fn start(settings: Settings) -> Self {
        let discovery = discovery(&settings);
        let (settings, changes) = watch::channel(settings);
        let (list, found) = watch::channel(Found::default());
        let task = tokio::spawn(discovery.keep(changes, list)).abort_handle();
        Self { settings, found, task }
    }

    async fn eventually(&self, expected: &[&str]) -> Found {
        let mut found = self.found.clone();
        let reached = tokio::time::timeout(SOON, found.wait_for(|found| urls(found) == expected)).await;
        let Ok(found) = reached else { panic!("{:?} is not {expected:?}", self.found.borrow()) };
        found.unwrap().clone()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[tokio::test]
async fn case_070_every_address_of_a_name_is_a_peer_and_the_list_follows() {
    let dns = DnsStub::start();
    dns.addresses(NODES, &["127.0.0.2", "127.0.0.1"]);
    let mut discovery = discovery(&settings(&dns, &["--eurekad.peers.dns=nodes.test"]));
    let two = ["http://127.0.0.1:8761/eureka/", "http://127.0.0.2:8761/eureka/"];
    assert_eq!(discovery.found().silent, ["addresses of nodes.test"]);
    assert_eq!(urls(&discovery.find().await), two);
    assert_eq!(discovery.found().silent, [""; 0]);

    dns.addresses(NODES, &["127.0.0.3", "127.0.0.1", "127.0.0.2"]);
    let three = [two[0], two[1], "http://127.0.0.3:8761/eureka/"];
    assert_eq!(urls(&discovery.find().await), three, "another one");
    dns.addresses(NODES, &["127.0.0.2", "127.0.0.3"]);
    assert_eq!(urls(&discovery.find().await), three[1..], "one has gone");

    dns.addresses(NODES, &[]);
    assert_eq!(urls(&discovery.find().await), three[1..], "an empty answer");
    dns.remove(NODES);
    assert_eq!(urls(&discovery.find().await), three[1..], "no such name");
    dns.addresses(NODES, &["127.0.0.1"]);
    dns.trouble(NODES, None, Trouble::Failure);
    assert_eq!(urls(&discovery.find().await), three[1..], "the server fails");
    dns.trouble(NODES, None, Trouble::Silence);
    assert_eq!(urls(&discovery.find().await), three[1..], "the server is silent");
    dns.recover();
    assert_eq!(urls(&discovery.find().await), two[..1], "back again");
}

#[tokio::test]
async fn a_name_without_addresses_is_told_from_one_that_cannot_be_asked_for() {
    let dns = DnsStub::start();
    let mut discovery = discovery(&settings(&dns, &["--eurekad.peers.dns=nodes.test"]));
    let source = ["addresses of nodes.test"];
    assert_eq!(discovery.found().unanswered, source, "it was not asked yet");
    for trouble in [Trouble::Failure, Trouble::Silence] {
        dns.trouble(NODES, None, trouble);
        assert_eq!(discovery.find().await.unanswered, source);
        dns.recover();
        let found = discovery.find().await;
        assert_eq!((&*found.silent, &*found.unanswered), (&source.map(str::to_owned)[..], &[][..]), "no such name");
    }
}

#[tokio::test]
async fn a_kind_of_address_that_cannot_be_asked_for_stays_while_the_other_follows() {
    let dns = DnsStub::start();
    dns.addresses(NODES, &["127.0.0.1", "127.0.0.2", "::1", "::2"]);
    let words = ["--eurekad.peers.dns=http://user:secret@nodes.test:9000/x/eureka", "--server.port=1"];
    let mut discovery = discovery(&settings(&dns, &words));
    let found = discovery.find().await;
    let [a, b, c, d] = ["127.0.0.1", "127.0.0.2", "[::1]", "[::2]"].map(|host| format!("http://{host}:9000/x/eureka/"));
    assert_eq!(urls(&found), [&a, &b, &c, &d].map(String::as_str));
    assert!(found.peers.iter().all(|url| (url.user(), url.password()) == (Some("user"), Some("secret"))));

    dns.addresses(NODES, &["127.0.0.1"]);
    dns.trouble(NODES, Some(RecordType::AAAA), Trouble::Failure);
    assert_eq!(urls(&discovery.find().await), [&a, &c, &d].map(String::as_str));
    dns.recover();
    assert_eq!(urls(&discovery.find().await), [&a].map(String::as_str));
}

#[tokio::test]
async fn srv_records_give_hosts_and_ports_the_best_first() {
    let dns = DnsStub::start();
    let name = "_eureka._tcp.registry.test";
    dns.services(
        name,
        &[(10, 5, 8761, "b.test"), (10, 50, 8762, "a.test"), (20, 90, 80, "c.test"), (1, 0, 8763, "d.test")],
    );
    let word = format!("--eurekad.peers.srv={name}");
    let mut discovery = discovery(&settings(&dns, &[&word, "--server.servlet.context-path=/registry"]));
    let expected = [
        "http://d.test:8763/registry/eureka/",
        "http://a.test:8762/registry/eureka/",
        "http://b.test:8761/registry/eureka/",
        "http://c.test/registry/eureka/",
    ];
    assert_eq!(urls(&discovery.find().await), expected);
    // A service that is said not to be there.
    dns.services(name, &[(0, 0, 0, ".")]);
    assert_eq!(urls(&discovery.find().await), expected);
    dns.services(name, &[(0, 0, 1, "e.test")]);
    assert_eq!(urls(&discovery.find().await), ["http://e.test:1/registry/eureka/"]);
}

#[tokio::test]
async fn txt_records_list_zones_and_their_hosts() {
    let dns = DnsStub::start();
    dns.texts("txt.eu.example.test", &["eu-1b.example.test eu-1c.example.test", "eu-1a.example.test"]);
    dns.texts("txt.eu-1a.example.test", &["a1.test"]);
    dns.texts("txt.eu-1b.example.test", &["b2.test b1.test"]);
    dns.texts("txt.eu-1c.example.test", &["c1.test"]);
    let words = [
        "--eureka.client.use-dns-for-fetching-service-urls=true",
        "--eureka.client.eureka-server-dns-name=example.test",
        "--eureka.client.eureka-server-port=7001",
        "--eureka.client.eureka-server-url-context=eureka/v2",
        "--eureka.client.region=eu",
        "--eureka.client.availability-zones.eu=eu-1b,eu-1a",
        "--eureka.client.service-url.defaultZone=http://nobody.test/eureka/",
    ];
    let mut discovery = discovery(&settings(&dns, &words));
    let [a, b1, b2, c] = ["a1", "b1", "b2", "c1"].map(|host| format!("http://{host}.test:7001/eureka/v2/"));
    assert_eq!(urls(&discovery.find().await), [&b1, &b2, &c, &a].map(String::as_str), "the own zone first");
    dns.trouble("txt.eu-1b.example.test", None, Trouble::Failure);
    dns.texts("txt.eu-1a.example.test", &["a1.test a2.test"]);
    let a2 = "http://a2.test:7001/eureka/v2/";
    assert_eq!(urls(&discovery.find().await), [&b1, &b2, &c, &a, a2], "one zone cannot be asked for");
    dns.recover();
    dns.texts("txt.eu.example.test", &["eu-1a.example.test"]);
    assert_eq!(urls(&discovery.find().await), [&a, a2], "zones have gone");
}

#[tokio::test]
async fn a_name_that_appears_later_is_found_and_holds_up_nobody() {
    let dns = DnsStub::start();
    dns.trouble("silent.test", None, Trouble::Silence);
    let kept = Kept::start(settings(
        &dns,
        &[
            "--eureka.client.service-url.defaultZone=http://a.test/eureka/",
            "--eurekad.peers.dns=silent.test,nodes.test",
            "--eureka.server.peer-eureka-nodes-update-interval-ms=20",
        ],
    ));
    let both_silent = ["addresses of silent.test", "addresses of nodes.test"];
    assert_eq!(kept.eventually(&["http://a.test/eureka/"]).await.silent, both_silent);
    tokio::time::timeout(SOON, async {
        while dns.asked(NODES) < 6 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();
    dns.addresses(NODES, &["127.0.0.1"]);
    let found = kept.eventually(&["http://a.test/eureka/", "http://127.0.0.1:8761/eureka/"]).await;
    assert_eq!(found.silent, both_silent[..1]);
    dns.recover();
    dns.addresses("silent.test", &["127.0.0.9"]);
    let all = ["http://a.test/eureka/", "http://127.0.0.9:8761/eureka/", "http://127.0.0.1:8761/eureka/"];
    assert_eq!(kept.eventually(&all).await.silent, [""; 0]);
}

#[tokio::test]
async fn the_list_follows_the_settings_at_once() {
    let dns = DnsStub::start();
    dns.addresses(NODES, &["127.0.0.1", "127.0.0.2"]);
    let dns_word = "--eurekad.peers.dns=nodes.test";
    let kept = Kept::start(settings(&dns, &[dns_word]));
    let two = ["http://127.0.0.1:8761/eureka/", "http://127.0.0.2:8761/eureka/"];
    kept.eventually(&two).await;
    // What a name gave stays while another setting changes.
    dns.trouble(NODES, None, Trouble::Failure);
    let more = "--eureka.client.service-url.defaultZone=http://a.test/eureka/,http://user:p@127.0.0.2:8761/eureka";
    kept.settings.send_replace(settings(&dns, &[dns_word, more]));
    let three = ["http://a.test/eureka/", two[1], two[0]];
    assert_eq!(kept.eventually(&three).await.peers[1].password(), Some("p"));
    let own = "--eureka.server.my-url=http://127.0.0.2:8761/eureka";
    kept.settings.send_replace(settings(&dns, &[dns_word, more, own]));
    kept.eventually(&[three[0], three[2]]).await;
    kept.settings.send_replace(settings(&dns, &[]));
    assert_eq!(kept.eventually(&[]).await, Found::default());
}

/// Puts a file in place as a mount of Kubernetes does: a link to a folder takes the place of the old one.
fn mount(dir: &Path, version: u32, text: &str) {
    let data = dir.join(format!("data{version}"));
    fs::create_dir(&data).unwrap();
    fs::write(data.join("peers"), text).unwrap();
    let link = dir.join("new");
    std::os::unix::fs::symlink(&data, &link).unwrap();
    fs::rename(&link, dir.join("..data")).unwrap();
}

#[tokio::test]
async fn the_list_follows_a_file() {
    let dns = DnsStub::start();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("peers");
    let settings = settings(&dns, &[&format!("--eurekad.peers.file={}", path.display())]);
    let mut discovery = discovery(&settings);
    let source = format!("file {}", path.display());
    let nobody = Found { peers: Vec::new(), silent: vec![source.clone()], unanswered: vec![source.clone()] };
    assert_eq!(discovery.find().await, nobody, "it is not there");
    fs::write(&path, "# nobody\n").unwrap();
    assert_eq!(discovery.find().await, Found { unanswered: Vec::new(), ..nobody }, "it is empty");
    fs::remove_file(&path).unwrap();

    let [a, b, c] = ["http://a:8761/eureka/", "http://b:8761/eureka/", "http://c:8761/eureka/"];
    mount(dir.path(), 1, "http://a:8761/eureka # one\nhttp://b:8761/eureka/");
    std::os::unix::fs::symlink(Path::new("..data/peers"), &path).unwrap();
    assert_eq!(urls(&discovery.find().await), [a, b]);
    mount(dir.path(), 2, "");
    assert_eq!(urls(&discovery.find().await), [a, b], "an empty one");
    mount(dir.path(), 3, "http://c:8761/eureka/\nb:8761");
    assert_eq!(urls(&discovery.find().await), [a, b], "one with a mistake");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(urls(&discovery.find().await), [a, b], "a folder");

    fs::remove_dir(&path).unwrap();
    fs::write(&path, "http://b:8761/eureka/, http://c:8761/eureka/").unwrap();
    let kept = Kept::start(settings);
    kept.eventually(&[b, c]).await;
    fs::write(&path, "http://c:8761/eureka/").unwrap();
    kept.eventually(&[c]).await;
}

#[tokio::test]
async fn without_a_server_of_its_own_the_system_is_asked() {
    let settings = Settings::from_words(&["--eurekad.peers.dns=127.0.0.7:1,[::1]:2,localhost:3"]).unwrap();
    let found = discovery(&settings).find().await;
    assert_eq!(
        urls(&found)[..3],
        ["http://127.0.0.7:1/eureka/", "http://[::1]:2/eureka/", "http://127.0.0.1:3/eureka/"]
    );
}
