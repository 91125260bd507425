//! From what is written to what it means, through all layers.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod documentation;
mod spellings;

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::known::{self, Known, Shape, Usage};
use super::*;

fn load(dir: &Path, environment: &[(&str, &str)], words: &[&str]) -> Result<Loaded, SettingsErrors> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Settings::load(Sources { dir, environment, words: &words })
}

fn words(words: &[&str]) -> Settings {
    Settings::from_words(words).unwrap()
}

fn works() -> impl Iterator<Item = Known> {
    known::all().filter(|known| matches!(known.usage, Usage::Works(_)))
}

/// A name under which a property can be set, also if it is a map.
fn settable(known: &Known) -> String {
    match known.shape {
        Shape::One | Shape::List => known.name.to_owned(),
        Shape::Map | Shape::Lists => format!("{}.key", known.name),
        Shape::Records => format!("{}[0].key", known.name),
    }
}

#[test]
fn without_anything_written_the_defaults_hold() {
    let empty = tempfile::tempdir().unwrap();
    let Loaded { settings, notices } = load(empty.path(), &[], &[]).unwrap();
    assert_eq!(settings, Settings::default());
    assert_eq!(notices, []);
    assert_eq!(settings.http.port, 8761);
}

#[test]
fn the_later_source_wins() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    let port =
        |environment: &[(&str, &str)], words: &[&str]| load(dir.path(), environment, words).unwrap().settings.http.port;
    file("application.yml", "server:\n  port: 1\n");
    assert_eq!(port(&[], &[]), 1);
    file("application.properties", "server.port = 2");
    assert_eq!(port(&[], &[]), 2);
    fs::create_dir(dir.path().join("config")).unwrap();
    file("config/application.yaml", "server.port: 3");
    assert_eq!(port(&[], &[]), 3);
    file("config/application.yml", "server: {port: 4}");
    assert_eq!(port(&[], &[]), 4);
    file("config/application.properties", "server.port: 5");
    assert_eq!(port(&[], &[]), 5);
    assert_eq!(port(&[("SERVER_PORT", "6")], &[]), 6);
    let environment = [("SERVER_PORT", "6"), ("JAVA_OPTS", "-Dserver.port=7")];
    assert_eq!(port(&environment, &[]), 7);
    assert_eq!(port(&environment, &["-Dserver.port=8"]), 8);
    let environment = [("SERVER_PORT", "6"), ("SPRING_APPLICATION_JSON", "{\"server\": {\"port\": 9}}")];
    assert_eq!(port(&environment, &["-Dserver.port=8"]), 9);
    assert_eq!(port(&environment, &["--server.port=10", "-Dserver.port=8"]), 10);
    assert_eq!(port(&environment, &["-Dspring.application.json={\"server.port\": 11}"]), 11);
}

/// What must be set for a property to mean something.
fn companions(name: &str) -> &'static [&'static str] {
    const CLIENT: &[&str] =
        &["--eureka.client.tls.enabled=true", "--eureka.client.tls.key-store=k", "--eureka.client.tls.trust-store=t"];
    match name {
        "eureka.client.tls.enabled" => CLIENT.get(1..).unwrap_or_default(),
        name if name.starts_with("eureka.client.tls.") => CLIENT,
        name if name.starts_with("javax.net.ssl.") => &["-Djavax.net.ssl.keyStore=k", "-Djavax.net.ssl.trustStore=t"],
        "eureka.server.remote-region-trust-store-password" => &["--eureka.server.remote-region-trust-store=t"],
        _ => &[],
    }
}

#[test]
fn every_property_in_use_changes_something() {
    for known in works() {
        // No number, no boolean, no level; as a text it differs from every default.
        let word = format!("--{}=Odd value", settable(&known));
        let others = companions(known.name);
        let with = [others, &[word.as_str()]].concat();
        let changed = Settings::from_words(&with).map_or(true, |settings| settings != words(others));
        assert!(changed, "{word} does nothing");
    }
}

