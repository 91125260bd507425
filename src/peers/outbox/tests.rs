#![allow(clippy::expect_used, reason = "a test may panic")]

mod answers;

use std::collections::HashMap;

use crate::model::{DataCenter, GivenDataCenter, Instance, InstanceStatus, Metadata, NonAmazon, Registration};
use crate::registry::LeaseMillis;

use super::queue::{ENOUGH_BYTES, PLACES_FOR_HEARTBEATS};
use super::*;

const LIMITS: OutboxLimits = OutboxLimits { tasks: 1_000, longest: Duration::from_secs(30) };
const BIT: u64 = 1;

fn instance(id: &str) -> Instance {
    let mut registration = Registration::new("ORDERS");
    registration.instance_id = Some(id.into());
    registration.host_name = Some("ord.test".into());
    registration.ip_addr = Some("10.20.0.11".into());
    registration.data_center = GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn));
    registration.accept(&AppName::new("ORDERS"), 1_760_000_000_000).expect("whole")
}

fn lease(id: &str) -> Arc<Lease> {
    Arc::new(Lease::grant(Arc::new(instance(id)), None, 0, LeaseMillis(0), 0))
}

/// An outbox, the leases that stand, and the time.
struct Line {
    outbox: Outbox,
    held: HashMap<String, Arc<Lease>>,
    now: Monotonic,
}

impl Line {
    /// To a peer that was greeted.
    fn up() -> Self {
        let mut line = Self::new(LIMITS);
        assert_eq!(line.sends(), Vec::<String>::new(), "it is greeted first");
        line.answer_all(200);
        line
    }

    fn new(limits: OutboxLimits) -> Self {
        Self { outbox: Outbox::new(limits, BIT, 7), held: HashMap::new(), now: Monotonic(1_000_000) }
    }

    fn put(&mut self, told: Told, id: &str) {
        let lease = Arc::clone(self.held.entry(id.to_owned()).or_insert_with(|| lease(id)));
        self.outbox.put(told, lease, self.now);
    }

    /// A heartbeat as the registry tells it.
    fn beat(&mut self, id: &str) {
        let lease = Arc::clone(self.held.entry(id.to_owned()).or_insert_with(|| lease(id)));
        if lease.note_waiting(BIT) != 0 {
            self.outbox.beat(lease, self.now);
        }
    }

    fn next(&mut self) -> Next {
        let held = self.held.clone();
        self.outbox.next(self.now, |_, id| held.get(id.as_str()).cloned())
    }

    /// What goes out now, in words.
    fn sends(&mut self) -> Vec<String> {
        match self.next() {
            Next::Send(tasks) => tasks.iter().map(words).collect(),
            Next::Wait(until) => panic!("it waits for {:?}", until.since(self.now)),
        }
    }

    fn waits(&mut self) -> Duration {
        match self.next() {
            Next::Wait(until) => until.since(self.now),
            Next::Send(tasks) => panic!("it sends {:?}", tasks.iter().map(words).collect::<Vec<_>>()),
        }
    }

    fn pass(&mut self, time: Duration) {
        self.now = self.now.after(time);
    }

    fn answer(&mut self, statuses: &[u16]) -> Vec<FollowUp> {
        let answers = statuses.iter().map(|status| PeerAnswer { status: *status, entity: None }).collect();
        self.outbox.answered(Ok(answers), self.now)
    }

    fn answer_all(&mut self, status: u16) -> Vec<FollowUp> {
        let sent = self.outbox.on_the_way.as_ref().map_or(0, |tasks| tasks.len());
        self.answer(&vec![status; sent])
    }

    fn fail(&mut self, failure: Failure) -> Vec<FollowUp> {
        self.outbox.answered(Err(failure), self.now)
    }

    /// Lets the wait after a failure pass and the peer come back.
    fn recover(&mut self) {
        self.pass(LONGEST);
        assert!(self.sends().is_empty(), "it is greeted");
        self.answer_all(200);
    }
}

const LONGEST: Duration = super::super::line::LONGEST_WAIT;

fn words(task: &Task) -> String {
    let what = match task.what {
        What::Heartbeat => "beat",
        What::Change(Told::Register) => "register",
        What::Change(Told::Cancel) => "cancel",
        What::Change(Told::StatusUpdate(_)) => "status",
        What::Change(Told::DeleteStatusOverride(_)) => "no status",
    };
    format!("{what} {}", task.lease.instance.id)
}

#[test]
fn a_change_goes_out_at_once_and_the_next_when_the_line_is_free() {
    let mut line = Line::up();
    line.put(Told::Register, "a");
    assert_eq!(line.sends(), ["register a"]);
    line.put(Told::Register, "b");
    line.put(Told::Cancel, "a");
    line.waits();
    line.answer_all(200);
    assert_eq!(line.sends(), ["register b", "cancel a"]);
}

