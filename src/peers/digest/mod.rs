//! Repair by digest: two of our own nodes compare what they hold, and mend what lost messages left.
//!
//! A node asks each peer every 45 s or so (`eurekad.peers.digest-interval`), and only what it holds
//! itself changes by that; the peer asks for itself. It sends a count and a hash of each application. If
//! all are equal there, that was it: one round trip. Of those that differ the peer answers what it holds
//! and what has left, each with an **age** in place of a time, since clocks differ; the node decides
//! ([`Registry::compare`]) and fetches whole instances only where it must take them. The time that an
//! answer took is added to its ages, so that nothing gets younger on its way.
//!
//! Leases that are [unconfirmed](crate::registry::Registry::recall) are left out: they are told to nobody, and the copy of
//! whoever has heard the instance stands. Where the peer has heard it, that confirms the lease here. A node that starts
//! asks who is unconfirmed (`GET`), so that it copies them as that.
//!
//! Java has no such thing: peers there stay different until heartbeats find it, or for ever. A peer that
//! does not say that it speaks this version of it (see [`super::Identity`]) is never asked.
//!
//! | file | what |
//! | --- | --- |
//! | `summary` | count and hash of each application |
//! | `wire` | the requests and answers |
//! | `answer` | what a peer is answered; changes nothing |
//! | `exchange` | the node that asks: a state machine without I/O |
//! | `compare` | the timer and the requests |
//! | `askers` | one request at a time of each node |
//! | `unconfirmed` | who is unconfirmed, for a first copy |
//!
//! [`Registry::compare`]: crate::registry::Registry::compare

mod answer;
mod askers;
pub(super) mod compare;
mod exchange;
mod summary;
mod unconfirmed;
mod wire;

pub use answer::answer;
pub use askers::{Admitted, Askers};
pub use exchange::{Differing, Exchange, Findings, repair};
pub use summary::{Digest, Summary, differing, summary};
pub use unconfirmed::{read_unconfirmed, unconfirmed};

use crate::codec::shortened;

/// Why a request or an answer cannot be used. The reason may repeat what was sent, so it is one short line.
#[derive(Debug, thiserror::Error)]
pub enum DigestError {
    /// It is not what this version of the exchange says.
    #[error("not a digest: {}", shortened(&.0.to_string()))]
    Unreadable(#[from] serde_json::Error),
    /// An answer to another question.
    #[error("not an answer to what was asked")]
    OtherAnswer,
}

/// Where both is asked for.
pub(super) const PATH: &str = "peerreplication/digest";
/// Bytes of a request at most, unpacked.
pub const MOST_REQUEST_BYTES: usize = 10 << 20;
/// Bytes of an answer at most.
pub const MOST_ANSWER_BYTES: usize = 64 << 20;

#[cfg(test)]
mod tests;
