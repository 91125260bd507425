//! Leases that are known from before a restart alone.

use super::*;
use crate::registry::Remembered;

impl Node {
    /// One that was restarted, and remembers what another one holds of these.
    fn restarted(other: &Self, ids: &[&str]) -> Self {
        let node = Self::closed(0);
        let lease = |id: &&str| other.registry.held(&AppName::new("ORDERS"), &InstanceId::new(*id)).unwrap();
        node.registry.open(node.registry.recall(ids.iter().map(|id| Remembered::of(&lease(id)))));
        node
    }

    /// The same after a restart, with all that it held.
    pub(super) fn again(&self) -> Self {
        let (_, leases) = self.registry.all_own();
        let again = Self::with_clock(self.clock.clone());
        again.registry.open(again.registry.recall(leases.iter().map(|lease| Remembered::of(lease))));
        again
    }

    pub(super) fn is_unconfirmed(&self, id: &str) -> Option<bool> {
        let lease = self.registry.held(&AppName::new("ORDERS"), &InstanceId::new(id))?;
        Some(lease.is_unconfirmed())
    }
}

const IDS: [&str; 4] = ["ord-1", "ord-2", "ord-3", "ord-4"];

#[tokio::test(start_paused = true)]
async fn what_is_unconfirmed_is_spread_to_nobody_and_ends_nothing() {
    // Whatever either of two nodes remembers and hears, and whoever asks first.
    for case in 0_u32..1 << 5 {
        let is_in = |at: usize, set: u32| (case >> (2 * set)) & (1 << at) != 0;
        let known = Node::new(0);
        let ids = [IDS[0], IDS[1]];
        for id in ids {
            known.register(id, 1);
        }
        let of = |set| (0..ids.len()).filter(|at| is_in(*at, set)).map(|at| ids[at]).collect::<Vec<_>>();
        let (remembered, heard) = (of(0), of(1));
        let nodes = [Node::restarted(&known, &remembered), Node::new(0)];
        let [a, b] = &nodes;
        advance(Duration::from_mins(1)).await;
        for id in &heard {
            b.register(id, 1);
        }
        advance(Duration::from_secs(10)).await;
        let rounds = if case >> 4 == 0 { [(a, b), (b, a)] } else { [(b, a), (a, b)] };
        for (asking, other) in rounds.into_iter().cycle().take(4) {
            asking.ask(other);
        }
        for id in ids {
            let (is_remembered, is_heard) = (remembered.contains(&id), heard.contains(&id));
            let expected = if is_heard { Some(false) } else { is_remembered.then_some(true) };
            assert_eq!(a.is_unconfirmed(id), expected, "{id} of {remembered:?}, {heard:?} heard");
            assert_eq!(b.is_unconfirmed(id), is_heard.then_some(false), "{id} of {remembered:?}, {heard:?} heard");
        }
        assert_eq!(a.ask(b), Findings::default());
        assert_eq!(b.ask(a), Findings::default());
        assert_eq!(summary(&a.registry), summary(&b.registry), "who is unconfirmed is no difference");
        pass(&nodes, 21).await;
        all_ask(&nodes);
        for id in ids {
            let stays = heard.contains(&id).then_some(false);
            assert_eq!((a.is_unconfirmed(id), b.is_unconfirmed(id)), (stays, stays), "{id} of {remembered:?}");
        }
        pass(&nodes, 60).await;
        assert_eq!((a.registry.len(), b.registry.len()), (0, 0), "as long as at the peer that heard it");
    }
}

#[tokio::test(start_paused = true)]
async fn who_is_unconfirmed_is_so_in_a_copy_for_what_is_left() {
    let before = Node::new(0);
    for id in IDS {
        before.register(id, 1);
    }
    let a = Node::restarted(&before, &IDS);
    let heard = |node: &Node| node.renew("ord-1", 1);
    advance(Duration::from_secs(20)).await;
    assert!(heard(&a));
    let mut nodes = vec![a];
    for _ in 0..2 {
        advance(Duration::from_secs(20)).await;
        let (last, copy) = (nodes.last().unwrap(), Node::closed(0));
        let told = read_unconfirmed(&unconfirmed(&last.registry).unwrap(), Duration::from_secs(1)).unwrap();
        copy.registry.open(copy.registry.take_in(IDS.map(|id| last.shown(id)).to_vec(), &told));
        assert_eq!(IDS.map(|id| copy.is_unconfirmed(id).unwrap()), [false, true, true, true]);
        nodes.push(copy);
    }
    all_ask(&nodes);
    assert!(nodes.iter().all(heard));
    pass(&nodes, 29).await;
    assert_eq!(nodes.iter().map(|node| node.registry.len()).collect::<Vec<_>>(), [4, 4, 1], "the way counts");
    pass(&nodes, 3).await;
    all_ask(&nodes);
    assert!(nodes.iter().all(|node| node.registry.len() == 1));
}

#[tokio::test(start_paused = true)]
async fn what_is_confirmed_lives_no_longer_than_at_the_peer() {
    let heard = Node::new(0);
    heard.register("ord-1", 1);
    advance(Duration::from_secs(40)).await;
    let restarted = Node::restarted(&heard, &["ord-1"]);
    restarted.ask(&heard);
    assert_eq!(restarted.is_unconfirmed("ord-1"), Some(false));
    let nodes = [heard, restarted];
    pass(&nodes, 50).await;
    assert!(nodes.iter().all(|node| node.registry.len() == 1));
    pass(&nodes, 1).await;
    assert!(nodes.iter().all(|node| node.registry.is_empty()), "its lease goes back to the same sign of life");
}

#[tokio::test(start_paused = true)]
async fn an_override_of_a_lease_that_has_lapsed_at_the_peer_confirms_nothing() {
    let before = Node::new(0);
    before.register("ord-1", 1);
    let peer = Node::new(0);
    peer.register("ord-1", 1);
    peer.set("ord-1", OutOfService);
    // Self-preservation would keep it there.
    advance(Duration::from_secs(100)).await;
    let restarted = Node::restarted(&before, &["ord-1"]);
    // What is unconfirmed is in no summary, so all that the peer holds is told.
    restarted.ask(&peer);
    assert_eq!(restarted.facts("ord-1"), peer.facts("ord-1"));
    assert_eq!(restarted.is_unconfirmed("ord-1"), Some(true));
}

#[tokio::test(start_paused = true)]
async fn what_was_copied_is_as_old_as_the_peer_says_that_heard_it() {
    let [a, b, c] = [Node::new(0), Node::closed(0), Node::new(0)];
    for node in [&a, &c] {
        node.register("ord-1", 1);
    }
    let list = vec![c.shown("ord-1")];
    advance(Duration::from_secs(1)).await;
    c.cancel("ord-1");
    advance(Duration::from_secs(3)).await;
    a.set("ord-1", OutOfService);
    advance(Duration::from_secs(6)).await;
    b.registry.open(b.registry.take_in(list, &Unconfirmed::new()));
    assert_eq!(b.ask(&a).mended, 1);
    assert_eq!(b.ask(&c), Findings::default(), "it was heard of after it had left");
    assert_eq!(a.facts("ord-1"), b.facts("ord-1"));
}
