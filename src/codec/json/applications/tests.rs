#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use flate2::read::GzDecoder;
use proptest::prelude::*;
use serde_json::Value;

use super::super::{arbitrary, write_document};
use super::*;
use crate::codec::{Detail, Document, Group, Shown};
use crate::model::{ActionType, AppName, Instance};

const REGISTRY: &str = include_str!("../../../../tests/fixtures/wire/registry.json");
const DELTA: &str = include_str!("../../../../tests/fixtures/wire/delta.json");
const APPLICATION: &str = include_str!("../../../../tests/fixtures/wire/application.json");

fn list(body: &str) -> Result<ListedApplications, String> {
    read_applications(body.as_bytes(), &Limits::default(), usize::MAX).map_err(|error| error.to_string())
}

fn accepted(listed: ListedInstance) -> Instance {
    listed.registration.accept_alone(0).unwrap()
}

/// A list as the document that it was written from; neighbours of one application are its group.
fn document(list: ListedApplications) -> Document {
    let mut apps: Vec<Group> = Vec::new();
    for listed in list.instances {
        let listed = listed.unwrap();
        let times = listed.times;
        let shown = Shown { instance: Arc::new(accepted(listed)), times };
        match apps.last_mut().filter(|group| group.name == shown.instance.app) {
            Some(group) => group.instances.push(shown),
            None => apps.push(Group { name: shown.instance.app.clone(), instances: vec![shown] }),
        }
    }
    match list.hash {
        Some(hash) => Document::Applications { version: list.version.unwrap(), hash, apps },
        None => Document::Application(apps.remove(0)),
    }
}

/// All texts in a recording that begin as a list does.
fn lists(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) if text.starts_with(r#"{"application"#) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| lists(item, into)),
        Value::Object(members) => members.values().for_each(|member| lists(member, into)),
        _ => {}
    }
}

