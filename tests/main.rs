//! The integration tests: one binary.
//!
//! | module | what it proves |
//! | --- | --- |
//! | `leases` | leases, eviction, self-preservation and deltas over time |
//! | `properties` | what must hold whatever happens |
//! | `actuator` | Spring Boot's endpoints, what they show and to whom |
//! | `logging` | the log of the running program, and its documentation |
//! | `openapi` | what is described is there, and what is there is described |
//! | `metrics` | figures are right, bounded and documented, in every format; targets for Prometheus |
//! | `protocol` | the answers of a live Java server, and the needs of real clients |
//! | `regression` | what users of Java's server suffered from, case by case, and every deliberate difference |
//! | `operations` | what operators do to instances, by the API and by commands |
//! | `events` | what happens is told to those who follow it |
//! | `security` | who may come in, and what they may do there |
//! | `fuzz` | what holds for any bytes; replays what `fuzz/` starts from and what it found |
//! | `dashboard` | pages for people, and for programs that read them |
//! | `settings` | what people set means what they meant; `check`, `config`, `completions` |
//! | `discovery` | peers are found, and the list follows every change |
//! | `regions` | remote regions are shown as they are, and one that fails harms nobody |
//! | `replication` | clusters of running binaries: what peers are told, whatever becomes of them |
//! | `rooms` | that imports go downwards |
//! | `simulation` | clusters agree after any faults, from seeds |
//! | `tls` | TLS both ways: handshakes, client certificates, new certificates, peers by https |
//! | `sockets` | connections, time limits, start and shutdown of the binary |
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by failing")]
#![allow(clippy::disallowed_methods, reason = "tests over real sockets live in real time")]
#![allow(missing_docs, reason = "a test's name says what it proves")]

mod actuator;
mod dashboard;
mod discovery;
mod dns_stub;
mod events;
mod fuzz;
mod leases;
mod logging;
mod metrics;
mod openapi;
mod operations;
mod properties;
mod protocol;
mod regions;
mod regression;
#[cfg(target_os = "linux")]
mod replication;
mod rooms;
mod security;
mod server;
mod settings;
mod simulation;
mod sockets;
mod tls;
