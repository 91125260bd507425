//! Delta, hash code and all lists agree, after any operations.

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::follower::Follower;
use super::operation::{APPS, Operation, VIPS, any_operation};
use crate::server::list::{List, Record, array, hash_code};
use crate::server::{GZIP, JSON, Server, XML, encoded};

/// Nobody is held back from expiring.
const NO_PRESERVATION: &str = "--eureka.server.enable-self-preservation=false";
/// The delta's retention, less a sweep: who reads more often misses nothing.
const RETENTION: u64 = 180;

/// Readers in each form that has all of an instance.
struct Readers(Vec<(Vec<(&'static str, &'static str)>, Follower)>);

impl Readers {
    fn new() -> Self {
        let forms = [vec![JSON], vec![JSON, GZIP], vec![XML], vec![XML, GZIP]];
        Self(forms.map(|form| (form, Follower::default())).into())
    }

    /// Each applies the delta and holds the result against everything.
    async fn follow(&mut self, server: &Server) -> TestCaseResult {
        for (form, follower) in &mut self.0 {
            let delta = List::of(&server.get("/eureka/apps/delta", form).await);
            let full = List::of(&server.get("/eureka/apps", form).await);
            follower.apply(&delta);
            prop_assert_eq!(&*follower, &Follower::of(&full), "{:?}", form);
            prop_assert_eq!(&delta.hash, &full.hash);
            prop_assert_eq!(&delta.hash, &follower.hash());
        }
        Ok(())
    }
}

/// Every list shows what the list of everything shows, and that is what the registry holds.
async fn assert_views_agree(server: &Server) -> TestCaseResult {
    let full = List::of(&server.get("/eureka/apps", &[JSON]).await);
    prop_assert_eq!(full.records.len(), server.app.registry().len());
    prop_assert_eq!(&full.hash, &hash_code(full.records.iter().map(|record| &*record.status)));
    for record in &full.records {
        let reply = server.get(&format!("/eureka/apps/{}/{}", record.app, encoded(&record.id)), &[JSON]).await;
        // A lapsed lease that was not ended yet is listed and not found.
        if reply.status != 404 {
            prop_assert_eq!(&Record::from_json(&reply.json()["instance"]), record);
        }
    }
    for app in APPS {
        let reply = server.get(&format!("/eureka/apps/{app}"), &[JSON]).await;
        let expected: Vec<_> = full.records.iter().filter(|record| record.app == app).cloned().collect();
        prop_assert_eq!(reply.status, if expected.is_empty() { 404 } else { 200 });
        if reply.status == 200 {
            let instances = reply.json()["application"]["instance"].take();
            prop_assert_eq!(array(&instances).iter().map(Record::from_json).collect::<Vec<_>>(), expected);
        }
    }
    for (kind, field) in [("vips", "vipAddress"), ("svips", "secureVipAddress")] {
        for vip in VIPS.iter().flat_map(|list| list.split(',')).filter(|vip| !vip.is_empty()) {
            let list = List::of(&server.get(&format!("/eureka/{kind}/{vip}"), &[JSON]).await);
            let has = |record: &&Record| {
                record.content[field].as_str().is_some_and(|all| all.split(',').any(|one| one == vip))
            };
            let expected: Vec<_> = full.records.iter().filter(has).cloned().collect();
            prop_assert_eq!(&list.hash, &hash_code(expected.iter().map(|record| &*record.status)));
            prop_assert_eq!(list.records, expected, "{} {}", kind, vip);
        }
    }
    Ok(())
}

async fn readers_keep_up(operations: &[Operation]) -> TestCaseResult {
    let server = Server::new(&[NO_PRESERVATION]);
    let mut readers = Readers::new();
    let mut unread = 0;
    for operation in operations {
        if let Operation::Pass(seconds) = operation {
            unread += seconds;
            if unread > RETENTION {
                readers.follow(&server).await?;
                unread = *seconds;
            }
        }
        operation.perform(&server).await;
        if matches!(operation, Operation::Read) {
            readers.follow(&server).await?;
            assert_views_agree(&server).await?;
            unread = 0;
        }
    }
    readers.follow(&server).await?;
    assert_views_agree(&server).await
}

/// With a log so short that the read model must begin anew again and again.
async fn lists_are_right_after_gaps(operations: &[Operation]) -> TestCaseResult {
    let server = Server::new(&[NO_PRESERVATION, "--eurekad.delta.max-entries=2"]);
    for operation in operations {
        operation.perform(&server).await;
        if matches!(operation, Operation::Read) {
            assert_views_agree(&server).await?;
            let delta = List::of(&server.get("/eureka/apps/delta", &[JSON]).await);
            let full = List::of(&server.get("/eureka/apps", &[JSON]).await);
            prop_assert_eq!(delta.hash, full.hash);
            prop_assert!(delta.records.len() <= 2);
        }
    }
    assert_views_agree(&server).await
}

fn held<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(future)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_old_copy_and_the_delta_are_a_new_copy(operations in prop::collection::vec(any_operation(), 1..60)) {
        held(readers_keep_up(&operations))?;
    }

    #[test]
    fn every_list_shows_the_registry_after_a_gap(operations in prop::collection::vec(any_operation(), 1..60)) {
        held(lists_are_right_after_gaps(&operations))?;
    }
}
