//! What holds for any body and any instance.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::source::{Source, text_of};
use super::text::is_xml_char;
use super::*;
use crate::codec::wanted::EVERYTHING;
use crate::codec::{Group, Limits, Shown, StatusDocument};
use crate::model::{
    ActionType, AppName, DataCenter, GivenDataCenter, Instance, InstanceId, InstanceStatus, LeaseRequest, LeaseTimes,
    Metadata, NonAmazon, Port, Registration, ReplicationOutcome, Text,
};

/// Any Unicode, and more often than chance would have it what XML is touchy about.
fn any_text() -> impl Strategy<Value = Text> {
    let touchy = select(vec![
        '\0', '\u{1}', '\t', '\n', '\u{b}', '\r', '\u{1f}', ' ', '<', '>', '&', '"', '\'', ']', '-', '_', '$', '.',
        ':', '1', 'a', 'é', '\u{7f}', '\u{85}', '\u{9f}', '\u{378}', '\u{2028}', '\u{fdd0}', '\u{fffd}', '\u{fffe}',
        '\u{ffff}', '🏺',
    ]);
    vec(prop_oneof![touchy, any::<char>()], 0..12).prop_map(|chars| chars.into_iter().collect::<String>().into())
}

fn any_metadata() -> impl Strategy<Value = Metadata> {
    vec((any_text(), any_text()), 0..20).prop_map(Metadata::new)
}

fn any_data_center() -> impl Strategy<Value = DataCenter> {
    let known =
        [("public-ipv4", "203.0.113.9"), ("instance-id", "i-]]>")].map(|(key, value)| (key.into(), value.into()));
    prop_oneof![
        select(vec![NonAmazon::MyOwn, NonAmazon::Netflix]).prop_map(DataCenter::Own),
        any_metadata().prop_map(DataCenter::Amazon),
        any_metadata().prop_map(move |metadata| DataCenter::Amazon(metadata.with(known.clone()))),
    ]
}

prop_compose! {
    fn any_instance()(
        texts in vec(any_text(), 4),
        optional in vec(option::of(any_text()), 10),
        statuses in [select(&InstanceStatus::ALL[..]), select(&InstanceStatus::ALL[..])],
        ports in any::<[(i32, bool); 2]>(),
        data_center in any_data_center(),
        metadata in any_metadata(),
        numbers in any::<(i32, i32, i32, i64, i64)>(),
        action in option::of(select(vec![ActionType::Added, ActionType::Modified, ActionType::Deleted])),
        coordinating in any::<bool>(),
    ) -> Instance {
        let mut texts = texts.into_iter();
        let mut text = || texts.next().unwrap();
        let mut optional = optional.into_iter();
        let mut maybe = || optional.next().unwrap();
        let port = |(number, enabled)| Port { number, enabled };
        Instance {
            id: InstanceId::new(text()),
            instance_id: maybe(),
            app: AppName::new(&text()),
            host_name: text(),
            ip_addr: text(),
            sid: maybe(),
            status: statuses[0],
            overridden_status: statuses[1],
            port: port(ports[0]),
            secure_port: port(ports[1]),
            country_id: numbers.0,
            data_center,
            lease: LeaseRequest::new(numbers.1, numbers.2),
            metadata,
            app_group_name: maybe(),
            home_page_url: maybe(),
            status_page_url: maybe(),
            health_check_url: maybe(),
            secure_health_check_url: maybe(),
            vip_address: maybe(),
            secure_vip_address: maybe(),
            is_coordinating_discovery_server: coordinating,
            last_updated: numbers.3,
            last_dirty: numbers.4,
            action,
            asg_name: maybe(),
        }
    }
}

/// A text as XML can show it.
fn carried(text: &str) -> Text {
    text.chars().map(|c| if is_xml_char(c) { c } else { '\u{fffd}' }).collect::<String>().into()
}

fn carried_metadata(metadata: &Metadata) -> Metadata {
    Metadata::new(metadata.iter().filter(|(key, _)| !key.is_empty()).map(|(key, value)| (key, carried(value))))
}

