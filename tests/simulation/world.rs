//! The agenda of what happens when, and the run from start to end.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::Repair;
use super::client::{Client, Told};
use super::event::Event;
use super::network::{Network, Place};
use super::node::Node;
use super::report::Report;
use super::scale::Counts;
use super::trace::Trace;

/// Wall time at which a run begins.
pub(crate) const START: i64 = 1_760_000_000_000;

/// Milliseconds until the faults begin.
const GOOD_START: u64 = 40_000;
/// The longest lease, the rounds of eviction after it, and the wait of a sender that was down.
const LEASE: u64 = 90_000;
const JAVA_LEASE: u64 = 2 * LEASE;
const AFTER_LEASE: u64 = 40_000;
/// When operators say again what they want, after the faults.
const INSISTING: u64 = 50_000;
/// In which nobody calls, at the end.
pub(crate) const LAST_WORDS: u64 = 3_000;

/// The parts of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Good,
    Faults,
    Calm,
}

/// See the module.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct World {
    pub(crate) now: u64,
    pub(crate) random: StdRng,
    /// By time, and then in the order of planning.
    agenda: BTreeMap<(u64, u64), Event>,
    planned: u64,
    pub(crate) nodes: Vec<Node>,
    pub(crate) clients: Vec<Client>,
    pub(crate) network: Network,
    pub(crate) trace: Trace,
    pub(crate) report: Report,
    pub(crate) part: Part,
    /// Whether clients are silent, at the end.
    pub(crate) ended: bool,
    /// How many tasks may wait for a peer.
    pub(crate) queue: usize,
    /// Milliseconds between two things that happen, at most.
    pub(crate) restlessness: u64,
    /// Whether packets are late and doubled, and nothing worse.
    pub(crate) mild: bool,
    /// Whether operators say again what they want.
    pub(crate) insists: bool,
    /// Exchanges so far.
    pub(crate) exchanges: u64,
    pub(crate) repair: Repair,
    /// In how many of its first lives each node is a Java server.
    pub(crate) java_lives: Vec<u64>,
    /// Whether leases last as long on nodes of this program as in Java.
    pub(crate) java_length: bool,
    /// What each node exchanged with the others, in a run without faults that is for counting.
    pub(crate) counts: Option<Vec<Counts>>,
}

