//! What is settled of a lease before it is granted.

use crate::model::OverrideBackground;

use super::agreement::Facts;
use super::lease_length::SignOfLife;

/// What a lease is granted with.
pub(super) struct Settled {
    /// Which status and override it has. None: the override before it stands, or one that it brings.
    pub(super) facts: Option<Facts>,
    /// What is behind the override.
    pub(super) background: OverrideBackground,
    /// What the lease goes back to.
    pub(super) sign: SignOfLife,
    /// Milliseconds since then.
    pub(super) age: u64,
}

impl Settled {
    /// That of a lease that begins now with a registration.
    pub(super) fn new(facts: Option<Facts>, background: OverrideBackground) -> Self {
        Self { facts, background, sign: SignOfLife::Registered, age: 0 }
    }
}
