//! One instance of an application, as registered (`InstanceInfo`).

use super::{ActionType, AppName, DataCenter, InstanceId, InstanceStatus, LeaseRequest, Metadata, Text, WallMillis};

/// A port and whether it is in use (`InstanceInfo.PortWrapper`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// The number as sent; Java checks no range.
    pub number: i32,
    /// Whether clients should use it.
    pub enabled: bool,
}

impl Port {
    /// `InstanceInfo.DEFAULT_PORT`, in use.
    pub const DEFAULT: Self = Self { number: 7001, enabled: true };
    /// `InstanceInfo.DEFAULT_SECURE_PORT`, not in use.
    pub const DEFAULT_SECURE: Self = Self { number: 7002, enabled: false };
}

/// An instance; immutable once it is in the registry: a change makes another one.
///
/// `status` is the *effective* status, after the override rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The registry's key: `instance_id`, else the Amazon machine id, else the host name.
    pub id: InstanceId,
    /// The id as the client sent it; shown only if it did.
    pub instance_id: Option<Text>,
    /// The application, upper case.
    pub app: AppName,
    /// Never empty.
    pub host_name: Text,
    /// Never empty.
    pub ip_addr: Text,
    /// Shown unless it is `na` or `unknown`.
    pub sid: Option<Text>,
    /// What clients go by.
    pub status: InstanceStatus,
    /// The status that somebody set from outside; UNKNOWN for none.
    pub overridden_status: InstanceStatus,
    /// The plain port.
    pub port: Port,
    /// The TLS port.
    pub secure_port: Port,
    /// 1 unless the client says otherwise.
    pub country_id: i32,
    /// Where it runs.
    pub data_center: DataCenter,
    /// What it asks for its lease.
    pub lease: LeaseRequest,
    /// Free entries, in the order in which Java would list them.
    pub metadata: Metadata,
    /// Upper case when it came as JSON, as in Java.
    pub app_group_name: Option<Text>,
    /// Shown as a link on the dashboard.
    pub home_page_url: Option<Text>,
    /// Shown as a link on the dashboard.
    pub status_page_url: Option<Text>,
    /// Where a health check may ask.
    pub health_check_url: Option<Text>,
    /// The same over TLS.
    pub secure_health_check_url: Option<Text>,
    /// Comma-separated names under which clients look it up.
    pub vip_address: Option<Text>,
    /// The same for its TLS port.
    pub secure_vip_address: Option<Text>,
    /// Always false for a registered instance of a server that has no record of its own there.
    pub is_coordinating_discovery_server: bool,
    /// When the server last changed it, in milliseconds.
    pub last_updated: WallMillis,
    /// The client's own version of its data, in milliseconds; the newest wins between peers.
    pub last_dirty: WallMillis,
    /// What the last change did; none before it is registered.
    pub action: Option<ActionType>,
    /// The auto scaling group, as sent.
    pub asg_name: Option<Text>,
}

impl Instance {
    /// The single names of a comma-separated VIP list.
    pub fn vips(list: Option<&Text>) -> impl Iterator<Item = &str> {
        list.into_iter().flat_map(|list| list.split(','))
    }
}
