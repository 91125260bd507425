//! What is behind overrides, between two nodes, and ends of overrides.

use super::*;
use crate::model::{OverrideNote, ReplicationAction, ReplicationItem};
use crate::peers::{Receiver, Sender};

fn note(until: Option<WallMillis>) -> Arc<OverrideNote> {
    Arc::new(OverrideNote { reason: "kernel".into(), owner: "ann".into(), since: START, until })
}

impl Node {
    fn drain(&self, id: &str, until: Option<WallMillis>) {
        let set = Set { stamp: None, note: Some(note(until)) };
        assert!(self.registry.set_status_as("ORDERS", id, OutOfService, None, set, Origin::Operator));
    }

    /// Takes what a peer tells.
    async fn take(&self, item: ReplicationItem) {
        let receiver = Receiver::new(Arc::clone(&self.registry), Arc::default(), Arc::default(), self.clock.clone());
        receiver.take_all(vec![Ok(item)], Sender::default()).await;
    }

    fn background(&self, id: &str) -> OverrideBackground {
        self.registry.held(&AppName::new("ORDERS"), &InstanceId::new(id)).unwrap().background.clone()
    }
}

#[tokio::test(start_paused = true)]
async fn a_note_comes_with_its_override_and_goes_with_it() {
    for copied in [false, true] {
        let [a, b, late] = [Node::new(0), Node::new(0), Node::closed(0)];
        a.register("ord-1", 1);
        if copied {
            b.register("ord-1", 1);
        }
        a.drain("ord-1", None);
        let behind = OverrideBackground { own: Some(Up), note: Some(note(None)) };
        b.ask(&a);
        assert_eq!(b.background("ord-1"), behind);
        late.registry.take_in(vec![a.shown("ord-1")], &Unconfirmed::new());
        late.registry.open(1);
        assert_eq!(late.background("ord-1"), OverrideBackground::default(), "a list says nothing of it");
        late.ask(&b);
        assert_eq!(late.background("ord-1"), behind);
        advance(Duration::from_secs(1)).await;
        late.unset("ord-1");
        a.ask(&late);
        assert_eq!(a.background("ord-1"), OverrideBackground::default());
    }
}

