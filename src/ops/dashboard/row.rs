//! One instance in a table.

use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::clock::Now;
use crate::model::{DataCenter, Instance, Metadata};
use crate::registry::Lease;

use super::links::{Links, web_address};
use super::moments::{between, length};

/// What tables of instances show; the names are those that the script goes by.
#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    pub(super) app: &'a str,
    pub(super) id: &'a str,
    pub(super) host: &'a str,
    pub(super) ip: &'a str,
    /// Those that are in use.
    pub(super) ports: Vec<i32>,
    pub(super) status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) zone: Option<&'a str>,
    /// Why the status is not what the instance says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
    /// Whether a status set from outside can be taken back.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) overridden: bool,
    /// It is known from before a restart alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) unconfirmed: bool,
    /// Another server holds it, so that nothing can be done about it here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) remote: bool,
    /// The status page, if it is an address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) url: Option<&'a str>,
    /// What Amazon told, which is what Spring's table goes by.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'a str>,
    #[serde(skip_serializing_if = "Entries::is_none")]
    metadata: Entries<'a>,
    #[serde(skip)]
    pub(super) renewed: String,
}

impl<'a> Row<'a> {
    pub(super) fn of(lease: &'a Lease, now: Now) -> Self {
        let instance = &*lease.instance;
        let ports = [instance.port, instance.secure_port].into_iter().filter(|port| port.enabled);
        Self {
            app: instance.app.as_str(),
            id: instance.id.as_str(),
            host: &instance.host_name,
            ip: &instance.ip_addr,
            ports: ports.map(|port| port.number).collect(),
            status: instance.status.as_str(),
            zone: instance.zone(),
            why: why(lease, now),
            overridden: lease.override_status.is_some(),
            unconfirmed: lease.is_unconfirmed(),
            remote: lease.region.is_some(),
            url: web_address(instance.status_page_url.as_ref()),
            image: machine_image(instance),
            place: amazon_zone(instance),
            metadata: Entries(&instance.metadata),
            renewed: ago(lease.times().last_renewal, now),
        }
    }

    /// All ports, for a table.
    pub(super) fn all_ports(&self) -> String {
        self.ports.iter().map(i32::to_string).collect::<Vec<_>>().join(", ")
    }

    /// The instance's own page.
    pub(super) fn page(&self, links: &Links) -> String {
        links.instance(self.app, self.id)
    }
}

/// Why an instance has a status that is not its own, as far as the lease tells.
pub(super) fn why(lease: &Lease, now: Now) -> Option<String> {
    let status = lease.override_status?;
    let mut text = "set from outside".to_owned();
    // The status on top of it may be one that it says itself.
    if status != lease.instance.status {
        text = format!("{status} {text}");
    }
    let set = lease.override_stamp.0;
    if set != 0 {
        text = format!("{text} {}", ago(set, now));
    }
    if let Some(note) = &lease.background.note {
        if !note.owner.is_empty() {
            text = format!("{text} by {}", note.owner);
        }
        if let Some(until) = note.until {
            text = format!("{text}, for another {}", length(between(now.wall, until)));
        }
        if !note.reason.is_empty() {
            text = format!("{text}: {}", note.reason);
        }
    }
    Some(text)
}

fn ago(at: i64, now: Now) -> String {
    match between(at, now.wall) {
        _ if at <= 0 => "–".to_owned(),
        Duration::ZERO => "just now".to_owned(),
        time => format!("{} ago", length(time)),
    }
}

/// Metadata as an object.
#[derive(Debug)]
struct Entries<'a>(&'a Metadata);

impl Entries<'_> {
    fn is_none(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter())
    }
}

/// The machine image, where Amazon told one.
pub(super) fn machine_image(instance: &Instance) -> Option<&str> {
    match &instance.data_center {
        DataCenter::Amazon(machine) => machine.get("ami-id"),
        DataCenter::Own(_) => None,
    }
}

/// The zone that Amazon told: what Spring's table goes by.
pub(super) fn amazon_zone(instance: &Instance) -> Option<&str> {
    match &instance.data_center {
        DataCenter::Amazon(machine) => machine.get("availability-zone"),
        DataCenter::Own(_) => None,
    }
}