/// What a reader of its XML can know of an instance.
fn carried_instance(instance: &Instance) -> Registration {
    let optional = |text: &Option<Text>| text.as_deref().map(carried);
    let filled = |text: &Text| Some(carried(text)).filter(|text| !text.is_empty());
    Registration {
        instance_id: instance.instance_id.as_ref().and_then(filled),
        app: AppName::new(&carried(instance.app.as_str())),
        host_name: filled(&instance.host_name),
        ip_addr: filled(&instance.ip_addr),
        sid: optional(&instance.sid).filter(|sid| !matches!(&**sid, "na" | "unknown")),
        status: instance.status,
        overridden_status: instance.overridden_status,
        port: instance.port,
        secure_port: instance.secure_port,
        country_id: instance.country_id,
        data_center: GivenDataCenter::Given(match &instance.data_center {
            DataCenter::Amazon(metadata) => DataCenter::Amazon(carried_metadata(metadata)),
            own @ DataCenter::Own(_) => own.clone(),
        }),
        lease: instance.lease,
        metadata: carried_metadata(&instance.metadata),
        app_group_name: optional(&instance.app_group_name),
        home_page_url: optional(&instance.home_page_url),
        status_page_url: optional(&instance.status_page_url),
        health_check_url: optional(&instance.health_check_url),
        secure_health_check_url: optional(&instance.secure_health_check_url),
        vip_address: optional(&instance.vip_address),
        secure_vip_address: optional(&instance.secure_vip_address),
        last_updated: Some(instance.last_updated),
        last_dirty: Some(instance.last_dirty),
        action: instance.action,
        asg_name: optional(&instance.asg_name),
    }
}

fn assert_well_formed(document: &[u8]) -> Result<(), TestCaseError> {
    let parsed =
        text_of(document).and_then(|text| tree::parse(Source(&text), &Limits::default(), &EVERYTHING).map(|_| ()));
    prop_assert!(parsed.is_ok(), "{}\n{}", parsed.unwrap_err(), String::from_utf8_lossy(document));
    Ok(())
}

/// One change of a body: at a place, so many bytes out, these in.
fn any_change() -> impl Strategy<Value = (Index, usize, Vec<u8>)> {
    let snippets: Vec<&[u8]> = vec![
        b"",
        b"<",
        b">",
        b"&",
        b"</",
        b"/>",
        b"<x>",
        b"</x>",
        b"<!--",
        b"-->",
        b"]]>",
        b"<![CDATA[",
        b"<?xml version='1.1'?>",
        b"<?",
        b"<!DOCTYPE a [<!ENTITY b \"",
        b"&b;",
        b"&#0;",
        b"&#x85;",
        b"_.",
        b"_.d800",
        b" enabled='",
        b"\r\n",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"encoding='utf-16'",
        b"99999999999999999999",
        b"\xc2\x85",
        b"\xe2\x80\xa8",
    ];
    let inserted = prop_oneof![select(snippets).prop_map(<[u8]>::to_vec), vec(any::<u8>(), 0..4)];
    (any::<Index>(), 0..20_usize, inserted)
}

proptest! {
    #[test]
    fn reading_any_bytes_ends(body in vec(any::<u8>(), 0..200)) {
        let _ = read_instance(&body, &Limits::default());
    }

    #[test]
    fn reading_a_changed_body_ends(changes in vec(any_change(), 1..5)) {
        let mut body = b"<?xml version='1.1' encoding='ISO-8859-1'?>\r\n".to_vec();
        body.extend_from_slice(include_bytes!("../../../tests/fixtures/wire/instance-amazon.xml"));
        for (place, out, inserted) in changes {
            let at = place.index(body.len() + 1);
            let end = body.len().min(at + out);
            body.splice(at..end, inserted);
        }
        let _ = read_instance(&body, &Limits::default());
    }

    #[test]
    fn what_is_written_is_read_as_it_was(instance in any_instance()) {
        let mut body = Vec::new();
        push_instance(&mut body, 0, &instance, LeaseTimes::default());
        prop_assert_eq!(read_instance(&body, &Limits::default()), Ok(carried_instance(&instance)));
    }

    #[test]
    fn every_document_is_well_formed(
        name in any_text(),
        hash in any_text(),
        instances in vec(any_instance(), 1..3),
        times in any::<[i64; 4]>(),
    ) {
        let times =
            LeaseTimes { registration: times[0], last_renewal: times[1], eviction: times[2], service_up: times[3] };
        let own = Arc::new(instances[0].clone());
        let instances = instances.into_iter().map(|instance| Shown { instance: Arc::new(instance), times }).collect();
        let group = Group { name: AppName::new(&name), instances };
        let documents = [
            Document::Application(group.clone()),
            Document::Applications { version: times.eviction, hash: hash.to_string(), apps: vec![group.clone(), group] },
        ];
        for document in &documents {
            assert_well_formed(&write_document(document, Detail::Full))?;
            assert_well_formed(&write_document(document, Detail::Compact))?;
        }
        assert_well_formed(&write_instance(&own, times))?;
        assert_well_formed(&write_outcomes(&[ReplicationOutcome { status: 409, entity: Some((own.clone(), times)) }]))?;
        let general = vec![("num-of-cpus", hash.to_string())];
        assert_well_formed(&write_status(&StatusDocument { general, application: Vec::new(), own, healthy: None }))?;
        assert_well_formed(&error(&hash))?;
    }
}
