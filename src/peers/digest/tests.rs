#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod histories;
mod notes;
mod overrides;
mod pieces;
mod unconfirmed;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::advance;

use crate::clock::Clock;
use crate::model::InstanceStatus::{Down, OutOfService, Unknown, Up};
use crate::model::{
    AppName, DataCenter, GivenDataCenter, Instance, InstanceId, InstanceStatus, LeaseRequest, NonAmazon,
    OverrideBackground, Registration, WallMillis,
};
use crate::registry::{Facts, Origin, OverrideStamp, Registry, Renewal, Rules, Set, Unconfirmed};
use crate::settings::Settings;

use super::*;

const START: WallMillis = 1_760_000_000_000;

/// A node whose wall clock is off by so many milliseconds.
struct Node {
    registry: Arc<Registry>,
    clock: Clock,
}

impl Node {
    fn new(skew: WallMillis) -> Self {
        let node = Self::closed(skew);
        node.registry.open(0);
        node
    }

    /// One that has yet to open.
    fn closed(skew: WallMillis) -> Self {
        Self::with_clock(Clock::held(START + skew))
    }

    fn with_clock(clock: Clock) -> Self {
        let Settings { leases, preservation, opening, catalog, .. } =
            Settings::from_words(&["--eureka.server.enable-self-preservation=false"]).unwrap();
        let registry = Arc::new(Registry::new(Rules { leases, preservation, opening, catalog }, clock.clone()));
        Self { registry, clock }
    }

    fn register(&self, id: &str, last_dirty: WallMillis) {
        self.registry.register(instance(id, last_dirty), Origin::Client);
    }

    /// False when it was registered again.
    fn renew(&self, id: &str, last_dirty: WallMillis) -> bool {
        let renewed = self.registry.renew("ORDERS", id, Some(last_dirty), None, Origin::Client);
        let again = matches!(renewed, Renewal::RegisterAgain);
        if again {
            self.register(id, last_dirty);
        }
        !again
    }

    fn cancel(&self, id: &str) {
        self.registry.cancel(&AppName::new("ORDERS"), &InstanceId::new(id), Origin::Client);
    }

    fn set(&self, id: &str, status: InstanceStatus) {
        self.registry.set_status("ORDERS", id, status, None, Origin::Client);
    }

    fn unset(&self, id: &str) {
        self.registry.remove_status("ORDERS", id, Up, None, Origin::Client);
    }

    fn facts(&self, id: &str) -> Option<Facts> {
        let (holding, _) = self.registry.holding(&AppName::new("ORDERS"), &InstanceId::new(id))?;
        Some(holding.facts)
    }

    /// What a list shows of an instance.
    fn shown(&self, id: &str) -> Instance {
        let (_, lease) = self.registry.holding(&AppName::new("ORDERS"), &InstanceId::new(id)).unwrap();
        Instance::clone(&lease.instance)
    }

    fn evict(&self) {
        while self.registry.evict().expired > 0 {}
    }

    fn ask(&self, other: &Self) -> Findings {
        repair(&self.registry, &other.registry, self.clock.now().wall).unwrap()
    }
}

fn instance(id: &str, last_dirty: WallMillis) -> Instance {
    let registration = Registration {
        instance_id: Some(id.into()),
        host_name: Some("ord.test".into()),
        ip_addr: Some("10.20.0.11".into()),
        data_center: GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn)),
        lease: LeaseRequest::DEFAULT,
        last_dirty: Some(last_dirty),
        ..Registration::new("ORDERS")
    };
    registration.accept(&AppName::new("ORDERS"), last_dirty).unwrap()
}

async fn pass(nodes: &[Node], seconds: u64) {
    advance(Duration::from_secs(seconds)).await;
    nodes.iter().for_each(Node::evict);
}

