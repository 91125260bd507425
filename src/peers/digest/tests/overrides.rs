//! What becomes of overrides that two nodes hold differently.

use super::*;
use crate::model::{ReplicationAction, ReplicationItem};
use crate::peers::{Receiver, Refusals, Sender};

#[tokio::test(start_paused = true)]
async fn of_two_overrides_the_later_wins_and_a_removal_is_one() {
    let nodes = [Node::new(0), Node::new(-3_600_000)];
    let [a, b] = &nodes;
    for node in &nodes {
        node.register("ord-1", 1);
    }
    a.set("ord-1", OutOfService);
    assert_eq!(b.ask(a).mended, 1);
    assert_eq!(b.facts("ord-1").unwrap().status, OutOfService);
    // Its clock is an hour behind, yet it knows what it removes.
    b.unset("ord-1");
    assert_eq!(b.ask(a), Findings::default());
    assert_eq!(a.ask(b).mended, 1);
    for node in [a, b] {
        let Facts { status, override_status, .. } = node.facts("ord-1").unwrap();
        assert_eq!((status, override_status), (Up, None));
    }
    a.set("ord-1", OutOfService);
    b.register("ord-1", 2);
    all_ask(&nodes);
    let [a, b] = nodes.map(|node| node.facts("ord-1").unwrap());
    assert_eq!(a, b);
    assert_eq!((a.last_dirty, a.status, a.override_status), (2, OutOfService, Some(OutOfService)));
}

#[tokio::test(start_paused = true)]
async fn the_first_copy_learns_since_when_overrides_stand() {
    let [a, b, c] = [Node::new(-3_600_000), Node::new(0), Node::new(0)];
    b.register("ord-1", 1);
    b.set("ord-1", OutOfService);
    assert_eq!(a.registry.take_in(vec![b.shown("ord-1")], &Unconfirmed::new()), 1);
    assert_eq!(a.facts("ord-1").unwrap().override_stamp, OverrideStamp::UNKNOWN);
    assert_eq!(a.ask(&b), Findings::default(), "nothing that a reader can tell");
    assert_eq!(a.facts("ord-1"), b.facts("ord-1"));
    a.unset("ord-1");
    b.ask(&a);
    c.ask(&a);
    assert_eq!((b.facts("ord-1"), c.facts("ord-1")), (a.facts("ord-1"), a.facts("ord-1")));
    assert_eq!(b.facts("ord-1").unwrap().override_status, None);
}

#[tokio::test(start_paused = true)]
async fn an_item_of_our_own_does_not_undo_what_came_later() {
    let a = Node::new(0);
    a.register("ord-1", 1);
    a.set("ord-1", OutOfService);
    a.unset("ord-1");
    let removed = a.facts("ord-1").unwrap();
    let older = OverrideStamp(removed.override_stamp.0 - 1);
    assert!(a.registry.set_status_as(
        "ORDERS",
        "ord-1",
        OutOfService,
        None,
        Set { stamp: Some(older), note: None },
        Origin::Peer
    ));
    let brought = Instance { overridden_status: OutOfService, status: OutOfService, ..instance("ord-1", 1) };
    a.registry.register_stamped(brought, older, OverrideBackground::default());
    assert_eq!(a.facts("ord-1"), Some(removed));
}

