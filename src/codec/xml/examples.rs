//! Whole documents, byte for byte as Java's codecs wrote them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use super::*;
use crate::codec::{Group, Limits, Shown, StatusDocument};
use crate::model::{
    ActionType, AppName, DataCenter, GivenDataCenter, Instance, InstanceStatus, LeaseRequest, LeaseTimes, Metadata,
    NonAmazon, Port, Registration, ReplicationOutcome,
};

fn accepted(registration: Registration) -> Instance {
    registration.accept_alone(0).unwrap()
}

fn shown(instance: Instance, times: LeaseTimes) -> Shown {
    Shown { instance: Arc::new(instance), times }
}

/// A whole one.
fn kiln_3() -> Shown {
    let mut given = Registration::new("pottery");
    given.instance_id = Some("kiln-3.example:pottery:9321".into());
    given.host_name = Some("kiln-3.example".into());
    given.ip_addr = Some("10.20.30.3".into());
    given.port = Port { number: 9321, enabled: true };
    given.secure_port = Port { number: 443, enabled: false };
    given.data_center = GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn));
    given.metadata = Metadata::new([("glaze_type", "a<b & \"c\""), ("owner", "Zoë 🏺")]);
    given.app_group_name = Some("CRAFT".into());
    given.home_page_url = Some("http://kiln-3.example:9321/".into());
    given.status_page_url = Some("http://kiln-3.example:9321/actuator/info".into());
    given.health_check_url = Some("http://kiln-3.example:9321/actuator/health".into());
    given.secure_health_check_url = Some("".into());
    given.vip_address = Some("pottery".into());
    given.secure_vip_address = Some("pottery".into());
    given.last_updated = Some(1_760_000_001_000);
    given.last_dirty = Some(1_760_000_000_400);
    given.action = Some(ActionType::Added);
    let times = LeaseTimes {
        registration: 1_760_000_001_000,
        last_renewal: 1_760_000_031_000,
        eviction: 0,
        service_up: 1_760_000_000_500,
    };
    shown(accepted(given), times)
}

/// One with nothing but what it must have.
fn kiln_4(action: ActionType) -> Shown {
    let at = 1_760_000_003_000;
    let mut given = Registration::new("POTTERY");
    given.host_name = Some("kiln-4.example".into());
    given.ip_addr = Some("10.20.30.4".into());
    given.data_center = GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn));
    given.last_updated = Some(at);
    given.last_dirty = Some(at);
    given.action = Some(action);
    shown(accepted(given), LeaseTimes { registration: at, last_renewal: at, eviction: 0, service_up: at })
}

/// One of Amazon's.
fn weaving() -> Shown {
    let entries = [
        ("instance-id", "i-0fe1c0ffee"),
        ("ami-id", "ami-5150"),
        ("local-ipv4", "10.20.30.9"),
        ("availability-zone", "xx-north-1a"),
        ("public-hostname", "ec2-203-0-113-9.example"),
        ("public-ipv4", "203.0.113.9"),
        ("accountId", "123123123123"),
    ];
    let mut given = Registration::new("WEAVING");
    given.instance_id = Some("i-0fe1c0ffee".into());
    given.host_name = Some("ec2-203-0-113-9.example".into());
    given.ip_addr = Some("10.20.30.9".into());
    given.status = InstanceStatus::OutOfService;
    given.overridden_status = InstanceStatus::OutOfService;
    given.port = Port { number: 7101, enabled: false };
    given.secure_port = Port { number: 7443, enabled: true };
    given.data_center = GivenDataCenter::Given(DataCenter::Amazon(Metadata::new(entries)));
    given.lease = LeaseRequest::new(15, 45);
    given.vip_address = Some("weaving.vip:7101".into());
    given.last_updated = Some(1_760_000_020_000);
    given.last_dirty = Some(1_760_000_002_000);
    given.action = Some(ActionType::Modified);
    given.asg_name = Some("weaving-v12".into());
    let times =
        LeaseTimes { registration: 1_760_000_002_000, last_renewal: 1_760_000_017_000, eviction: 0, service_up: 0 };
    shown(accepted(given), times)
}

fn pottery() -> Group {
    Group { name: AppName::new("POTTERY"), instances: vec![kiln_3(), kiln_4(ActionType::Added)] }
}

fn applications(version: i64, hash: &str, apps: Vec<Group>) -> Document {
    Document::Applications { version, hash: hash.to_owned(), apps }
}

fn registry() -> Document {
    let weaving = Group { name: AppName::new("WEAVING"), instances: vec![weaving()] };
    applications(1, "OUT_OF_SERVICE_1_UP_2_", vec![pottery(), weaving])
}

#[track_caller]
fn assert_written(written: Vec<u8>, expected: &str) {
    assert_eq!(String::from_utf8(written).unwrap(), expected);
}

/// The document of an instance inside a list, at no depth.
fn listed(shown: &Shown) -> Vec<u8> {
    let mut out = Vec::new();
    push_instance(&mut out, 0, &shown.instance, shown.times);
    assert_eq!(out.pop(), Some(b'\n'));
    out
}

#[test]
fn one_instance() {
    let expected = include_str!("../../../tests/fixtures/wire/instance.xml");
    assert_written(write_instance(&kiln_3().instance, kiln_3().times), expected);
    assert_written(listed(&kiln_3()), expected);
}

