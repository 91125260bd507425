#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::clock::Clock;
use crate::model::{DataCenter, GivenDataCenter, Instance, LeaseTimes, NonAmazon, Registration};
use crate::registry::{Origin, RegionChange, RemoteInstance, Rules};
use crate::settings::Settings;

fn registry(words: &[&str]) -> Registry {
    let Settings { leases, preservation, opening, catalog, .. } = Settings::from_words(words).unwrap();
    Registry::new(Rules { leases, preservation, opening, catalog }, Clock::system()).with_regions(["eu"])
}

fn instance(id: &str, host: &str) -> Instance {
    let registration = Registration {
        instance_id: Some(id.into()),
        host_name: Some(host.into()),
        ip_addr: Some("10.20.0.11".into()),
        data_center: GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn)),
        ..Registration::new("ORDERS")
    };
    registration.accept(&AppName::new("ORDERS"), 0).unwrap()
}

/// What is held, by region, id and host name.
fn words(leases: &[Arc<Lease>]) -> Vec<String> {
    let word = |lease: &Arc<Lease>| {
        let holder = if lease.region.is_some() { "eu" } else { "here" };
        format!("{holder} {} {}", lease.instance.id, lease.instance.host_name)
    };
    let mut words: Vec<_> = leases.iter().map(word).collect();
    words.sort();
    words
}

#[test]
fn what_happened_to_an_instance_is_found_beyond_what_is_looked_at_in_one_go() {
    let registry = registry(&[]);
    for (nth, id) in ["one", "other"].into_iter().cycle().take(4 * LOOKED_AT).enumerate() {
        registry.register(instance(id, &nth.to_string()), Origin::Client);
    }
    let changes = registry.changes_of(&AppName::new("ORDERS"), &InstanceId::new("one"));
    let hosts: Vec<_> = changes.iter().map(|change| change.lease.instance.host_name.to_string()).collect();
    let expected: Vec<_> = (0..4 * LOOKED_AT).step_by(2).rev().map(|nth| nth.to_string()).collect();
    assert_eq!(hosts, expected);
}

#[test]
fn leases_that_change_while_all_are_collected_are_as_they_are_at_the_end() {
    // A log that keeps enough, and one that does not.
    for most in ["100", "2"] {
        let registry = registry(&[&format!("--eurekad.delta.max-entries={most}")]);
        let put = |id, host| registry.register(instance(id, host), Origin::Client);
        let remote = |id: &str, host: &str| {
            let times = LeaseTimes { registration: 1, last_renewal: 1, eviction: 0, service_up: 1 };
            RegionChange::Put(Box::new(RemoteInstance { instance: instance(id, host), times }))
        };
        let eu = registry.region("eu").unwrap();
        let app = AppName::new("ORDERS");
        for id in ["stays", "changes", "goes", "returns"] {
            put(id, "before");
        }
        registry.change_region(eu, [remote("goes", "before"), remote("changes", "before")]);
        let begun = registry.version();
        let collected = registry.all_leases();
        put("changes", "after");
        put("comes", "after");
        for id in ["goes", "returns"] {
            assert!(registry.cancel(&app, &InstanceId::new(id), Origin::Client));
        }
        put("returns", "after");
        registry.change_region(eu, [RegionChange::Removed(app, InstanceId::new("goes")), remote("comes", "after")]);
        let (version, leases, _) = registry.completed(begun, collected);
        assert_eq!(version, registry.version());
        let expected =
            ["eu changes before", "eu comes after", "here changes after", "here comes after", "here returns after"];
        assert_eq!(words(&leases), [&expected[..], &["here stays before"]].concat(), "{most}");
    }
}
