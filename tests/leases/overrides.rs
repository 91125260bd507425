//! Statuses set from outside, over time.

use super::fleet::{Fleet, START, id, instance};

use eurekad::clock::Clock;
use eurekad::model::{AppName, Instance, InstanceStatus};
use eurekad::registry::{Origin, Renewal, Unconfirmed};
use eurekad::server::App;
use eurekad::settings::Settings;

fn status(fleet: &Fleet) -> InstanceStatus {
    fleet.app.registry().instance("ORDERS", "ord-1").expect("there").instance.status
}

fn register(fleet: &Fleet, status: InstanceStatus, last_dirty: i64) {
    let instance = Instance { status, last_dirty, ..instance("ORDERS", "ord-1", 30, 90) };
    fleet.app.registry().register(instance, Origin::Client);
}

#[tokio::test(start_paused = true)]
async fn case_037_an_override_lives_as_long_as_its_lease() {
    let fleet = Fleet::new(&[]);
    register(&fleet, InstanceStatus::Up, 1);
    let registry = fleet.app.registry();
    assert!(registry.set_status("ORDERS", "ord-1", InstanceStatus::OutOfService, None, Origin::Client));
    register(&fleet, InstanceStatus::Down, 2);
    for _ in 0..140 {
        fleet.pass(30).await;
        fleet.beat("ORDERS", "ord-1");
        fleet.evict();
    }
    assert_eq!(status(&fleet), InstanceStatus::Down);
    register(&fleet, InstanceStatus::Up, 3);
    assert_eq!(status(&fleet), InstanceStatus::OutOfService);
    registry.cancel(&AppName::new("ORDERS"), &id("ord-1"), Origin::Client);
    register(&fleet, InstanceStatus::Up, 4);
    assert_eq!(status(&fleet), InstanceStatus::Up, "it goes with the lease");
}

#[tokio::test(start_paused = true)]
async fn case_038_a_client_gets_itself_out_of_service_and_back() {
    let fleet = Fleet::new(&[]);
    register(&fleet, InstanceStatus::OutOfService, 1);
    assert_eq!(status(&fleet), InstanceStatus::OutOfService);
    register(&fleet, InstanceStatus::Up, 1_001);
    assert_eq!(status(&fleet), InstanceStatus::Up);
    fleet.app.registry().set_status("ORDERS", "ord-1", InstanceStatus::OutOfService, None, Origin::Client);
    register(&fleet, InstanceStatus::Up, 2_001);
    assert_eq!(status(&fleet), InstanceStatus::OutOfService, "what an operator set stays");
}

#[tokio::test(start_paused = true)]
async fn case_040_a_client_that_is_down_is_believed() {
    let fleet = Fleet::new(&[]);
    register(&fleet, InstanceStatus::Down, 1);
    fleet.app.registry().set_status("ORDERS", "ord-1", InstanceStatus::Up, None, Origin::Client);
    assert_eq!(status(&fleet), InstanceStatus::Up);
    register(&fleet, InstanceStatus::Down, 2);
    assert_eq!(status(&fleet), InstanceStatus::Down);
    assert_eq!(fleet.app.registry().overrides().len(), 1, "the override is still there");
}

#[tokio::test(start_paused = true)]
async fn an_override_belongs_to_one_application() {
    let fleet = Fleet::new(&[]);
    fleet.register("ORDERS", "shared", 30, 90);
    fleet.app.registry().set_status("ORDERS", "shared", InstanceStatus::OutOfService, None, Origin::Client);
    fleet.register("BILLING", "shared", 30, 90);
    let billing = fleet.app.registry().instance("BILLING", "shared").expect("there");
    assert_eq!(billing.instance.status, InstanceStatus::Up);
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_of_a_peer_brings_its_override() {
    let fleet = Fleet::new(&[]);
    register(&fleet, InstanceStatus::Up, 100);
    let beat = |last_dirty| {
        let brought = Some(InstanceStatus::OutOfService);
        fleet.app.registry().renew("ORDERS", "ord-1", Some(last_dirty), brought, Origin::Peer)
    };
    assert!(matches!(beat(99), Renewal::Newer(lease) if lease.instance.last_dirty == 100));
    assert!(matches!(beat(100), Renewal::Renewed));
    assert_eq!(fleet.app.registry().overrides().len(), 0);
    assert!(matches!(beat(101), Renewal::RegisterAgain));
    assert_eq!(status(&fleet), InstanceStatus::Up, "stored at once");
    assert!(matches!(beat(100), Renewal::Renewed));
    assert_eq!(status(&fleet), InstanceStatus::OutOfService, "the status follows with the next heartbeat");
}

#[tokio::test(start_paused = true)]
async fn an_override_comes_with_the_copy_of_one_who_registered_before_it() {
    let app = App::new(&Settings::from_words(&[""; 0]).unwrap(), Clock::held(START));
    let registry = app.registry();
    registry.register(Instance { last_dirty: 7, ..instance("ORDERS", "ord-1", 30, 90) }, Origin::Client);
    let copied = Instance {
        last_dirty: 5,
        host_name: "old.test".into(),
        overridden_status: InstanceStatus::OutOfService,
        ..instance("ORDERS", "ord-1", 30, 90)
    };
    assert_eq!(registry.take_in(vec![copied], &Unconfirmed::new()), 1);
    let lease = registry.instance("ORDERS", "ord-1").unwrap();
    assert_eq!((lease.instance.last_dirty, &*lease.instance.host_name), (7, "host.test"), "its own data stays");
    assert_eq!(lease.override_status, Some(InstanceStatus::OutOfService));
    assert_eq!(lease.instance.status, InstanceStatus::OutOfService);
}

#[tokio::test(start_paused = true)]
async fn the_last_override_counts_also_of_one_that_is_down_by_itself() {
    let fleet = Fleet::new(&[]);
    register(&fleet, InstanceStatus::Up, 1);
    let set = |status| fleet.app.registry().set_status("ORDERS", "ord-1", status, None, Origin::Client);
    assert!(set(InstanceStatus::OutOfService));
    register(&fleet, InstanceStatus::Down, 2);
    assert_eq!(status(&fleet), InstanceStatus::Down, "it is believed");
    assert!(set(InstanceStatus::Down));
    register(&fleet, InstanceStatus::Up, 3);
    assert_eq!(status(&fleet), InstanceStatus::Down);
}
