//! How much nodes tell each other when nothing goes wrong: counted, and by the formula of `docs/scale.md`.
//!
//! `EUREKAD_SIM_SIZES=10x1000,65x1000` counts clusters of so many nodes and instances in place of the usual ones.

use std::time::Duration;

use rand::RngExt as _;
use rand::SeedableRng as _;
use rand::rngs::StdRng;

use eurekad::model::{AppName, InstanceId, LeaseRequest};

use super::Repair;
use super::client::{Client, Told};
use super::event::Event;
use super::network::{Body, Place};
use super::world::{LAST_WORDS, World};

/// `eurekad.peers.digest-interval`, in milliseconds.
pub(super) const DIGEST_INTERVAL: u64 = 45_000;
/// Milliseconds until all have registered and have been compared, and in which messages are counted.
const SETTLED: u64 = 60_000;
const COUNTED: u64 = 120_000;
/// Seconds between two heartbeats of a simulated client, on average: it is up to 0.5 s early.
const INTERVAL: f64 = 29.75;
/// Instances of an application.
const IN_AN_APP: usize = 20;

/// What a node exchanged with all others.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Batches that it sent, greetings included.
    pub(crate) batches: f64,
    /// What was in them.
    pub(crate) items: f64,
    /// Digests that it asked for.
    pub(crate) digests: f64,
    /// Bytes of bodies that it sent, requests and answers.
    pub(crate) sent: f64,
    pub(crate) received: f64,
}

impl Counts {
    /// The sizes of bodies, as the simulated instances have them.
    const BATCH: f64 = 22.0 + 19.0;
    const HEARTBEAT: f64 = 143.0;
    const ANSWER: f64 = 19.0;
    const DIGEST: f64 = 83.0;
    const APP: f64 = 41.0;

    /// The formula: per second, of each of so many nodes, with so many instances in the cluster.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn by_formula(nodes: usize, instances: usize) -> Self {
        let (peers, apps) = ((nodes - 1) as f64, instances.div_ceil(IN_AN_APP) as f64);
        let heartbeats = instances as f64 / INTERVAL / nodes as f64;
        // The first heartbeat waits for others for 0.2 s; when there is none for 10 s, a greeting goes out.
        let gap = 0.2 + (1.0 - (-10.0 * heartbeats).exp()) / heartbeats;
        let batches = peers / gap;
        let items = peers * heartbeats;
        let digests = peers / (0.875 * 45.0);
        let sent = batches * Self::BATCH
            + items * (Self::HEARTBEAT + Self::ANSWER)
            + digests * (Self::DIGEST + apps * Self::APP);
        Self { batches, items, digests, sent, received: sent }
    }

    fn each(&self) -> [f64; 5] {
        [self.batches, self.items, self.digests, self.sent, self.received]
    }
}

impl World {
    /// A cluster of nodes of this program without faults, whose messages are counted.
    fn counting(nodes: usize, instances: usize) -> Self {
        let mut world = Self::of(StdRng::seed_from_u64(1), nodes, instances, Repair::Digest, false);
        world.counts = Some(vec![Counts::default(); nodes]);
        for number in 0..instances {
            let mut client = Client::new(number, &mut world);
            client.app = AppName::new(&format!("SERVICE-{:05}", number / IN_AN_APP));
            client.id = InstanceId::new(format!("10.20.{}.{}:service:{number}", number / 250, number % 250));
            client.lease = LeaseRequest::new(30, 90);
            client.told = Told::Never;
            client.order.sort_unstable();
            client.order.rotate_left(number % nodes);
            world.clients.push(client);
        }
        world
    }

    /// Per node and second, over all nodes.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    async fn count_messages(mut self) -> Counts {
        let nodes = self.nodes.len();
        for node in 0..nodes {
            self.start(node);
        }
        for client in 0..self.clients.len() {
            let wait = self.random.random_range(1_000..31_000);
            self.plan(wait, Event::Return(client));
        }
        self.until(SETTLED).await;
        self.counts = Some(vec![Counts::default(); nodes]);
        self.until(SETTLED + COUNTED).await;
        let counts = self.counts.clone().unwrap();
        self.ended = true;
        self.until(SETTLED + COUNTED + LAST_WORDS).await;
        self.check_end();
        let per_second = nodes as f64 * Duration::from_millis(COUNTED).as_secs_f64();
        let mean = |of: fn(&Counts) -> f64| counts.iter().map(of).sum::<f64>() / per_second;
        Counts {
            batches: mean(|counts| counts.batches),
            items: mean(|counts| counts.items),
            digests: mean(|counts| counts.digests),
            sent: mean(|counts| counts.sent),
            received: mean(|counts| counts.received),
        }
    }

    /// Counts a request and its answer.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub(crate) fn count(&mut self, from: Place, to: Place, request: &Body, items: usize, answer: &Body) {
        let Some(counts) = &mut self.counts else { return };
        let (request_bytes, answer_bytes) = (request.len() as f64, answer.len() as f64);
        let asker = &mut counts[from.node];
        match request {
            Body::Compare(_) => asker.digests += 1.0,
            _ => asker.batches += 1.0,
        }
        asker.items += items as f64;
        asker.sent += request_bytes;
        asker.received += answer_bytes;
        counts[to.node].received += request_bytes;
        counts[to.node].sent += answer_bytes;
    }
}

fn counted(nodes: usize, instances: usize) -> (Counts, Counts) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let counts = runtime.block_on(World::counting(nodes, instances).count_messages());
    (counts, Counts::by_formula(nodes, instances))
}

fn assert_close(nodes: usize, instances: usize, counts: &Counts, formula: &Counts) {
    for (counted, expected) in counts.each().into_iter().zip(formula.each()) {
        let is_close = (counted / expected - 1.0).abs() < 0.1;
        assert!(is_close, "{nodes} nodes, {instances} instances: counted {counts:?}, by the formula {formula:?}");
    }
}

#[test]
fn ten_nodes_tell_each_other_as_much_as_the_formula_says() {
    let (counts, formula) = counted(10, 300);
    assert_close(10, 300, &counts, &formula);
}

#[test]
#[ignore = "half a minute"]
#[expect(clippy::print_stdout, reason = "the rows of a table in docs/scale.md")]
fn nodes_tell_each_other_as_much_as_the_formula_says() {
    let sizes = std::env::var("EUREKAD_SIM_SIZES").unwrap_or_else(|_| "10x1000,30x500".to_owned());
    for size in sizes.split(',') {
        let (nodes, instances) = size.split_once('x').unwrap();
        let (nodes, instances) = (nodes.parse().unwrap(), instances.parse().unwrap());
        let (counts, formula) = counted(nodes, instances);
        let cells = counts.each().into_iter().zip(formula.each());
        let cells: Vec<_> = cells.map(|(counted, expected)| format!("{counted:.1} / {expected:.1}")).collect();
        println!("| {nodes} | {instances} | {} |", cells.join(" | "));
        assert_close(nodes, instances, &counts, &formula);
    }
}
