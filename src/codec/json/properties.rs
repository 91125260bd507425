//! What holds for every body and every instance.

use proptest::prelude::*;

use super::samples::KILN_3_TIMES;
use super::{error, read_batch, read_instance, write_instance};
use crate::codec::Limits;
use crate::model::{
    ActionType, AppName, DataCenter, Instance, InstanceId, InstanceStatus, LeaseRequest, Metadata, NonAmazon, Port,
    Text,
};

const BODIES: [&str; 3] = [
    include_str!("../../../tests/fixtures/wire/spring-client.json"),
    include_str!("../../../tests/fixtures/wire/amazon.json"),
    include_str!("../../../tests/fixtures/wire/batch-request.json"),
];

/// Reads a body in every way there is; an error must be one line that JSON can carry.
fn read_all(body: &[u8]) -> Result<(), TestCaseError> {
    let limits = Limits {
        nesting_depth: 6,
        metadata_entries: 3,
        metadata_length: 20,
        name_length: 10,
        text_length: 20,
        vip_names: 1,
        body_values: 200,
        batch_items: 2,
    };
    for limits in [limits, Limits::default()] {
        let single = read_instance(body, &limits).err();
        let batch = match read_batch(body, &limits) {
            Ok(items) => items.into_iter().filter_map(Result::err).collect(),
            Err(error) => vec![error],
        };
        for text in single.into_iter().chain(batch).map(|error| error.to_string()) {
            prop_assert!(!text.contains(char::is_control), "{:?}", text);
            prop_assert!(serde_json::from_slice::<serde_json::Value>(&error(&text)).is_ok());
        }
    }
    Ok(())
}

fn text() -> impl Strategy<Value = Text> {
    any::<String>().prop_map(Text::from)
}

fn filled() -> impl Strategy<Value = Text> {
    text().prop_filter("empty counts as absent", |text| !text.is_empty())
}

/// What can stand in a path.
fn name() -> impl Strategy<Value = Text> {
    filled().prop_filter("no path can hold U+0000", |text| !text.contains('\0'))
}

fn port() -> impl Strategy<Value = Port> {
    any::<(i32, bool)>().prop_map(|(number, enabled)| Port { number, enabled })
}

fn status() -> impl Strategy<Value = InstanceStatus> {
    prop::sample::select(InstanceStatus::ALL.to_vec())
}

fn data_center() -> impl Strategy<Value = DataCenter> {
    // The id of an Amazon machine is filled in when it is missing, so it is not.
    let amazon = prop::collection::vec((text(), text()), 0..6).prop_map(|entries| {
        let machine = (Text::from("instance-id"), Text::from("i-1"));
        DataCenter::Amazon(Metadata::new(entries.into_iter().chain([machine])))
    });
    prop_oneof![Just(DataCenter::Own(NonAmazon::MyOwn)), Just(DataCenter::Own(NonAmazon::Netflix)), amazon]
}

/// Metadata with neither the marker of an empty map nor an id for old Spring clients.
fn metadata() -> impl Strategy<Value = Metadata> {
    prop::collection::vec((text(), text()), 0..20).prop_map(|entries| {
        Metadata::new(entries.into_iter().filter(|(key, _)| !matches!(&**key, "@class" | "instanceId")))
    })
}

prop_compose! {
    /// Any instance as the wire can carry it.
    fn instance()(
        (instance_id, host_name, ip_addr) in (prop::option::of(name()), name(), filled()),
        (app, group) in (name(), prop::option::of(filled())),
        sid in prop::option::of(text()).prop_filter("never shown", |sid| {
            !matches!(sid.as_deref(), Some("na" | "unknown"))
        }),
        (status, overridden_status) in (status(), status()),
        (port, secure_port, country_id) in (port(), port(), any::<i32>()),
        (data_center, metadata) in (data_center(), metadata()),
        (renewal, duration) in (1_i32.., 1_i32..),
        urls in prop::collection::vec(prop::option::of(text()), 4),
        (vip_address, secure_vip_address, asg_name) in
            (prop::option::of(text()), prop::option::of(text()), prop::option::of(text())),
        (last_updated, last_dirty) in any::<(i64, i64)>(),
        action in prop::option::of(prop::sample::select(vec![
            ActionType::Added, ActionType::Modified, ActionType::Deleted,
        ])),
    ) -> Instance {
        let machine = data_center.amazon_instance_id().map(Text::from);
        let id = instance_id.clone().or(machine).unwrap_or_else(|| host_name.clone());
        let url = |at: usize| urls.get(at).cloned().flatten();
        Instance {
            id: InstanceId::new(id),
            instance_id,
            app: AppName::new(&app),
            host_name,
            ip_addr,
            sid,
            status,
            overridden_status,
            port,
            secure_port,
            country_id,
            data_center,
            lease: LeaseRequest::new(renewal, duration),
            metadata,
            app_group_name: group.map(|group| AppName::new(&group).text()),
            home_page_url: url(0),
            status_page_url: url(1),
            health_check_url: url(2),
            secure_health_check_url: url(3),
            vip_address,
            secure_vip_address,
            is_coordinating_discovery_server: false,
            last_updated,
            last_dirty,
            action,
            asg_name,
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        read_all(&body)?;
    }

    #[test]
    fn no_damage_to_a_body_makes_a_reader_panic(
        base in prop::sample::select(BODIES.to_vec()),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..40, prop_oneof![
            prop::collection::vec(any::<u8>(), 0..4),
            prop::sample::select(vec![
                "null", "{}", "[]", "[{\"a\":{}}]", "\"\"", "\"\\ud800\"", "1e999", "-1", "{", "}", "\"", ",", ":",
                "\"x\":{\"y\":[]},",
            ]).prop_map(|token| token.as_bytes().to_vec()),
        ]), 1..4),
    ) {
        let mut body = base.as_bytes().to_vec();
        for (place, removed, added) in damage {
            let start = place.index(body.len() + 1);
            let end = (start + removed).min(body.len());
            body.splice(start..end, added);
        }
        read_all(&body)?;
    }

    #[test]
    fn what_is_written_is_read_as_it_was(instance in instance()) {
        let body = write_instance(&instance, KILN_3_TIMES);
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&body).is_ok());
        let limits = Limits::default();
        let read = read_instance(&body, &limits).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let accepted = read.accept(&instance.app, 0).map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
        prop_assert_eq!(accepted, instance);
    }
}