#[test]
fn every_list_that_java_was_recorded_with_is_read() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/golden");
    let mut recorded = Vec::new();
    for file in fs::read_dir(&golden).unwrap().chain(fs::read_dir(golden.join("differential")).unwrap()) {
        let path = file.unwrap().path();
        let mut text = String::new();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => text = fs::read_to_string(&path).unwrap(),
            Some("gz") => _ = GzDecoder::new(fs::File::open(&path).unwrap()).read_to_string(&mut text).unwrap(),
            _ => continue,
        }
        lists(&serde_json::from_str(&text).unwrap(), &mut recorded);
    }
    let (mut full, mut instances) = (0, 0);
    for body in recorded {
        let body = body.replace("{{time}}", "1760000000123");
        let list = list(&body).unwrap_or_else(|error| panic!("{error}: {body}"));
        assert!(list.instances.iter().all(Result::is_ok), "{body}");
        assert_eq!(list.instances.len(), body.matches(r#""hostName":"#).count(), "{body}");
        // Only full lists can be written again, and what is lost with every instance is lost here.
        if body.contains(r#""leaseInfo":"#) {
            instances += list.instances.len();
            full += 1;
            let unread = [(r#""@class":"x","#, ""), (r#""instanceId":"","#, ""), ("Group One", "GROUP ONE")];
            let expected = unread.into_iter().fold(body, |body, (sent, read)| body.replace(sent, read));
            let written = write_document(&document(list), Detail::Full);
            // As values: Java has more than one order for what Amazon tells.
            let [written, expected] =
                [&*written, expected.as_bytes()].map(|text| serde_json::from_slice::<Value>(text).unwrap());
            assert_eq!(written, expected);
        }
    }
    assert!(full > 100 && instances > 200, "{full} lists of {instances} instances");
}

#[test]
fn a_delta_tells_what_happened() {
    let mut delta = list(DELTA).unwrap();
    assert_eq!((delta.hash.as_deref(), delta.version), (Some("OUT_OF_SERVICE_1_UP_1_"), Some(7)));
    assert_eq!(delta.instances.len(), 1);
    let gone = delta.instances.remove(0).unwrap();
    assert_eq!(gone.registration.action, Some(ActionType::Deleted));
    let renewed = LeaseTimes {
        registration: 1_760_000_003_000,
        last_renewal: 1_760_000_003_000,
        eviction: 0,
        service_up: 1_760_000_003_000,
    };
    assert_eq!(gone.times, renewed);
}

#[test]
fn one_application_is_a_list_without_a_hash_code() {
    let application = list(APPLICATION).unwrap();
    assert_eq!((&application.hash, application.version), (&None, None));
    assert_eq!(application.instances.len(), 2);
    assert!(application.instances.iter().all(|listed| listed.as_ref().unwrap().registration.app.as_str() == "POTTERY"));
}

#[test]
fn a_single_object_is_a_list_of_one() {
    for (body, expected) in [
        (r#"{"applications":{"application":{"name":"A","instance":{"app":"a"}}}}"#, 1),
        (r#"{"applications":{"application":[{"instance":{"app":"a"},"name":"A"},{"instance":[]}]}}"#, 1),
        (r#"{"application":{"name":"A","instance":{"app":"a"}}}"#, 1),
        (r#"{"x":[{}],"applications":{"y":{"z":[1]},"application":[{"instance":null,"w":{}}]}}"#, 0),
        (r#"{"applications":{"application":null}}"#, 0),
        (r#"{"applications":{}}"#, 0),
    ] {
        let instances = list(body).unwrap().instances;
        assert_eq!(instances.len(), expected, "{body}");
        assert!(instances.into_iter().all(|listed| listed.unwrap().registration.app == AppName::new("A")), "{body}");
    }
}

#[test]
fn version_and_hash_may_be_missing_or_stand_anywhere() {
    let told = |members: &str| {
        let list = list(&format!(r#"{{"applications":{{{members}}}}}"#)).unwrap();
        (list.version, list.hash)
    };
    let both = (Some(3), Some("UP_1_".to_owned()));
    assert_eq!(told(r#""application":[],"versions__delta":3,"apps__hashcode":"UP_1_""#), both);
    assert_eq!(told(r#""versions__delta":"3","application":[],"apps__hashcode":"UP_1_""#), both);
    assert_eq!(told(r#""versions_delta":"3","apps_hashcode":"UP_1_""#), (None, None));
    assert_eq!(told(r#""versions__delta":null,"apps__hashcode":null"#), (None, None));
    assert_eq!(told(r#""versions__delta":"x","apps__hashcode":"""#), (None, Some(String::new())));
}

#[test]
fn what_is_no_whole_list_is_an_error() {
    for body in ["{}", r#"{"applications":null}"#, r#"{"applications":[]}"#, r#"{"status":404}"#] {
        assert_eq!(list(body).unwrap_err(), r#"cannot read body: must be {"applications": {…}}"#, "{body}");
    }
    for (body, problem) in [
        ("", "cannot parse answer: unexpected end at line 1 column 1"),
        ("<html>", "cannot parse answer: expected `{` at line 1 column 1"),
        ("[]", "cannot parse answer: expected `{` at line 1 column 1"),
        (r#"{"applications":{}} }"#, "cannot parse answer: expected nothing more at line 1 column 21"),
        (r#"{"applications":{"application":[7]}}"#, "cannot parse answer: expected `{` at line 1 column 33"),
        (
            r#"{"applications":{"apps__hashcode":{}}}"#,
            "cannot read applications.apps__hashcode: must be a text, not a list or an object",
        ),
    ] {
        assert_eq!(list(body).unwrap_err(), problem, "{body}");
    }
    assert!(read_applications(b"{\"applications\":{}}\xFF", &Limits::default(), usize::MAX).is_err());
    for end in 0..REGISTRY.len() {
        assert!(read_applications(&REGISTRY.as_bytes()[..end], &Limits::default(), usize::MAX).is_err(), "{end}");
    }
    assert_eq!(list(REGISTRY).unwrap().instances.len(), 3);
}

#[test]
fn nothing_may_be_left_out_of_a_list() {
    // Without the comma, the quote or the bracket that stood there.
    for (at, _) in REGISTRY.match_indices([',', '"', ':', '{', '}', '[', ']']) {
        let within_a_text = REGISTRY[..at].matches('"').count() % 2 == 1 && !REGISTRY[at..].starts_with('"');
        let mut body = REGISTRY.to_owned();
        body.remove(at);
        assert!(within_a_text || list(&body).is_err(), "{}", &body[at..]);
    }
}

#[test]
fn an_unreadable_instance_is_an_error_in_its_place() {
    let limits = Limits { body_values: 4, nesting_depth: 2, ..Limits::default() };
    let bad = [
        "7",
        r#"{"hostName":"h"}"#,
        r#"{"app":"A","port":8080}"#,
        r#"{"app":"A","leaseInfo":{"lastRenewalTimestamp":1e99}}"#,
        r#"{"app":"A","metadata":{"a":1,"b":2,"c":3}}"#,
        r#"{"app":"A","x":[[[[{}]]]]}"#,
    ]
    .join(r#",{"app":"a","port":{"$":1}},"#);
    let body =
        format!(r#"{{"applications":{{"application":[{{}},{{"instance":[{bad}]}}],"apps__hashcode":"UP_1_"}}}}"#);
    let list = read_applications(body.as_bytes(), &limits, usize::MAX).unwrap();
    assert_eq!(list.hash.as_deref(), Some("UP_1_"));
    let (good, errors): (Vec<_>, Vec<_>) = list.instances.into_iter().partition(Result::is_ok);
    assert_eq!(good.len(), 5);
    let errors: Vec<_> = errors.into_iter().map(|error| error.unwrap_err().to_string()).collect();
    assert_eq!(
        errors,
        [
            "cannot read applications.application[1].instance[0]: must be an object",
            "cannot read applications.application[1].instance[2].app: missing; it must be the application's name",
            r#"cannot read applications.application[1].instance[4].port: must be an object such as {"$": 8080, "@enabled": "true"}"#,
            "cannot read applications.application[1].instance[6].leaseInfo.lastRenewalTimestamp: 1e99 is out of range",
            "applications.application[1].instance[8] is over the limit: at most 4 values (eurekad.limits.body-values)",
            "applications.application[1].instance[10] is over the limit: at most 2 objects and lists in one another \
             (eurekad.limits.nesting-depth)",
        ]
    );
}

#[test]
fn a_list_of_nothing_but_errors_is_refused() {
    let of = |count: usize| list(&format!(r#"{{"application":{{"instance":[{}{{}}]}}}}"#, "{},".repeat(count - 1)));
    assert_eq!(of(10_000).unwrap().instances.len(), 10_000);
    assert_eq!(of(10_001).unwrap_err(), "cannot read body: more than 10000 instances cannot be read");
}

#[test]
fn nesting_outside_of_instances_is_bounded_too() {
    let deep = |around: fn(&str) -> String| list(&around(&"[".repeat(1_000_000))).unwrap_err();
    for error in [
        deep(|deep| format!(r#"{{"x":{deep}"#)),
        deep(|deep| format!(r#"{{"applications":{{"application":{{"instance":[{{"x":{deep}"#)),
    ] {
        assert!(error.contains("is over the limit: at most 250 objects and lists in one another"), "{error}");
        assert!(error.starts_with("body at line 1 column "), "{error}");
    }
}

fn times() -> impl Strategy<Value = LeaseTimes> {
    any::<[i64; 4]>().prop_map(|[registration, last_renewal, eviction, service_up]| LeaseTimes {
        registration,
        last_renewal,
        eviction,
        service_up,
    })
}

fn apps() -> impl Strategy<Value = Vec<Group>> {
    let instances = prop::collection::vec((arbitrary::instance(), times()), 1..4);
    prop::collection::btree_map(arbitrary::name(), instances, 0..4).prop_map(|apps| {
        let group = |(name, instances): (crate::model::Text, Vec<(Instance, LeaseTimes)>)| {
            let name = AppName::new(&name);
            let shown = |(instance, times)| {
                let instance = Arc::new(Instance { app: name.clone(), ..instance });
                Shown { instance, times }
            };
            Group { instances: instances.into_iter().map(shown).collect(), name: name.clone() }
        };
        apps.into_iter().map(group).collect()
    })
}

/// What can be told of a list by whoever reads it.
fn told(apps: &[Group]) -> Vec<(Instance, LeaseTimes)> {
    apps.iter().flat_map(|app| &app.instances).map(|shown| ((*shown.instance).clone(), shown.times)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_list_is_read_as_it_was_written(version: i64, hash: String, apps in apps(), cut: prop::sample::Index) {
        let document = Document::Applications { version, hash: hash.clone(), apps: apps.clone() };
        let body = write_document(&document, Detail::Full);
        let list = read_applications(&body, &Limits::default(), usize::MAX).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!((list.version, list.hash), (Some(version), Some(hash)));
        let read: Vec<_> = list.instances.into_iter().map(Result::unwrap).collect();
        let read: Vec<_> = read.into_iter().map(|listed| (listed.times, accepted(listed))).collect();
        prop_assert_eq!(read.into_iter().map(|(times, instance)| (instance, times)).collect::<Vec<_>>(), told(&apps));
        prop_assert!(read_applications(&body[..cut.index(body.len())], &Limits::default(), usize::MAX).is_err());
        if let Some(app) = apps.into_iter().next() {
            let told = told(std::slice::from_ref(&app));
            let body = write_document(&Document::Application(app), Detail::Full);
            prop_assert_eq!(read_applications(&body, &Limits::default(), usize::MAX).unwrap().instances.len(), told.len());
        }
    }
}

#[test]
fn a_list_of_too_many_instances_is_refused_whether_they_can_be_read_or_not() {
    for instance in ["{}", r#"{"app":"A"}"#] {
        let body = |times| {
            format!(r#"{{"applications":{{"application":[{{"instance":[{}]}}]}}}}"#, [instance].repeat(times).join(","))
        };
        let read = |times| read_applications(body(times).as_bytes(), &Limits::default(), 3);
        assert_eq!(read(3).unwrap().instances.len(), 3);
        let refused = read(4).unwrap_err();
        assert!(matches!(refused, ReadError::Limit { .. }));
        assert_eq!(refused.to_string(), "body is over the limit: it lists more than 3 instances");
    }
}
