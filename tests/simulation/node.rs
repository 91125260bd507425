//! One server without HTTP: what `server::App` wires, and what a process may suffer.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;

use parking_lot::Mutex;
use rand::RngExt as _;
use rand::seq::SliceRandom as _;

use eurekad::clock::{Clock, Monotonic};
use eurekad::model::InstanceStatus;
use eurekad::peers::digest::{Differing, Exchange};
use eurekad::peers::{OutboxLimits, Outboxes, Post, Receiver, Refusals, Task, What};
use eurekad::registry::{Lease, Registry, Replicas, Rules, Told};
use eurekad::settings::{CatalogSettings, LeaseSettings, OpeningSettings, PreservationSettings};

use super::checks::Seen;
use super::event::Event;
use super::first_copy::Copying;
use super::java;
use super::network::Place;
use super::repair::FIRST_REPAIR;
use super::world::{START, World};

/// Between two rounds of eviction.
pub(crate) const EVICTION: u64 = 5_000;

/// A place in the cluster, with or without a process.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) life: u64,
    pub(crate) up: Option<Server>,
    /// What came in since the process was stopped.
    pub(crate) paused: Option<Vec<Event>>,
    /// What it held of each client.
    pub(crate) seen: Vec<Seen>,
}

/// A process.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) born: u64,
    pub(crate) clock: Clock,
    pub(crate) registry: Arc<Registry>,
    pub(crate) receiver: Receiver,
    pub(crate) refusals: Arc<Refusals>,
    witness: Arc<Witness>,
    /// By peer; none for itself, and in a Java server.
    pub(crate) posts: Vec<Option<Arc<Post>>>,
    /// Numbers the plans to look into each outbox; only the last counts.
    pub(crate) looks: Vec<u64>,
    /// Whom the answers to exchanges are for.
    pub(crate) exchanges: BTreeMap<u64, Purpose>,
    /// The override of a client that a peer heard of last, by its own answer.
    pub(crate) delivered: BTreeMap<(usize, usize), Option<InstanceStatus>>,
    /// The first copy, until the node is open.
    pub(crate) copying: Option<Copying>,
    /// What differed from each peer in the last comparison.
    pub(crate) differing: Vec<Arc<BTreeSet<Differing>>>,
}

/// What an exchange is for.
#[derive(Clone, Debug)]
pub(crate) enum Purpose {
    Outbox { peer: usize, tasks: Arc<[Task]> },
    JavaBatch { peer: usize, tasks: Vec<java::Task> },
    FirstCopy,
    Repair { peer: usize, exchange: Rc<RefCell<Exchange>>, asked: u64 },
}

/// Stands before the outboxes: nothing that did not come from a client may get there.
#[derive(Debug)]
struct Witness {
    outboxes: Outboxes,
    /// By peer, in a Java server.
    queues: Mutex<BTreeMap<usize, java::Queue>>,
    client_calls: AtomicBool,
}

impl Replicas for Witness {
    fn changed(&self, told: Told, lease: &Arc<Lease>, now: Monotonic) {
        assert!(self.client_calls.load(Ordering::Relaxed), "{told:?} came from a peer and is told to peers");
        self.outboxes.changed(told, lease, now);
        self.queue(What::Change(told), lease, now);
    }

    fn renewed(&self, lease: &Arc<Lease>, now: Monotonic) {
        assert!(self.client_calls.load(Ordering::Relaxed), "a heartbeat of a peer is told to peers");
        self.outboxes.renewed(lease, now);
        self.queue(What::Heartbeat, lease, now);
    }

    fn opened(&self) {
        self.outboxes.opened();
    }
}

impl Witness {
    fn queue(&self, what: What, lease: &Arc<Lease>, now: Monotonic) {
        for queue in self.queues.lock().values_mut() {
            queue.put(what, Arc::clone(lease), now.0);
        }
    }
}

impl Node {
    pub(crate) fn new(clients: usize) -> Self {
        Self { life: 0, up: None, paused: None, seen: vec![Seen::default(); clients] }
    }

    /// Whether it runs.
    pub(crate) fn runs(&self) -> bool {
        self.up.is_some() && self.paused.is_none()
    }
}

impl Server {
    /// Lets a client call.
    pub(crate) fn called<T>(&self, call: impl FnOnce(&Registry) -> T) -> T {
        self.witness.client_calls.store(true, Ordering::Relaxed);
        let answer = call(&self.registry);
        self.witness.client_calls.store(false, Ordering::Relaxed);
        answer
    }

    /// Works on what waits for a peer in a Java server.
    pub(crate) fn in_queue<T>(&self, peer: usize, work: impl FnOnce(&mut java::Queue) -> T) -> T {
        work(self.witness.queues.lock().get_mut(&peer).unwrap())
    }

    /// How much waits for each peer.
    pub(crate) fn waiting(&self) -> Vec<(usize, usize)> {
        let posts = self.posts.iter().enumerate();
        let own = posts.filter_map(|(peer, post)| Some((peer, post.as_ref()?.outbox.lock().len())));
        let java = self.witness.queues.lock();
        own.chain(java.iter().map(|(peer, queue)| (*peer, queue.len()))).collect()
    }

    /// The virtual time of a time of its own.
    pub(crate) fn at(&self, time: Monotonic) -> u64 {
        self.born + time.0
    }

