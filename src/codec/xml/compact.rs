//! Compact XML (`X-Eureka-Accept: compact`), as Jackson writes it: one line, without what a load
//! balancer does not need (`MiniInstanceInfoMixIn`, `InstanceInfoXmlBeanSerializer`).

use super::tags::{self, push_end, push_plain, push_start};
use super::text;
use crate::codec::Group;
use crate::codec::document::shown_in_compact;
use crate::codec::pieces::{Edges, Frame};
use crate::model::{ActionType, DataCenter, Instance};

/// One application, compact.
pub(super) fn write_application(app: &Group) -> Vec<u8> {
    let mut out = Vec::new();
    push_application(&mut out, app, Edges::WHOLE);
    out
}

/// What precedes the first application.
pub(super) const HEAD: &[u8] = b"<applications>";

/// From the last application on.
pub(super) fn write_tail(frame: Frame<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    // An accident of Java's since 2.0.6, which clients have come to see.
    push_plain(&mut out, "registeredApplicationsEmpty", frame.empty);
    push_plain(&mut out, "versions__delta", frame.version);
    push_text(&mut out, "apps__hashcode", frame.hash);
    push_end(&mut out, "applications");
    out
}

/// Applications of a list, the first and the last perhaps in part.
pub(super) fn push_applications(out: &mut Vec<u8>, apps: &[Group], edges: Edges) {
    for (app, edges) in edges.of_each(apps) {
        push_application(out, app, edges);
    }
}

fn push_application(out: &mut Vec<u8>, app: &Group, edges: Edges) {
    if edges.opens {
        push_start(out, "application");
        push_text(out, "name", app.name.as_str());
    }
    for shown in &app.instances {
        push_compact_instance(out, &shown.instance);
    }
    if edges.closes {
        push_end(out, "application");
    }
}

/// Appends an instance as it stands in a compact list.
pub fn push_compact_instance(out: &mut Vec<u8>, shown: &Instance) {
    push_start(out, "instance");
    push_optional(out, "instanceId", shown.instance_id.as_deref());
    push_text(out, "app", shown.app.as_str());
    push_text(out, "ipAddr", &shown.ip_addr);
    push_optional(out, "vipAddress", shown.vip_address.as_deref());
    push_optional(out, "secureVipAddress", shown.secure_vip_address.as_deref());
    push_data_center(out, &shown.data_center);
    push_text(out, "hostName", &shown.host_name);
    push_plain(out, "status", shown.status);
    push_plain(out, "lastUpdatedTimestamp", shown.last_updated);
    push_optional(out, "actionType", shown.action.map(ActionType::as_str));
    push_optional(out, "asgName", shown.asg_name.as_deref());
    push_plain(out, tags::port(shown.port), shown.port.number);
    push_plain(out, tags::secure_port(shown.secure_port), shown.secure_port.number);
    push_end(out, "instance");
}

fn push_data_center(out: &mut Vec<u8>, data_center: &DataCenter) {
    let tag = tags::data_center(data_center);
    push_start(out, tag);
    push_plain(out, "name", data_center.name());
    if let DataCenter::Amazon(metadata) = data_center {
        let mut entries = metadata.iter().filter(|(key, _)| shown_in_compact(key)).peekable();
        if entries.peek().is_none() {
            push_start(out, "metadata/");
        } else {
            push_start(out, "metadata");
            // The keys that are shown are names of elements as they are.
            entries.for_each(|(key, value)| push_text(out, key, value));
            push_end(out, "metadata");
        }
    }
    push_end(out, tag);
}

fn push_text(out: &mut Vec<u8>, tag: &str, value: &str) {
    push_start(out, tag);
    text::push_compact(out, value);
    push_end(out, tag);
}

fn push_optional(out: &mut Vec<u8>, tag: &str, value: Option<&str>) {
    if let Some(value) = value {
        push_text(out, tag, value);
    }
}
