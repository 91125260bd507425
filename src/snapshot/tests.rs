#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod files;

use std::collections::BTreeMap;
use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::model::{
    AppName, DataCenter, GivenDataCenter, Instance, InstanceId, InstanceStatus, Metadata, NonAmazon, Registration, Text,
};
use crate::registry::{Origin, Rules, Unconfirmed};
use crate::settings::Settings;

fn instance(id: &str, metadata: &[(&str, &str)]) -> Instance {
    let registration = Registration {
        instance_id: Some(id.into()),
        host_name: Some("ord.test".into()),
        ip_addr: Some("10.20.0.11".into()),
        status: InstanceStatus::Up,
        vip_address: Some("orders".into()),
        metadata: Metadata::new(metadata.iter().copied()),
        data_center: GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn)),
        last_dirty: Some(5),
        ..Registration::new("ORDERS")
    };
    registration.accept_alone(0).unwrap()
}

/// A server that may be restarted with the same file.
struct Node {
    registry: Arc<Registry>,
    snapshot: Snapshot,
}

impl Node {
    /// Starts; it is open and has taken in what the file holds.
    fn start(path: &Path) -> Self {
        let Settings { leases, preservation, opening, catalog, .. } =
            Settings::from_words(&["--eurekad.history.max-entries=20"]).unwrap();
        let clock = Clock::held(1_760_000_000_000);
        let registry = Arc::new(Registry::new(Rules { leases, preservation, opening, catalog }, clock.clone()));
        let snapshot = Snapshot::new(path, Arc::clone(&registry), clock);
        let recalled = snapshot.recall(false);
        registry.open(recalled);
        Self { registry, snapshot }
    }

    fn register(&self, id: &str, metadata: &[(&str, &str)]) {
        self.registry.register(instance(id, metadata), Origin::Client);
    }

    fn cancel(&self, id: &str) {
        self.registry.cancel(&AppName::new("ORDERS"), &InstanceId::new(id), Origin::Client);
    }

    fn set_status(&self, id: &str, status: InstanceStatus) {
        self.registry.set_status("ORDERS", id, status, None, Origin::Operator);
    }

    /// What is held, without the times of this process.
    fn held(&self) -> BTreeMap<String, Remembered> {
        let (_, leases) = self.registry.all_own();
        let remembered = leases.iter().map(|lease| {
            let (app, id) = (&lease.instance.app, &lease.instance.id);
            let remembered = Remembered::of(&self.registry.held(app, id).unwrap());
            let instance = Instance { action: None, last_updated: 0, ..remembered.instance };
            (instance.id.as_str().to_owned(), Remembered { instance, ..remembered })
        });
        remembered.collect()
    }

    /// Ends it. Whoever is started with the file after it holds the same.
    fn comes_back_from(self, path: &Path) {
        let held = self.held();
        drop(self);
        assert_eq!(after_restart(path), held);
    }
}

fn place() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state/registry.snapshot");
    (dir, path)
}

/// What a server that is started with the file holds.
fn after_restart(path: &Path) -> BTreeMap<String, Remembered> {
    Node::start(path).held()
}

#[test]
fn what_was_written_comes_back_as_it_was() {
    let (_dir, path) = place();
    let node = Node::start(&path);
    node.register("ord-1", &[("zone", "eu-1"), ("line", "a\nb \"c\" \u{1F600}")]);
    node.register("ord-2", &[]);
    node.snapshot.keep();
    node.set_status("ord-2", InstanceStatus::OutOfService);
    node.register("ord-3", &[]);
    node.cancel("ord-1");
    node.snapshot.keep();
    let before = node.held();
    assert_eq!(before.keys().collect::<Vec<_>>(), ["ord-2", "ord-3"]);
    drop(node);
    let node = Node::start(&path);
    assert_eq!(node.held(), before);
    let lease = node.registry.instance("ORDERS", "ord-2").unwrap();
    assert!(lease.is_unconfirmed());
    assert_eq!(lease.override_status, Some(InstanceStatus::OutOfService));
    node.registry.renew("ORDERS", "ord-2", Some(5), None, Origin::Client);
    assert!(!lease.is_unconfirmed());
}

#[test]
fn nothing_is_written_before_the_opening() {
    let (_dir, path) = place();
    let node = Node::start(&path);
    node.register("ord-1", &[]);
    node.snapshot.keep();
    drop(node);
    let Settings { leases, preservation, opening, catalog, .. } = Settings::default();
    let clock = Clock::held(0);
    let registry = Arc::new(Registry::new(Rules { leases, preservation, opening, catalog }, clock.clone()));
    let snapshot = Snapshot::new(&path, registry, clock);
    snapshot.keep();
    drop(snapshot);
    assert_eq!(after_restart(&path).len(), 1);
}

