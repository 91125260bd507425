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
    /// The same instance, with the texts of a known one where they are equal: an instance that registers again
    /// says what it said before, and instances of one application say much the same. Fifty
    /// thousand of them take a tenth less memory so.
    #[must_use]
    pub fn sharing(mut self, known: &Self) -> Self {
        for (text, known) in [(&mut self.host_name, &known.host_name), (&mut self.ip_addr, &known.ip_addr)] {
            share(text, known);
        }
        for (text, known) in [
            (&mut self.instance_id, &known.instance_id),
            (&mut self.sid, &known.sid),
            (&mut self.app_group_name, &known.app_group_name),
            (&mut self.home_page_url, &known.home_page_url),
            (&mut self.status_page_url, &known.status_page_url),
            (&mut self.health_check_url, &known.health_check_url),
            (&mut self.secure_health_check_url, &known.secure_health_check_url),
            (&mut self.vip_address, &known.vip_address),
            (&mut self.secure_vip_address, &known.secure_vip_address),
            (&mut self.asg_name, &known.asg_name),
        ] {
            if let (Some(text), Some(known)) = (text, known) {
                share(text, known);
            }
        }
        if self.app == known.app {
            self.app = known.app.clone();
        }
        if self.id == known.id {
            self.id = known.id.clone();
        }
        self.metadata = self.metadata.sharing(&known.metadata);
        self
    }

    /// Where it runs: what its metadata says (`zone`, what Spring's load balancer goes by), else what Amazon does.
    pub fn zone(&self) -> Option<&str> {
        self.metadata.get("zone").or_else(|| match &self.data_center {
            DataCenter::Amazon(machine) => machine.get("availability-zone"),
            DataCenter::Own(_) => None,
        })
    }

    /// The single names of a comma-separated VIP list.
    pub fn vips(list: Option<&Text>) -> impl Iterator<Item = &str> {
        list.into_iter().flat_map(|list| list.split(','))
    }

    /// Its length as full JSON, about.
    pub fn json_length(&self) -> usize {
        /// Names of members and numbers.
        const FRAME: usize = 700;
        let texts = [
            &self.home_page_url,
            &self.status_page_url,
            &self.health_check_url,
            &self.secure_health_check_url,
            &self.vip_address,
            &self.secure_vip_address,
        ];
        let texts: usize = texts.into_iter().flatten().map(|text| text.len()).sum();
        let metadata: usize = self.metadata.iter().map(|(key, value)| key.len() + value.len() + 6).sum();
        FRAME + texts + metadata + 2 * self.id.as_str().len()
    }
}

/// Takes the place of an equal text.
pub(super) fn share(text: &mut Text, known: &Text) {
    if **text == **known {
        *text = Text::clone(known);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{GivenDataCenter, NonAmazon, Registration};

    fn instance(id: &str, metadata: &[(&str, &str)]) -> Instance {
        let mut registration = Registration::new("ORDERS");
        registration.instance_id = Some(id.into());
        registration.host_name = Some("localhost".into());
        registration.ip_addr = Some("127.0.0.1".into());
        registration.vip_address = Some("orders".into());
        registration.data_center = GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn));
        registration.metadata = Metadata::new(metadata.iter().copied());
        registration.accept_alone(0).unwrap_or_else(|refusal| panic!("{refusal}"))
    }

    #[test]
    fn equal_texts_are_shared_and_nothing_changes() {
        let known = instance("ord-1", &[("zone", "a"), ("port", "1")]);
        for metadata in [&[("zone", "a"), ("port", "1")][..], &[("zone", "a"), ("port", "2")], &[("zone", "a")], &[]] {
            let other = instance("ord-2", metadata);
            let sharing = other.clone().sharing(&known);
            assert_eq!(sharing, other);
            let vips = [&sharing, &known].map(|instance| instance.vip_address.as_ref().map(Arc::as_ptr));
            assert_eq!(vips[0], vips[1]);
            let ids = [&sharing, &other].map(|instance| instance.instance_id.as_ref().map(Arc::as_ptr));
            assert_eq!(ids[0], ids[1], "of its own");
        }
        let again = instance("ord-1", &[("zone", "a"), ("port", "1")]).sharing(&known);
        let keys =
            [&again, &known].map(|instance| instance.metadata.iter().map(|(key, _)| key.as_ptr()).collect::<Vec<_>>());
        assert_eq!(keys[0], keys[1]);
    }
}
