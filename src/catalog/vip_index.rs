//! Who has which name in its VIP list.

use std::collections::{BTreeSet, HashMap};

use crate::model::{AppName, Instance, InstanceId, Text};
use crate::registry::Version;

/// Who has a name in its VIP list. Names are compared exactly, as in Java.
#[derive(Debug, Default)]
pub(super) struct VipIndex(HashMap<Text, Vip>);

#[derive(Debug)]
struct Vip {
    members: BTreeSet<(AppName, InstanceId)>,
    touched: Version,
}

impl VipIndex {
    /// An instance takes the place of an earlier one. Most changes leave its names as they were.
    pub(super) fn change(
        &mut self,
        earlier: Option<&Instance>,
        instance: &Instance,
        list: fn(&Instance) -> Option<&Text>,
        version: Version,
    ) {
        match earlier {
            Some(earlier) if list(earlier) == list(instance) => {
                for name in Instance::vips(list(instance)) {
                    if let Some(vip) = self.0.get_mut(name) {
                        vip.touched = version;
                    }
                }
            }
            _ => {
                if let Some(earlier) = earlier {
                    self.remove(list(earlier), earlier, version);
                }
                self.add(list(instance), instance, version);
            }
        }
    }

    fn add(&mut self, list: Option<&Text>, instance: &Instance, version: Version) {
        for name in Instance::vips(list) {
            let key = (instance.app.clone(), instance.id.clone());
            if let Some(vip) = self.0.get_mut(name) {
                vip.members.insert(key);
                vip.touched = version;
            } else {
                self.0.insert(name.into(), Vip { members: BTreeSet::from([key]), touched: version });
            }
        }
    }

    pub(super) fn remove(&mut self, list: Option<&Text>, instance: &Instance, version: Version) {
        let key = (instance.app.clone(), instance.id.clone());
        for name in Instance::vips(list) {
            if let Some(vip) = self.0.get_mut(name) {
                vip.members.remove(&key);
                vip.touched = version;
                if vip.members.is_empty() {
                    self.0.remove(name);
                }
            }
        }
    }

    pub(super) fn members(&self, name: &str) -> impl Iterator<Item = &(AppName, InstanceId)> {
        self.0.get(name).into_iter().flat_map(|vip| &vip.members)
    }

    pub(super) fn touched(&self, name: &str) -> Option<Version> {
        self.0.get(name).map(|vip| vip.touched)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use std::sync::Arc;

    use super::*;
    use crate::model::{DataCenter, GivenDataCenter, NonAmazon, Registration};

    fn instance(vips: &str) -> Instance {
        let registration = Registration {
            host_name: Some("ord-1".into()),
            ip_addr: Some("10.20.0.11".into()),
            data_center: GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn)),
            vip_address: Some(vips.into()),
            ..Registration::new("ORDERS")
        };
        registration.accept(&AppName::new("ORDERS"), 0).unwrap()
    }

    #[test]
    fn a_change_that_leaves_the_names_moves_no_name() {
        let list: fn(&Instance) -> Option<&Text> = |instance| instance.vip_address.as_ref();
        let first = instance("a,b");
        let mut index = VipIndex::default();
        index.change(None, &first, list, Version(1));
        // Held, so that no other name gets their places.
        let names = ["a", "b"].map(|name| index.0.get_key_value(name).map(|(name, _)| Arc::clone(name)).unwrap());
        index.change(Some(&first), &instance("a,b"), list, Version(2));
        for name in &names {
            let (now, vip) = index.0.get_key_value(name).unwrap();
            assert!(Arc::ptr_eq(now, name));
            assert_eq!((vip.touched, vip.members.len()), (Version(2), 1));
        }
        index.change(Some(&first), &instance("c"), list, Version(3));
        assert_eq!((index.touched("a"), index.touched("b")), (None, None));
        assert_eq!(index.touched("c"), Some(Version(3)));
    }
}
