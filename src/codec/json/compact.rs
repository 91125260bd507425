//! The small form of an instance: what a load balancer needs.

use super::emit::{Supplementary, object};
use super::write::{data_center, port};
use crate::codec::document::shown_in_compact;
use crate::model::{ActionType, Instance};

/// Appends the small form of an instance, as it stands in lists; nothing else shows it.
pub fn compact_instance(out: &mut Vec<u8>, instance: &Instance) {
    object(out, Supplementary::Raw, |members| {
        members.optional("instanceId", instance.instance_id.as_ref());
        members.text("app", instance.app.as_str());
        members.text("ipAddr", &instance.ip_addr);
        members.optional("vipAddress", instance.vip_address.as_ref());
        members.optional("secureVipAddress", instance.secure_vip_address.as_ref());
        data_center(members, &instance.data_center, shown_in_compact);
        members.text("hostName", &instance.host_name);
        members.text("status", instance.status.as_str());
        members.number("lastUpdatedTimestamp", instance.last_updated);
        members.optional("actionType", instance.action.map(ActionType::as_str));
        members.optional("asgName", instance.asg_name.as_ref());
        port(members, "port", instance.port);
        port(members, "securePort", instance.secure_port);
    });
}
