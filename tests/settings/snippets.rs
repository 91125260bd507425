//! What people really set on their servers, as found in public repositories, and what comes of it.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use eurekad::settings::{Examined, NoticeLevel, Settings, Sources};

use super::{Snippet, fixtures, snippets};

fn examine(snippet: &Snippet) -> Examined {
    let environment = snippet.environment.clone();
    Settings::examine(Sources { dir: snippet.dir.path(), environment, words: &snippet.words })
}

fn settings(name: &str) -> Settings {
    let snippet = snippets().into_iter().find(|snippet| snippet.name == name).unwrap();
    examine(&snippet).outcome.unwrap()
}

#[test]
fn each_gives_what_its_writer_meant() {
    let snippets = snippets();
    assert_eq!(snippets.len(), 17);
    for snippet in snippets {
        let Examined { outcome, notices, effective, .. } = examine(&snippet);
        assert_eq!(outcome.err(), None, "{}", snippet.name);
        let set: BTreeMap<String, String> =
            effective.into_iter().filter(|one| one.origin.is_some()).map(|one| (one.name, one.value)).collect();
        assert_eq!(set, snippet.effective, "{}", snippet.name);
        let warnings: Vec<String> = notices
            .into_iter()
            .filter(|notice| notice.level == NoticeLevel::Warning)
            .map(|notice| notice.text)
            .collect();
        let as_expected = warnings.iter().zip(&snippet.warnings).all(|(text, part)| text.contains(part));
        assert!(as_expected && warnings.len() == snippet.warnings.len(), "{}: {warnings:#?}", snippet.name);
    }
}

#[test]
fn texts_become_times_numbers_and_names() {
    let helm = settings("03-helm");
    assert_eq!(helm.http.port, 8080);
    assert_eq!(helm.catalog.read_only_copy, None, "the copy is not switched on");
    assert_eq!(helm.catalog.auto_expiration, Duration::from_mins(1));
    assert_eq!(helm.leases.eviction_interval, Duration::from_secs(15));
    assert!(helm.own.prefer_ip_address);
    assert_eq!(helm.own.lease_renewal_interval, Duration::from_secs(10));
    assert_eq!(helm.logging.directives(), "info,eurekad=debug");
    let manifest = settings("06-cloud-foundry");
    assert_eq!((manifest.own.app_name.as_str(), manifest.own.non_secure_port), ("registry", Some(80)));
    assert!((settings("10-swarm").preservation.renewal_percent - 0.49).abs() < f64::EPSILON);
    assert_eq!(settings("09-pod-names").own.host_name.as_deref(), Some("eureka-0.eureka"));
    assert_eq!(settings("12-steeltoe-image").opening.wait_when_sync_empty, Duration::ZERO);
    let project = settings("17-project");
    assert_eq!(project.leases.eviction_interval, Duration::from_secs(5));
    assert!(project.preservation.enabled);
    assert_eq!(project.own.metadata, [("buildVersion", "1.10"), ("zone", "eu-1a")].map(|(a, b)| (a.into(), b.into())));
}

#[test]
fn every_name_of_a_java_server_is_known() {
    let names = fs::read_to_string(fixtures().join("names.txt")).unwrap();
    let names: Vec<&str> = names.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(names.len() > 200, "{}", names.len());
    let empty = tempfile::tempdir().unwrap();
    for name in names {
        let words = [format!("-D{name}=")];
        let examined = Settings::examine(Sources { dir: empty.path(), environment: [], words: &words });
        assert_eq!(examined.outcome.err(), None, "{name}");
        let unknown = examined.notices.iter().find(|notice| notice.text.contains("no such property"));
        assert_eq!(unknown, None);
        // Else it would not be among what holds.
        let squashed = |name: &str| name.split('[').next().unwrap().replace(['-', '.'], "").to_lowercase();
        assert!(examined.effective.iter().any(|one| squashed(&one.name) == squashed(name)), "{name}");
    }
}
