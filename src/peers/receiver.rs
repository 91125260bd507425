//! What peers send here (`PeerReplicationResource`): each item in its place with its own result.
//!
//! A failing item never fails the batch. Java answers 200 to a registration that it refused; here it is
//! 400. Nothing that comes in here is sent on.

use std::collections::HashSet;
use std::sync::Arc;

use http::StatusCode;

use crate::clock::Clock;
use crate::codec::ReadError;
use crate::model::{ReplicationAction, ReplicationItem, ReplicationOutcome};
use crate::registry::{Origin, OverrideStamp, Registry, Renewal};

use super::refusals::Refusals;
use super::turns::{Turn, Turns};

/// Items between two turns of other requests on the same worker: some 0.1 ms of work.
const ITEMS_A_TURN: usize = 100;

/// Takes what peers send.
#[derive(Clone, Debug)]
pub struct Receiver {
    registry: Arc<Registry>,
    /// What was said of refused items.
    refusals: Arc<Refusals>,
    /// Which batch of each sender is the last.
    turns: Arc<Turns>,
    clock: Clock,
}

impl Receiver {
    /// One that has heard of nobody. `refusals` is what was said of items that are refused.
    pub fn new(registry: Arc<Registry>, refusals: Arc<Refusals>, clock: Clock) -> Self {
        Self { registry, refusals, turns: Arc::default(), clock }
    }

    /// Takes a batch; none when a later one of the same sender has come, also while this one is taken.
    ///
    /// The newer copy of an instance comes with the first of its 409s alone, which is all that a peer
    /// needs: without that, a small batch could ask for the same large instance a thousand times.
    pub async fn take_all(
        &self,
        items: Vec<Result<ReplicationItem, ReadError>>,
        turn: Option<Turn>,
    ) -> Option<Vec<ReplicationOutcome>> {
        let mut outcomes = Vec::with_capacity(items.len());
        let mut shown = HashSet::new();
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 && at % ITEMS_A_TURN == 0 {
                tokio::task::yield_now().await;
            }
            if at % ITEMS_A_TURN == 0 && turn.is_some_and(|turn| !self.turns.counts(turn)) {
                return None;
            }
            let mut outcome = self.take(item);
            outcome.entity.take_if(|(newer, _)| !shown.insert((newer.app.clone(), newer.id.clone())));
            outcomes.push(outcome);
        }
        Some(outcomes)
    }

    /// Takes one item.
    pub fn take(&self, item: Result<ReplicationItem, ReadError>) -> ReplicationOutcome {
        match item {
            Ok(item) => self.apply(item),
            Err(error) => self.refuse(&format!("cannot be read: {error}")),
        }
    }

    fn apply(&self, item: ReplicationItem) -> ReplicationOutcome {
        let ReplicationItem { app, id, last_dirty, override_set, action } = item;
        let registry = &self.registry;
        let stamp = override_set.map(OverrideStamp);
        let known = stamp.filter(|stamp| *stamp != OverrideStamp::UNKNOWN);
        let found = |found: bool| without_entity(if found { StatusCode::OK } else { StatusCode::NOT_FOUND });
        match action {
            ReplicationAction::Heartbeat { mut overridden_status } => {
                // Later than the sender's is what was done here since.
                let is_past = |stamp| registry.held(&app, &id).is_some_and(|held| held.override_stamp >= stamp);
                overridden_status.take_if(|_| stamp.is_some_and(is_past));
                match registry.renew(app.as_str(), id.as_str(), last_dirty, overridden_status, Origin::Peer) {
                    Renewal::Renewed => found(true),
                    Renewal::RegisterAgain => found(false),
                    Renewal::Newer(lease) => ReplicationOutcome {
                        status: StatusCode::CONFLICT.as_u16(),
                        entity: Some((lease.instance.clone(), lease.times())),
                    },
                }
            }
            ReplicationAction::Register(registration) => match registration.accept(&app, self.clock.now().wall) {
                Ok(instance) => {
                    match stamp {
                        Some(stamp) => registry.register_stamped(instance, stamp),
                        None => registry.register(instance, Origin::Peer),
                    }
                    found(true)
                }
                Err(refusal) => self.refuse(&format!("{app}({id}): {refusal}")),
            },
            ReplicationAction::Cancel => found(registry.cancel(&app, &id, Origin::Peer)),
            ReplicationAction::StatusUpdate(status) => {
                let (app, id) = (app.as_str(), id.as_str());
                found(registry.set_status_stamped(app, id, status, last_dirty, known, Origin::Peer))
            }
            ReplicationAction::DeleteStatusOverride(status) => {
                let (app, id) = (app.as_str(), id.as_str());
                found(registry.remove_status_stamped(app, id, status, last_dirty, known, Origin::Peer))
            }
        }
    }

    fn refuse(&self, refusal: &str) -> ReplicationOutcome {
        if self.refusals.is_news(refusal, self.clock.mono()) {
            tracing::warn!(refusal, "an item of a peer was refused, the same is told again after an hour");
        }
        without_entity(StatusCode::BAD_REQUEST)
    }
}

fn without_entity(status: StatusCode) -> ReplicationOutcome {
    ReplicationOutcome { status: status.as_u16(), entity: None }
}