#[test]
fn one_instance_of_amazon_shows_its_status_as_down_when_asked_for_alone() {
    let expected = include_str!("../../../tests/fixtures/wire/instance-amazon.xml");
    assert_written(listed(&weaving()), expected);
    let alone = expected.replace("<status>OUT_OF_SERVICE</status>", "<status>DOWN</status>");
    assert_written(write_instance(&weaving().instance, weaving().times), &alone);
}

#[test]
fn one_instance_with_nothing_but_what_it_must_have() {
    let shown = kiln_4(ActionType::Added);
    let expected = include_str!("../../../tests/fixtures/wire/instance-minimal.xml");
    assert_written(write_instance(&shown.instance, shown.times), expected);
}

#[test]
fn one_application() {
    let document = Document::Application(pottery());
    let expected = include_str!("../../../tests/fixtures/wire/application.xml");
    assert_written(write_document(&document, Detail::Full), expected);
    let expected = include_str!("../../../tests/fixtures/wire/application-compact.xml");
    assert_written(write_document(&document, Detail::Compact), expected);
}

#[test]
fn the_registry() {
    let expected = include_str!("../../../tests/fixtures/wire/registry.xml");
    assert_written(write_document(&registry(), Detail::Full), expected);
    let expected = include_str!("../../../tests/fixtures/wire/registry-compact.xml");
    assert_written(write_document(&registry(), Detail::Compact), expected);
}

#[test]
fn the_empty_registry() {
    let document = applications(1, "", Vec::new());
    let expected = include_str!("../../../tests/fixtures/wire/registry-empty.xml");
    assert_written(write_document(&document, Detail::Full), expected);
    let expected = include_str!("../../../tests/fixtures/wire/registry-empty-compact.xml");
    assert_written(write_document(&document, Detail::Compact), expected);
}

#[test]
fn a_delta() {
    let group = Group { name: AppName::new("POTTERY"), instances: vec![kiln_4(ActionType::Deleted)] };
    let document = applications(7, "OUT_OF_SERVICE_1_UP_1_", vec![group]);
    let expected = include_str!("../../../tests/fixtures/wire/delta.xml");
    assert_written(write_document(&document, Detail::Full), expected);
}

#[test]
fn the_answer_to_a_batch() {
    let plain = |status| ReplicationOutcome { status, entity: None };
    let newer = ReplicationOutcome { status: 409, entity: Some((weaving().instance, weaving().times)) };
    let outcomes = [plain(200), newer, plain(200), plain(200), plain(404)];
    let expected = include_str!("../../../tests/fixtures/wire/batch-response.xml");
    assert_written(write_outcomes(&outcomes), expected);
    let empty = "<com.netflix.eureka.cluster.protocol.ReplicationListResponse>\n  <responseList/>\n\
                 </com.netflix.eureka.cluster.protocol.ReplicationListResponse>";
    assert_written(write_outcomes(&[]), empty);
}

#[test]
fn the_status_document() {
    let mut given = Registration::new("eureka-server");
    given.instance_id = Some("10.20.30.1:eureka-server:8761".into());
    given.host_name = Some("localhost".into());
    given.ip_addr = Some("10.20.30.1".into());
    given.port = Port { number: 8761, enabled: true };
    given.secure_port = Port { number: 443, enabled: false };
    given.data_center = GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn));
    given.metadata = Metadata::new([("management.port", "8761")]);
    given.home_page_url = Some("http://localhost:8761/".into());
    given.status_page_url = Some("http://localhost:8761/actuator/info".into());
    given.health_check_url = Some("http://localhost:8761/actuator/health".into());
    given.vip_address = Some("eureka-server".into());
    given.secure_vip_address = Some("eureka-server".into());
    given.last_updated = Some(1_760_000_000_000);
    given.last_dirty = Some(1_760_000_000_000);
    let pairs = |pairs: &[(&'static str, &str)]| pairs.iter().map(|&(name, value)| (name, value.to_owned())).collect();
    let mut status = StatusDocument {
        general: pairs(&[
            ("num-of-cpus", "2"),
            ("total-avail-memory", "90mb"),
            ("current-memory-usage", "41mb (45%)"),
            ("server-uptime", "00:01"),
        ]),
        application: pairs(&[("registered-replicas", ""), ("available-replicas", ""), ("unavailable-replicas", "")]),
        own: Arc::new(accepted(given)),
        healthy: None,
    };
    let expected = include_str!("../../../tests/fixtures/wire/status.xml");
    assert_written(write_status(&status), expected);
    status.healthy = Some(true);
    let end = "  </instanceInfo>\n  <isHeathly>true</isHeathly>\n</com.netflix.eureka.util.StatusInfo>";
    assert!(String::from_utf8(write_status(&status)).unwrap().ends_with(end));
}

#[test]
fn an_error() {
    let expected = "<error><message>cannot parse request body</message></error>";
    assert_written(error("cannot parse request body"), expected);
    assert_written(error("\"<\" & so on"), "<error><message>&quot;&lt;&quot; &amp; so on</message></error>");
}

#[test]
fn the_written_instance_is_read_as_it_was() {
    for shown in [kiln_3(), kiln_4(ActionType::Added), weaving()] {
        let read = read_instance(&listed(&shown), &Limits::default()).unwrap();
        assert_eq!(accepted(read), *shown.instance);
    }
}
