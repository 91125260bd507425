//! Nodes with random histories that compare in any order.

use proptest::prelude::*;
use tokio::time::Instant;

use super::*;

/// Of one of these nodes, and of one of these instances.
#[derive(Clone, Copy, Debug)]
enum Step {
    Register(usize, usize),
    Renew(usize, usize),
    Cancel(usize, usize),
    Die(usize),
    Set(usize, usize, InstanceStatus),
    Unset(usize, usize),
    Restart(usize),
    Pass(u64),
    Ask(usize, usize),
}

const NODES: usize = 3;
const IDS: [&str; 4] = ["ord-1", "ord-2", "ord-3", "ord-4"];

fn step() -> impl Strategy<Value = Step> {
    let (node, id) = (0..NODES, 0..IDS.len());
    prop_oneof![
        2 => (node.clone(), id.clone()).prop_map(|(node, id)| Step::Register(node, id)),
        4 => (node.clone(), id.clone()).prop_map(|(node, id)| Step::Renew(node, id)),
        1 => (node.clone(), id.clone()).prop_map(|(node, id)| Step::Cancel(node, id)),
        1 => id.clone().prop_map(Step::Die),
        1 => (node.clone(), id.clone(), prop::sample::select(vec![OutOfService, Down, Up]))
            .prop_map(|(node, id, status)| Step::Set(node, id, status)),
        1 => (node.clone(), id).prop_map(|(node, id)| Step::Unset(node, id)),
        1 => node.clone().prop_map(Step::Restart),
        3 => (1_u64..40).prop_map(Step::Pass),
        4 => (node.clone(), node).prop_map(|(node, other)| Step::Ask(node, other)),
    ]
}

/// A client: the node it speaks to, and the version of its data, while it lives.
type Client = Option<(usize, WallMillis)>;

/// The last sign of life of each instance at any node: of its client, or an operator's.
type Signs = [Option<Instant>; IDS.len()];

async fn play(nodes: &mut [Node], steps: &[Step], clients: &mut [Client; IDS.len()], signs: &mut Signs) {
    for (at, step) in steps.iter().enumerate() {
        match *step {
            Step::Register(_, id) | Step::Set(_, id, _) | Step::Unset(_, id) => signs[id] = Some(Instant::now()),
            Step::Renew(_, id) if clients[id].is_some() => signs[id] = Some(Instant::now()),
            _ => {}
        }
        match *step {
            Step::Register(node, id) => {
                let version = START + i64::try_from(at).unwrap();
                clients[id] = Some((node, version));
                nodes[node].register(IDS[id], version);
            }
            Step::Renew(node, id) => {
                if let Some((home, version)) = &mut clients[id] {
                    *home = node;
                    nodes[node].renew(IDS[id], *version);
                }
            }
            Step::Cancel(node, id) => {
                if clients[id].take().is_some() {
                    nodes[node].cancel(IDS[id]);
                }
            }
            Step::Die(id) => clients[id] = None,
            Step::Set(node, id, status) => nodes[node].set(IDS[id], status),
            Step::Unset(node, id) => nodes[node].unset(IDS[id]),
            Step::Restart(node) => nodes[node] = nodes[node].again(),
            Step::Pass(seconds) => {
                pass(nodes, seconds).await;
                nobody_outlives_its_lease(nodes, signs);
            }
            Step::Ask(node, other) if node != other => {
                nodes[node].ask(&nodes[other]);
            }
            Step::Ask(..) => {}
        }
    }
}

/// Right after an eviction.
fn nobody_outlives_its_lease(nodes: &[Node], signs: &Signs) {
    for (id, sign) in IDS.iter().zip(signs) {
        let silent = sign.map_or(Duration::MAX, |sign| sign.elapsed());
        // What is unconfirmed is told to nobody, and lives for a lease at most.
        let held = nodes.iter().any(|node| node.is_unconfirmed(id) == Some(false));
        assert!(!held || silent <= Duration::from_secs(90), "{id} is held {silent:?} after its last sign of life");
    }
}

fn renew_all(nodes: &[Node], clients: &[Client]) {
    for (id, client) in IDS.iter().zip(clients) {
        if let Some((home, version)) = client {
            nodes[*home].renew(id, *version);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn nodes_converge_and_the_dead_stay_dead(
        steps in prop::collection::vec(step(), 0..60),
        skews in prop::array::uniform3(-100_000_i64..100_000),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let mut nodes = skews.map(Node::new);
            let (mut clients, mut signs) = ([None; IDS.len()], [None; IDS.len()]);
            play(&mut nodes, &steps, &mut clients, &mut signs).await;

            // An instance is heard by one node only, and no lease is told on: those that live are
            // everywhere, and agreed on.
            pass(&nodes, 3).await;
            advance(Duration::from_secs(3)).await;
            renew_all(&nodes, &clients);
            all_ask(&nodes);
            all_ask(&nodes);
            for (id, client) in IDS.iter().zip(clients) {
                let heard = |node: &Node| node.facts(id).filter(|_| node.is_unconfirmed(id) == Some(false));
                let facts: Vec<_> = nodes.iter().map(heard).collect();
                if client.is_some() {
                    prop_assert!(facts.iter().all(Option::is_some), "{id} is missing: {facts:?}");
                }
                let held: Vec<_> = facts.into_iter().flatten().collect();
                prop_assert!(held.windows(2).all(|two| two[0] == two[1]), "{id}: {held:?}");
            }
            // With heartbeats told on again, those that live stay; the others are gone after a lease,
            // however often they are compared.
            for _ in 0..31 {
                pass(&nodes, 3).await;
                renew_all(&nodes, &clients);
                for (id, _) in IDS.iter().zip(&clients).filter(|(_, client)| client.is_some()) {
                    for node in &nodes {
                        node.registry.renew("ORDERS", id, None, None, Origin::Peer);
                    }
                }
                all_ask(&nodes);
            }
            for (id, client) in IDS.iter().zip(clients) {
                for node in &nodes {
                    prop_assert_eq!(node.facts(id).is_some(), client.is_some(), "{}", id);
                }
            }
            Ok(())
        })?;
    }
}
