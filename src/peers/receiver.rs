//! What peers send here (`PeerReplicationResource`): each item in its place with its own result.
//!
//! A failing item never fails the batch. Java answers 200 to a registration that it refused; here it is
//! 400. Nothing that comes in here is sent on.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use http::{HeaderMap, StatusCode};

use crate::access::{Limit, OverLimit};
use crate::clock::Clock;
use crate::codec::ReadError;
use crate::model::{ReplicationAction, ReplicationItem, ReplicationOutcome};
use crate::registry::{Origin, OverrideStamp, Registry, Renewal, Set};

use super::identity::{Identity, NodeId};
use super::refusals::Refusals;
use super::turns::{Last, Turn, Turns};

/// Items between two turns of other requests on the same worker: some 0.1 ms of work.
const PIECE: usize = 100;

/// Who sent a batch, as its headers say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sender {
    /// A process of this program; none: a Java server.
    pub node: Option<NodeId>,
    /// When it was sent; none for a Java server.
    pub turn: Option<Turn>,
}

impl Sender {
    /// That of a request.
    pub fn of(headers: &HeaderMap) -> Self {
        Self { node: Identity::of(headers).map(|identity| identity.node), turn: Turn::of(headers) }
    }
}

impl fmt::Display for Sender {
    /// For people to read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node {
            Some(node) => write!(f, "node {node}"),
            None => f.write_str("a Java server"),
        }
    }
}

/// Takes what peers send.
#[derive(Clone, Debug)]
pub struct Receiver {
    registry: Arc<Registry>,
    /// What was said of refused items.
    refusals: Arc<Refusals>,
    /// What limits refused.
    over_limit: Arc<OverLimit>,
    /// Which batch of each stream is the last.
    turns: Arc<Turns>,
    clock: Clock,
}

impl Receiver {
    /// One that has heard of nobody. `refusals` is what was said of items that are refused.
    pub fn new(registry: Arc<Registry>, refusals: Arc<Refusals>, over_limit: Arc<OverLimit>, clock: Clock) -> Self {
        Self { registry, refusals, over_limit, turns: Arc::default(), clock }
    }

    /// Takes a batch; none when a later one of the same stream has come, also while this one is taken.
    ///
    /// The newer copy of an instance comes with the first of its 409s alone, which is all that a peer
    /// needs: without that, a small batch could ask for the same large instance a thousand times.
    pub async fn take_all(
        &self,
        items: Vec<Result<ReplicationItem, ReadError>>,
        sender: Sender,
    ) -> Option<Vec<ReplicationOutcome>> {
        let mut outcomes = Vec::with_capacity(items.len());
        let mut shown = HashSet::new();
        let turn = sender.turn.map(|turn| (turn.number, self.turns.of(turn.stream)));
        let mut items = items.into_iter();
        while items.len() > 0 {
            if !outcomes.is_empty() {
                tokio::task::yield_now().await;
            }
            let piece = items.by_ref().take(PIECE);
            let taken = match &turn {
                Some((number, last)) => self.take_piece_in_turn(piece, &sender, *number, last)?,
                None => self.take_piece(piece, &sender),
            };
            outcomes.extend(taken.into_iter().map(|mut outcome| {
                outcome.entity.take_if(|(newer, _)| !shown.insert((newer.app.clone(), newer.id.clone())));
                outcome
            }));
        }
        Some(outcomes)
    }

    /// None when a later batch has come.
    fn take_piece_in_turn(
        &self,
        piece: impl Iterator<Item = Result<ReplicationItem, ReadError>>,
        sender: &Sender,
        number: u64,
        last: &Last,
    ) -> Option<Vec<ReplicationOutcome>> {
        let mut last = last.lock();
        if *last > number {
            return None;
        }
        *last = number;
        Some(self.take_piece(piece, sender))
    }

    fn take_piece(
        &self,
        piece: impl Iterator<Item = Result<ReplicationItem, ReadError>>,
        sender: &Sender,
    ) -> Vec<ReplicationOutcome> {
        piece.map(|item| self.take(item, sender)).collect()
    }

    fn take(&self, item: Result<ReplicationItem, ReadError>, sender: &Sender) -> ReplicationOutcome {
        match item {
            Ok(item) => self.apply(item, sender),
            Err(error) => {
                if let ReadError::Limit { .. } = error {
                    self.over_limit.count(Limit::Content);
                }
                self.refuse(sender, &format!("cannot be read: {error}"))
            }
        }
    }