#[test]
fn all_mistakes_are_told_at_once_with_their_places() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        dir.path().join("application.yml"),
        "server:\n  port: 70000\neureka:\n  server:\n    enable-self-preservation: ture\n    renewal-percent-threshold: 85\n",
    )
    .unwrap();
    fs::write(dir.path().join("application.properties"), "x=\\u00").unwrap();
    let errors = load(
        dir.path(),
        &[("EUREKA_SERVER_EXPECTED_CLIENT_RENEWAL_INTERVAL_SECONDS", "0")],
        &[
            "--eureka.server.eviction-interval-timer-in-ms=-5",
            "--eureka.instance.secure-port=${a}",
            "--a=${a}",
            "--odd",
        ],
    )
    .unwrap_err()
    .to_string()
    .replace(&format!("{}/", dir.path().display()), "");
    let expected = [
        "argument \"--odd\": write --name=value, with the value in the same argument",
        "application.properties line 1: \\u00 is no character: write \\u and four hex digits",
        "eureka.instance.secure-port = \"${a}\" (argument): its placeholders lead back to itself",
        "server.port = \"70000\" (application.yml line 2): must be a whole number from 0 to 65535",
        "eureka.server.eviction-interval-timer-in-ms = \"-5\" (argument): \
         must be a time of at least 1ms, in milliseconds or with a unit (30000, 30s, PT30S)",
        "eureka.server.enable-self-preservation = \"ture\" (application.yml line 5): must be true or false",
        "eureka.server.renewal-percent-threshold = \"85\" (application.yml line 6): \
         must be a ratio from 0 to 1 (0.85 is 85 %)",
        "eureka.server.expected-client-renewal-interval-seconds = \"0\" \
         (environment variable EUREKA_SERVER_EXPECTED_CLIENT_RENEWAL_INTERVAL_SECONDS): \
         must be a time of at least 1s, in seconds or with a unit (30, 30s, PT30S)",
    ];
    assert_eq!(errors.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn what_is_out_of_bounds_is_a_mistake_everywhere() {
    for word in [
        "--server.port=-1",
        "--server.address=registry.example",
        "--server.shutdown=later",
        "--server.tomcat.max-connections=0",
        "--server.tomcat.keep-alive-timeout=0",
        "--eurekad.http.head-timeout=0",
        "--eurekad.http.max-connections-per-address=-1",
        "--eurekad.limits.instances=0",
        "--eurekad.limits.metadata-size=0",
        "--eurekad.limits.batch-size=3GB",
        "--eurekad.limits.client-full-fetch-rate=often",
        "--eurekad.peers.oauth2.token-uri=login.example",
        "--eurekad.http.request-timeout=0",
        "--eurekad.limits.body-size=0",
        "--eurekad.limits.nesting-depth=1000",
        "--eurekad.limits.metadata-entries=0",
        "--eurekad.delta.max-entries=0",
        "--eureka.server.eviction-interval-timer-in-ms=0",
        "--eureka.server.renewal-threshold-update-interval-ms=0",
        "--eureka.server.delta-retention-timer-interval-in-ms=0",
        "--eureka.server.renewal-percent-threshold=1.2",
        "--eureka.server.wait-time-in-ms-when-sync-empty=-1",
        "--eureka.server.default-open-for-traffic-count=-1",
        "--eureka.instance.non-secure-port=0",
        "--eureka.instance.lease-renewal-interval-in-seconds=0",
        "--eureka.instance.lease-expiration-duration-in-seconds=-90",
        "--logging.level.root=loud",
    ] {
        let errors = Settings::from_words(&[word]).expect_err(word);
        assert_eq!(errors.iter().count(), 1, "{errors}");
        let name = word.trim_start_matches('-').split('=').next().unwrap_or_default();
        assert!(errors.to_string().starts_with(name), "{errors}");
    }
}

#[test]
fn special_values_have_their_meaning() {
    let settings = words(&[
        "--server.tomcat.max-connections=-1",
        "--server.tomcat.keep-alive-timeout=-1",
        "--server.max-http-request-header-size=1KB",
        "--server.shutdown=immediate",
        "--eureka.server.min-available-instances-for-peer-replication=0",
        "--eureka.server.response-cache-auto-expiration-in-seconds=0",
        "--eureka.server.eviction-interval-timer-in-ms=9223372036854775807",
        "--eurekad.self-preservation.accept-after=0",
    ]);
    assert_eq!(settings.http.max_connections, 2_147_483_647);
    assert_eq!(settings.http.idle_timeout, LONGEST_TIME);
    assert_eq!(settings.http.head_limit, 8192);
    assert_eq!(settings.http.shutdown_timeout, Duration::ZERO);
    assert_eq!(settings.replication.min_available_peers, Some(0));
    assert_eq!(settings.catalog.auto_expiration, Duration::from_secs(1));
    assert_eq!(settings.leases.eviction_interval, LONGEST_TIME);
    assert_eq!(settings.preservation.accept_after, None);
}

#[test]
fn the_read_only_copy_is_on_only_when_it_is_set() {
    const INTERVAL: &str = "--eureka.server.response-cache-update-interval-ms";
    const SWITCH: &str = "--eureka.server.use-read-only-response-cache";
    let copy = |given: &[String]| Settings::from_words(given).unwrap().catalog.read_only_copy;
    assert_eq!(copy(&[]), None);
    assert_eq!(copy(&[format!("{INTERVAL}=5000")]), None);
    assert_eq!(copy(&[format!("{SWITCH}=false"), format!("{INTERVAL}=0")]), None);
    assert_eq!(copy(&[format!("{SWITCH}=true")]), Some(Duration::from_secs(30)));
    assert_eq!(copy(&[format!("{SWITCH}=true"), format!("{INTERVAL}=5000")]), Some(Duration::from_secs(5)));
    assert!(Settings::from_words(&[format!("{SWITCH}=true"), format!("{INTERVAL}=0")]).is_err());
}

#[test]
fn the_new_name_wins_over_the_old_one() {
    let settings = words(&[
        "--eureka.instance.registry.default-open-for-traffic-count=3",
        "--eureka.server.defaultOpenForTrafficCount=0",
        "--eureka.server.expectedNumberOfRenewsPerMin=4",
        "--eurekad.http.idle-timeout=75s",
        "--server.tomcat.keep-alive-timeout=20s",
    ]);
    assert_eq!(settings.opening.default_count, Some(3));
    assert_eq!(settings.preservation.initial_clients, Some(4));
    assert_eq!(settings.http.idle_timeout, Duration::from_secs(75));
}

#[test]
fn an_empty_value_is_none() {
    let settings = words(&["--server.port=", "--eureka.instance.hostname=", "--eureka.server.disable-delta= "]);
    assert_eq!(settings, Settings::default());
    let own =
        words(&["--eureka.instance.appname=", "--spring.application.name=a", "--eureka.instance.metadata-map.k="]).own;
    assert_eq!(own.app_name, "a");
    assert_eq!(own.metadata, [("k".to_owned(), String::new())]);
}

#[test]
fn the_own_names_come_from_the_application_name() {
    let own = words(&["--spring.application.name=registry", "--eureka.instance.app-name=eureka"]).own;
    assert_eq!((own.app_name.as_str(), own.virtual_host_name.as_str()), ("eureka", "registry"));
    assert_eq!(own.application_name.as_deref(), Some("registry"));
    assert_eq!(Settings::default().own.app_name, "unknown");
}
