//! Full XML, as `XStream` writes it: two spaces a level, LF, no declaration and no last line end.
//!
//! Elements come in the order of `Converters.InstanceInfoConverter`; what Java leaves out is left
//! out. An entry with an empty metadata key has no name to go by in XML and is left out too.

use std::fmt::Display;

use super::{names, tags, text};
use crate::codec::document::{ENOUGH_ENTITIES, shown_sid};
use crate::codec::pieces::{Edges, Frame};
use crate::codec::{Group, StatusDocument};
use crate::model::{ActionType, DataCenter, Instance, InstanceStatus, LeaseTimes, Metadata, ReplicationOutcome};

/// One application, in full.
pub(super) fn write_application(app: &Group) -> Vec<u8> {
    whole(|lines| application(lines, app, Edges::WHOLE))
}

/// Up to the first application.
pub(super) fn write_head(frame: Frame<'_>) -> Vec<u8> {
    let mut out = b"<applications>\n".to_vec();
    let mut lines = Lines { out: &mut out, level: 1 };
    lines.plain("versions__delta", frame.version);
    lines.text("apps__hashcode", frame.hash);
    out
}

/// Applications of a list, the first and the last perhaps in part.
pub(super) fn push_applications(out: &mut Vec<u8>, apps: &[Group], edges: Edges) {
    for (app, edges) in edges.of_each(apps) {
        application(&mut Lines { out, level: 1 }, app, edges);
    }
}

/// What follows the last application.
pub(super) const TAIL: &[u8] = b"</applications>";

/// Writes the answer to a question for one instance, also the one of a 409.
///
/// Java takes such a question for one to the first version of its API, which knew neither
/// `OUT_OF_SERVICE` nor `UNKNOWN`, and shows both as `DOWN` in `status`
/// (`V1AwareInstanceInfoConverter`). Documents of many instances show what is true.
pub fn write_instance(shown: &Instance, times: LeaseTimes) -> Vec<u8> {
    whole(|lines| lines.block("instance", |lines| instance(lines, shown, times, v1_status(shown.status))))
}

/// Appends an instance as it stands in a list, from its indentation to its line end. It is two
/// levels deep in `applications` and one in `application`.
pub fn push_instance(out: &mut Vec<u8>, level: usize, shown: &Instance, times: LeaseTimes) {
    Lines { out, level }.block("instance", |lines| instance(lines, shown, times, shown.status));
}

/// Writes the answer to a batch of a peer that does not take JSON (`ReplicationListResponse`). Once it
/// is longer than `ENOUGH_ENTITIES`, further copies of instances are left out.
pub fn write_outcomes(outcomes: &[ReplicationOutcome]) -> Vec<u8> {
    const LIST: &str = "com.netflix.eureka.cluster.protocol.ReplicationListResponse";
    const ITEM: &str = "com.netflix.eureka.cluster.protocol.ReplicationInstanceResponse";
    whole(|lines| {
        lines.block(LIST, |lines| {
            lines.block_or("responseList/", "responseList", outcomes.iter(), |lines, outcome| {
                lines.block(ITEM, |lines| {
                    lines.plain("statusCode", outcome.status);
                    if let Some((shown, times)) = outcome.entity.as_ref().filter(|_| lines.written() < ENOUGH_ENTITIES)
                    {
                        lines.block("responseEntity", |lines| instance(lines, shown, *times, shown.status));
                    }
                });
            });
        });
    })
}

/// Writes the status document (`StatusInfo`). `isHeathly` is how Java spells it.
pub fn write_status(status: &StatusDocument) -> Vec<u8> {
    whole(|lines| {
        lines.block("com.netflix.eureka.util.StatusInfo", |lines| {
            for (name, figures) in [("generalStats", &status.general), ("applicationStats", &status.application)] {
                lines.block(name, |lines| {
                    for (name, value) in figures {
                        lines.text(name, value);
                    }
                });
            }
            lines.block("instanceInfo", |lines| {
                instance(lines, &status.own, LeaseTimes::default(), v1_status(status.own.status));
            });
            if let Some(healthy) = status.healthy {
                lines.plain("isHeathly", healthy);
            }
        });
    })
}

/// The body of a 400: `<error><message>…</message></error>`.
pub fn error(message: &str) -> Vec<u8> {
    let mut out = b"<error><message>".to_vec();
    text::push_full(&mut out, message);
    out.extend_from_slice(b"</message></error>");
    out
}

fn v1_status(status: InstanceStatus) -> InstanceStatus {
    match status {
        InstanceStatus::OutOfService | InstanceStatus::Unknown => InstanceStatus::Down,
        other => other,
    }
}

