use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::codec::{Document, Shown};
use crate::model::{AppName, DataCenter, GivenDataCenter, LeaseTimes, NonAmazon, Registration};

fn shown(app: usize, n: usize) -> Shown {
    let mut registration = Registration::new(&format!("APP{app}"));
    registration.instance_id = Some(format!("app{app}-{n}").into());
    registration.host_name = Some("é.test".into());
    registration.ip_addr = Some("10.20.0.11".into());
    registration.data_center = GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn));
    let instance = registration.accept(&AppName::new(&format!("APP{app}")), 1_760_000_000_000);
    Shown { instance: Arc::new(instance.unwrap_or_else(|refusal| panic!("{refusal}"))), times: LeaseTimes::default() }
}

fn groups(shown: &[Shown]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for each in shown {
        match groups.last_mut().filter(|group| group.name == each.instance.app) {
            Some(group) => group.instances.push(each.clone()),
            None => groups.push(Group { name: each.instance.app.clone(), instances: vec![each.clone()] }),
        }
    }
    groups
}

proptest! {
    #[test]
    fn pieces_make_the_whole_document(
        sizes in prop::collection::vec(1_usize..5, 0..6),
        cuts in prop::collection::btree_set(1_usize..24, 0..6),
        version in any::<i64>(),
    ) {
        let all: Vec<_> =
            sizes.iter().enumerate().flat_map(|(app, size)| (0..*size).map(move |n| shown(app, n))).collect();
        let hash = "UP_1_".to_owned();
        let whole = Document::Applications { version, hash: hash.clone(), apps: groups(&all) };
        let frame = Frame { version, hash: &hash, empty: all.is_empty() };
        let mut ends: Vec<_> = cuts.into_iter().filter(|cut| *cut < all.len()).collect();
        ends.push(all.len());
        for format in [Format::Json, Format::Xml] {
            for detail in [Detail::Full, Detail::Compact] {
                let mut joined = head(format, detail, frame);
                let mut start = 0;
                for end in ends.iter().copied().filter(|end| *end > 0) {
                    if start > 0 {
                        joined.extend_from_slice(between(format));
                    }
                    let app = |at: usize| all.get(at).map(|shown| &shown.instance.app);
                    let opens = start == 0 || app(start - 1) != app(start);
                    let closes = app(end) != app(end - 1);
                    joined.append(&mut piece(format, detail, &groups(&all[start..end]), Edges { opens, closes }));
                    start = end;
                }
                joined.append(&mut tail(format, detail, frame));
                let expected = match format {
                    Format::Json => json::write_document(&whole, detail),
                    Format::Xml => xml::write_document(&whole, detail),
                };
                prop_assert_eq!(String::from_utf8_lossy(&joined), String::from_utf8_lossy(&expected));
            }
        }
    }
}