impl World {
    pub(crate) fn new(seed: u64, repair: Repair, shows: bool) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let nodes: usize = random.random_range(2..=7);
        let clients: usize = match random.random_range(0..200) {
            0 => random.random_range(300..2_000),
            1..=6 => random.random_range(60..200),
            _ => random.random_range(1..25),
        };
        let queue = [10_000, 10_000, 300, 20][random.random_range(0..4)];
        let restlessness = [300, 2_000, 10_000][random.random_range(0..3)];
        let insists = random.random_bool(0.5);
        let mild = random.random_bool(0.25);
        let mixed = repair == Repair::Mixed;
        let java_lives = if mixed { java_lives(nodes, &mut random) } else { vec![0; nodes] };
        let java_length = mixed && random.random_bool(0.5);
        let mut world = Self {
            queue: queue.max(clients / 4),
            restlessness,
            insists,
            mild,
            java_lives,
            java_length,
            ..Self::of(random, nodes, clients, repair, shows)
        };
        for number in 0..clients {
            let client = Client::new(number, &mut world);
            world.clients.push(client);
        }
        world
    }

    /// So many nodes and room for so many clients, and nothing that goes wrong.
    pub(crate) fn of(random: StdRng, nodes: usize, clients: usize, repair: Repair, shows: bool) -> Self {
        Self {
            now: 0,
            random,
            agenda: BTreeMap::new(),
            planned: 0,
            nodes: (0..nodes).map(|_| Node::new(clients)).collect(),
            clients: Vec::new(),
            network: Network::default(),
            trace: Trace::new(shows),
            report: Report::default(),
            part: Part::Good,
            ended: false,
            queue: 10_000,
            restlessness: 0,
            insists: false,
            mild: false,
            exchanges: 0,
            repair,
            java_lives: vec![0; nodes],
            java_length: false,
            counts: None,
        }
    }

    /// Plans an event, so many milliseconds from now.
    pub(crate) fn plan(&mut self, wait: u64, event: Event) {
        self.planned += 1;
        self.agenda.insert((self.now + wait, self.planned), event);
    }

    /// Adds a line to the trace.
    pub(crate) fn note(&mut self, line: fmt::Arguments<'_>) {
        self.trace.add(self.now, line);
    }

    /// Runs from the start to the end, checks included.
    pub(crate) async fn run(mut self) -> Report {
        for node in 0..self.nodes.len() {
            self.start(node);
        }
        for client in 0..self.clients.len() {
            let wait = self.random.random_range(0..GOOD_START / 2);
            self.plan(wait, Event::Return(client));
        }
        self.until(GOOD_START * 3 / 4).await;
        for client in 0..self.clients.len() {
            if let Told::Once(status) = self.clients[client].told {
                let node = self.random.random_range(0..self.nodes.len());
                assert!(self.override_at(node, client, Some(status)), "client {client} is not at {node}");
            }
        }
        self.until(GOOD_START).await;

        self.part = Part::Faults;
        self.plan(0, Event::Stir);
        let faults = self.random.random_range(60_000..240_000);
        self.until(GOOD_START + faults).await;

        self.calm();
        // What is late arrives, and counts as a fault.
        self.until(self.now + Network::LATEST).await;
        let calm = self.now;
        self.note_last_words();
        for client in 0..self.clients.len() {
            let wait = self.random.random_range(INSISTING..INSISTING * 3 / 2);
            self.plan(wait, Event::Insist(client));
        }
        self.until(calm + INSISTING - 1).await;
        self.check_order();
        let end = calm + AFTER_LEASE + if self.repair == Repair::Mixed { JAVA_LEASE } else { LEASE };
        self.until(end - LAST_WORDS).await;
        self.ended = true;
        self.until(end).await;
        self.check_end();

        self.report.trace = self.trace.hash();
        self.report.nodes = u64::try_from(self.nodes.len()).unwrap();
        let java = self.java_lives.iter().filter(|lives| **lives > 0);
        self.report.java = u64::try_from(java.count()).unwrap();
        self.report.clients = u64::try_from(self.clients.len()).unwrap();
        self.report
    }

    pub(crate) async fn until(&mut self, end: u64) {
        while let Some(first) = self.agenda.first_entry()
            && first.key().0 <= end
        {
            let ((at, _), event) = first.remove_entry();
            self.advance(at).await;
            self.report.events += 1;
            self.happen(event).await;
        }
        self.advance(end).await;
    }

    async fn advance(&mut self, to: u64) {
        if to > self.now {
            tokio::time::advance(Duration::from_millis(to - self.now)).await;
            self.now = to;
        }
    }

    async fn happen(&mut self, event: Event) {
        let process = match &event {
            Event::Beat(at)
            | Event::Evict(at)
            | Event::Look { at, .. }
            | Event::TimeOut { at, .. }
            | Event::CopyRound(at)
            | Event::Repair { at, .. }
            | Event::Call { at, .. } => Some(*at),
            Event::Arrive(packet) => Some(packet.to),
            _ => None,
        };
        if let Some(at) = process {
            let there = self.place(at.node) == at && self.nodes[at.node].up.is_some();
            if there && let Some(waiting) = &mut self.nodes[at.node].paused {
                waiting.push(event);
                return;
            }
            if !there && !matches!(event, Event::Arrive(_)) {
                return;
            }
        }
        match event {
            Event::Beat(at) => self.beat(at),
            Event::Evict(at) => self.evict(at),
            Event::Look { at, peer, turn } => self.look(at, peer, turn),
            Event::Arrive(packet) => self.arrive(packet).await,
            Event::TimeOut { at, exchange } => self.timed_out(at, exchange),
            Event::CopyRound(at) => self.copy_round(at),
            Event::Call { at, client, call } => {
                self.take_call(at, client, &call);
            }
            Event::Heartbeat { client, turn } => self.heartbeat(client, turn),
            Event::Return(client) if !self.clients[client].lives && self.part != Part::Calm => self.come(client),
            Event::Stir => self.stir(),
            Event::Start(node) if self.nodes[node].up.is_none() => self.start(node),
            Event::GoOn(at) if self.place(at.node) == at => self.go_on(at.node),
            Event::Operate(client) if self.clients[client].lives && self.part == Part::Faults => self.operate(client),
            Event::Insist(client) if self.insists && self.clients[client].lives => self.insist(client),
            Event::Return(_) | Event::Start(_) | Event::GoOn(_) | Event::Operate(_) | Event::Insist(_) => {}
            Event::Repair { at, peer } => self.repair(at, peer),
        }
    }

    /// Whether all nodes compare what they hold.
    pub(crate) fn repairs(&self) -> bool {
        self.repair == Repair::Digest
    }

    /// Whether these two do.
    pub(crate) fn compares(&self, one: Place, other: Place) -> bool {
        self.repair != Repair::Off && !self.is_java(one) && !self.is_java(other)
    }
}

/// Some nodes, not all, are Java servers; some of these until they are restarted.
fn java_lives(nodes: usize, random: &mut StdRng) -> Vec<u64> {
    let one = random.random_range(0..nodes);
    let lives = |node| match () {
        () if node == (one + 1) % nodes || (node != one && random.random_bool(0.5)) => 0,
        () if random.random_bool(0.3) => random.random_range(1..4),
        () => u64::MAX,
    };
    (0..nodes).map(lives).collect()
}
