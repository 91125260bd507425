#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use super::super::samples::{LOOM_TIMES, kiln_4, loom};
use super::*;

const REQUEST: &str = include_str!("../../../../tests/fixtures/wire/batch-request.json");
const RESPONSE: &str = include_str!("../../../../tests/fixtures/wire/batch-response.json");

/// A batch of one item with these members.
fn one(members: &str) -> Result<ReplicationItem, String> {
    let body = format!(r#"{{"replicationList":[{{{members}}}]}}"#);
    let mut items = read_batch(body.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(items.len(), 1);
    items.remove(0).map_err(|error| error.to_string())
}

fn action(members: &str) -> Result<ReplicationAction, String> {
    one(&format!(r#""appName":"A","id":"i",{members}"#)).map(|item| item.action)
}

#[test]
fn a_batch_of_a_java_peer_is_read() {
    let items = read_batch(REQUEST.as_bytes(), &Limits::default()).unwrap();
    let items: Vec<_> = items.into_iter().map(Result::unwrap).collect();
    let item = |app, id, last_dirty, action| ReplicationItem {
        app: AppName::new(app),
        id: InstanceId::new(id),
        last_dirty,
        override_set: None,
        background: OverrideBackground::default(),
        action,
    };
    let ReplicationAction::Register(registration) = &items[0].action else { panic!("{:?}", items[0]) };
    assert_eq!((**registration).clone().accept(&AppName::new("POTTERY"), 0).unwrap(), kiln_4());
    assert_eq!(items[0].last_dirty, Some(1_760_000_003_000));
    let dirty = Some(1_760_000_002_000);
    let out = InstanceStatus::OutOfService;
    let heartbeat = ReplicationAction::Heartbeat { overridden_status: Some(out) };
    assert_eq!(
        items[1..],
        [
            item("WEAVING", "i-0fe1c0ffee", dirty, heartbeat),
            item("WEAVING", "i-0fe1c0ffee", dirty, ReplicationAction::StatusUpdate(out)),
            item("WEAVING", "i-0fe1c0ffee", dirty, ReplicationAction::DeleteStatusOverride(InstanceStatus::Up)),
            item("POTTERY", "kiln-3.example:pottery:9321", None, ReplicationAction::Cancel),
        ]
    );
}

#[test]
fn an_answer_is_java_s_bytes() {
    let code = |status| ReplicationOutcome { status, entity: None };
    let conflict = ReplicationOutcome { status: 409, entity: Some((Arc::new(loom()), LOOM_TIMES)) };
    let outcomes = [code(200), conflict, code(200), code(200), code(404)];
    assert_eq!(String::from_utf8(write_outcomes(&outcomes)).unwrap(), RESPONSE);
    assert_eq!(write_outcomes(&[]), br#"{"responseList":[]}"#);
}

#[test]
fn an_answer_escapes_supplementary_characters() {
    let mut instance = loom();
    instance.ip_addr = "🏺".into();
    let conflict = ReplicationOutcome { status: 409, entity: Some((Arc::new(instance), LOOM_TIMES)) };
    let written = String::from_utf8(write_outcomes(&[conflict])).unwrap();
    assert!(written.contains(r#""ipAddr":"\uD83C\uDFFA""#), "{written}");
}

#[test]
fn case_004_a_bad_item_fails_in_its_place_alone() {
    let good = r#"{"appName":"uni","id":"ü 🏺/x","action":"Cancel"}"#;
    let unnamed = r#"{"instanceId":"i","hostName":"h","ipAddr":"1"}"#;
    let body = format!(
        r#"{{"x":[{{}}],"replicationList":[{good},{{"appName":"A","id":"i","action":"Register","instanceInfo":{unnamed}}},
            7,null,{{"appName":"A","id":"i","action":"Bogus"}},{good}]}}"#
    );
    let items = read_batch(body.as_bytes(), &Limits::default()).unwrap();
    let errors: Vec<_> = items.iter().map(|item| item.as_ref().err().map(ToString::to_string)).collect();
    assert_eq!(
        errors,
        [
            None,
            Some(
                "cannot read replicationList[1].instanceInfo.app: missing; it must be the application's name"
                    .to_owned()
            ),
            Some("cannot read replicationList[2]: must be an object".to_owned()),
            Some("cannot read replicationList[3]: must be an object".to_owned()),
            Some(
                "cannot read replicationList[4].action: \"Bogus\" is none of Heartbeat, Register, Cancel, StatusUpdate, \
                 DeleteStatusOverride"
                    .to_owned()
            ),
            None,
        ]
    );
    assert_eq!(items[5].as_ref().unwrap().app, AppName::new("UNI"));
}

#[test]
fn an_item_that_is_over_a_limit_fails_in_its_place_alone() {
    let limits = Limits { nesting_depth: 8, body_values: 100, metadata_entries: 10, ..Limits::default() };
    let register = |metadata: &str| {
        let instance = format!(r#"{{"app":"A","hostName":"h","ipAddr":"1","metadata":{metadata}}}"#);
        format!(r#"{{"appName":"A","id":"i","action":"Register","instanceInfo":{instance}}}"#)
    };
    let entries = |many: usize| {
        let entries: Vec<_> = (0..many).map(|n| format!(r#""k{n}":"v""#)).collect();
        format!("{{{}}}", entries.join(","))
    };
    let deep = format!(r#"{{"x":{}1{}}}"#, "[".repeat(20), "]".repeat(20));
    let items = [entries(10), entries(11), entries(200), deep, entries(10)].map(|metadata| register(&metadata));
    let body = format!(r#"{{"replicationList":[{}]}}"#, items.join(","));
    let items = read_batch(body.as_bytes(), &limits).unwrap();
    let errors: Vec<_> = items.iter().map(|item| item.as_ref().err().map(ToString::to_string)).collect();
    for (error, setting) in errors[1..4].iter().zip(["metadata-entries", "body-values", "nesting-depth"]) {
        let error = error.as_deref().unwrap_or_default();
        assert!(error.contains(setting) && error.contains("replicationList["), "{error}");
    }
    assert_eq!([&errors[0], &errors[4]], [&None, &None]);
}

#[test]
fn of_two_lists_the_last_counts() {
    let list = r#""replicationList":[{"appName":"A","id":"i","action":"Cancel"}]"#;
    let read = |body: String| read_batch(body.as_bytes(), &Limits::default()).map(|items| items.len());
    assert_eq!(read(format!(r#"{{"replicationList":[],{list}}}"#)), Ok(1));
    assert_eq!(read(format!(r#"{{{list},"replicationList":null}} and more"#)), Ok(1));
    assert!(read(format!(r#"{{{list},"replicationList":7}}"#)).is_err());
}

#[test]
fn a_body_without_a_list_is_an_error_as_a_whole() {
    for body in ["{}", r#"{"replicationList":null}"#, r#"{"replicationList":{}}"#, "[]", "null", "7"] {
        let error = read_batch(body.as_bytes(), &Limits::default()).unwrap_err().to_string();
        assert_eq!(error, r#"cannot read body: must be {"replicationList": […]}"#, "{body}");
    }
    assert_eq!(read_batch(br#"{"replicationList":[]}"#, &Limits::default()).unwrap(), []);
}

#[test]
fn what_every_item_needs_is_named() {
    let missing = |name| format!("cannot read replicationList[0].{name}: missing");
    assert_eq!(one(r#""id":"i","action":"Cancel""#).unwrap_err(), missing("appName"));
    assert_eq!(one(r#""appName":"A","id":null,"action":"Cancel""#).unwrap_err(), missing("id"));
    assert_eq!(one(r#""appName":"A","id":"i""#).unwrap_err(), missing("action"));
}

#[test]
fn actions_stand_by_name_or_ordinal() {
    let instance = r#""status":"UP","instanceInfo":{"app":"A"}"#;
    for (at, name) in ["Heartbeat", "Register", "Cancel", "StatusUpdate", "DeleteStatusOverride"].iter().enumerate() {
        let by_name = action(&format!(r#""action":"{name}",{instance}"#)).unwrap();
        assert_eq!(action(&format!(r#""action":{at},{instance}"#)).unwrap(), by_name);
    }
    assert!(action(r#""action":5"#).is_err());
    assert!(action(r#""action":"heartbeat""#).is_err());
}

#[test]
fn timestamps_may_be_texts_or_missing() {
    let at =
        |member: &str| one(&format!(r#""appName":"A","id":"i","action":"Cancel"{member}"#)).map(|item| item.last_dirty);
    assert_eq!(at("").unwrap(), None);
    assert_eq!(at(r#","lastDirtyTimestamp":null"#).unwrap(), None);
    assert_eq!(at(r#","lastDirtyTimestamp":"1760000000000""#).unwrap(), Some(1_760_000_000_000));
    assert_eq!(
        at(r#","lastDirtyTimestamp":"abc""#).unwrap_err(),
        "cannot read replicationList[0].lastDirtyTimestamp: must be a time in milliseconds"
    );
}

#[test]
fn a_heartbeat_may_carry_a_known_override() {
    let heartbeat = |overridden_status| Ok(ReplicationAction::Heartbeat { overridden_status });
    assert_eq!(action(r#""action":"Heartbeat","status":"BOGUS""#), heartbeat(None));
    assert_eq!(action(r#""action":"Heartbeat","overriddenStatus":null"#), heartbeat(None));
    let down = Some(InstanceStatus::Down);
    assert_eq!(action(r#""action":"Heartbeat","overriddenStatus":"DOWN","instanceInfo":[]"#), heartbeat(down));
    assert_eq!(
        action(r#""action":"Heartbeat","overriddenStatus":"BOGUS""#).unwrap_err(),
        "cannot read replicationList[0].overriddenStatus: \"BOGUS\" is none of DOWN, OUT_OF_SERVICE, STARTING, UNKNOWN, UP"
    );
}

#[test]
fn a_status_update_needs_a_status_and_a_removal_does_not() {
    assert_eq!(
        action(r#""action":"StatusUpdate""#).unwrap_err(),
        "cannot read replicationList[0].status: missing; StatusUpdate needs it"
    );
    assert!(action(r#""action":"StatusUpdate","status":"up""#).is_err());
    assert_eq!(
        action(r#""action":"DeleteStatusOverride""#),
        Ok(ReplicationAction::DeleteStatusOverride(InstanceStatus::Unknown))
    );
    assert!(action(r#""action":"DeleteStatusOverride","status":"BOGUS""#).is_err());
}

#[test]
fn a_registration_may_be_wrapped_and_must_be_there() {
    let bare = action(r#""action":"Register","instanceInfo":{"app":"a","hostName":"h"}"#).unwrap();
    let wrapped = action(r#""action":"Register","instanceInfo":{"instance":{"app":"a","hostName":"h"}}"#).unwrap();
    assert_eq!(bare, wrapped);
    assert_eq!(
        action(r#""action":"Register","instanceInfo":null"#).unwrap_err(),
        "cannot read replicationList[0].instanceInfo: missing; Register needs it"
    );
}
