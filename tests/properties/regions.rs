//! Lists that show remote regions agree with their deltas and with what there is, after any changes here
//! and there.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseResult;
use serde_json::json;

use eurekad::codec::Limits;
use eurekad::codec::json::read_instance;
use eurekad::model::{AppName, InstanceId, LeaseTimes};
use eurekad::registry::{RegionChange, RemoteInstance};

use super::follower::Follower;
use crate::server::list::List;
use crate::server::{JSON, Server, body_with};

const APPS: [&str; 2] = ["BILLING", "ORDERS"];
const IDS: [&str; 2] = ["i-1", "i-2"];
const REGIONS: [&str; 2] = ["eu", "us"];
/// What is asked for, and whom that shows: this server is 0.
const LISTS: [(&str, &[usize]); 4] =
    [("", &[0, 1, 2]), ("?regions=none", &[0]), ("?regions=us", &[0, 2]), ("?regions=us,EU,x", &[0, 1, 2])];

type Holdings = BTreeMap<(&'static str, &'static str), &'static str>;

#[derive(Clone, Debug)]
enum Step {
    /// This server (0) or a region has this instance with this status now; none: it has it no more.
    Set(usize, &'static str, &'static str, Option<&'static str>),
    /// A region is copied anew.
    Copy(usize, Vec<(&'static str, &'static str, &'static str)>),
    /// Somebody reads.
    Read,
    Pass(u64),
}

fn any_step() -> impl Strategy<Value = Step> {
    let (app, id, status) = (select(&APPS[..]), select(&IDS[..]), select(&["UP", "DOWN"][..]));
    let set = (0..3_usize, app.clone(), id.clone(), proptest::option::weighted(0.6, status.clone()));
    let copy = (1..3_usize, proptest::collection::vec((app, id, status), 0..4));
    prop_oneof![
        8 => set.prop_map(|(holder, app, id, status)| Step::Set(holder, app, id, status)),
        2 => copy.prop_map(|(holder, all)| Step::Copy(holder, all)),
        4 => Just(Step::Read),
        1 => (0..30_u64).prop_map(Step::Pass),
    ]
}

fn remote(app: &str, id: &str, status: &str, holder: usize) -> RemoteInstance {
    let members = json!({"status": status, "hostName": format!("host-{holder}")});
    let body = body_with(app, id, &members).to_string();
    let registration = read_instance(body.as_bytes(), &Limits::default()).unwrap();
    let times = LeaseTimes { registration: 1, last_renewal: 2, eviction: 0, service_up: 3 };
    RemoteInstance { instance: registration.accept(&AppName::new(app), 0).unwrap(), times }
}

async fn take(server: &Server, held: &mut [Holdings; 3], step: &Step) {
    let registry = server.app.registry();
    match step {
        Step::Set(0, app, id, Some(status)) => {
            held[0].insert((app, id), status);
            let members = json!({"status": status, "hostName": "host-0"});
            assert_eq!(server.register(&body_with(app, id, &members)).await.status, 204);
        }
        Step::Set(0, app, id, None) => {
            let status = if held[0].remove(&(*app, *id)).is_some() { 200 } else { 404 };
            assert_eq!(server.delete(&format!("/eureka/apps/{app}/{id}")).await.status, status);
        }
        Step::Set(holder, app, id, status) => {
            let change = if let Some(status) = status {
                held[*holder].insert((app, id), status);
                RegionChange::Put(Box::new(remote(app, id, status, *holder)))
            } else {
                held[*holder].remove(&(*app, *id));
                RegionChange::Removed(AppName::new(app), InstanceId::new(*id))
            };
            registry.change_region(registry.region(REGIONS[holder - 1]).unwrap(), [change]);
        }
        Step::Copy(holder, all) => {
            let all: Holdings = all.iter().map(|(app, id, status)| ((*app, *id), *status)).collect();
            let listed = all.iter().map(|((app, id), status)| remote(app, id, status, *holder)).collect();
            registry.replace_region(registry.region(REGIONS[holder - 1]).unwrap(), listed);
            held[*holder] = all;
        }
        Step::Pass(seconds) => {
            for _ in 0..*seconds {
                server.pass(1).await;
                // Clients renew.
                for (app, id) in held[0].keys() {
                    server.put(&format!("/eureka/apps/{app}/{id}")).await;
                }
            }
            server.app.catalog().sweep_delta();
        }
        Step::Read => {}
    }
}

/// What is to be shown: application, id, status and host.
fn expected(held: &[Holdings; 3], holders: &[usize]) -> Vec<(String, String, String, String)> {
    let mut shown = BTreeMap::new();
    for holder in holders.iter().rev() {
        for (who, status) in &held[*holder] {
            shown.insert(*who, (status, format!("host-{holder}")));
        }
    }
    let row = |((app, id), (status, host)): ((&str, &str), (&&str, String))| {
        (app.to_owned(), id.to_owned(), (*status).to_owned(), host)
    };
    shown.into_iter().map(row).collect()
}

async fn check(server: &Server, held: &[Holdings; 3], followers: Option<&mut [Follower; 4]>) -> TestCaseResult {
    let mut followers = followers;
    for (place, (regions, holders)) in LISTS.iter().enumerate() {
        let delta = List::of(&server.get(&format!("/eureka/apps/delta{regions}"), &[JSON]).await);
        let full = List::of(&server.get(&format!("/eureka/apps{regions}"), &[JSON]).await);
        let shown: Vec<_> = full
            .records
            .iter()
            .map(|record| {
                let host = record.content["hostName"].as_str().unwrap_or_default().to_owned();
                (record.app.clone(), record.id.clone(), record.status.clone(), host)
            })
            .collect();
        prop_assert_eq!(shown, expected(held, holders), "{}", regions);
        prop_assert_eq!(&delta.hash, &full.hash);
        if let Some(followers) = &mut followers {
            followers[place].apply(&delta);
            prop_assert_eq!(&followers[place], &Follower::of(&full), "{}", regions);
        }
    }
    Ok(())
}

fn run(words: &[&str], steps: &[Step], follow: bool) -> TestCaseResult {
    let urls = REGIONS.map(|name| format!("--eureka.server.remote-region-urls-with-name.{name}=http://127.0.0.1:1/"));
    let words: Vec<_> = urls.iter().map(String::as_str).chain(words.iter().copied()).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let server = Server::new(&words);
        for region in REGIONS {
            let registry = server.app.registry();
            registry.replace_region(registry.region(region).unwrap(), Vec::new());
        }
        let (mut held, mut followers) = (<[Holdings; 3]>::default(), <[Follower; 4]>::default());
        for step in steps.iter().chain([&Step::Read]) {
            take(&server, &mut held, step).await;
            // Reads come within the delta's retention.
            if matches!(step, Step::Read | Step::Pass(_)) {
                check(&server, &held, follow.then_some(&mut followers)).await?;
            }
        }
        Ok(())
    })
}

proptest! {
    // Each asks for eight lists after every other step.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn lists_with_regions_agree_with_their_deltas(steps in proptest::collection::vec(any_step(), 1..40)) {
        run(&[], &steps, true)?;
    }

    #[test]
    fn lists_with_regions_are_whole_after_gaps(steps in proptest::collection::vec(any_step(), 1..40)) {
        run(&["--eurekad.delta.max-entries=2"], &steps, false)?;
    }
}