#[tokio::test(start_paused = true)]
async fn an_override_ends_at_its_time_on_every_node_alike() {
    let nodes = [Node::new(0), Node::new(-400)];
    for node in &nodes {
        node.register("ord-1", 1);
    }
    let [a, b] = &nodes;
    a.drain("ord-1", Some(START + 60_000));
    b.ask(a);
    advance(Duration::from_millis(59_999)).await;
    assert_eq!(a.registry.lift_ended_overrides(), 0);
    for node in &nodes {
        assert!(node.renew("ord-1", 1));
    }
    advance(Duration::from_millis(1)).await;
    assert_eq!((a.registry.lift_ended_overrides(), b.registry.lift_ended_overrides()), (1, 0), "its clock is behind");
    advance(Duration::from_millis(400)).await;
    assert_eq!(b.registry.lift_ended_overrides(), 1);
    assert_eq!(a.facts("ord-1"), b.facts("ord-1"));
    let Facts { status, override_status, .. } = a.facts("ord-1").unwrap();
    assert_eq!((status, override_status), (Up, None));
    assert_eq!(a.registry.lift_ended_overrides() + b.registry.lift_ended_overrides(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_node_whose_clock_is_ahead_ends_no_override_on_others() {
    for days in [0, 30] {
        let ahead = days * 24 * 3_600_000 + 3_600_000;
        let until = START + ahead - 1_000;
        let [a, b] = [Node::new(0), Node::new(ahead)];
        for node in [&a, &b] {
            node.register("ord-1", 1);
        }
        a.drain("ord-1", Some(until));
        b.ask(&a);
        assert_eq!(b.registry.lift_ended_overrides(), 1);
        let drained = || {
            let Facts { status, override_status, .. } = a.facts("ord-1").unwrap();
            (status, override_status) == (OutOfService, Some(OutOfService))
                && a.background("ord-1").note == Some(note(Some(until)))
        };
        a.ask(&b);
        assert!(drained(), "compared");
        let item = |action| ReplicationItem {
            app: AppName::new("ORDERS"),
            id: InstanceId::new("ord-1"),
            last_dirty: None,
            override_set: Some(until),
            background: OverrideBackground::default(),
            action,
        };
        a.take(item(ReplicationAction::DeleteStatusOverride(Up))).await;
        assert!(drained(), "told");
        a.registry.register_stamped(instance("ord-1", 2), OverrideStamp(until), OverrideBackground::default());
        assert!(drained(), "registered anew there");
        b.register("ord-1", 3);
        a.ask(&b);
        assert_eq!(a.facts("ord-1").unwrap().last_dirty, 3);
        assert!(drained(), "taken from there");
        assert_eq!(a.registry.lift_ended_overrides(), 0);
        advance(Duration::from_millis(u64::try_from(ahead - 1_000).unwrap())).await;
        assert!(a.renew("ord-1", 3));
        assert_eq!(a.registry.lift_ended_overrides(), 1, "in its own time");
        assert_eq!(a.facts("ord-1"), b.facts("ord-1"));
    }
}

#[tokio::test(start_paused = true)]
async fn an_override_that_was_taken_back_before_its_end_is_gone_everywhere() {
    let [a, b] = [Node::new(0), Node::new(0)];
    a.register("ord-1", 1);
    a.drain("ord-1", Some(START + 60_000));
    b.ask(&a);
    advance(Duration::from_secs(1)).await;
    b.unset("ord-1");
    a.ask(&b);
    assert_eq!(a.facts("ord-1").unwrap().override_status, None);
}

#[tokio::test(start_paused = true)]
async fn an_override_that_took_the_place_of_one_with_an_end_stays() {
    let node = Node::new(0);
    node.register("ord-1", 1);
    node.drain("ord-1", Some(START + 60_000));
    node.set("ord-1", Down);
    advance(Duration::from_secs(90)).await;
    assert_eq!(node.registry.lift_ended_overrides(), 0);
    assert_eq!(node.facts("ord-1").unwrap().override_status, Some(Down));
    node.drain("ord-1", Some(START + 100_000));
    node.drain("ord-1", Some(START + 200_000));
    advance(Duration::from_secs(20)).await;
    assert_eq!(node.registry.lift_ended_overrides(), 0, "the time was moved");
    node.cancel("ord-1");
    advance(Duration::from_secs(100)).await;
    assert_eq!(node.registry.lift_ended_overrides(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_same_status_without_an_end_takes_the_end_away_on_all_nodes() {
    let [a, compared, told] = [Node::new(0), Node::new(0), Node::new(0)];
    a.register("ord-1", 1);
    a.drain("ord-1", Some(START + 60_000));
    for node in [&compared, &told] {
        node.ask(&a);
    }
    advance(Duration::from_secs(1)).await;
    a.set("ord-1", OutOfService);
    compared.ask(&a);
    let item = ReplicationItem {
        app: AppName::new("ORDERS"),
        id: InstanceId::new("ord-1"),
        last_dirty: None,
        override_set: Some(a.facts("ord-1").unwrap().override_stamp.0),
        background: a.background("ord-1"),
        action: ReplicationAction::StatusUpdate(OutOfService),
    };
    told.take(item).await;
    advance(Duration::from_mins(1)).await;
    for node in [&a, &compared, &told] {
        assert_eq!(node.registry.lift_ended_overrides(), 0);
        assert_eq!(node.facts("ord-1"), a.facts("ord-1"));
        assert_eq!(node.background("ord-1"), OverrideBackground { own: Some(Up), note: None });
    }
}

/// Who was in traffic before and fell silent meanwhile may be dead.
#[tokio::test(start_paused = true)]
async fn whoever_is_silent_when_its_override_ends_does_not_come_back_into_traffic() {
    let node = Node::new(0);
    node.register("ord-1", 1);
    node.register("ord-2", 1);
    node.drain("ord-1", Some(START + 60_000));
    node.drain("ord-2", Some(START + 60_000));
    advance(Duration::from_mins(1)).await;
    assert!(node.renew("ord-2", 1));
    assert_eq!(node.registry.lift_ended_overrides(), 2);
    assert_eq!(node.facts("ord-1").unwrap().status, Unknown);
    assert_eq!(node.facts("ord-2").unwrap().status, Up);
    assert!(!node.renew("ord-1", 1), "it is to register again");
    assert_eq!(node.facts("ord-1").unwrap().status, Up);
}

#[tokio::test(start_paused = true)]
async fn what_a_client_says_of_itself_meanwhile_is_what_it_has_afterwards() {
    let [a, b] = [Node::new(0), Node::new(0)];
    for (id, said) in [("ord-1", OutOfService), ("ord-2", Up), ("ord-3", Down)] {
        a.register(id, 1);
        a.drain(id, Some(START + 1_000));
        a.registry.register(Instance { status: said, ..instance(id, 2) }, Origin::Client);
        b.ask(&a);
        advance(Duration::from_secs(1)).await;
        for node in [&a, &b] {
            node.registry.lift_ended_overrides();
            assert_eq!(node.facts(id).unwrap().status, said, "{id}");
        }
    }
}
