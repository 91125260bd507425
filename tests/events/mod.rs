//! What happens is told to those who follow it, and nothing is missed without being said.
//!
//! | file | what |
//! | --- | --- |
//! | `reading` | a reader of a stream, without a socket |
//! | `streams` | streams through the router |
//! | `polls` | long polls through the router |
//! | `sockets` | many readers, slow ones and the shutdown, over sockets |
//! | `webhooks` | those who are told |

mod polls;
pub(crate) mod reading;
#[cfg(target_os = "linux")]
mod sockets;
mod streams;
mod webhooks;
