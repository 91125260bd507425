//! What follows from the peer's answers, and from none.

use super::*;

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

/// What follows from this answer to a heartbeat of instance `a` of ORDERS.
fn beaten(status: u16, app: &str, id: &str) -> Vec<FollowUp> {
    let mut line = Line::up();
    line.beat("a");
    line.pass(GATHER);
    line.sends();
    let entity = Registration { instance_id: Some(id.into()), ..Registration::new(app) };
    line.outbox.answered(Ok(vec![PeerAnswer { status, entity: Some(Box::new(entity)) }]), line.now)
}

#[test]
fn newer_data_of_the_peer_is_to_be_taken_over() {
    let follow_ups = beaten(409, "orders", "a");
    assert!(matches!(&follow_ups[..], [FollowUp::TakeOver(newer)] if newer.app == AppName::new("ORDERS")));
}

#[test]
fn an_instance_that_comes_with_any_answer_but_a_conflict_is_not_taken_over() {
    for status in [200, 204, 404] {
        assert!(beaten(status, "ORDERS", "a").is_empty(), "{status}");
    }
    for status in [300, 400, 500] {
        assert!(matches!(&beaten(status, "ORDERS", "a")[..], [FollowUp::Refused(..)]), "{status}");
    }
}

#[test]
fn an_instance_that_was_not_asked_about_is_not_taken_over() {
    for (app, id) in [("ORDERS", "b"), ("STOCK", "a"), ("ORDERS", "A")] {
        assert!(beaten(409, app, id).is_empty(), "{app} {id}");
    }
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
