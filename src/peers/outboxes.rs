//! One outbox a peer, and what the registry tells put into each.
//!
//! A peer has a bit in each lease, set while a renewal waits for it, so that a heartbeat of a lease that
//! waits already costs one load. A bit that was set is followed by [`Outbox::beat`] of the outbox that
//! stands in its place at that moment, which keeps the lease or clears the bit: no bit stays set without
//! a task.
//!
//! Clients are served while peers are still being looked for. What they do before the opening is kept, and put
//! into the outbox of each peer that is found until then; it expires there like anything else.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::clock::Monotonic;
use crate::registry::{Lease, Replicas, Told};

use super::outbox::{Outbox, OutboxLimits};

/// More peers than bits cannot be told of heartbeats.
pub(super) const MOST_PEERS: usize = 64;
/// Changes before the opening that are kept; of more, the oldest go. As many as wait for a peer by default.
const MOST_EARLY: usize = 10_000;

/// An outbox and the sign that something came in.
pub struct Post {
    /// Held for as long as a batch is put together or taken apart; never while something is sent.
    pub outbox: Mutex<Outbox>,
    /// Something came in.
    pub came_in: Notify,
    /// An exchange ended, or nothing was left to be sent.
    pub answered: Notify,
    place: usize,
}

impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Post").field("place", &self.place).finish_non_exhaustive()
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct Outboxes {
    /// By the number of their bit.
    posts: ArcSwap<Vec<Option<Arc<Post>>>>,
    /// The bits of those that are there.
    bits: AtomicU64,
    /// Held while a change is put into all outboxes, or while one is added, so that each change comes into each
    /// outbox. Outboxes are locked under it, never the other way round.
    early: Mutex<Early>,
    /// Held by whoever opens or closes one.
    changing: Mutex<()>,
}

/// What clients did before the opening.
#[derive(Debug, Default)]
struct Early {
    opened: bool,
    changes: VecDeque<(Told, Arc<Lease>, Monotonic)>,
}

impl Early {
    fn note(&mut self, told: Told, lease: &Arc<Lease>, now: Monotonic) {
        if self.opened {
            return;
        }
        if self.changes.len() == MOST_EARLY {
            self.changes.pop_front();
        }
        self.changes.push_back((told, Arc::clone(lease), now));
    }
}

impl Outboxes {
    /// Adds an outbox; none when there are as many as can be.
    pub fn open(&self, limits: OutboxLimits, seed: u64) -> Option<Arc<Post>> {
        let _one_at_a_time = self.changing.lock();
        let mut posts = Vec::clone(&self.posts.load());
        let place = posts.iter().position(Option::is_none).unwrap_or(posts.len());
        if place >= MOST_PEERS {
            return None;
        }
        let mut outbox = Outbox::new(limits, 1 << place, seed);
        let early = self.early.lock();
        for (told, lease, at) in &early.changes {
            outbox.put(*told, Arc::clone(lease), *at);
        }
        let post =
            Arc::new(Post { outbox: Mutex::new(outbox), came_in: Notify::new(), answered: Notify::new(), place });
        if place == posts.len() {
            posts.push(None);
        }
        if let Some(free) = posts.get_mut(place) {
            *free = Some(Arc::clone(&post));
        }
        self.posts.store(Arc::new(posts));
        self.bits.fetch_or(1 << place, Ordering::AcqRel);
        Some(post)
    }

    /// Takes one out, with all that waits in it.
    pub fn close(&self, post: &Post) {
        let _one_at_a_time = self.changing.lock();
        let mut posts = Vec::clone(&self.posts.load());
        if let Some(taken) = posts.get_mut(post.place) {
            *taken = None;
        }
        self.bits.fetch_and(!(1 << post.place), Ordering::AcqRel);
        self.posts.store(Arc::new(posts));
        post.outbox.lock().close();
    }

    /// All of them.
    pub fn all(&self) -> Vec<Arc<Post>> {
        self.posts.load().iter().flatten().cloned().collect()
    }
}

impl Replicas for Outboxes {
    fn changed(&self, told: Told, lease: &Arc<Lease>, now: Monotonic) {
        let mut early = self.early.lock();
        early.note(told, lease, now);
        for post in self.posts.load().iter().flatten() {
            post.outbox.lock().put(told, Arc::clone(lease), now);
            post.came_in.notify_one();
        }
    }

