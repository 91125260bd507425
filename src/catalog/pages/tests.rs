use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::model::{DataCenter, GivenDataCenter, Metadata, NonAmazon, Registration};
use crate::registry::LeaseMillis;

/// An instance of some `kilobytes` of JSON.
pub(in crate::catalog) fn lease(app: u8, id: u16, kilobytes: usize) -> Arc<Lease> {
    let name = AppName::new(&format!("A{app}"));
    let mut registration = Registration::new(name.as_str());
    registration.instance_id = Some(format!("i-{id}").into());
    registration.host_name = Some("h.test".into());
    registration.ip_addr = Some("10.20.0.11".into());
    registration.data_center = GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn));
    registration.metadata = Metadata::new([("k", "x".repeat(kilobytes * 1024))]);
    let instance = registration.accept(&name, 0).unwrap_or_else(|refusal| panic!("{refusal}"));
    Arc::new(Lease::grant(Arc::new(instance), None, 0, LeaseMillis(0), 0))
}

#[derive(Clone, Debug)]
pub(in crate::catalog) enum Step {
    Put(u8, u16, usize),
    Remove(u8, u16),
}

pub(in crate::catalog) fn step() -> impl Strategy<Value = Step> {
    let place = || (0_u8..4, 0_u16..40);
    prop_oneof![
        3 => (place(), 1_usize..60).prop_map(|((app, id), size)| Step::Put(app, id, size)),
        2 => place().prop_map(|(app, id)| Step::Remove(app, id)),
    ]
}

fn key(lease: &Lease) -> (String, String) {
    (lease.instance.app.as_str().to_owned(), lease.instance.id.as_str().to_owned())
}

proptest! {
    #[test]
    fn pages_are_a_sorted_map_whatever_happens(steps in prop::collection::vec(step(), 1..200)) {
        let (mut pages, mut expected) = (Pages::default(), BTreeMap::new());
        for step in steps {
            match step {
                Step::Put(app, id, size) => {
                    let lease = lease(app, id, size);
                    let earlier = expected.insert(key(&lease), Arc::clone(&lease));
                    let (app, id) = (lease.instance.app.clone(), lease.instance.id.clone());
                    let replaced = pages.put(Arc::clone(&lease));
                    prop_assert_eq!(replaced.map(|lease| Arc::as_ptr(&lease)), earlier.map(|lease| Arc::as_ptr(&lease)));
                    prop_assert!(pages.get(&app, &id).is_some_and(|held| Arc::ptr_eq(held, &lease)));
                }
                Step::Remove(app, id) => {
                    let (app, id) = (AppName::new(&format!("A{app}")), InstanceId::new(format!("i-{id}")));
                    let earlier = expected.remove(&(app.as_str().to_owned(), id.as_str().to_owned()));
                    let removed = pages.remove(&app, &id);
                    prop_assert_eq!(removed.map(|lease| Arc::as_ptr(&lease)), earlier.map(|lease| Arc::as_ptr(&lease)));
                    prop_assert!(pages.get(&app, &id).is_none());
                }
            }
            let all: Vec<_> = pages.pages.iter().flat_map(|page| page.leases()).map(|lease| key(lease)).collect();
            prop_assert_eq!(all, expected.keys().cloned().collect::<Vec<_>>());
            for page in &pages.pages {
                prop_assert!(!page.is_empty());
                prop_assert!(page.weight() <= 2 * PAGE || page.leases().len() == 1);
            }
            for app in 0..4 {
                let app = AppName::new(&format!("A{app}"));
                let listed = pages.of_app(&app).count();
                prop_assert_eq!(listed, expected.keys().filter(|(name, _)| name == app.as_str()).count());
            }
        }
        let rebuilt = Pages::of(expected.values().rev().cloned().collect());
        let all: Vec<_> = rebuilt.pages.iter().flat_map(|page| page.leases()).map(|lease| key(lease)).collect();
        prop_assert_eq!(all, expected.keys().cloned().collect::<Vec<_>>());
    }
}

#[test]
fn pages_have_about_their_size() {
    let mut pages = Pages::default();
    for id in 0..5_000 {
        pages.put(lease(1, id, 1));
    }
    let count = pages.pages.len();
    assert!((30..=90).contains(&count), "{count} pages of 9 MB");
    for id in 0..4_900 {
        pages.remove(&AppName::new("A1"), &InstanceId::new(format!("i-{id}")));
    }
    let count = pages.pages.len();
    assert!(count <= 6, "{count} pages of 180 KB");
}

#[test]
fn a_list_that_somebody_holds_does_not_change() {
    let mut pages = Pages::of(vec![lease(1, 1, 1), lease(1, 2, 1)]);
    let held = pages.list();
    pages.put(lease(1, 3, 1));
    assert_eq!(held.iter().map(|page| page.leases().len()).sum::<usize>(), 2);
    assert_eq!(pages.list().iter().map(|page| page.leases().len()).sum::<usize>(), 3);
}
