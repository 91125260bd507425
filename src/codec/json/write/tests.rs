#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use super::super::samples::{KILN_3_TIMES, KILN_4_TIMES, LOOM_TIMES, kiln_3, kiln_4, loom};
use super::*;
use crate::codec::Shown;
use crate::model::{AppName, Metadata, Text};

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../../tests/fixtures/wire/", $name, ".json"))
    };
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn shown(instance: Instance, times: LeaseTimes) -> Shown {
    Shown { instance: Arc::new(instance), times }
}

fn pottery() -> Group {
    let instances = vec![shown(kiln_3(), KILN_3_TIMES), shown(kiln_4(), KILN_4_TIMES)];
    Group { name: AppName::new("pottery"), instances }
}

fn weaving() -> Group {
    Group { name: AppName::new("weaving"), instances: vec![shown(loom(), LOOM_TIMES)] }
}

fn list(version: i64, hash: &str, apps: Vec<Group>) -> Document {
    Document::Applications { version, hash: hash.into(), apps }
}

#[test]
fn single_instances_are_java_s_bytes() {
    let kiln = fixture!("instance").replace('🏺', "\\uD83C\\uDFFA");
    assert_eq!(text(write_instance(&kiln_3(), KILN_3_TIMES)), kiln);
    assert_eq!(text(write_instance(&loom(), LOOM_TIMES)), fixture!("amazon"));
    assert_eq!(text(write_instance(&kiln_4(), KILN_4_TIMES)), fixture!("minimal"));
}

#[test]
fn full_lists_are_java_s_bytes() {
    let full = |document| text(write_document(&document, Detail::Full));
    assert_eq!(full(Document::Application(pottery())), fixture!("application"));
    let registry = list(1, "OUT_OF_SERVICE_1_UP_2_", vec![pottery(), weaving()]);
    assert_eq!(full(registry), fixture!("registry"));
    assert_eq!(full(list(1, "", vec![])), fixture!("registry-empty"));
    let gone = Instance { action: Some(ActionType::Deleted), ..kiln_4() };
    let changed = Group { name: AppName::new("pottery"), instances: vec![shown(gone, KILN_4_TIMES)] };
    assert_eq!(full(list(7, "OUT_OF_SERVICE_1_UP_1_", vec![changed])), fixture!("delta"));
}

#[test]
fn compact_lists_are_java_s_bytes() {
    let compact = |document| text(write_document(&document, Detail::Compact));
    assert_eq!(compact(Document::Application(pottery())), fixture!("compact-application"));
    let registry = list(1, "OUT_OF_SERVICE_1_UP_2_", vec![pottery(), weaving()]);
    assert_eq!(compact(registry), fixture!("compact-registry"));
    assert_eq!(compact(list(1, "", vec![])), fixture!("compact-registry-empty"));
    let mut out = Vec::new();
    object(&mut out, Supplementary::Raw, |root| compact_instance(root.value("instance"), &kiln_3()));
    assert_eq!(text(out), fixture!("compact-instance"));
}

#[test]
fn case_029_lists_stay_lists_with_none_one_and_many() {
    let written = |instances, detail| {
        text(write_document(&Document::Application(Group { name: AppName::new("a"), instances }), detail))
    };
    for detail in [Detail::Full, Detail::Compact] {
        assert_eq!(written(vec![], detail), r#"{"application":{"name":"A","instance":[]}}"#);
        let one = written(vec![shown(kiln_4(), KILN_4_TIMES)], detail);
        assert!(one.contains(r#""instance":[{"#) && one.ends_with("}]}}"), "{one}");
        let two = written(vec![shown(kiln_4(), KILN_4_TIMES), shown(kiln_3(), KILN_3_TIMES)], detail);
        assert!(two.contains(r#""instance":[{"#) && two.contains("},{") && two.ends_with("}]}}"), "{two}");
    }
}

#[test]
fn a_sid_is_shown_unless_it_says_nothing() {
    let written =
        |sid: Option<&str>| text(write_instance(&Instance { sid: sid.map(Text::from), ..kiln_4() }, KILN_4_TIMES));
    for silent in [None, Some("na"), Some("unknown")] {
        assert_eq!(written(silent), fixture!("minimal"));
    }
    assert!(written(Some("s1")).contains(r#","ipAddr":"10.20.30.4","sid":"s1","status":"UP","#));
    assert!(written(Some("")).contains(r#","sid":"","#));
}

#[test]
fn an_id_in_the_metadata_stands_in_for_a_missing_one_in_full_json() {
    let old = |id: &str| Instance { metadata: Metadata::new([("instanceId", id)]), ..kiln_4() };
    let full = |id| text(write_instance(&old(id), KILN_4_TIMES));
    assert!(full("7").starts_with(r#"{"instance":{"instanceId":"kiln-4.example:7","hostName""#));
    assert!(full("kiln-4.example-7").starts_with(r#"{"instance":{"instanceId":"kiln-4.example-7","hostName""#));
    assert!(full(" ").starts_with(r#"{"instance":{"hostName""#));
    let mut compact = Vec::new();
    compact_instance(&mut compact, &old("7"));
    assert!(text(compact).starts_with(r#"{"app":"POTTERY","#));
}

#[test]
fn case_013_metadata_keys_stay_as_sent_in_json() {
    let metadata = Metadata::new([("build_no", "7"), ("", "e"), ("q\"t", "v\u{1}"), ("@class", "x")]);
    let written = text(write_instance(&Instance { metadata, ..kiln_4() }, KILN_4_TIMES));
    for entry in [r#""build_no":"7""#, r#""":"e""#, r#""q\"t":"v\u0001""#, r#""@class":"x""#] {
        assert!(written.contains(entry), "{written}");
    }
    assert!(!written.contains("EmptyMap"));
}

#[test]
fn an_empty_map_is_marked_in_metadata_only() {
    let data_center = DataCenter::Amazon(Metadata::default());
    let written = text(write_instance(&Instance { data_center, ..kiln_4() }, KILN_4_TIMES));
    assert!(written.contains(r#""name":"Amazon","metadata":{}},"leaseInfo""#), "{written}");
    assert!(written.contains(r#"},"metadata":{"@class":"java.util.Collections$EmptyMap"},"#), "{written}");
}
