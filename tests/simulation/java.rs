//! A Java server among the nodes, as far as the others can tell it from one of our own.
//!
//! It says nothing of who it is, is never asked for a digest, knows no stamps of overrides and no turns of
//! batches; its leases last twice as long. It lets clients read from the start, copies only what is UP, and an
//! empty list is asked for again. What waits for a peer is Java's own ([`Queue`]: `AcceptorExecutor`,
//! `ReplicationTaskProcessor`, `PeerEurekaNode`).
//!
//! The registry is that of this program, with Java's lengths. What Java's does otherwise matters to no check:
//! it keeps UP or `OUT_OF_SERVICE` of a lease when its client registers again, overrides belong to ids, and
//! expiry is capped.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use eurekad::codec::{Limits, json};
use eurekad::model::{AppName, InstanceId, OutgoingAction, OutgoingItem, OverrideBackground, PeerAnswer};
use eurekad::peers::{Failure, FollowUp, Home, What};
use eurekad::registry::{Lease, Origin, Registry, Told};

use super::client::client_of;
use super::network::{Body, Place};
use super::node::Purpose;
use super::world::World;

/// Items of a batch, and how many batches may be on the way to one peer.
const BATCH: usize = 250;
const WORKERS: usize = 20;
/// Milliseconds that the oldest task waits for others.
const GATHER: u64 = 500;
/// `max-time-for-replication`.
const LONGEST: u64 = 30_000;
/// Until the next batch after a 503 or a time-out, and after a connection that failed.
const CONGESTED: u64 = 1_000;
const UNREACHABLE: u64 = 100;

type Key = (&'static str, AppName, InstanceId);

/// What waits.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    what: What,
    lease: Arc<Lease>,
    since: u64,
    expires: u64,
}

impl Task {
    fn key(&self) -> Key {
        let kind = match self.what {
            What::Heartbeat => "Heartbeat",
            What::Change(Told::Register) => "Register",
            What::Change(Told::Cancel) => "Cancel",
            What::Change(Told::StatusUpdate(_)) => "StatusUpdate",
            What::Change(Told::DeleteStatusOverride(_)) => "DeleteStatusOverride",
        };
        (kind, self.lease.instance.app.clone(), self.lease.instance.id.clone())
    }

    /// Java's task points to the object in the registry, which may have changed since.
    fn as_it_is(&self, registry: &Registry) -> Arc<Lease> {
        let captured = &self.lease.instance;
        let held = registry.held(&captured.app, &captured.id);
        held.filter(|held| held.instance.last_dirty == captured.last_dirty).unwrap_or_else(|| Arc::clone(&self.lease))
    }

    fn item(&self, registry: &Registry) -> OutgoingItem {
        let lease = self.as_it_is(registry);
        let (mut status, mut last_dirty) = (Some(lease.instance.status), Some(lease.instance.last_dirty));
        let action = match self.what {
            What::Heartbeat => OutgoingAction::Heartbeat { overridden_status: lease.override_status },
            What::Change(Told::Register) => {
                OutgoingAction::Register { instance: Arc::clone(&lease.instance), times: lease.times() }
            }
            What::Change(Told::Cancel) => {
                (status, last_dirty) = (None, None);
                OutgoingAction::Cancel
            }
            What::Change(Told::StatusUpdate(set)) => {
                status = Some(set);
                OutgoingAction::StatusUpdate
            }
            What::Change(Told::DeleteStatusOverride(set)) => {
                status = Some(set);
                OutgoingAction::DeleteStatusOverride
            }
        };
        let (app, id) = (lease.instance.app.clone(), lease.instance.id.clone());
        let background = OverrideBackground::default();
        OutgoingItem { app, id, last_dirty, status, override_set: None, background, action }
    }
}

/// What is to be done next.
enum Next {
    Send(Vec<Task>),
    Wait(u64),
    Nothing,
}

/// What waits for one peer. A newer task of its kind takes the place of an older one.
#[derive(Debug)]
pub(crate) struct Queue {
    limit: usize,
    order: VecDeque<Key>,
    waiting: HashMap<Key, Task>,
    /// Batches on the way.
    busy: usize,
    not_before: u64,
    came_in: bool,
}

impl Queue {
    pub(crate) fn new(limit: usize) -> Self {
        let (order, waiting) = (VecDeque::new(), HashMap::new());
        Self { limit, order, waiting, busy: 0, not_before: 0, came_in: false }
    }

    pub(crate) fn put(&mut self, what: What, lease: Arc<Lease>, now: u64) {
        let interval = u64::try_from(lease.instance.lease.renewal_interval_secs).unwrap() * 1_000;
        let lasts = match what {
            What::Heartbeat | What::Change(Told::Register) => interval,
            What::Change(_) => LONGEST,
        };
        if self.order.len() >= self.limit
            && let Some(oldest) = self.order.pop_front()
        {
            self.waiting.remove(&oldest);
        }
        let task = Task { what, lease, since: now, expires: now + lasts };
        let key = task.key();
        if self.waiting.insert(key.clone(), task).is_none() {
            self.order.push_back(key);
        }
        self.came_in = true;
    }

