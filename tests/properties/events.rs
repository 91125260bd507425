//! Who follows the events knows at all times what the registry holds, whatever happens and however often it breaks off.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;

use super::operation::{Operation, any_operation};
use crate::events::reading::{Reading, follow};
use crate::server::Server;
use crate::server::list::array;

/// What is known of an instance.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    status: Value,
    overridden: Value,
    vip: Value,
    metadata: Value,
}

impl Known {
    fn of(data: &Value) -> Self {
        let [status, overridden, vip, metadata] =
            ["status", "override", "vip", "metadata"].map(|name| data[name].clone());
        Self { status, overridden, vip, metadata }
    }
}

/// A copy of the registry made of events.
#[derive(Clone, Debug, Default, PartialEq)]
struct Copy(BTreeMap<(String, String), Known>);

impl Copy {
    /// Takes an event over; false if it says that something is missing.
    fn take(&mut self, data: &Value) -> bool {
        let text = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
        let key = (text("app"), text("instance"));
        match data["kind"].as_str().expect("a kind") {
            "gap" => {
                self.0.clear();
                return false;
            }
            "cancelled" | "expired" => {
                let known = self.0.remove(&key).expect("it was there");
                assert_eq!(known.status, data["before"], "{data}");
            }
            "registered" | "snapshot" => {
                assert_eq!(self.0.insert(key, Known::of(data)), None, "it was there already: {data}");
            }
            "updated" | "status" | "override" => {
                let before = self.0.insert(key, Known::of(data)).expect("it was there");
                assert_eq!(before.status, data["before"], "{data}");
            }
            "ready" | "preservation" => {}
            other => panic!("{other}"),
        }
        true
    }

    /// What the registry holds.
    async fn of(server: &Server) -> Self {
        let mut copy = Self::default();
        let document = server.json("/eureka/events/poll?snapshot=true").await;
        for instance in array(&document["instances"]) {
            copy.take(instance);
        }
        assert_eq!(copy.0.len(), server.app.registry().len());
        copy
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Reads so many events of the stream.
    Read(usize),
    /// Breaks off, and goes on from where it was.
    Break,
    /// Asks once.
    Poll(usize),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1..5_usize).prop_map(Step::Read),
        1 => Just(Step::Break),
        2 => (1..5_usize).prop_map(Step::Poll),
    ]
}

/// Follows by stream or poll, whatever comes first.
#[derive(Default)]
struct Follower {
    copy: Copy,
    last: Option<String>,
    stream: Option<Reading>,
    gaps: usize,
}

impl Follower {
    async fn step(&mut self, server: &Server, step: Step) {
        match step {
            Step::Break => self.stream = None,
            Step::Poll(limit) => {
                self.stream = None;
                self.poll(server, limit).await;
            }
            Step::Read(number) => {
                if self.stream.is_none() {
                    if self.last.is_none() {
                        self.copy = Copy::default();
                    }
                    self.stream = Some(Reading::begin(server, "snapshot=true", self.last.as_deref()).await);
                }
                for _ in 0..number {
                    if !self.read().await {
                        break;
                    }
                }
            }
        }
    }

    /// Reads an event of the stream; false if there is none.
    async fn read(&mut self) -> bool {
        let Some(stream) = &mut self.stream else { return false };
        let Some(seen) = stream.next().await else {
            // It may have been closed, as it was too slow.
            self.stream = None;
            return false;
        };
        if !self.copy.take(&seen.data) {
            self.gaps += 1;
            self.last = None;
        }
        if let Some(id) = seen.id {
            self.last = Some(id);
        }
        true
    }

    async fn poll(&mut self, server: &Server, limit: usize) {
        let since = self.last.as_ref().map(|id| format!("&since={id}")).unwrap_or_default();
        let document = server.json(&format!("/eureka/events/poll?wait=0&snapshot=true&limit={limit}{since}")).await;
        if document["gap"] == true {
            self.gaps += 1;
        }
        if let Some(instances) = document.get("instances") {
            self.copy = Copy::default();
            for instance in array(instances) {
                self.copy.take(instance);
            }
        }
        for event in array(&document["events"]) {
            self.copy.take(event);
        }
        self.last = Some(document["id"].as_str().expect("an id").to_owned());
    }

    /// Follows until there is nothing more.
    async fn finish(&mut self, server: &Server) {
        loop {
            let before = self.last.clone();
            // One that was closed meanwhile would look like one on which nothing comes.
            self.stream = None;
            self.step(server, Step::Read(usize::MAX)).await;
            if before.is_some() && before == self.last {
                return;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_follower_knows_what_the_registry_holds(
        life in prop::collection::vec((any_operation(), any_step()), 1..60),
        kept in prop_oneof![Just(4), Just(20), Just(1_000)],
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let kept = format!("--eurekad.history.max-entries={kept}");
            let server = Server::new(&["--eureka.server.enable-self-preservation=false", &kept]);
            follow(&server);
            let mut follower = Follower::default();
            for (operation, step) in &life {
                operation.perform(&server).await;
                if matches!(operation, Operation::Read) {
                    follower.step(&server, *step).await;
                }
            }
            follower.finish(&server).await;
            assert_eq!(follower.copy, Copy::of(&server).await, "after {} gaps", follower.gaps);
        });
    }
}
