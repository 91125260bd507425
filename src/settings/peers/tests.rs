#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::settings::Settings;

use super::*;

fn peers(words: &[&str]) -> PeerSettings {
    Settings::from_words(words).unwrap().peers
}

fn listed(words: &[&str]) -> Vec<String> {
    peers(words).listed().iter().map(ToString::to_string).collect()
}

fn mistakes(words: &[&str]) -> String {
    Settings::from_words(words).unwrap_err().to_string()
}

#[test]
fn case_062_nothing_set_is_no_peers() {
    assert_eq!(listed(&[]), Vec::<String>::new());
    assert_eq!(listed(&["--eureka.client.service-url.defaultZone="]), Vec::<String>::new());
    assert_eq!(listed(&["--eureka.client.service-url.defaultZone=http://localhost:0/eureka/"]), Vec::<String>::new());
}

#[test]
fn urls_are_told_apart_from_blanks_and_each_other() {
    assert_eq!(
        listed(&["--eureka.client.service-url.defaultZone= http://b:8761/eureka/ , http://a:8761/eureka,,\
                  http://u:p@B:8761/eureka"]),
        ["http://b:8761/eureka/", "http://a:8761/eureka/"]
    );
}

#[test]
fn case_101_all_zones_of_the_own_region_are_peers_and_the_own_zone_comes_first() {
    let all = |more: &[&str]| {
        let mut words = vec![
            "--eureka.client.region=eu",
            "--eureka.client.availability-zones.EU=eu-2,eu-1,EU-3",
            "--eureka.client.availability-zones.us=us-1",
            "--eureka.client.service-url.eu-1=http://a1/,http://b1/",
            "--eureka.client.service-url.Eu-2=http://a2/",
            "--eureka.client.service-url.us-1=http://far/",
            "--eureka.client.service-url.defaultZone=http://default/,http://a1/",
        ];
        words.extend(more);
        listed(&words)
    };
    assert_eq!(all(&[]), ["http://a2/", "http://a1/", "http://b1/", "http://default/"]);
    let others_first = all(&["--eureka.client.prefer-same-zone-eureka=false"]);
    assert_eq!(others_first, ["http://a1/", "http://b1/", "http://default/", "http://a2/"]);
    assert_eq!(all(&["--eureka.client.region=us"]), ["http://far/"]);
    assert_eq!(all(&["--eureka.client.region=elsewhere"]), ["http://default/", "http://a1/"]);
}

#[test]
fn a_region_of_a_variable_is_found_without_its_dashes() {
    let variables = [
        ("EUREKA_CLIENT_AVAILABILITY_ZONES_US_EAST_1", "us-east-1c"),
        ("EUREKA_CLIENT_SERVICE_URL_US_EAST_1C", "http://a/"),
    ];
    let environment = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let dir = tempfile::tempdir().unwrap();
    let sources = crate::settings::Sources { dir: dir.path(), environment, words: &[] };
    let listed = Settings::load(sources).unwrap().settings.peers.listed();
    assert_eq!(listed.iter().map(PeerUrl::as_str).collect::<Vec<_>>(), ["http://a/"]);
}

#[test]
fn mistakes_name_the_property_and_show_no_password() {
    assert_eq!(
        mistakes(&["--eureka.client.service-url.defaultZone=http://a/,b:8761/eureka/"]),
        "eureka.client.service-url.defaultZone = \"http://a/,b:8761/eureka/\" (argument): must be URLs of Eureka \
         servers (http://host:8761/eureka/), and number 2 does not begin with http:// or https://"
    );
    assert_eq!(
        mistakes(&["--eureka.client.service-url.defaultZone=u:p4ss@b:8761/eureka/"]),
        "eureka.client.service-url.defaultZone = \"u:******@b:8761/eureka/\" (argument): must be URLs of Eureka \
         servers (http://host:8761/eureka/), and it does not begin with http:// or https://"
    );
    let all = mistakes(&[
        "--eureka.client.service-url.a=x",
        "--eureka.client.service-url.b=http://u:p4ss/w@b/",
        "--eureka.client.use-dns-for-fetching-service-urls=true",
        "--eureka.client.eureka-server-port=0",
        "--eureka.server.my-url=x",
        "--eureka.server.peer-eureka-nodes-update-interval-ms=0",
        "--eurekad.peers.dns=u:p4ss@a b",
        "--eurekad.peers.srv=_eureka._tcp.registry:8761",
        "--eurekad.peers.dns-server=localhost",
    ]);
    assert_eq!(all.lines().count(), 9, "{all}");
    assert!(!all.contains("p4ss"), "{all}");
}

#[test]
fn what_is_asked_for_peers() {
    let peers = peers(&[
        "--eurekad.peers.dns=registry, http://u:p@other:8761/eureka",
        "--eurekad.peers.srv=_eureka._tcp.registry",
        "--eurekad.peers.file= /etc/eureka/peers ",
        "--eurekad.peers.dns-server=127.0.0.1",
        "--eureka.server.my-url=http://A:80/eureka",
        "--eureka.client.service-url.defaultZone=http://a/",
        "--eureka.client.use-dns-for-fetching-service-urls=true",
        "--eureka.client.eurekaServerDNSName=example.org",
    ]);
    assert_eq!(peers.dns.iter().map(PeerName::name).collect::<Vec<_>>(), ["registry", "other"]);
    assert_eq!(peers.srv.len(), 1);
    assert_eq!(peers.file, Some(PathBuf::from("/etc/eureka/peers")));
    assert_eq!(peers.dns_server, Some(SocketAddr::from(([127, 0, 0, 1], 53))));
    assert_eq!(peers.my_url.as_ref().map(PeerUrl::as_str), Some("http://a/eureka/"));
    assert_eq!(peers.txt.name.as_deref(), Some("example.org"));
    assert_eq!(peers.listed(), [], "TXT records are in their place");
    assert_eq!(dns_server("[::1]:8600"), Ok(SocketAddr::from(([0, 0, 0, 0, 0, 0, 0, 1], 8600))));
}
