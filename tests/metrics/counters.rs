//! Counters only ever grow.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::exposition::Exposition;
use super::server;
use crate::server::body;

#[derive(Clone, Debug)]
enum Step {
    Register(u8, u8),
    Renew(u8, u8),
    Cancel(u8, u8),
    Override(u8, u8),
    Read(&'static str),
    Pass(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let instance = || (0..3_u8, 0..4_u8);
    prop_oneof![
        instance().prop_map(|(app, id)| Step::Register(app, id)),
        instance().prop_map(|(app, id)| Step::Renew(app, id)),
        instance().prop_map(|(app, id)| Step::Cancel(app, id)),
        instance().prop_map(|(app, id)| Step::Override(app, id)),
        prop::sample::select(vec!["apps", "apps/delta", "apps/A1", "vips/orders", "none", "status"])
            .prop_map(Step::Read),
        (1..200_u64).prop_map(Step::Pass),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn counters_never_go_down(steps in prop::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let server = server(&[]);
            let mut before = BTreeMap::new();
            for step in steps {
                let path = |app: u8, id: u8| format!("/eureka/apps/A{app}/{id}");
                match &step {
                    Step::Register(app, id) => drop(server.register(&body(&format!("A{app}"), &id.to_string())).await),
                    Step::Renew(app, id) => drop(server.put(&path(*app, *id)).await),
                    Step::Cancel(app, id) => drop(server.delete(&path(*app, *id)).await),
                    Step::Override(app, id) => drop(server.put(&format!("{}/status?value=DOWN", path(*app, *id))).await),
                    Step::Read(list) => drop(server.get(&format!("/eureka/{list}"), &[]).await),
                    Step::Pass(seconds) => {
                        server.pass(*seconds).await;
                        server.app.registry().evict();
                    }
                }
                let after = Exposition::of(&server).await.counters();
                for (name, count) in &before {
                    assert!(after.get(name).is_some_and(|now| now >= count), "{name:?} after {step:?}");
                }
                before = after;
            }
        });
    }
}
