#![allow(clippy::expect_used, reason = "a test may panic")]

use std::collections::HashMap;

use crate::model::{DataCenter, GivenDataCenter, Instance, InstanceStatus, NonAmazon, Registration};
use crate::registry::LeaseMillis;

use super::queue::PLACES_FOR_HEARTBEATS;
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
        self.now = after(self.now, time);
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

const LONGEST: Duration = super::super::LONGEST_WAIT;

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
fn what_failed_goes_first_unless_something_newer_came_in() {
    let mut line = Line::up();
    line.put(Told::Register, "a");
    line.put(Told::Register, "b");
    line.sends();
    line.put(Told::Register, "a");
    line.put(Told::Cancel, "b");
    line.fail(Failure::TimedOut);
    line.recover();
    assert_eq!(line.sends(), ["register b", "register a", "cancel b"]);
}

#[test]
fn a_heartbeat_that_failed_is_sent_once_more_and_not_twice() {
    let mut line = Line::up();
    line.beat("a");
    line.pass(GATHER);
    line.sends();
    line.beat("a");
    line.fail(Failure::TimedOut);
    line.recover();
    assert_eq!(line.sends(), ["beat a"]);
    line.answer_all(200);
    assert!(line.outbox.is_empty());
}

#[test]
fn case_055_a_peer_that_hangs_gets_one_request_at_a_time_and_the_queue_stays_bounded() {
    let mut line = Line::up();
    let mut requests = 0;
    for second in 0..120 {
        for n in 0..170 {
            line.beat(&(second * 170 % 5_000 + n).to_string());
        }
        if let Next::Send(tasks) = line.next() {
            requests += 1;
            assert!(tasks.len() <= BATCH);
            line.pass(Duration::from_secs(5));
            line.fail(Failure::TimedOut);
        }
        line.pass(Duration::from_secs(1));
        assert!(line.outbox.len() <= LIMITS.tasks);
    }
    assert!(requests <= 120, "{requests}");
    line.recover();
    while !line.outbox.is_empty() {
        line.pass(GATHER);
        if let Next::Send(_) = line.next() {
            line.answer_all(200);
        }
    }
}

#[test]
fn a_dead_peer_is_greeted_now_and_then_and_sent_nothing_else() {
    let mut line = Line::new(LIMITS);
    line.put(Told::Register, "a");
    let mut requests = 0;
    for _ in 0..60_000 {
        if let Next::Send(tasks) = line.next() {
            assert!(tasks.is_empty());
            requests += 1;
            line.fail(Failure::Unreachable("refused".into()));
        }
        line.pass(Duration::from_millis(1));
    }
    assert!((12..40).contains(&requests), "{requests} requests in a minute");
}

#[test]
fn everything_expires() {
    let mut line = Line::up();
    line.put(Told::Register, "a");
    line.put(Told::Cancel, "b");
    line.beat("c");
    line.sends();
    line.fail(Failure::Busy(503));
    line.pass(Duration::from_secs(31));
    line.recover();
    assert!(line.waits() > Duration::ZERO);
    assert_eq!(line.outbox.tally().expired, 3);
    assert!(line.outbox.is_empty());
    line.beat("c");
    assert_eq!(line.outbox.len(), 1, "a heartbeat that expired leaves nothing behind");
}

#[test]
fn an_instance_that_the_peer_lacks_is_sent_unless_it_is_gone_by_then() {
    let mut line = Line::up();
    line.beat("a");
    line.beat("b");
    line.pass(GATHER);
    line.sends();
    line.answer(&[404, 404]);
    line.held.remove("b");
    assert_eq!(line.waits(), REGISTER_AFTER);
    line.pass(REGISTER_AFTER);
    assert_eq!(line.sends(), ["register a"]);
    assert!(line.answer(&[200]).is_empty());
    assert!(line.outbox.is_empty());
}

#[test]
fn newer_data_of_the_peer_is_to_be_taken_over() {
    let mut line = Line::up();
    line.beat("a");
    line.pass(GATHER);
    line.sends();
    let newer = PeerAnswer { status: 409, entity: Some(Box::new(Registration::new("ORDERS"))) };
    let follow_ups = line.outbox.answered(Ok(vec![newer]), line.now);
    assert!(matches!(&follow_ups[..], [FollowUp::TakeOver(newer)] if newer.app == AppName::new("ORDERS")));
}

#[test]
fn a_refused_change_is_told_and_not_sent_again() {
    let mut line = Line::up();
    line.put(Told::Register, "a");
    line.put(Told::Cancel, "gone");
    line.sends();
    let follow_ups = line.answer(&[400, 404]);
    assert!(matches!(&follow_ups[..], [FollowUp::Refused(task, 400)] if words(task) == "register a"));
    assert!(line.outbox.is_empty());
    assert_eq!(line.outbox.tally().refused, 1);
}

#[test]
fn case_060_answers_that_are_none_keep_the_tasks_and_are_never_answered_by_a_storm() {
    let mut line = Line::up();
    line.put(Told::Register, "a");
    line.put(Told::Cancel, "b");
    line.sends();
    line.answer(&[200]);
    assert_eq!(
        line.outbox.last_failure().map(|(_, failure)| failure.to_string()),
        Some("does not answer as a peer does: 1 results for 2 items".to_owned())
    );
    assert!(line.waits() > Duration::from_millis(100));
    line.recover();
    assert_eq!(line.sends(), ["register a", "cancel b"]);
}

#[test]
fn one_item_that_a_peer_cannot_take_does_not_hold_up_the_others() {
    let mut line = Line::up();
    for n in 0..100 {
        line.put(Told::Register, &n.to_string());
    }
    let (mut refused, mut requests) = (Vec::new(), 0);
    while !line.outbox.is_empty() {
        match line.next() {
            Next::Wait(until) => line.now = until,
            Next::Send(tasks) => {
                requests += 1;
                let poisoned = tasks.iter().any(|task| task.lease.instance.id.as_str() == "37");
                let follow_ups = if poisoned { line.fail(Failure::Refused(400)) } else { line.answer_all(200) };
                refused.extend(follow_ups.iter().filter_map(|follow_up| match follow_up {
                    FollowUp::Refused(task, _) => Some(words(task)),
                    _ => None,
                }));
            }
        }
    }
    assert_eq!(refused, ["register 37"]);
    assert!(requests < 40, "{requests}");
    assert_eq!(line.outbox.tally().delivered, 99);
    assert_eq!(*line.outbox.state(), PeerState::Up);
}

#[test]
fn too_many_tasks_cost_heartbeats_first_and_then_the_oldest() {
    let mut line = Line::new(OutboxLimits { tasks: 3, ..LIMITS });
    line.sends();
    line.answer_all(200);
    line.put(Told::Register, "a");
    line.beat("b");
    line.put(Told::Register, "c");
    line.put(Told::Register, "d");
    line.beat("b");
    assert_eq!(line.outbox.len(), 3);
    line.put(Told::Register, "e");
    assert_eq!(line.sends(), ["register c", "register d", "register e"]);
    assert_eq!(line.outbox.tally().overflowed, 3);
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
