//! From what is written to what it means, through all layers.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::known::{self, Usage};
use super::*;

const DOCUMENTATION: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/configuration.md"));

fn load(dir: &Path, environment: &[(&str, &str)], words: &[&str]) -> Result<Loaded, SettingsErrors> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Settings::load(Sources { dir, environment, words: &words })
}

/// Settings of environment variables alone, and the warnings.
fn variables(environment: &[(&str, &str)]) -> (Settings, Vec<String>) {
    let empty = tempfile::tempdir().unwrap();
    let Loaded { settings, notices } = load(empty.path(), environment, &[]).unwrap();
    let warnings = notices.into_iter().filter(|notice| notice.level == NoticeLevel::Warning);
    (settings, warnings.map(|notice| notice.text).collect())
}

fn words(words: &[&str]) -> Settings {
    Settings::from_words(words).unwrap()
}

fn works() -> impl Iterator<Item = known::Known> {
    known::all().filter(|known| known.usage == Usage::Works)
}

/// A name under which a property can be set, also if it is a map.
fn settable(known: &known::Known) -> String {
    if known.family { format!("{}.key", known.name) } else { known.name.to_owned() }
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
    assert_eq!(port(&[("SERVER_PORT", "6")], &["--server.port=7"]), 7);
}

#[test]
fn every_property_in_use_changes_something() {
    for known in works() {
        // No number, no boolean, no level; as a text it differs from every default.
        let word = format!("--{}=Odd value", settable(&known));
        let changed = Settings::from_words(&[&word]).map_or(true, |settings| settings != Settings::default());
        assert!(changed, "{word} does nothing");
    }
}

#[test]
fn the_documentation_lists_what_is_in_use_with_the_defaults_that_hold() {
    let rows = DOCUMENTATION.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split(" | ");
        Some((cells.next()?.strip_suffix('`')?, cells.next()?))
    });
    let mut documented = BTreeSet::new();
    for (name, default) in rows {
        assert!(documented.insert(name.to_owned()), "{name} is there twice");
        if default != "–" {
            assert_eq!(words(&[&format!("--{name}={default}")]), Settings::default(), "the default of {name}");
        }
    }
    let in_use: BTreeSet<String> =
        works().map(|known| format!("{}{}", known.name, if known.family { ".*" } else { "" })).collect();
    assert_eq!(documented, in_use);
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
        "application.properties line 1: \\u00 is no character: write \\u and four hex digits",
        "argument \"--odd\": write --name=value, with the value in the same argument",
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

/// What people really set on their servers, as found in public repositories.
mod in_the_wild {
    use super::*;

    #[test]
    fn compose_of_an_image() {
        let (settings, warnings) = variables(&[
            ("SPRING_PROFILES_ACTIVE", "docker"),
            ("EUREKA_INSTANCE_HOSTNAME", "registry"),
            ("EUREKA_CLIENT_REGISTER_WITH_EUREKA", "false"),
            ("EUREKA_CLIENT_FETCH_REGISTRY", "false"),
            ("EUREKA_CLIENT_SERVICE_URL_DEFAULTZONE", "http://registry:8761/eureka/"),
            ("EUREKA_SERVER_ENABLE_SELF_PRESERVATION", "false"),
            ("EUREKA_SERVER_EVICTION_INTERVAL_TIMER_IN_MS", "5000"),
        ]);
        assert_eq!(settings.own.host_name.as_deref(), Some("registry"));
        assert!(!settings.preservation.enabled);
        assert_eq!(settings.leases.eviction_interval, Duration::from_secs(5));
        assert_eq!(warnings.len(), 1, "only the profile is missed: {warnings:?}");
    }

