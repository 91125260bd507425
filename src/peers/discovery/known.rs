//! What a source has given so far.

use crate::settings::PeerUrl;

use super::source::{Part, Source};

/// A source, and the last peers that it gave.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) source: Source,
    parts: Vec<(String, Vec<PeerUrl>)>,
    /// Whether its last answer was whole, also if nobody was in it.
    pub(super) answered: bool,
    /// Whether its last answer told nothing.
    failing: bool,
}

impl Known {
    pub(super) fn new(source: Source) -> Self {
        Self { source, parts: Vec::new(), answered: false, failing: false }
    }

    /// In the order of the source. Nobody listens on port 0.
    pub(super) fn peers(&self) -> impl Iterator<Item = &PeerUrl> {
        self.parts.iter().flat_map(|(_, peers)| peers).filter(|url| url.port() != 0)
    }

    /// Takes an answer. A part that failed stays as it was, and so does everything if no part has a peer.
    pub(super) fn take(&mut self, answer: Vec<Part>) {
        self.answered = answer.iter().all(|part| part.peers.is_ok());
        let tells = answer.iter().any(|part| part.peers.as_ref().is_ok_and(|peers| !peers.is_empty()));
        let source = &self.source;
        if tells {
            if self.failing {
                tracing::info!(%source, "a source of peers gives some again");
            }
            let part = |Part { name, peers }| {
                let before = || self.parts.iter().find(|(other, _)| *other == name).map(|(_, peers)| peers.clone());
                let peers = peers.unwrap_or_else(|_| before().unwrap_or_default());
                (name, peers)
            };
            self.parts = answer.into_iter().map(part).collect();
        } else if !self.failing {
            let problem = answer.into_iter().find_map(|part| part.peers.err());
            let problem = problem.unwrap_or_else(|| "there are none in it".to_owned());
            tracing::warn!(%source, problem, "a source gives no peers, those it gave before stay");
        }
        self.failing = !tells;
    }
}
