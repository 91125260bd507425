//! Leases, eviction, self-preservation and the delta's retention, with the clock held in the hand.
//!
//! These talk to the registry itself; time is tokio's, paused, and moves only when a test says so.

mod changed_settings;
mod delta;
mod eviction;
mod explained;
mod fleet;
mod frozen_copy;
mod length;
mod overrides;
mod pause;
mod self_preservation;
