//! Any instance, for tests of what holds for all of them.

use proptest::prelude::*;

use crate::model::{
    ActionType, AppName, DataCenter, Instance, InstanceId, InstanceStatus, LeaseRequest, Metadata, NonAmazon, Port,
    Text,
};

fn text() -> impl Strategy<Value = Text> {
    any::<String>().prop_map(Text::from)
}

fn filled() -> impl Strategy<Value = Text> {
    text().prop_filter("empty counts as absent", |text| !text.is_empty())
}

/// What can stand in a path.
pub(super) fn name() -> impl Strategy<Value = Text> {
    filled().prop_filter("no path can hold U+0000", |text| !text.contains('\0'))
}

fn port() -> impl Strategy<Value = Port> {
    any::<(i32, bool)>().prop_map(|(number, enabled)| Port { number, enabled })
}

pub(super) fn status() -> impl Strategy<Value = InstanceStatus> {
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
    pub(super) fn instance()(
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
