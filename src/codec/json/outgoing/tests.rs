#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value;

use super::super::arbitrary::{instance, name, status};
use super::super::batch::{read_batch, write_outcomes};
use super::super::samples::{KILN_4_TIMES, LOOM_TIMES, kiln_4, loom};
use super::*;
use crate::model::{
    AppName, Instance, InstanceId, LeaseTimes, OverrideNote, ReplicationAction, ReplicationItem, ReplicationOutcome,
    Text,
};

const REQUEST: &str = include_str!("../../../../tests/fixtures/wire/batch-request.json");
const RESPONSE: &str = include_str!("../../../../tests/fixtures/wire/batch-response.json");
/// What one Java server sent another.
const RECORDED: &str = include_str!("../../../../tests/fixtures/golden/replication-wire.json");

fn item(instance: &Instance, action: OutgoingAction) -> OutgoingItem {
    let known = (action != OutgoingAction::Cancel).then_some((instance.last_dirty, instance.status));
    OutgoingItem {
        app: instance.app.clone(),
        id: instance.id.clone(),
        last_dirty: known.map(|(last_dirty, _)| last_dirty),
        override_set: None,
        background: OverrideBackground::default(),
        status: known.map(|(_, status)| status),
        action,
    }
}

#[test]
fn a_batch_is_java_s_bytes() {
    let out = Some(InstanceStatus::OutOfService);
    let kiln_3 = Instance { id: InstanceId::new("kiln-3.example:pottery:9321"), ..kiln_4() };
    let removed = Instance { status: InstanceStatus::Up, ..loom() };
    let batch = [
        item(&kiln_4(), OutgoingAction::Register { instance: Arc::new(kiln_4()), times: KILN_4_TIMES }),
        item(&loom(), OutgoingAction::Heartbeat { overridden_status: out }),
        item(&loom(), OutgoingAction::StatusUpdate),
        item(&removed, OutgoingAction::DeleteStatusOverride),
        item(&kiln_3, OutgoingAction::Cancel),
    ];
    assert_eq!(String::from_utf8(write_batch(&batch)).unwrap(), REQUEST);
    assert_eq!(write_batch(&[]), br#"{"replicationList":[]}"#);
}

/// An item as the sender had it: what the receiver's reader leaves out is looked up in the body.
fn as_sent(item: ReplicationItem, sent: &Value) -> OutgoingItem {
    let status = sent["status"].as_str().and_then(InstanceStatus::from_name);
    let action = match item.action {
        ReplicationAction::Heartbeat { overridden_status } => OutgoingAction::Heartbeat { overridden_status },
        ReplicationAction::Register(registration) => {
            let millis = |name: &str| sent["instanceInfo"]["leaseInfo"][name].as_i64().unwrap();
            let times = LeaseTimes {
                registration: millis("registrationTimestamp"),
                last_renewal: millis("lastRenewalTimestamp"),
                eviction: millis("evictionTimestamp"),
                service_up: millis("serviceUpTimestamp"),
            };
            OutgoingAction::Register { instance: Arc::new(registration.accept(&item.app, 0).unwrap()), times }
        }
        ReplicationAction::Cancel => OutgoingAction::Cancel,
        ReplicationAction::StatusUpdate(_) => OutgoingAction::StatusUpdate,
        ReplicationAction::DeleteStatusOverride(_) => OutgoingAction::DeleteStatusOverride,
    };
    OutgoingItem {
        app: item.app,
        id: item.id,
        last_dirty: item.last_dirty,
        status,
        override_set: item.override_set,
        background: item.background,
        action,
    }
}

#[test]
fn what_java_sent_is_written_byte_by_byte() {
    let recorded: Vec<Value> = serde_json::from_str(RECORDED).unwrap();
    let mut seen = 0;
    for exchange in &recorded {
        let body = exchange["request"]["body"].as_str().unwrap_or_default();
        if !body.starts_with(r#"{"replicationList":"#) {
            continue;
        }
        let body = body.replace("{{time}}", "1760000000123");
        let sent: Value = serde_json::from_str(&body).unwrap();
        let items = read_batch(body.as_bytes(), &Limits::default()).unwrap();
        let items = items.into_iter().zip(sent["replicationList"].as_array().unwrap());
        let batch: Vec<_> = items.map(|(item, sent)| as_sent(item.unwrap(), sent)).collect();
        assert_eq!(String::from_utf8(write_batch(&batch)).unwrap(), body, "{}", exchange["name"]);
        seen += batch.len();
    }
    assert!(seen > 20, "{seen} items");
}

#[test]
fn the_answer_of_a_java_peer_is_read() {
    let answers = read_outcomes(RESPONSE.as_bytes(), &Limits::default(), 5).unwrap();
    assert_eq!(answers.iter().map(|answer| answer.status).collect::<Vec<_>>(), [200, 409, 200, 200, 404]);
    let winner = answers[1].entity.clone().unwrap();
    assert_eq!(winner.accept(&AppName::new("weaving"), 0).unwrap(), loom());
    assert!(answers.iter().enumerate().all(|(at, answer)| at == 1 || answer.entity.is_none()));
}

fn refusal(body: &str, expected: usize) -> String {
    read_outcomes(body.as_bytes(), &Limits::default(), expected).unwrap_err().to_string()
}

#[test]
fn an_answer_of_another_length_is_none() {
    let two = r#"{"responseList":[{"statusCode":200},{"statusCode":200}]}"#;
    assert_eq!(refusal(two, 1), "cannot read responseList: 2 results for 1 items");
    assert_eq!(refusal(two, 250), "cannot read responseList: 2 results for 250 items");
    assert_eq!(read_outcomes(br#"{"responseList":[]}"#, &Limits::default(), 0), Ok(vec![]));
}

#[test]
fn what_is_no_answer_is_refused() {
    for body in ["{}", r#"{"responseList":null}"#, r#"{"responseList":{}}"#, "[]", "7", r#"{"error":"x"}"#] {
        assert_eq!(refusal(body, 1), r#"cannot read body: must be {"responseList": […]}"#, "{body}");
    }
    assert_eq!(refusal("<html>", 1), "cannot parse answer: expected a value at line 1 column 1");
    assert_eq!(refusal("", 1), "cannot parse answer: unexpected end at line 1 column 1");
    for end in 0..RESPONSE.trim_end().len() {
        assert!(read_outcomes(&RESPONSE.as_bytes()[..end], &Limits::default(), 5).is_err(), "{end}");
    }
}

#[test]
fn a_result_needs_its_code() {
    let one = |result: &str| {
        let body = format!(r#"{{"x":{{}},"responseList":[{{"statusCode":"200","y":[1]}},{result}]}}"#);
        read_outcomes(body.as_bytes(), &Limits::default(), 2).map(|mut answers| answers.remove(1))
    };
    assert_eq!(one(r#"{"statusCode":404,"responseEntity":null}"#), Ok(PeerAnswer { status: 404, entity: None }));
    for result in ["{}", "null", "7", r#"{"statusCode":null}"#, r#"{"statusCode":"OK"}"#] {
        let problem = "cannot read responseList[1].statusCode: must be the status of an answer";
        assert_eq!(one(result).unwrap_err().to_string(), problem, "{result}");
    }
    assert!(one(r#"{"statusCode":-1}"#).is_err());
    assert!(one(r#"{"statusCode":[]}"#).is_err());
}

#[test]
fn of_an_unreadable_instance_the_code_is_taken() {
    for entity in ["7", "{}", "[]", r#""""#, r#"{"app":"A","port":8080}"#, r#"{"app":"A","dataCenterInfo":[]}"#] {
        let body = format!(r#"{{"responseList":[{{"responseEntity":{entity},"statusCode":409}}]}}"#);
        let answers = read_outcomes(body.as_bytes(), &Limits::default(), 1).unwrap();
        assert_eq!(answers, [PeerAnswer { status: 409, entity: None }], "{entity}");
    }
    for entity in [r#"{"app":"a"}"#, r#"{"instance":{"app":"a"}}"#] {
        let body = format!(r#"{{"responseList":[{{"statusCode":409,"responseEntity":{entity}}}]}}"#);
        let answers = read_outcomes(body.as_bytes(), &Limits::default(), 1).unwrap();
        assert_eq!(answers[0].entity.as_ref().unwrap().app, AppName::new("A"));
    }
}

fn action() -> impl Strategy<Value = OutgoingAction> {
    let register = instance().prop_map(|instance| (Arc::new(instance), LOOM_TIMES));
    prop_oneof![
        prop::option::of(status()).prop_map(|overridden_status| OutgoingAction::Heartbeat { overridden_status }),
        register.prop_map(|(instance, times)| OutgoingAction::Register { instance, times }),
        Just(OutgoingAction::Cancel),
        Just(OutgoingAction::StatusUpdate),
        Just(OutgoingAction::DeleteStatusOverride),
    ]
}

/// What the receiver makes of an item.
fn received(item: &OutgoingItem, status: InstanceStatus, read: &ReplicationAction) -> ReplicationItem {
    let action = match &item.action {
        OutgoingAction::Heartbeat { overridden_status } => {
            ReplicationAction::Heartbeat { overridden_status: *overridden_status }
        }
        // Compared by what is accepted.
        OutgoingAction::Register { .. } => read.clone(),
        OutgoingAction::Cancel => ReplicationAction::Cancel,
        OutgoingAction::StatusUpdate => ReplicationAction::StatusUpdate(status),
        OutgoingAction::DeleteStatusOverride => ReplicationAction::DeleteStatusOverride(status),
    };
    let OutgoingItem { app, id, last_dirty, override_set, background, .. } = item.clone();
    ReplicationItem { app, id, last_dirty, override_set, background, action }
}

fn accepted(registration: &crate::model::Registration) -> Result<Instance, TestCaseError> {
    registration.clone().accept_alone(0).map_err(|refusal| TestCaseError::fail(refusal.to_string()))
}

type Sent = (Text, Text, Option<i64>, InstanceStatus, OutgoingAction, OverrideBackground);

fn background() -> impl Strategy<Value = OverrideBackground> {
    let note = ("\\PC{0,200}", "\\PC{0,40}", any::<i64>(), prop::option::of(any::<i64>()));
    (prop::option::of(status()), prop::option::of(note)).prop_map(|(own, note)| {
        let note = note.map(|(reason, owner, since, until)| {
            Arc::new(OverrideNote { reason: reason.into(), owner: owner.into(), since, until })
        });
        OverrideBackground { own, note }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_peer_reads_what_was_sent(
        sent in prop::collection::vec(
            (name(), name(), prop::option::of(any::<i64>()), status(), action(), background()), 0..5,
        ),
    ) {
        let item = |(app, id, last_dirty, status, action, background): &Sent| {
            let (app, id, action) = (AppName::new(app), InstanceId::new(id.clone()), action.clone());
            let (override_set, background) = (*last_dirty, background.clone());
            OutgoingItem {
                app, id, last_dirty: *last_dirty, status: Some(*status), override_set, background, action,
            }
        };
        let items: Vec<_> = sent.iter().map(item).collect();
        let body = write_batch(&items);
        prop_assert!(serde_json::from_slice::<Value>(&body).is_ok());
        let read = read_batch(&body, &Limits::default()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(read.len(), items.len());
        for ((item, read), (.., status, _, _)) in items.iter().zip(read).zip(&sent) {
            let read = read.map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(&received(item, *status, &read.action), &read);
            match (&item.action, &read.action) {
                (OutgoingAction::Register { instance, .. }, ReplicationAction::Register(registration)) => {
                    prop_assert_eq!(accepted(registration)?, (**instance).clone());
                }
                (OutgoingAction::Register { .. }, other) => prop_assert!(false, "{:?}", other),
                _ => {}
            }
        }
    }

    #[test]
    fn a_sender_reads_what_was_answered(
        sent in prop::collection::vec((any::<u16>(), prop::option::of(instance())), 0..5),
    ) {
        let outcome = |(status, entity): &(u16, Option<Instance>)| ReplicationOutcome {
            status: *status,
            entity: entity.clone().map(|instance| (Arc::new(instance), LOOM_TIMES)),
        };
        let body = write_outcomes(&sent.iter().map(outcome).collect::<Vec<_>>());
        let read = read_outcomes(&body, &Limits::default(), sent.len());
        let read = read.map_err(|error| TestCaseError::fail(error.to_string()))?;
        for (answer, (status, entity)) in read.iter().zip(sent) {
            prop_assert_eq!(answer.status, status);
            prop_assert_eq!(answer.entity.as_deref().map(accepted).transpose()?, entity);
        }
    }
}
