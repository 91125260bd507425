//! eurekad: a stand-alone Eureka service registry that takes the place of a Java Eureka server
//! without its clients noticing.
//!
//! # Rooms
//!
//! A module imports from those below it in this list, never from those above.
//!
//! | module | what is in it |
//! | --- | --- |
//! | [`cli`] | the command line |
//! | [`server`] | start, opening for traffic, connections, tasks, shutdown |
//! | [`ops`] | what operators ask and do: actuator, metrics, events, operations, dashboard |
//! | [`http`] | the API, one file a resource |
//! | [`peers`] | the other nodes: what they are told, what they tell, the first copy |
//! | [`catalog`] | the read model: ready answers for whoever reads lists |
//! | [`registry`] | the state and its rules: leases, overrides, change log, eviction |
//! | [`access`] | who asks, and what they may do |
//! | [`logging`] | levels, lines and files of the log, access log |
//! | [`settings`] | what the user wrote, and what it means |
//! | [`codec`] | bytes to model and back: JSON, XML |
//! | [`blocking`] | work that would hold up a worker of the runtime |
//! | [`clock`] | the only place that knows the time |
//! | [`model`] | instance, application, status, lease: plain types |
//!
//! # One idea
//!
//! Everything that happens to an instance is one change in one ordered log; everything that anybody
//! reads is a view made from that log. A heartbeat touches one lease and nothing else.

pub mod access;
pub mod blocking;
pub mod catalog;
pub mod cli;
pub mod clock;
pub mod codec;
pub mod http;
pub mod logging;
pub mod model;
pub mod ops;
pub mod peers;
pub mod registry;
pub mod server;
pub mod settings;

pub use server::serve;