#[test]
fn who_registered_before_the_file_was_read_keeps_its_data_and_gets_the_override() {
    let (_dir, path) = place();
    let node = Node::start(&path);
    node.register("ord-1", &[("version", "1")]);
    node.set_status("ord-1", InstanceStatus::OutOfService);
    node.snapshot.keep();
    let (_, remembered) = (node.snapshot.clone(), node.held());
    drop(node);
    let (_other, elsewhere) = place();
    let node = Node::start(&elsewhere);
    node.register("ord-1", &[("version", "2")]);
    node.registry.recall(remembered.into_values());
    let lease = node.registry.instance("ORDERS", "ord-1").unwrap();
    assert_eq!(lease.instance.status, InstanceStatus::OutOfService);
    assert_eq!(lease.instance.metadata.get("version"), Some("2"));
    assert!(!lease.is_unconfirmed());
}

#[test]
fn an_override_that_is_set_once_more_is_as_late_after_a_restart() {
    let (_dir, path) = place();
    let node = Node::start(&path);
    node.register("ord-1", &[]);
    node.set_status("ord-1", InstanceStatus::OutOfService);
    node.snapshot.keep();
    node.set_status("ord-1", InstanceStatus::OutOfService);
    node.snapshot.keep();
    node.comes_back_from(&path);
}

#[test]
fn what_a_peer_gave_learns_when_and_why_its_override_was_set() {
    let (_dir, path) = place();
    let node = Node::start(&path);
    for id in ["same", "other", "none"] {
        node.register(id, &[]);
        node.set_status(id, InstanceStatus::OutOfService);
    }
    node.snapshot.keep();
    let set_at = node.held()["same"].override_stamp;
    drop(node);
    let (_other, elsewhere) = place();
    let node = Node::start(&elsewhere);
    let copy = |id: &str, status| Instance { overridden_status: status, status, ..instance(id, &[]) };
    let copied =
        vec![copy("same", InstanceStatus::OutOfService), copy("other", InstanceStatus::Down), instance("none", &[])];
    node.registry.take_in(copied, &Unconfirmed::new());
    Snapshot::new(&path, Arc::clone(&node.registry), Clock::held(1_760_000_000_000)).recall(true);
    let held = node.held();
    assert_eq!(held["same"].override_stamp, set_at);
    assert_eq!(held["other"].override_status, Some(InstanceStatus::Down));
    assert_eq!(held["none"].override_status, None);
    assert_eq!(held.len(), 3);
}

#[derive(Clone, Debug)]
enum Step {
    Register(u8, u8),
    Cancel(u8),
    Status(u8, InstanceStatus),
    Metadata(u8, u8),
    Keep,
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let id = 0..6_u8;
    let step = prop_oneof![
        4 => (id.clone(), any::<u8>()).prop_map(|(id, version)| Step::Register(id, version)),
        2 => id.clone().prop_map(Step::Cancel),
        2 => (id.clone(), proptest::sample::select(&InstanceStatus::ALL[..])).prop_map(|(id, to)| Step::Status(id, to)),
        1 => (id, any::<u8>()).prop_map(|(id, value)| Step::Metadata(id, value)),
        3 => Just(Step::Keep),
        1 => Just(Step::Restart),
    ];
    proptest::collection::vec(step, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn after_any_changes_and_restarts_all_that_was_written_is_there(steps in steps()) {
        let (_dir, path) = place();
        let mut node = Node::start(&path);
        for step in steps {
            let id = |id: u8| format!("ord-{id}");
            match step {
                Step::Register(of, version) => node.register(&id(of), &[("version", &version.to_string())]),
                Step::Cancel(of) => node.cancel(&id(of)),
                Step::Status(of, status) => node.set_status(&id(of), status),
                Step::Metadata(of, value) => {
                    let entry = (Text::from("value"), Text::from(value.to_string()));
                    node.registry.set_metadata("ORDERS", &id(of), vec![entry]);
                }
                Step::Keep => node.snapshot.keep(),
                Step::Restart => {
                    node.snapshot.keep();
                    let before = node.held();
                    drop(node);
                    node = Node::start(&path);
                    prop_assert_eq!(node.held(), before);
                }
            }
        }
    }
}
