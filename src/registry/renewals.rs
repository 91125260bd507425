//! When and by what a lease was renewed last. Every change of a lease shares it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU64, Ordering};

use crate::model::WallMillis;

use super::lease_clock::LeaseMillis;
use super::lease_length::SignOfLife;

/// What a heartbeat touches, and nothing else does but a status change or what a peer has heard.
#[derive(Debug)]
pub(super) struct Renewals {
    /// Time of the lease clock at the last renewal; below 0 if that was another node's, before this
    /// one began.
    pub(super) at: AtomicI64,
    /// The same as wall time, for showing.
    pub(super) wall: AtomicI64,
    /// A [`SignOfLife`].
    sign: AtomicU8,
    /// A bit a peer that has yet to hear of a renewal.
    pub(super) waiting: AtomicU64,
}

impl Renewals {
    /// Those of a lease with this last sign of life.
    pub(super) fn begin(at: i64, wall: WallMillis, sign: SignOfLife) -> Arc<Self> {
        let (at, wall, sign) = (AtomicI64::new(at), AtomicI64::new(wall), AtomicU8::new(sign.stored()));
        Arc::new(Self { at, wall, sign, waiting: AtomicU64::new(0) })
    }

    /// Takes a heartbeat.
    pub(super) fn renew(&self, at: LeaseMillis, wall: WallMillis) {
        self.at.store(at.signed(), Ordering::Relaxed);
        self.wall.store(wall, Ordering::Relaxed);
        if self.sign() != SignOfLife::Renewed {
            self.sign.store(SignOfLife::Renewed.stored(), Ordering::Relaxed);
        }
    }

    /// See [`Lease::take_sign`](super::lease::Lease::take_sign).
    pub(super) fn take_sign(&self, sign: SignOfLife, age: u64, now: LeaseMillis, wall: WallMillis) {
        let (before, held) = (self.sign(), self.at.load(Ordering::Relaxed));
        let theirs = now.signed().saturating_sub_unsigned(age);
        if !before.is_hearsay() && theirs <= held {
            return;
        }
        // A heartbeat that comes just now is the better one.
        if self.at.compare_exchange(held, theirs, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            self.wall.store(wall.saturating_sub_unsigned(age), Ordering::Relaxed);
            let (before, after) = (before.stored(), sign.stored());
            let _ = self.sign.compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// What it goes back to.
    pub(super) fn sign(&self) -> SignOfLife {
        SignOfLife::of_stored(self.sign.load(Ordering::Relaxed))
    }
}