    /// Whether something came in since this was last asked.
    pub(crate) fn notified(&mut self) -> bool {
        std::mem::take(&mut self.came_in)
    }

    /// How many tasks wait or are on their way, the latter by their batches.
    pub(crate) fn len(&self) -> usize {
        self.order.len() + self.busy
    }

    fn next(&mut self, now: u64) -> Next {
        let Some(oldest) = self.order.front() else { return Next::Nothing };
        let gathered = self.waiting[oldest].since + GATHER;
        let due = if self.order.len() >= self.limit { now } else { gathered }.max(self.not_before);
        match () {
            () if self.busy == WORKERS => Next::Nothing,
            () if due > now => Next::Wait(due),
            () => {
                let keys = self.order.drain(..self.order.len().min(BATCH));
                let tasks = keys.filter_map(|key| self.waiting.remove(&key)).filter(|task| task.expires > now);
                let tasks: Vec<_> = tasks.collect();
                self.busy += usize::from(!tasks.is_empty());
                if tasks.is_empty() { Next::Wait(now + 1) } else { Next::Send(tasks) }
            }
        }
    }

    /// What was sent in vain waits again, before what came later, unless that is of its kind.
    fn take_back(&mut self, sent: Vec<Task>, now: u64, wait: u64) {
        self.not_before = now + wait;
        for task in sent.into_iter().rev().filter(|task| task.expires > now) {
            let key = task.key();
            if self.order.len() < self.limit && !self.waiting.contains_key(&key) {
                self.waiting.insert(key.clone(), task);
                self.order.push_front(key);
            }
        }
    }
}

impl World {
    /// Whether a Java server runs there, or ran there in that life.
    pub(crate) fn is_java(&self, place: Place) -> bool {
        place.life <= self.java_lives[place.node]
    }

    /// The turn of Java's sending threads.
    pub(crate) fn look_as_java(&mut self, at: Place, peer: usize) {
        let server = self.nodes[at.node].up.as_ref().unwrap();
        let next = server.in_queue(peer, |queue| queue.next(server.clock.mono().0));
        match next {
            Next::Nothing => {}
            Next::Wait(until) => {
                let wait = (server.born + until).saturating_sub(self.now).max(1);
                self.look_in(at.node, peer, wait);
            }
            Next::Send(tasks) => {
                let items: Vec<_> = tasks.iter().map(|task| task.item(&server.registry)).collect();
                self.tell(at.node, peer, &items, Purpose::JavaBatch { peer, tasks });
                self.look_in(at.node, peer, 1);
            }
        }
    }

    /// A Java server hears of a batch.
    pub(crate) fn java_hears(&mut self, node: usize, peer: usize, tasks: Vec<Task>, answer: Result<Body, Failure>) {
        let server = self.nodes[node].up.as_ref().unwrap();
        let now = server.clock.mono().0;
        server.in_queue(peer, |queue| queue.busy -= 1);
        let failed = !matches!(answer, Ok(Body::Ok(_)));
        match answer {
            // What cannot be read is dropped, as any other failure.
            Ok(Body::Ok(bytes)) => {
                let answers = json::read_outcomes(&bytes, &Limits::default(), tasks.len()).unwrap_or_default();
                for (task, answer) in tasks.iter().zip(answers) {
                    self.follow_up_as_java(node, peer, task, answer, now);
                    self.observe(node, client_of(task.lease.instance.id.as_str()));
                }
            }
            Ok(Body::Status(503)) | Err(_) => server.in_queue(peer, |queue| queue.take_back(tasks, now, CONGESTED)),
            Ok(Body::NoConnection) => server.in_queue(peer, |queue| queue.take_back(tasks, now, UNREACHABLE)),
            Ok(_) => {}
        }
        self.report.failures += u64::from(failed);
        self.note(format_args!("{node} hears of {peer}, failed: {failed}"));
        self.look_in(node, peer, 0);
    }

    fn follow_up_as_java(&self, node: usize, peer: usize, task: &Task, answer: PeerAnswer, now: u64) {
        let server = self.nodes[node].up.as_ref().unwrap();
        let registry = &server.registry;
        match (task.what, answer.status, answer.entity) {
            // Whatever has become of it meanwhile.
            (What::Heartbeat, 404, _) => {
                let lease = task.as_it_is(registry);
                server.in_queue(peer, |queue| queue.put(What::Change(Told::Register), lease, now));
            }
            (What::Heartbeat, _, Some(newer)) => {
                let wall = server.clock.now().wall;
                if registry.held(&task.lease.instance.app, &task.lease.instance.id).is_none() {
                    registry.register(newer.accept_alone(wall).unwrap(), Origin::Peer);
                } else {
                    let home = Home { registry, refusals: &server.refusals, clock: &server.clock };
                    home.settle(&peer, vec![FollowUp::TakeOver(newer)]);
                }
            }
            _ => {}
        }
    }
}