    #[test]
    fn helm_values() {
        let (settings, warnings) = variables(&[
            ("SERVER_PORT", "8080"),
            ("EUREKA_SERVER_RESPONSE_CACHE_UPDATE_INTERVAL_MS", "5000"),
            ("EUREKA_SERVER_RESPONSE_CACHE_AUTO_EXPIRATION_IN_SECONDS", "60"),
            ("EUREKA_INSTANCE_PREFER_IP_ADDRESS", "true"),
            ("EUREKA_INSTANCE_LEASE_RENEWAL_INTERVAL_IN_SECONDS", "10"),
            ("MANAGEMENT_ENDPOINTS_WEB_EXPOSURE_INCLUDE", "*"),
            ("LOGGING_LEVEL_COM_NETFLIX_EUREKA", "DEBUG"),
        ]);
        assert_eq!(settings.http.port, 8080);
        assert_eq!(settings.catalog.read_only_copy, None);
        assert_eq!(settings.catalog.auto_expiration, Duration::from_mins(1));
        assert!(settings.own.prefer_ip_address);
        assert_eq!(settings.own.lease_renewal_interval, Duration::from_secs(10));
        assert_eq!(settings.logging.directives(), "info,eurekad=debug");
        assert_eq!(warnings, Vec::<String>::new());
    }

    #[test]
    fn lower_case_names_with_one_that_does_not_exist() {
        let (settings, warnings) = variables(&[
            ("server_port", "2221"),
            ("spring_application_name", "registry"),
            ("eureka_server_enableSelfPreservation", "true"),
            ("eureka_instance_hostname", "${vcap.application.uris[0]}"),
            ("eureka_instance_nonSecurePort", "80"),
            ("eureka_server_maxThreadsForPeerReplication", "0"),
            ("eureka_client_serviceUrl_defaultZone", "http://a/eureka/"),
            ("eureka_client_server_waitTimeInMsWhenSyncEmpty", "0"),
        ]);
        assert_eq!(settings.http.port, 2221);
        assert_eq!(settings.own.app_name, "registry");
        assert_eq!(settings.own.non_secure_port, Some(80));
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(warnings.iter().any(|text| text.contains("vcap.application.uris[0]")));
        assert!(warnings.iter().any(|text| text.ends_with("eureka.server.wait-time-in-ms-when-sync-empty")));
    }

    #[test]
    fn dotted_names_mixed_case_and_pods() {
        let (settings, warnings) = variables(&[
            ("eureka.client.serviceUrl.defaultZone", "http://a/eureka/,http://b/eureka/"),
            ("eureka.client.registerWithEureka", "true"),
            ("eureka.server.renewalPercentThreshold", "0.49"),
            ("EUREKA_instance_hostname", "${MY_POD_NAME}.eureka"),
            ("MY_POD_NAME", "eureka-0"),
            ("JAVA_OPTS", "-Xmx256m"),
            ("TZ", "UTC"),
        ]);
        assert!((settings.preservation.renewal_percent - 0.49).abs() < f64::EPSILON);
        assert_eq!(settings.own.host_name.as_deref(), Some("eureka-0.eureka"));
        assert_eq!(warnings, Vec::<String>::new());
    }

    #[test]
    fn dockerfile_and_image_built_in() {
        let (settings, warnings) = variables(&[
            ("SPRING_APPLICATION_NAME", "eureka"),
            ("EUREKA_SERVER_WAIT_TIME_IN_MS_WHEN_SYNC_EMPTY", "0"),
            ("EUREKA_SERVER_PEER_NODE_CONNECT_TIMEOUT_MS", "2000"),
            ("EUREKA_SERVER_PEER_NODE_TOTAL_CONNECTIONS", "10"),
            ("EUREKA_SERVER_MYURL", "http://localhost:8761/eureka/"),
            ("EUREKA_SERVER_HOSTNAME", "x"),
        ]);
        assert_eq!(settings.opening.wait_when_sync_empty, Duration::ZERO);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings.concat().contains("EUREKA_SERVER_HOSTNAME"));
    }

    #[test]
    fn underscored_words_with_a_misspelling() {
        let empty = tempfile::tempdir().unwrap();
        let given = ["--eureka_client_registerWithEureka=true", "--eureka_server_responseCacheUpdateInvervalMs=3000"];
        let Loaded { settings, notices } = load(empty.path(), &[], &given).unwrap();
        assert_eq!(settings, Settings::default());
        let warnings: Vec<_> = notices.iter().filter(|notice| notice.level == NoticeLevel::Warning).collect();
        assert_eq!(warnings.len(), 1, "{notices:?}");
        assert!(warnings[0].text.ends_with("eureka.server.response-cache-update-interval-ms"));
    }
}
