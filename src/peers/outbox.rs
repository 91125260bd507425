//! What waits to be sent to one peer: a state machine that is told the time and does no I/O.
//!
//! Of one kind of change to one instance the newest waits, at the end: Register, Cancel, Register goes
//! out as Cancel, Register. (Java's queue leaves it in its old place, so that the peer would end with
//! the Cancel.) A heartbeat keeps its place and its age, so that an instance that renews often holds up
//! nobody.
//!
//! One batch is on the way at a time. A change goes out as soon as the line is free; heartbeats are
//! gathered for [`GATHER`]. What was on the way when an exchange failed goes back to where it came from,
//! before what came later. Everything expires: registrations and heartbeats after the renewal interval
//! of their instance, other changes after `max-time-for-replication`. (Java: `AcceptorExecutor`,
//! `ReplicationTaskProcessor`, `PeerEurekaNode`.)

mod queue;
mod task;

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Monotonic;
use crate::model::{AppName, InstanceId, PeerAnswer};
use crate::registry::{Lease, Told};

use super::line::{Failure, Line, PeerState};

use queue::Queue;
pub use task::{FollowUp, Next, OutboxLimits, Tally, Task, What};

/// Items of a batch at most (`AcceptorExecutor`'s `maxBatchingSize`).
pub const BATCH: usize = 250;
/// How long heartbeats are gathered, unless something else goes out.
const GATHER: Duration = Duration::from_millis(200);
/// How long after a peer said that it lacks an instance it is sent. A cancel that crossed the heartbeat
/// arrives meanwhile.
const REGISTER_AFTER: Duration = Duration::from_millis(200);
/// A peer that was sent nothing for so long is greeted, so that its state stays known.
const GREET_AGAIN: Duration = Duration::from_secs(10);
/// Halves of a batch, and then single tasks, that are tried shortly after one another.
const MOST_REFUSALS: u32 = 16;

/// See the module.
#[derive(Debug)]
pub struct Outbox {
    queue: Queue,
    on_the_way: Option<Arc<[Task]>>,
    /// How many a batch may hold: less after one was refused as a whole.
    batch: usize,
    /// Batches in a row that were refused as a whole.
    refusals: u32,
    line: Line,
    tally: Tally,
}

impl Outbox {
    /// An empty one. `bit` is the peer's in each lease, `seed` is for the waits after failures.
    pub fn new(limits: OutboxLimits, bit: u64, seed: u64) -> Self {
        Self {
            queue: Queue::new(limits, bit),
            on_the_way: None,
            batch: BATCH,
            refusals: 0,
            line: Line::new(seed),
            tally: Tally::default(),
        }
    }

    /// Takes a change in.
    pub fn put(&mut self, told: Told, lease: Arc<Lease>, now: Monotonic) {
        self.queue.put(told, lease, now);
    }

    /// Takes a renewal in, of a lease in which this peer's bit was just set. Whether whoever sends must
    /// look: it waits for the first and for a full batch, and knows when it must look otherwise.
    pub fn beat(&mut self, lease: Arc<Lease>, now: Monotonic) -> bool {
        self.queue.beat(lease, now);
        self.queue.heartbeats() == 1 || self.queue.heartbeats() == self.batch
    }

    /// What is to be sent now. `held` gives the lease of an instance as it is. What is sent must be
    /// followed by [`Self::answered`].
    pub fn next(&mut self, now: Monotonic, held: impl Fn(&AppName, &InstanceId) -> Option<Arc<Lease>>) -> Next {
        if self.on_the_way.is_some() {
            return Next::Wait(now.after(GREET_AGAIN));
        }
        if let Some(retry) = self.line.retry_at().filter(|retry| *retry > now) {
            return Next::Wait(retry);
        }
        let Some(answered) = self.line.last_success().filter(|_| *self.line.state() == PeerState::Up) else {
            // Whoever is there must say first who it is.
            return self.send(Arc::new([]));
        };
        self.queue.register_lacking(now, &held);
        let due = self.queue.gathered().is_some_and(|due| due <= now) || self.queue.heartbeats() >= self.batch;
        if self.queue.changes() > 0 || due {
            let batch = self.queue.take(self.batch, now, &held);
            if !batch.is_empty() {
                return self.send(batch.into());
            }
        }
        let greeting = answered.after(GREET_AGAIN);
        if greeting <= now {
            return self.send(Arc::new([]));
        }
        Next::Wait(
            [self.queue.gathered(), self.queue.next_lacking()].into_iter().flatten().fold(greeting, Monotonic::min),
        )
    }

