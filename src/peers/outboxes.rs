//! One outbox a peer, and what the registry tells put into each.
//!
//! A peer has a bit in each lease, set while a renewal waits for it, so that a heartbeat of a lease that
//! waits already costs one load. A bit that was set is followed by [`Outbox::beat`] of the outbox that
//! stands in its place at that moment, which keeps the lease or clears the bit: no bit stays set without
//! a task.

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

/// An outbox and the sign that something came in.
pub struct Post {
    /// Held for as long as a batch is put together or taken apart; never while something is sent.
    pub outbox: Mutex<Outbox>,
    /// Something came in.
    pub came_in: Notify,
    /// An exchange ended.
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
    /// Held by whoever opens or closes one.
    changing: Mutex<()>,
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
        let outbox = Mutex::new(Outbox::new(limits, 1 << place, seed));
        let post = Arc::new(Post { outbox, came_in: Notify::new(), answered: Notify::new(), place });
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
}
