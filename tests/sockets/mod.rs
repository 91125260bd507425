//! The real binary over real sockets: framing, time limits, broken clients, start and stop.
//!
//! Everything is on loopback and bounded in time. Times that a client may take are scaled down by
//! settings; they are asserted exactly from below and generously from above, as machines are slow.

mod bad_clients;
mod bystander;
mod connection_limits;
mod failing_disk;
mod hostile_bodies;
mod hostile_heads;
mod hostile_timing;
mod idle_and_head_time;

pub(crate) mod memory;
mod operations;
mod pause;
mod rate_limits;
mod request_bodies;
mod requests;
mod restart;
pub(crate) mod server;
mod shutdown;
mod signals;
mod size_limits;
mod start;
mod supervisor;
pub(crate) mod wire;