fn whole(content: impl FnOnce(&mut Lines<'_>)) -> Vec<u8> {
    let mut out = Vec::new();
    content(&mut Lines { out: &mut out, level: 0 });
    // The last line end.
    out.pop();
    out
}

fn application(lines: &mut Lines<'_>, app: &Group, edges: Edges) {
    if edges.opens {
        lines.line(|out| tags::push_start(out, "application"));
        Lines { out: lines.out, level: lines.level + 1 }.text("name", app.name.as_str());
    }
    for shown in &app.instances {
        push_instance(lines.out, lines.level + 1, &shown.instance, shown.times);
    }
    if edges.closes {
        lines.line(|out| tags::push_end(out, "application"));
    }
}

/// The elements within that of an instance; `status` is what is shown of its status.
fn instance(lines: &mut Lines<'_>, shown: &Instance, times: LeaseTimes, status: InstanceStatus) {
    lines.optional("instanceId", shown.instance_id.as_deref());
    lines.text("hostName", &shown.host_name);
    lines.text("app", shown.app.as_str());
    lines.text("ipAddr", &shown.ip_addr);
    lines.optional("sid", shown_sid(shown));
    lines.plain("status", status);
    lines.plain("overriddenstatus", shown.overridden_status);
    lines.plain(tags::port(shown.port), shown.port.number);
    lines.plain(tags::secure_port(shown.secure_port), shown.secure_port.number);
    lines.plain("countryId", shown.country_id);
    lines.block(tags::data_center(&shown.data_center), |lines| {
        lines.plain("name", shown.data_center.name());
        if let DataCenter::Amazon(entries) = &shown.data_center {
            metadata(lines, entries);
        }
    });
    lines.block("leaseInfo", |lines| {
        lines.plain("renewalIntervalInSecs", shown.lease.renewal_interval_secs);
        lines.plain("durationInSecs", shown.lease.duration_secs);
        lines.plain("registrationTimestamp", times.registration);
        lines.plain("lastRenewalTimestamp", times.last_renewal);
        lines.plain("evictionTimestamp", times.eviction);
        lines.plain("serviceUpTimestamp", times.service_up);
    });
    metadata(lines, &shown.metadata);
    lines.optional("appGroupName", shown.app_group_name.as_deref());
    lines.optional("homePageUrl", shown.home_page_url.as_deref());
    lines.optional("statusPageUrl", shown.status_page_url.as_deref());
    lines.optional("healthCheckUrl", shown.health_check_url.as_deref());
    lines.optional("secureHealthCheckUrl", shown.secure_health_check_url.as_deref());
    lines.optional("vipAddress", shown.vip_address.as_deref());
    lines.optional("secureVipAddress", shown.secure_vip_address.as_deref());
    lines.plain("isCoordinatingDiscoveryServer", shown.is_coordinating_discovery_server);
    lines.plain("lastUpdatedTimestamp", shown.last_updated);
    lines.plain("lastDirtyTimestamp", shown.last_dirty);
    lines.optional("actionType", shown.action.map(ActionType::as_str));
    lines.optional("asgName", shown.asg_name.as_deref());
}

fn metadata(lines: &mut Lines<'_>, metadata: &Metadata) {
    let entries = metadata.iter().filter(|(key, _)| !key.is_empty());
    lines.block_or(
        r#"metadata class="java.util.Collections$EmptyMap"/"#,
        "metadata",
        entries,
        |lines, (key, value)| {
            lines.text(&names::escape(key), value);
        },
    );
}

/// Appends elements line by line.
struct Lines<'a> {
    out: &'a mut Vec<u8>,
    level: usize,
}

impl Lines<'_> {
    /// Bytes of the whole document so far.
    fn written(&self) -> usize {
        self.out.len()
    }

    fn text(&mut self, tag: &str, value: &str) {
        self.line(|out| {
            tags::push_start(out, tag);
            text::push_full(out, value);
            tags::push_end(out, tag);
        });
    }

    fn optional(&mut self, tag: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(tag, value);
        }
    }

    fn plain(&mut self, tag: &str, value: impl Display) {
        self.line(|out| tags::push_plain(out, tag, value));
    }

    fn block(&mut self, tag: &str, content: impl FnOnce(&mut Lines<'_>)) {
        self.line(|out| tags::push_start(out, tag));
        content(&mut Lines { out: self.out, level: self.level + 1 });
        self.line(|out| tags::push_end(out, tag));
    }

    /// A block of items, or one tag that stands for none.
    fn block_or<I>(
        &mut self,
        none: &str,
        tag: &str,
        items: impl Iterator<Item = I>,
        mut content: impl FnMut(&mut Lines<'_>, I),
    ) {
        let mut items = items.peekable();
        if items.peek().is_none() {
            self.line(|out| tags::push_start(out, none));
        } else {
            self.block(tag, |lines| items.for_each(|item| content(lines, item)));
        }
    }

    fn line(&mut self, content: impl FnOnce(&mut Vec<u8>)) {
        for _ in 0..self.level {
            self.out.extend_from_slice(b"  ");
        }
        content(self.out);
        self.out.push(b'\n');
    }
}
