//! Full instances, and the lists of either detail.

use std::io::Write as _;

use super::emit::{Members, Supplementary, object, string};
use super::{AMAZON_CLASS, DEFAULT_CLASS, compact_instance, id_from_metadata};
use crate::codec::document::shown_sid;
use crate::codec::pieces::{Edges, Frame};
use crate::codec::{Detail, Document, Group};
use crate::model::{ActionType, DataCenter, Instance, LeaseTimes, Port};

/// A list: `{"applications":{…}}` or `{"application":{…}}`.
pub fn write_document(document: &Document, detail: Detail) -> Vec<u8> {
    match document {
        Document::Application(app) => {
            let mut out = b"{\"application\":".to_vec();
            push_group(&mut out, detail, app, Edges::WHOLE);
            out.push(b'}');
            out
        }
        Document::Applications { version, hash, apps } => {
            let frame = Frame { version: *version, hash, empty: apps.is_empty() };
            let mut out = write_head(detail, frame);
            push_groups(&mut out, detail, apps, Edges::WHOLE);
            out.append(&mut write_tail(detail, frame));
            out
        }
    }
}

/// See [`pieces::head`](crate::codec::pieces::head).
pub fn write_head(detail: Detail, frame: Frame<'_>) -> Vec<u8> {
    let mut out = b"{\"applications\":{".to_vec();
    if detail == Detail::Full {
        push_frame(&mut out, frame);
        out.push(b',');
    }
    out.extend_from_slice(b"\"application\":[");
    out
}

/// See [`pieces::tail`](crate::codec::pieces::tail).
pub fn write_tail(detail: Detail, frame: Frame<'_>) -> Vec<u8> {
    let mut out = b"]".to_vec();
    if detail == Detail::Compact {
        // A bean property that came in by accident with eureka-core 2.0.6.
        out.extend_from_slice(b",\"registeredApplicationsEmpty\":");
        out.extend_from_slice(word(frame.empty).as_bytes());
        out.push(b',');
        push_frame(&mut out, frame);
    }
    out.extend_from_slice(b"}}");
    out
}

/// See [`pieces::piece`](crate::codec::pieces::piece).
pub fn write_piece(detail: Detail, apps: &[Group], edges: Edges) -> Vec<u8> {
    let mut out = Vec::new();
    push_groups(&mut out, detail, apps, edges);
    out
}

fn push_frame(out: &mut Vec<u8>, frame: Frame<'_>) {
    // Writing into a Vec cannot fail.
    let _ = write!(out, "\"versions__delta\":\"{}\",\"apps__hashcode\":", frame.version);
    string(out, frame.hash, Supplementary::Raw);
}

/// A single instance: `{"instance":{…}}`. Also what a heartbeat of an outdated peer is answered.
pub fn write_instance(instance: &Instance, times: LeaseTimes) -> Vec<u8> {
    let mut out = Vec::new();
    object(&mut out, Supplementary::Escaped, |root| {
        self::instance(root.value("instance"), instance, times, Supplementary::Escaped);
    });
    out
}

fn push_groups(out: &mut Vec<u8>, detail: Detail, apps: &[Group], edges: Edges) {
    for (at, (app, edges)) in edges.of_each(apps).enumerate() {
        if at > 0 {
            out.push(b',');
        }
        push_group(out, detail, app, edges);
    }
}

fn push_group(out: &mut Vec<u8>, detail: Detail, app: &Group, edges: Edges) {
    if edges.opens {
        out.extend_from_slice(b"{\"name\":");
        string(out, app.name.as_str(), Supplementary::Raw);
        out.extend_from_slice(b",\"instance\":[");
    }
    for (at, shown) in app.instances.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        match detail {
            Detail::Full => instance(out, &shown.instance, shown.times, Supplementary::Raw),
            Detail::Compact => compact_instance(out, &shown.instance),
        }
    }
    if edges.closes {
        out.extend_from_slice(b"]}");
    }
}

/// Appends a full instance without its wrapper, as it stands in lists and batches.
pub fn instance(out: &mut Vec<u8>, instance: &Instance, times: LeaseTimes, supplementary: Supplementary) {
    object(out, supplementary, |members| {
        match &instance.instance_id {
            Some(id) => members.text("instanceId", id),
            None => members.optional("instanceId", id_from_metadata(&instance.metadata, &instance.host_name).as_ref()),
        }
        members.text("hostName", &instance.host_name);
        members.text("app", instance.app.as_str());
        members.text("ipAddr", &instance.ip_addr);
        members.optional("sid", shown_sid(instance));
        members.text("status", instance.status.as_str());
        members.text("overriddenStatus", instance.overridden_status.as_str());
        port(members, "port", instance.port);
        port(members, "securePort", instance.secure_port);
        members.number("countryId", instance.country_id);
        data_center(members, &instance.data_center, |_| true);
        members.object("leaseInfo", |lease| {
            lease.number("renewalIntervalInSecs", instance.lease.renewal_interval_secs);
            lease.number("durationInSecs", instance.lease.duration_secs);
            lease.number("registrationTimestamp", times.registration);
            lease.number("lastRenewalTimestamp", times.last_renewal);
            lease.number("evictionTimestamp", times.eviction);
            lease.number("serviceUpTimestamp", times.service_up);
        });
        members.object("metadata", |metadata| {
            if instance.metadata.is_empty() {
                metadata.text("@class", "java.util.Collections$EmptyMap");
            }
            for (key, value) in instance.metadata.iter() {
                metadata.entry(key, value);
            }
        });
        members.optional("appGroupName", instance.app_group_name.as_ref());
        members.optional("homePageUrl", instance.home_page_url.as_ref());
        members.optional("statusPageUrl", instance.status_page_url.as_ref());
        members.optional("healthCheckUrl", instance.health_check_url.as_ref());
        members.optional("secureHealthCheckUrl", instance.secure_health_check_url.as_ref());
        members.optional("vipAddress", instance.vip_address.as_ref());
        members.optional("secureVipAddress", instance.secure_vip_address.as_ref());
        members.text("isCoordinatingDiscoveryServer", word(instance.is_coordinating_discovery_server));
        members.quoted_number("lastUpdatedTimestamp", instance.last_updated);
        members.quoted_number("lastDirtyTimestamp", instance.last_dirty);
        members.optional("actionType", instance.action.map(ActionType::as_str));
        members.optional("asgName", instance.asg_name.as_ref());
    });
}

/// A port: its number is a number, its switch a text.
pub(super) fn port(members: &mut Members<'_>, name: &str, port: Port) {
    members.object(name, |members| {
        members.number("$", port.number);
        members.text("@enabled", word(port.enabled));
    });
}

/// Where an instance runs, with those of Amazon's entries that are to be shown.
pub(super) fn data_center(members: &mut Members<'_>, data_center: &DataCenter, shown: fn(&str) -> bool) {
    members.object("dataCenterInfo", |members| {
        let amazon = matches!(data_center, DataCenter::Amazon(_));
        members.text("@class", if amazon { AMAZON_CLASS } else { DEFAULT_CLASS });
        members.text("name", data_center.name());
        if let DataCenter::Amazon(metadata) = data_center {
            members.object("metadata", |entries| {
                for (key, value) in metadata.iter().filter(|(key, _)| shown(key)) {
                    entries.entry(key, value);
                }
            });
        }
    });
}

fn word(on: bool) -> &'static str {
    if on { "true" } else { "false" }
}

#[cfg(test)]
mod tests;
