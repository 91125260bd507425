//! What can happen in a run.

use super::client::Call;
use super::network::{Packet, Place};

/// What happens.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// The lease clock of a node.
    Beat(Place),
    Evict(Place),
    /// A look into the outbox for a peer.
    Look {
        at: Place,
        peer: usize,
        turn: u64,
    },
    Arrive(Packet),
    TimeOut {
        at: Place,
        exchange: u64,
    },
    CopyRound(Place),
    /// A client's call at a process that was stopped when it came.
    Call {
        at: Place,
        client: usize,
        call: Call,
    },
    Heartbeat {
        client: usize,
        turn: u64,
    },
    Return(usize),
    Stir,
    Start(usize),
    GoOn(Place),
    Operate(usize),
    Insist(usize),
    Repair {
        at: Place,
        peer: usize,
    },
}