    /// The peers that something came in for, as the sending tasks learn it.
    fn notified(&self) -> Vec<usize> {
        let mut context = Context::from_waker(Waker::noop());
        let came_in = |post: &Post| {
            let notified = tokio::task::unconstrained(post.came_in.notified());
            pin!(notified).poll(&mut context).is_ready()
        };
        let mut came_in = came_in;
        let mut queues = self.witness.queues.lock();
        let java: Vec<_> = queues.iter_mut().filter_map(|(peer, queue)| queue.notified().then_some(*peer)).collect();
        let posts = self.posts.iter().enumerate();
        java.into_iter()
            .chain(posts.filter_map(|(peer, post)| post.as_ref().filter(|post| came_in(post)).map(|_| peer)))
            .collect()
    }
}

impl World {
    /// Where a node is now.
    pub(crate) fn place(&self, node: usize) -> Place {
        Place { node, life: self.nodes[node].life }
    }

    /// Starts a process, empty and not open.
    pub(crate) fn start(&mut self, node: usize) {
        let java = self.is_java(Place { node, life: self.nodes[node].life + 1 });
        let skew = self.random.random_range(-300_000..300_000);
        let clock = Clock::held(START + i64::try_from(self.now).unwrap() + skew);
        let rules = Rules {
            leases: LeaseSettings { java_length: java || self.java_length, ..LeaseSettings::default() },
            // What self-preservation holds back is its own tests' business.
            preservation: PreservationSettings {
                enabled: false,
                renewal_percent: 0.5,
                ..PreservationSettings::default()
            },
            opening: OpeningSettings::default(),
            catalog: CatalogSettings::default(),
        };
        let peers = (0..self.nodes.len()).filter(|peer| *peer != node && java);
        let queues = Mutex::new(peers.map(|peer| (peer, java::Queue::new(self.queue))).collect());
        let outboxes = Outboxes::default();
        let witness = Arc::new(Witness { outboxes, queues, client_calls: AtomicBool::new(false) });
        let limits = OutboxLimits { tasks: self.queue, longest: Duration::from_secs(30) };
        let posts: Vec<_> = (0..self.nodes.len())
            .map(|peer| (peer != node && !java).then(|| witness.outboxes.open(limits, self.random.random()).unwrap()))
            .collect();
        let registry = Arc::new(Registry::with_replicas(rules, clock.clone(), witness.clone()));
        let refusals = Arc::new(Refusals::default());
        let receiver = Receiver::new(Arc::clone(&registry), Arc::clone(&refusals), clock.clone());
        let (looks, exchanges, delivered) = (vec![0; posts.len()], BTreeMap::new(), BTreeMap::new());
        let born = self.now;
        let copying = Some(Copying::new(self.now));
        let differing = vec![Arc::default(); posts.len()];
        let server = Server {
            born,
            clock,
            registry,
            receiver,
            refusals,
            witness,
            posts,
            looks,
            exchanges,
            delivered,
            copying,
            differing,
        };
        let clients = self.clients.len();
        let place = &mut self.nodes[node];
        *place = Node { life: place.life + 1, up: Some(server), ..Node::new(clients) };
        self.note(format_args!("{node} starts, java: {java}"));
        let at = self.place(node);
        self.plan(0, Event::CopyRound(at));
        self.plan(1_000, Event::Beat(at));
        self.plan(EVICTION, Event::Evict(at));
        for peer in (0..self.nodes.len()).filter(|peer| *peer != node) {
            self.look_in(node, peer, 0);
            self.plan_repair(at, peer, FIRST_REPAIR);
        }
    }

    /// Ends a process at once, with all that it holds.
    pub(crate) fn kill(&mut self, node: usize) {
        self.note(format_args!("{node} is killed"));
        let clients = self.clients.len();
        let life = self.nodes[node].life + 1;
        self.nodes[node] = Node { life, ..Node::new(clients) };
        self.note_lost();
    }

    /// Stops a process as SIGSTOP does: the kernel takes in what comes.
    pub(crate) fn pause(&mut self, node: usize) {
        self.note(format_args!("{node} is stopped"));
        self.nodes[node].paused.get_or_insert_default();
    }

    /// Lets it go on: all that is due comes at once, in any order.
    pub(crate) fn go_on(&mut self, node: usize) {
        let Some(mut due) = self.nodes[node].paused.take() else { return };
        self.note(format_args!("{node} goes on"));
        due.shuffle(&mut self.random);
        for event in due {
            self.plan(0, event);
        }
    }

    /// The second of the lease clock.
    pub(crate) fn beat(&mut self, at: Place) {
        let server = self.nodes[at.node].up.as_ref().unwrap();
        server.registry.lease_clock().beat(server.clock.mono());
        self.plan(1_000, Event::Beat(at));
    }

    /// A round of eviction.
    pub(crate) fn evict(&mut self, at: Place) {
        let server = self.nodes[at.node].up.as_ref().unwrap();
        server.registry.lease_clock().beat(server.clock.mono());
        if server.registry.was_opened() {
            let registry = Arc::clone(&server.registry);
            let round = registry.evict_at_random(&mut self.random);
            if round.expired > 0 {
                self.note(format_args!("{} ends {} of {} lapsed", at.node, round.expired, round.lapsed));
                self.report.expired += u64::try_from(round.expired).unwrap();
                self.observe_all(at.node);
                self.note_lost();
            }
        }
        self.plan(EVICTION, Event::Evict(at));
    }

    /// Wakes the senders that something came in for.
    pub(crate) fn wake(&mut self, node: usize) {
        let Some(server) = &self.nodes[node].up else { return };
        for peer in server.notified() {
            self.look_in(node, peer, 0);
        }
    }
}
