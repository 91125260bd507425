//! What becomes of an instance that was accepted, whatever is in it.

use std::sync::Arc;

use eurekad::codec::{Detail, Document, Group, Limits, Shown, json, xml};
use eurekad::model::{AppName, Instance, LeaseTimes, Metadata, Registration};

use crate::server::xml::parse;

/// When it was accepted.
const NOW: i64 = 1_760_000_000_000;
const TIMES: LeaseTimes = LeaseTimes { registration: NOW, last_renewal: NOW, eviction: 0, service_up: NOW };

/// Room for characters that XML does not have: each is three bytes there.
const ROOMY: Limits = Limits {
    nesting_depth: 32,
    metadata_entries: 1001,
    metadata_length: 48 * 1024,
    metadata_size: 64 << 20,
    name_length: 3072,
    text_length: 48 * 1024,
    vip_names: 100,
    body_values: 250_000,
    batch_items: 1000,
};

/// The instance that a registration makes, if it makes one, as JSON carries it: no document shows these words for no
/// `sid`; there alone the name of a group is upper case, and an entry `@class` is Java's mark of an empty map.
pub(super) fn accepted(registration: Registration) -> Option<Instance> {
    let mut instance = registration.accept_alone(NOW).ok()?;
    instance.sid = instance.sid.filter(|sid| !matches!(&**sid, "na" | "unknown"));
    instance.app_group_name = instance.app_group_name.map(|name| AppName::upper(&name).into());
    instance.metadata = Metadata::new(instance.metadata.iter().filter(|(key, _)| *key != "@class"));
    Some(instance)
}

/// It is written, and read again as it was, in both syntaxes; every document that shows it is whole.
pub(super) fn assert_survives(instance: &Instance) {
    let as_json = json::write_instance(instance, TIMES);
    let read = json::read_instance(&as_json, &ROOMY).unwrap_or_else(|error| panic!("{error}: {instance:?}"));
    let from_json = accepted(read).unwrap_or_else(|| panic!("refused: {instance:?}"));
    assert_eq!(text(&json::write_instance(&from_json, TIMES)), text(&as_json));

    let as_xml = in_xml(instance);
    let read = xml::read_instance(&as_xml, &ROOMY).unwrap_or_else(|error| panic!("{error}: {instance:?}"));
    let from_xml = accepted(read).unwrap_or_else(|| panic!("refused: {instance:?}"));
    assert_eq!(text(&in_xml(&from_xml)), text(&as_xml));
    if xml_can_carry(instance) {
        assert_eq!(text(&json::write_instance(&from_xml, TIMES)), text(&as_json));
    }
    assert_is_shown(instance);
}

/// As it stands in lists: alone, it is shown with fewer statuses.
fn in_xml(instance: &Instance) -> Vec<u8> {
    let mut document = Vec::new();
    xml::push_instance(&mut document, 0, instance, TIMES);
    document
}

/// It has no character that XML lacks, which shows as another one there, and no entry without a name, which is left
/// out. (Some that XML has are counted among them.)
fn xml_can_carry(instance: &Instance) -> bool {
    let shown = format!("{instance:?}");
    !["\\u{", "\\0", "(\"\", "].iter().any(|lacking| shown.contains(lacking))
}

fn assert_is_shown(instance: &Instance) {
    let shown = Shown { instance: Arc::new(instance.clone()), times: TIMES };
    let group = Group { name: instance.app.clone(), instances: vec![shown] };
    let list = Document::Applications { version: 1, hash: "UP_1_".into(), apps: vec![group.clone()] };
    for document in [list, Document::Application(group)] {
        for detail in [Detail::Full, Detail::Compact] {
            let as_json = json::write_document(&document, detail);
            let parsed: Result<serde_json::Value, _> = serde_json::from_slice(&as_json);
            assert!(parsed.is_ok(), "{}", text(&as_json));
            let as_xml = xml::write_document(&document, detail);
            let parsed = parse(text(&as_xml));
            assert!(parsed.is_ok(), "{parsed:?}: {}", text(&as_xml));
        }
        let as_json = json::write_document(&document, Detail::Full);
        let list = json::read_applications(&as_json, &ROOMY, 10).expect("a list of one");
        let [Ok(listed)] = &list.instances[..] else { panic!("{list:?}") };
        let read = accepted(listed.registration.clone()).expect("accepted");
        assert_eq!(text(&json::write_instance(&read, TIMES)), text(&json::write_instance(instance, TIMES)));
        assert_eq!(listed.times, TIMES);
    }
}

fn text(document: &[u8]) -> &str {
    std::str::from_utf8(document).expect("UTF-8")
}