    fn apply(&self, item: ReplicationItem, sender: &Sender) -> ReplicationOutcome {
        let ReplicationItem { app, id, last_dirty, override_set, background, action } = item;
        let registry = &self.registry;
        let wall = self.clock.now().wall;
        let stamp = override_set.map(|set| OverrideStamp(set).believed(wall));
        let found = |found: bool| without_entity(if found { StatusCode::OK } else { StatusCode::NOT_FOUND });
        match action {
            ReplicationAction::Heartbeat { overridden_status } => {
                let (app, id) = (app.as_str(), id.as_str());
                match registry.renew_stamped(app, id, last_dirty, overridden_status, stamp, Origin::Peer) {
                    Renewal::Renewed => found(true),
                    Renewal::RegisterAgain | Renewal::NotYet => found(false),
                    Renewal::Newer(lease) => ReplicationOutcome {
                        status: StatusCode::CONFLICT.as_u16(),
                        entity: Some((lease.instance.clone(), lease.times())),
                    },
                }
            }
            ReplicationAction::Register(registration) => match registration.accept(&app, wall) {
                Ok(instance) => {
                    if let Err(full) = registry.check_room(&instance.app, &instance.id) {
                        self.over_limit.count(Limit::Instances);
                        return self.refuse(sender, &format!("{app}({id}): {full}"));
                    }
                    match stamp {
                        Some(stamp) => registry.register_stamped(instance, stamp, background),
                        None => registry.register(instance, Origin::Peer),
                    }
                    found(true)
                }
                Err(refusal) => self.refuse(sender, &format!("{app}({id}): {refusal}")),
            },
            ReplicationAction::Cancel => found(registry.cancel(&app, &id, Origin::Peer)),
            ReplicationAction::StatusUpdate(status) => {
                let (app, id) = (app.as_str(), id.as_str());
                let set = Set { stamp, note: background.note };
                found(registry.set_status_as(app, id, status, last_dirty, set, Origin::Peer))
            }
            ReplicationAction::DeleteStatusOverride(status) => {
                let (app, id, told) = (app.as_str(), id.as_str(), override_set.map(OverrideStamp));
                found(registry.remove_status_stamped(app, id, status, last_dirty, told, Origin::Peer))
            }
        }
    }

    fn refuse(&self, sender: &Sender, refusal: &str) -> ReplicationOutcome {
        if self.refusals.is_news(sender, refusal, self.clock.mono()) {
            tracing::warn!(%sender, refusal, "an item of a peer was refused, the same is told again after an hour");
        }
        without_entity(StatusCode::BAD_REQUEST)
    }
}

fn without_entity(status: StatusCode) -> ReplicationOutcome {
    ReplicationOutcome { status: status.as_u16(), entity: None }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::sync::Barrier;
    use std::thread;

    use crate::model::InstanceStatus::{Down, OutOfService};
    use crate::model::{
        AppName, DataCenter, GivenDataCenter, InstanceId, InstanceStatus, NonAmazon, OverrideBackground, Registration,
        WallMillis,
    };
    use crate::registry::Rules;
    use crate::settings::Settings;

    use super::super::turns::Stream;
    use super::*;

    const START: WallMillis = 1_760_000_000_000;

    fn receiver(instances: usize) -> Receiver {
        let Settings { leases, preservation, opening, catalog, .. } = Settings::from_words::<&str>(&[]).unwrap();
        let clock = Clock::held(START);
        let registry = Registry::new(Rules { leases, preservation, opening, catalog }, clock.clone());
        for id in 0..instances {
            let registration = Registration {
                instance_id: Some(id.to_string().into()),
                host_name: Some("a.test".into()),
                ip_addr: Some("10.20.0.11".into()),
                data_center: GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn)),
                ..Registration::new("ORDERS")
            };
            registry.register(registration.accept(&AppName::new("ORDERS"), START).unwrap(), Origin::Client);
        }
        Receiver::new(Arc::new(registry), Arc::default(), Arc::default(), clock)
    }

    fn set(instances: usize, status: InstanceStatus) -> Vec<Result<ReplicationItem, ReadError>> {
        let item = |id: usize| ReplicationItem {
            app: AppName::new("ORDERS"),
            id: InstanceId::new(id.to_string()),
            last_dirty: None,
            override_set: None,
            background: OverrideBackground::default(),
            action: ReplicationAction::StatusUpdate(status),
        };
        (0..instances).map(|id| Ok(item(id))).collect()
    }

    #[test]
    fn an_override_that_comes_with_a_heartbeat_is_as_late_as_it_was_there() {
        let receiver = receiver(1);
        let (app, id) = (AppName::new("ORDERS"), InstanceId::new("0"));
        let removed = OverrideStamp(START + 10);
        let registry = &receiver.registry;
        registry.remove_status_stamped("ORDERS", "0", InstanceStatus::Up, None, Some(removed), Origin::Peer);
        let beat = |status, stamp| {
            let item = ReplicationItem {
                app: app.clone(),
                id: id.clone(),
                last_dirty: Some(START + 1),
                override_set: Some(stamp),
                background: OverrideBackground::default(),
                action: ReplicationAction::Heartbeat { overridden_status: Some(status) },
            };
            receiver.take(Ok(item), &Sender::default());
            let held = registry.held(&app, &id).unwrap();
            (held.override_status, held.override_stamp)
        };
        assert_eq!(beat(Down, START + 10), (None, removed), "it was taken back since");
        assert_eq!(beat(OutOfService, START + 20), (Some(OutOfService), OverrideStamp(START + 20)));
        assert_eq!(beat(Down, START + 15), (Some(OutOfService), OverrideStamp(START + 20)));
    }

    #[test]
    fn what_a_later_batch_did_is_never_undone_by_one_that_came_at_the_same_moment() {
        let instances = 2 * PIECE;
        let receiver = receiver(instances);
        for round in (0..1_000).step_by(2) {
            let begin = Barrier::new(2);
            let take = |number, status| {
                let items = set(instances, status);
                begin.wait();
                let turn = Turn { stream: Stream::of(7), number };
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                runtime.block_on(receiver.take_all(items, Sender { node: None, turn: Some(turn) }))
            };
            let later = thread::scope(|threads| {
                threads.spawn(|| take(round, Down));
                threads.spawn(|| take(round + 1, OutOfService)).join().unwrap()
            });
            assert!(later.is_some());
            for id in 0..instances {
                let held = receiver.registry.held(&AppName::new("ORDERS"), &InstanceId::new(id.to_string())).unwrap();
                assert_eq!(held.override_status, Some(OutOfService), "round {round}");
            }
        }
    }
}
