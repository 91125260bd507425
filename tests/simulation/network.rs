//! What lies between the nodes.

use std::rc::Rc;

use rand::RngExt as _;
use rand::rngs::StdRng;

/// A node in one of its lives: whoever calls it after a restart has no connection any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) node: usize,
    pub(crate) life: u64,
}

/// What travels.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub(crate) from: Place,
    pub(crate) to: Place,
    pub(crate) exchange: u64,
    pub(crate) body: Body,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// `POST peerreplication/batch/`.
    Batch(Rc<[u8]>),
    /// `POST peerreplication/digest`.
    Compare(Rc<[u8]>),
    /// `GET apps/`.
    AskList,
    /// 200 with a body.
    Ok(Rc<[u8]>),
    /// 403 of a node that is not open.
    NotOpen,
    /// Another status.
    Status(u16),
    /// The connection is refused.
    NoConnection,
}

impl Body {
    /// Its bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Batch(bytes) | Self::Compare(bytes) | Self::Ok(bytes) => bytes.len(),
            Self::AskList | Self::NotOpen | Self::Status(_) | Self::NoConnection => 0,
        }
    }
}

/// Chances of a packet, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Weather {
    pub(crate) lost: f64,
    pub(crate) twice: f64,
    /// To be up to [`Network::LATEST`] late, long after its sender has given it up.
    pub(crate) late: f64,
    /// An answer of another status, or none that can be read.
    pub(crate) broken: f64,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Network {
    pub(crate) weather: Weather,
    /// Who is on the one side of a partition, while there is one.
    pub(crate) cut: Option<Vec<bool>>,
}

impl Network {
    /// Milliseconds that a packet is late at most.
    pub(crate) const LATEST: u64 = 20_000;

    pub(crate) fn joins(&self, one: usize, other: usize) -> bool {
        self.cut.as_ref().is_none_or(|side| side[one] == side[other])
    }

    /// After how many milliseconds a packet arrives: never, once or twice.
    pub(crate) fn delays(&self, random: &mut StdRng) -> Vec<u64> {
        let Weather { lost, twice, late, .. } = self.weather;
        if random.random_bool(lost) {
            return Vec::new();
        }
        let copies = if random.random_bool(twice) { 2 } else { 1 };
        let one = |random: &mut StdRng| {
            let most = if random.random_bool(late) { Self::LATEST } else { 5 };
            random.random_range(1..=most)
        };
        (0..copies).map(|_| one(random)).collect()
    }
}