    fn renewed(&self, lease: &Arc<Lease>, now: Monotonic) {
        let bits = self.bits.load(Ordering::Relaxed);
        if bits == 0 {
            return;
        }
        let mut news = lease.note_waiting(bits);
        if news == 0 {
            return;
        }
        let posts = self.posts.load();
        while news != 0 {
            let bit = news & news.wrapping_neg();
            news &= !bit;
            let place = usize::try_from(bit.trailing_zeros()).unwrap_or(MOST_PEERS);
            match posts.get(place).and_then(Option::as_ref) {
                Some(post) => {
                    if post.outbox.lock().beat(Arc::clone(lease), now) {
                        post.came_in.notify_one();
                    }
                }
                None => lease.clear_waiting(bit),
            }
        }
    }

    fn opened(&self) {
        *self.early.lock() = Early { opened: true, changes: VecDeque::new() };
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::time::Duration;

    use super::*;
    use crate::clock::Clock;
    use crate::model::{AppName, DataCenter, GivenDataCenter, InstanceId, NonAmazon, Registration};
    use crate::peers::{Next, What};
    use crate::registry::{Origin, Registry, Rules};
    use crate::settings::Settings;

    const LIMITS: OutboxLimits = OutboxLimits { tasks: 10, longest: Duration::from_secs(30) };

    /// A node that is not open yet.
    fn node(clock: &Clock) -> (Registry, Arc<Outboxes>) {
        let Settings { leases, preservation, opening, catalog, .. } = Settings::default();
        let outboxes = Arc::new(Outboxes::default());
        let rules = Rules { leases, preservation, opening, catalog };
        (Registry::with_replicas(rules, clock.clone(), outboxes.clone()), outboxes)
    }

    fn register(registry: &Registry, id: &str, origin: Origin) {
        let registration = Registration {
            instance_id: Some(id.into()),
            host_name: Some(id.into()),
            ip_addr: Some("10.20.0.11".into()),
            data_center: GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn)),
            ..Registration::new("ORDERS")
        };
        registry.register(registration.accept(&AppName::new("ORDERS"), 1).unwrap(), origin);
    }

    /// What a new peer is told first.
    fn told(registry: &Registry, outboxes: &Outboxes, clock: &Clock) -> Vec<String> {
        let post = outboxes.open(LIMITS, 1).unwrap();
        let mut outbox = post.outbox.lock();
        let Next::Send(greeting) = outbox.next(clock.mono(), |_, _| None) else { panic!("a greeting") };
        assert_eq!(greeting.len(), 0);
        outbox.answered(Ok(Vec::new()), clock.mono());
        let next = outbox.next(clock.mono(), |app, id| registry.held(app, id));
        let Next::Send(tasks) = next else { return Vec::new() };
        let word = |told| match told {
            What::Change(told) => format!("{told:?}"),
            What::Heartbeat => "Heartbeat".to_owned(),
        };
        tasks.iter().map(|task| format!("{} {}", word(task.what), task.lease.instance.id)).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_is_found_later_hears_what_clients_did_before_the_opening() {
        let clock = Clock::held(1_760_000_000_000);
        let (registry, outboxes) = node(&clock);
        register(&registry, "a", Origin::Client);
        register(&registry, "b", Origin::Client);
        register(&registry, "peers", Origin::Peer);
        registry.cancel(&AppName::new("ORDERS"), &InstanceId::new("a"), Origin::Client);
        let all = ["Register b", "Cancel a"];
        assert_eq!(told(&registry, &outboxes, &clock), all);
        assert_eq!(told(&registry, &outboxes, &clock), all, "each of them");
        tokio::time::advance(Duration::from_secs(31)).await;
        assert_eq!(told(&registry, &outboxes, &clock), [""; 0], "it has expired");
    }

    #[tokio::test(start_paused = true)]
    async fn what_clients_did_before_the_opening_is_kept_no_longer_and_bounded() {
        let clock = Clock::held(1_760_000_000_000);
        let (registry, outboxes) = node(&clock);
        for _ in 0..=MOST_EARLY {
            register(&registry, "a", Origin::Client);
        }
        assert_eq!(outboxes.early.lock().changes.len(), MOST_EARLY);
        registry.open(0);
        register(&registry, "a", Origin::Client);
        assert_eq!(outboxes.early.lock().changes.len(), 0);
        assert_eq!(told(&registry, &outboxes, &clock), [""; 0]);
    }
}
