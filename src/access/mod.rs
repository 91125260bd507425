//! Who asks, and what they may do.
//!
//! Java has nothing of the kind; its users put Spring Security in front.

mod connection;
pub mod tls;

pub use connection::{ClientCertificate, Connection};
