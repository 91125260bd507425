//! Which instances are meant, where somebody asks for some of them or wants to change them.

use super::{AppName, Instance, InstanceId, InstanceStatus, Text};

/// Those that fit in every respect; within one, one of several is enough, but of metadata every entry counts. What
/// is left empty fits all.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Selection {
    /// Of one of these applications.
    pub apps: Vec<AppName>,
    /// With one of these ids, in whichever application.
    pub ids: Vec<InstanceId>,
    /// Their zones, see [`Instance::zone`].
    pub zones: Vec<Text>,
    /// Their host names or IP addresses; letter case does not count.
    pub hosts: Vec<Text>,
    /// Their effective status.
    pub statuses: Vec<InstanceStatus>,
    /// Entries of their metadata, exactly.
    pub metadata: Vec<(Text, Text)>,
}

impl Selection {
    /// Whether nothing is said, so that all fit.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether an instance is meant.
    pub fn matches(&self, instance: &Instance) -> bool {
        let is_host = |host: &Text| {
            [&instance.host_name, &instance.ip_addr].into_iter().any(|own| own.eq_ignore_ascii_case(host))
        };
        fits(&self.apps, |app| *app == instance.app)
            && fits(&self.ids, |id| *id == instance.id)
            && fits(&self.statuses, |status| *status == instance.status)
            && fits(&self.zones, |zone| instance.zone() == Some(&**zone))
            && fits(&self.hosts, is_host)
            && self.metadata.iter().all(|(key, value)| instance.metadata.get(key) == Some(&**value))
    }
}

fn fits<T>(wanted: &[T], is_it: impl FnMut(&T) -> bool) -> bool {
    wanted.is_empty() || wanted.iter().any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DataCenter, GivenDataCenter, Metadata, NonAmazon, Registration};

    fn instance(data_center: DataCenter, metadata: &[(&str, &str)]) -> Instance {
        let registration = Registration {
            instance_id: Some("ord-1".into()),
            host_name: Some("Ord-1.test".into()),
            ip_addr: Some("10.20.0.11".into()),
            metadata: Metadata::new(metadata.iter().copied()),
            data_center: GivenDataCenter::Given(data_center),
            status: InstanceStatus::Up,
            ..Registration::new("orders")
        };
        registration.accept(&AppName::new("orders"), 0).unwrap_or_else(|refusal| panic!("{refusal}"))
    }

    #[test]
    fn every_respect_counts_and_one_of_several_is_enough() {
        let own = DataCenter::Own(NonAmazon::MyOwn);
        let instance = instance(own, &[("zone", "eu-1"), ("version", "1.4")]);
        let all = Selection::default();
        assert!(all.is_empty() && all.matches(&instance));
        let entry = |key: &str, value: &str| (Text::from(key), Text::from(value));
        let fitting = Selection {
            apps: vec![AppName::new("stock"), AppName::new("Orders")],
            ids: vec![InstanceId::new("ord-1")],
            zones: vec!["eu-1".into()],
            hosts: vec!["ord-1.TEST".into()],
            statuses: vec![InstanceStatus::Down, InstanceStatus::Up],
            metadata: vec![entry("version", "1.4"), entry("zone", "eu-1")],
        };
        assert!(!fitting.is_empty() && fitting.matches(&instance));
        assert!(Selection { hosts: vec!["10.20.0.11".into()], ..Selection::default() }.matches(&instance));
        for other in [
            Selection { apps: vec![AppName::new("stock")], ..fitting.clone() },
            Selection { ids: vec![InstanceId::new("ORD-1")], ..fitting.clone() },
            Selection { zones: vec!["eu-2".into()], ..fitting.clone() },
            Selection { hosts: vec!["ord-2.test".into()], ..fitting.clone() },
            Selection { statuses: vec![InstanceStatus::Down], ..fitting.clone() },
            Selection { metadata: vec![entry("version", "1.4"), entry("zone", "eu-2")], ..fitting.clone() },
        ] {
            assert!(!other.matches(&instance), "{other:?}");
        }
    }

    #[test]
    fn amazon_tells_the_zone_of_machines_that_do_not() {
        let amazon = || DataCenter::Amazon(Metadata::new([("availability-zone", "xx-north-1a")]));
        assert_eq!(instance(amazon(), &[]).zone(), Some("xx-north-1a"));
        assert_eq!(instance(amazon(), &[("zone", "eu-1")]).zone(), Some("eu-1"));
        assert_eq!(instance(DataCenter::Own(NonAmazon::MyOwn), &[]).zone(), None);
    }
}