    /// Takes the peer's answers to what was sent, one a task, or why there are none.
    pub fn answered(&mut self, outcome: Result<Vec<PeerAnswer>, Failure>, now: Monotonic) -> Vec<FollowUp> {
        let sent = self.on_the_way.take().unwrap_or_else(|| Arc::new([]));
        self.tally.exchanges += 1;
        let answers = outcome.and_then(|answers| {
            let (wanted, got) = (sent.len(), answers.len());
            let wrong = || Failure::Faulty(format!("{got} results for {wanted} items"));
            if wanted == got { Ok(answers) } else { Err(wrong()) }
        });
        match answers {
            Ok(answers) => {
                let mut follow_ups: Vec<_> = self.line.succeeded(now).map(FollowUp::Told).into_iter().collect();
                if !sent.is_empty() {
                    self.batch = (self.batch * 2).min(BATCH);
                    self.refusals = 0;
                }
                self.tally.delivered += u64::try_from(sent.len()).unwrap_or(u64::MAX);
                let pairs = sent.iter().zip(answers);
                follow_ups.extend(pairs.filter_map(|(task, answer)| self.follow_up(task, answer, now)));
                follow_ups
            }
            Err(failure) => self.failed(&sent, failure, now),
        }
    }

    /// Lets go of everything, for good.
    pub fn close(&mut self) {
        self.queue.clear();
        self.on_the_way = None;
    }

    /// The peer may be back: it is greeted now if it failed.
    pub fn hurry(&mut self) {
        self.line.hurry();
    }

    /// What is known of the peer.
    pub fn state(&self) -> &PeerState {
        self.line.state()
    }

    /// Whether the peer fails, and not just because a connection broke lately.
    pub fn seems_gone(&self) -> bool {
        self.line.seems_gone()
    }

    /// When the peer last answered.
    pub fn last_success(&self) -> Option<Monotonic> {
        self.line.last_success()
    }

    /// When an exchange last failed, and why.
    pub fn last_failure(&self) -> Option<&(Monotonic, Failure)> {
        self.line.last_failure()
    }

    /// What has become of tasks.
    pub fn tally(&self) -> Tally {
        Tally { expired: self.queue.expired, overflowed: self.queue.overflowed, ..self.tally }
    }

    /// How many tasks wait or are on their way.
    pub fn len(&self) -> usize {
        self.queue.len() + self.on_the_way.as_ref().map_or(0, |tasks| tasks.len())
    }

    /// Whether something is on its way.
    pub fn is_sending(&self) -> bool {
        self.on_the_way.is_some()
    }

    /// Whether nothing waits and nothing is on its way.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many changes wait or are on their way, heartbeats aside.
    pub fn changes(&self) -> usize {
        let is_change = |task: &&Task| task.what != What::Heartbeat;
        self.queue.changes() + self.on_the_way.iter().flat_map(|tasks| tasks.iter()).filter(is_change).count()
    }

    /// Age of the oldest task.
    pub fn lag(&self, now: Monotonic) -> Duration {
        let sent = self.on_the_way.iter().flat_map(|tasks| tasks.iter()).map(|task| task.since);
        sent.chain(self.queue.oldest()).min().map_or(Duration::ZERO, |since| now.since(since))
    }

    fn send(&mut self, tasks: Arc<[Task]>) -> Next {
        self.on_the_way = Some(Arc::clone(&tasks));
        Next::Send(tasks)
    }

    fn follow_up(&mut self, task: &Task, answer: PeerAnswer, now: Monotonic) -> Option<FollowUp> {
        self.tally.conflicts += u64::from(answer.status == 409);
        match (task.what, answer.status, answer.entity) {
            (What::Heartbeat, 404, _) => {
                self.queue.lacks(&task.lease, now);
                None
            }
            (What::Heartbeat, 409, Some(newer)) if newer.is_of(&task.lease.instance) => Some(FollowUp::TakeOver(newer)),
            // The peer does not have it, and will be sent all of it after its next heartbeat.
            (_, 200..=299 | 404 | 409, _) => None,
            (_, status, _) => {
                self.tally.refused += 1;
                Some(FollowUp::Refused(task.clone(), status))
            }
        }
    }

    fn failed(&mut self, sent: &Arc<[Task]>, failure: Failure, now: Monotonic) -> Vec<FollowUp> {
        self.tally.failures += 1;
        if let Failure::Refused(status) = failure
            && !sent.is_empty()
        {
            return self.refused(sent, status, now);
        }
        self.queue.take_back(sent);
        self.line.failed(failure, now).map(FollowUp::Told).into_iter().collect()
    }

    /// Something in the batch is at fault, or its length: half of it at a time shows which. The peer is
    /// there, unless it refuses whatever it is sent.
    fn refused(&mut self, sent: &Arc<[Task]>, status: u16, now: Monotonic) -> Vec<FollowUp> {
        self.batch = (sent.len() / 2).max(1);
        self.refusals += 1;
        let mut follow_ups = Vec::new();
        if let [task] = &**sent {
            self.tally.refused += 1;
            follow_ups.push(FollowUp::Refused(task.clone(), status));
        } else {
            self.queue.take_back(sent);
        }
        if self.refusals > MOST_REFUSALS {
            follow_ups.extend(self.line.failed(Failure::Refused(status), now).map(FollowUp::Told));
        } else {
            self.line.pause(now);
        }
        follow_ups
    }
}

#[cfg(test)]
mod tests;