#[tokio::test(start_paused = true)]
async fn a_stamp_far_ahead_can_be_overruled() {
    let refusals = Arc::new(Refusals::default());
    for far in [START + 86_400_000 * 2, WallMillis::MAX - 1, WallMillis::MAX] {
        let [a, b] = [Node::new(0), Node::new(0)];
        for node in [&a, &b] {
            node.register("ord-1", 1);
            let item = ReplicationItem {
                app: AppName::new("ORDERS"),
                id: InstanceId::new("ord-1"),
                last_dirty: Some(1),
                override_set: Some(far),
                background: OverrideBackground::default(),
                action: ReplicationAction::StatusUpdate(OutOfService),
            };
            let receiver =
                Receiver::new(Arc::clone(&node.registry), Arc::clone(&refusals), Arc::default(), node.clock.clone());
            let answers = receiver.take_all(vec![Ok(item)], Sender::default()).await.unwrap();
            assert_eq!(answers[0].status, 200);
            assert_eq!(node.facts("ord-1").unwrap().override_status, Some(OutOfService));
        }
        advance(Duration::from_secs(1)).await;
        a.unset("ord-1");
        b.ask(&a);
        assert_eq!(b.facts("ord-1").unwrap().override_status, None, "{far}");

        // A peer that says so in a comparison, again and again.
        let c = Node::new(0);
        c.register("ord-1", 1);
        let lies = Instance { overridden_status: OutOfService, status: OutOfService, ..instance("ord-1", 1) };
        c.registry.register_stamped(lies, OverrideStamp(far), OverrideBackground::default());
        a.ask(&c);
        assert_eq!(a.facts("ord-1").unwrap().override_status, None, "{far}");
        c.ask(&a);
        assert_eq!(c.facts("ord-1"), a.facts("ord-1"), "{far}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_first_copy_does_not_bring_back_an_override_that_was_taken_back_meanwhile() {
    for (sets_here, list_is_newer) in [(true, false), (true, true), (false, false), (false, true)] {
        let [a, b] = [Node::closed(0), Node::new(0)];
        b.register("ord-1", if list_is_newer { 2 } else { 1 });
        b.set("ord-1", OutOfService);
        let list = vec![b.shown("ord-1")];
        a.register("ord-1", 1);
        if sets_here {
            a.set("ord-1", OutOfService);
        }
        advance(Duration::from_secs(1)).await;
        a.unset("ord-1");
        assert_eq!(a.registry.take_in(list, &Unconfirmed::new()), 1);
        a.registry.open(1);
        let Facts { status, override_status, .. } = a.facts("ord-1").unwrap();
        assert_eq!((status, override_status), (Up, None), "{sets_here} {list_is_newer}");
        b.ask(&a);
        assert_eq!(b.facts("ord-1").unwrap().override_status, None, "{sets_here} {list_is_newer}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_first_copy_does_not_bring_back_an_override_whose_end_a_peer_told_before_the_list_came() {
    for set_again in [false, true] {
        let [a, b] = [Node::closed(0), Node::new(0)];
        b.register("ord-1", 1);
        b.set("ord-1", OutOfService);
        let list = vec![b.shown("ord-1")];
        b.unset("ord-1");
        let stamp = Some(b.facts("ord-1").unwrap().override_stamp);
        assert!(!a.registry.remove_status_stamped("ORDERS", "ord-1", Up, None, stamp, Origin::Peer), "not here yet");
        if set_again {
            assert!(!a.registry.set_status("ORDERS", "ord-1", OutOfService, None, Origin::Client));
        }
        assert_eq!(a.registry.take_in(list, &Unconfirmed::new()), 1);
        a.registry.open(1);
        let stands = a.facts("ord-1").unwrap().override_status;
        assert_eq!(stands, set_again.then_some(OutOfService));
        if !set_again {
            assert_eq!(a.facts("ord-1"), b.facts("ord-1"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_word_counts_also_where_it_changes_nothing() {
    let [a, b, c] = [Node::new(0), Node::new(0), Node::new(0)];
    for node in [&a, &b, &c] {
        node.register("ord-1", 1);
    }
    b.set("ord-1", OutOfService);
    advance(Duration::from_secs(1)).await;
    // It never had the override, or has lost it.
    let before = a.registry.version();
    a.unset("ord-1");
    assert_eq!(a.registry.version(), before, "no reader can tell");
    a.ask(&b);
    assert_eq!(a.facts("ord-1").unwrap().override_status, None);
    b.ask(&a);
    assert_eq!(b.facts("ord-1"), a.facts("ord-1"));

    a.set("ord-1", OutOfService);
    c.ask(&a);
    advance(Duration::from_secs(1)).await;
    c.unset("ord-1");
    advance(Duration::from_secs(1)).await;
    let before = a.registry.version();
    a.set("ord-1", OutOfService);
    assert_eq!(a.registry.version(), before, "no reader can tell");
    for (one, other) in [(&a, &c), (&c, &a)] {
        one.ask(other);
    }
    for node in [&a, &c] {
        assert_eq!(node.facts("ord-1").unwrap().override_status, Some(OutOfService), "set after it was taken back");
    }
}

#[tokio::test(start_paused = true)]
async fn an_override_that_left_does_not_come_back_with_a_peer_that_missed_it() {
    for status in [OutOfService, Down] {
        let [a, b] = [Node::new(0), Node::new(0)];
        for node in [&a, &b] {
            node.register("ord-1", 1);
        }
        a.set("ord-1", OutOfService);
        b.ask(&a);
        advance(Duration::from_secs(5)).await;
        b.cancel("ord-1");
        // Its client comes again, to the node that missed that it had left.
        a.registry.register(Instance { status, ..instance("ord-1", 2) }, Origin::Client);
        let told = a.facts("ord-1").unwrap();
        assert_eq!(told.override_status, Some(OutOfService));
        b.registry.register_stamped(a.shown("ord-1"), told.override_stamp, OverrideBackground::default());
        let known = if status == Down { Down } else { Unknown };
        let Facts { status, override_status, .. } = b.facts("ord-1").unwrap();
        assert_eq!((status, override_status), (known, None), "what it says itself, if that is known");
        a.ask(&b);
        assert_eq!(a.facts("ord-1"), b.facts("ord-1"));
    }
}

#[tokio::test(start_paused = true)]
async fn an_end_that_is_told_on_changes_no_override_where_there_is_none() {
    let [a, b, c] = [Node::new(0), Node::new(0), Node::new(0)];
    b.register("ord-1", 1);
    b.unset("ord-1");
    advance(Duration::from_secs(1)).await;
    a.ask(&b);
    c.ask(&b);
    c.cancel("ord-1");
    advance(Duration::from_secs(3)).await;
    a.renew("ord-1", 1);
    advance(Duration::from_secs(6)).await;
    b.ask(&c);
    assert_eq!(b.facts("ord-1"), None);
    b.ask(&a);
    assert_eq!(b.facts("ord-1"), a.facts("ord-1"), "nothing for others to hear of");
}

#[tokio::test(start_paused = true)]
async fn an_override_brings_its_sign_of_life_along() {
    let nodes = [Node::new(0), Node::new(0), Node::new(0)];
    let [a, b, c] = &nodes;
    for node in &nodes {
        node.register("ord-1", 1);
    }
    advance(Duration::from_secs(1)).await;
    // Only C hears that it left, and only A what an operator sets later.
    c.cancel("ord-1");
    advance(Duration::from_secs(3)).await;
    a.set("ord-1", OutOfService);
    advance(Duration::from_secs(6)).await;
    assert_eq!(b.ask(a).mended, 1);
    assert_eq!(b.ask(c), Findings::default(), "it was heard of after it had left");
    all_ask(&nodes);
    assert_eq!(a.facts("ord-1").map(|facts| facts.override_status), Some(Some(OutOfService)));
    assert!(nodes.iter().all(|node| node.facts("ord-1") == a.facts("ord-1")));
    pass(&nodes, 85).await;
    assert!(nodes.iter().all(|node| node.facts("ord-1").is_none()), "90 s after that");
}