fn all_ask(nodes: &[Node]) {
    for (at, node) in nodes.iter().enumerate() {
        for (_, other) in nodes.iter().enumerate().filter(|(other, _)| *other != at) {
            node.ask(other);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_missing_is_taken_with_what_is_left_of_its_lease() {
    let nodes = [Node::new(0), Node::new(-7_200_000)];
    let [a, b] = &nodes;
    advance(Duration::from_secs(10)).await;
    b.register("ord-1", 1);
    advance(Duration::from_mins(1)).await;
    assert_eq!(a.ask(b), Findings { differences: 1, mended: 1, ..Findings::default() });
    assert_eq!(a.facts("ord-1"), b.facts("ord-1"));
    assert_eq!(a.ask(b), Findings::default(), "equal");
    pass(&nodes, 30).await;
    assert!(a.facts("ord-1").is_some());
    pass(&nodes, 1).await;
    assert_eq!((a.facts("ord-1"), b.facts("ord-1")), (None, None), "its client is silent");
    all_ask(&nodes);
    assert_eq!((a.facts("ord-1"), b.facts("ord-1")), (None, None));
}

#[tokio::test(start_paused = true)]
async fn what_may_be_on_its_way_is_left_alone_until_it_still_differs() {
    let nodes = [Node::new(0), Node::new(0)];
    let [a, b] = &nodes;
    a.register("lost", 1);
    let round = |known: &BTreeSet<Differing>| {
        let (exchange, request) = Exchange::begin(&b.registry, None).unwrap();
        let mut exchange = exchange.mending(Arc::new(known.clone()));
        let mut next = Some(request);
        while let Some(request) = next {
            let bytes = answer(&a.registry, &request).unwrap();
            next = exchange.answered(&b.registry, &bytes, Duration::ZERO, START).unwrap();
        }
        exchange.findings().clone()
    };
    let first = round(&BTreeSet::new());
    assert_eq!((first.differences, first.mended, b.facts("lost")), (1, 0, None));
    a.register("new", 1);
    let second = round(&first.fresh);
    assert_eq!((second.differences, second.mended), (2, 1));
    assert!(b.facts("lost").is_some() && b.facts("new").is_none());
    assert_eq!(round(&second.fresh).mended, 1);
    advance(Duration::from_secs(5)).await;
    a.cancel("lost");
    let ended = round(&BTreeSet::new());
    assert_eq!((ended.mended, b.facts("lost").is_some()), (0, true));
    assert_eq!(round(&ended.fresh).mended, 1);
    assert!(b.facts("lost").is_none());
}

#[tokio::test(start_paused = true)]
async fn what_ended_here_comes_back_for_a_sign_of_life_since_then_only() {
    let nodes = [Node::new(0), Node::new(3_600_000)];
    let [a, b] = &nodes;
    a.register("ord-1", 1);
    advance(Duration::from_mins(1)).await;
    b.register("ord-1", 1);
    pass(&nodes, 31).await;
    assert!(a.facts("ord-1").is_none(), "it fell silent here");
    a.ask(b);
    assert!(a.facts("ord-1").is_none(), "it has not been heard since");
    advance(Duration::from_secs(5)).await;
    assert!(b.renew("ord-1", 1));
    a.ask(b);
    assert!(a.facts("ord-1").is_some(), "it lives");
    advance(Duration::from_secs(1)).await;
    a.cancel("ord-1");
    advance(Duration::from_secs(5)).await;
    assert_eq!(a.ask(b), Findings::default());
    assert_eq!(b.ask(a), Findings { differences: 1, mended: 1, ..Findings::default() }, "it left");
    assert_eq!(b.facts("ord-1"), None);
}

#[tokio::test(start_paused = true)]
async fn an_instance_that_came_back_elsewhere_is_not_ended_by_an_older_cancel() {
    let [a, b] = [Node::new(0), Node::new(0)];
    for node in [&a, &b] {
        node.register("ord-1", 1);
    }
    advance(Duration::from_secs(5)).await;
    a.cancel("ord-1");
    advance(Duration::from_secs(1)).await;
    b.register("ord-1", 2);
    assert_eq!(b.ask(&a), Findings::default());
    assert_eq!(a.ask(&b).mended, 1, "a registration since then, however shortly after");
    assert_eq!(a.facts("ord-1"), b.facts("ord-1"));
}

#[tokio::test(start_paused = true)]
async fn a_newer_version_brings_its_sign_of_life_along() {
    let [a, b, c] = [Node::new(0), Node::new(0), Node::new(0)];
    for node in [&b, &c] {
        node.register("ord-1", 1);
    }
    b.set("ord-1", OutOfService);
    advance(Duration::from_secs(1)).await;
    // B hears neither that it left nor that it is back.
    c.cancel("ord-1");
    advance(Duration::from_secs(1)).await;
    a.register("ord-1", 2);
    advance(Duration::from_secs(6)).await;
    a.ask(&b);
    assert_eq!(b.ask(&a).mended, 1);
    assert_eq!(b.ask(&c), Findings::default(), "it came back after it had left");
    assert_eq!(c.ask(&b).mended, 1);
    assert_eq!(a.facts("ord-1").map(|facts| facts.override_status), Some(Some(OutOfService)));
    assert_eq!((a.facts("ord-1"), a.facts("ord-1")), (b.facts("ord-1"), c.facts("ord-1")));
    let nodes = [a, b, c];
    pass(&nodes, 84).await;
    assert!(nodes.iter().all(|node| node.facts("ord-1").is_some()));
    pass(&nodes, 1).await;
    assert!(nodes.iter().all(|node| node.facts("ord-1").is_none()), "it lives no longer than at the first");
}

#[tokio::test(start_paused = true)]
async fn a_copy_of_one_that_left_ends_however_young_it_is() {
    let [a, b] = [Node::new(0), Node::new(0)];
    for node in [&a, &b] {
        node.register("ord-1", 1);
        node.register("ord-2", 1);
    }
    advance(Duration::from_secs(10)).await;
    // The other one misses both, and that the second is back.
    a.cancel("ord-1");
    a.cancel("ord-2");
    advance(Duration::from_secs(10)).await;
    let list = ["ord-1", "ord-2"].map(|id| b.shown(id));
    b.register("ord-2", 2);
    let c = Node::closed(0);
    assert_eq!(c.registry.take_in(list.to_vec(), &Unconfirmed::new()), 2);
    c.registry.open(2);
    c.ask(&a);
    assert_eq!((c.facts("ord-1"), c.facts("ord-2")), (None, None));
    b.ask(&a);
    c.ask(&b);
    assert_eq!(c.facts("ord-1"), None);
    assert_eq!(c.facts("ord-2"), b.facts("ord-2"));
    assert!(c.facts("ord-2").is_some(), "it is back");
}

#[tokio::test(start_paused = true)]
async fn ages_grow_on_their_way_and_nonsense_changes_nothing() {
    let [a, b] = [Node::new(0), Node::new(0)];
    b.register("ord-1", 1);
    let (mut exchange, request) = Exchange::begin(&a.registry, None).unwrap();
    let compared = answer(&b.registry, &request).unwrap();
    let fetch = exchange.answered(&a.registry, &compared, Duration::from_secs(5), START).unwrap().unwrap();
    let fetched = answer(&b.registry, &fetch).unwrap();
    assert_eq!(exchange.answered(&a.registry, &fetched, Duration::from_secs(80), START).unwrap(), None);
    pass(std::slice::from_ref(&a), 11).await;
    assert_eq!(a.facts("ord-1"), None);
    for body in ["", "{}", "[]", "{\"compare\":{}}", "{\"fetch\":[[\"A\"]]}", "{\"later\":1}"] {
        assert!(answer(&a.registry, body.as_bytes()).is_err(), "{body}");
    }
    for body in ["", "[]", "{\"held\":[[\"ORDERS\"]],\"ended\":[],\"next\":null}"] {
        let (mut exchange, _) = Exchange::begin(&a.registry, None).unwrap();
        assert!(exchange.answered(&a.registry, body.as_bytes(), Duration::ZERO, START).is_err(), "{body}");
    }
    assert!(a.registry.is_empty());
}