#[test]
fn the_newest_of_a_kind_waits_at_the_end() {
    let mut line = Line::up();
    for told in [Told::Register, Told::Cancel, Told::Register] {
        line.put(told, "a");
    }
    line.put(Told::StatusUpdate(InstanceStatus::OutOfService), "a");
    line.put(Told::Register, "b");
    line.put(Told::DeleteStatusOverride(InstanceStatus::Up), "a");
    line.put(Told::StatusUpdate(InstanceStatus::Down), "a");
    assert_eq!(line.sends(), ["cancel a", "register a", "register b", "no status a", "status a"]);
}

#[test]
fn heartbeats_are_gathered_and_keep_their_place_and_age() {
    let mut line = Line::up();
    line.beat("busy");
    line.beat("quiet");
    line.pass(GATHER / 2);
    line.beat("busy");
    assert_eq!(line.waits(), GATHER / 2);
    line.pass(GATHER / 2);
    assert_eq!(line.outbox.lag(line.now), GATHER);
    assert_eq!(line.sends(), ["beat busy", "beat quiet"]);
    line.beat("busy");
    line.answer_all(200);
    assert_eq!(line.waits(), GATHER, "one that comes while its forerunner is on the way goes out once more");
}

#[test]
fn a_full_batch_of_heartbeats_does_not_wait() {
    let mut line = Line::up();
    for n in 0..BATCH {
        line.beat(&n.to_string());
    }
    assert_eq!(line.sends().len(), BATCH);
}

/// The same instance, registered anew.
fn newer(id: &str) -> Arc<Lease> {
    let last_dirty = instance(id).last_dirty + 1;
    Arc::new(Lease::grant(Arc::new(Instance { last_dirty, ..instance(id) }), None, 0, LeaseMillis(0), 0))
}

#[test]
fn what_left_by_another_node_meanwhile_is_not_registered_again() {
    let mut line = Line::up();
    for id in ["a", "b"] {
        line.put(Told::Register, id);
    }
    line.held.remove("a");
    assert_eq!(line.sends(), ["register b"]);
    line.fail(Failure::TimedOut);
    line.held.remove("b");
    line.recover();
    line.put(Told::Cancel, "c");
    assert_eq!(line.sends(), ["cancel c"]);
}

#[test]
fn what_came_back_at_another_node_meanwhile_is_not_cancelled() {
    let mut line = Line::up();
    for id in ["a", "b"] {
        line.put(Told::Cancel, id);
        line.held.insert(id.to_owned(), newer(id));
    }
    // This one came back here.
    line.put(Told::Register, "b");
    line.put(Told::Cancel, "c");
    assert_eq!(line.sends(), ["cancel b", "register b", "cancel c"]);
}

#[test]
fn a_batch_of_long_registrations_is_short() {
    let mut line = Line::up();
    let long = |id: &str| {
        let metadata = Metadata::new([("k", "x".repeat(ENOUGH_BYTES / 4))]);
        Arc::new(Lease::grant(Arc::new(Instance { metadata, ..instance(id) }), None, 0, LeaseMillis(0), 0))
    };
    for id in ["a", "b", "c", "d", "e", "f"] {
        line.held.insert(id.to_owned(), long(id));
        line.put(Told::Register, id);
    }
    line.put(Told::Cancel, "g");
    line.beat("a");
    assert_eq!(line.sends(), ["register a", "register b", "register c", "register d", "beat a"]);
    line.answer_all(200);
    assert_eq!(line.sends(), ["register e", "register f", "cancel g"]);
}

#[test]
fn many_changes_leave_places_to_heartbeats() {
    let mut line = Line::up();
    for n in 0..600 {
        line.put(Told::Register, &n.to_string());
        line.beat(&format!("beating {n}"));
    }
    let sent = line.sends();
    assert_eq!(sent.iter().filter(|words| words.starts_with("beat")).count(), PLACES_FOR_HEARTBEATS);
    assert_eq!(sent.len(), BATCH);
}

#[test]
fn a_quiet_line_is_greeted() {
    let mut line = Line::up();
    assert_eq!(line.waits(), GREET_AGAIN);
    line.pass(GREET_AGAIN);
    assert!(line.sends().is_empty());
}

#[test]
fn a_closed_outbox_keeps_nothing_and_marks_nothing() {
    let mut line = Line::up();
    line.put(Told::Register, "a");
    line.beat("b");
    line.outbox.close();
    line.beat("c");
    assert!(line.outbox.is_empty());
    for id in ["b", "c"] {
        assert_eq!(line.held[id].note_waiting(BIT), BIT, "{id}");
    }
}
