//! Clusters of real processes on loopback addresses: what peers are told, and what becomes of a node
//! whose peers pause, die, hang or talk nonsense.
//!
//! Each cluster has addresses of its own below 127.0.0.0/8, so that nodes know each other's before they
//! start and nobody else takes them. Those of `faults_under_load` and most of `rolling_update` take half a minute or
//! more each and run with `--ignored` only.

mod aliases;
mod batches_in_flight;
pub(crate) mod cluster;
mod copying;
mod credentials;
mod cut_off;
mod fake_peer;
mod faults_under_load;
mod membership;
mod nonsense;
mod operations;
mod reports;
mod rolling;
mod rolling_update;
mod spreading;
mod straight;
mod unconfirmed;
