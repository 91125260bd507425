//! The timer of one peer, and the requests of an exchange.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use rand::RngExt as _;
use tokio::time::sleep;

use crate::peers::identity::DIGEST_VERSION;
use crate::peers::line::{Failure, PeerState};
use crate::peers::peer::{Peer, Standing};
use crate::peers::{Compared, Context, Peers};

use super::exchange::{Differing, Exchange, Findings};
use super::{MOST_ANSWER_BYTES, PATH};

/// Before the first exchange, which tells since when the overrides of the first copy stand.
const FIRST: Duration = Duration::from_secs(5);
/// What still differs after so long is not on its way any more. A change that nodes of a cluster tell each
/// other just now is none of this exchange's business.
const SETTLE: Duration = Duration::from_secs(10);
/// Differences that are remembered from one round to the next.
const MOST_FRESH: usize = 100_000;
/// Exchanges that each were full, one after the other; then it begins anew after the usual wait. Two million
/// instances that differ.
const MOST_PIECES: u32 = 100;
/// Between exchanges that each were full.
const NEXT_PIECE: Duration = Duration::from_secs(1);

/// Compares with a peer on a timer, until it is none any more.
pub(in crate::peers) async fn keep_comparing(peers: &Peers, peer: &Arc<Peer>, interval: Duration) {
    let (mut rest, mut pieces) = (None, 0);
    // What differed in the round before, and what differs for the first time in this one.
    let (mut known, mut fresh) = (Arc::default(), BTreeSet::new());
    sleep(part_of(FIRST.min(interval))).await;
    loop {
        let mut wait = part_of(interval);
        if speaks_digest(peers, peer) {
            match exchange(&peers.context, peer, rest.take(), Arc::clone(&known)).await {
                Ok(mut findings) => {
                    note(peers, peer, &findings);
                    if fresh.len() < MOST_FRESH {
                        fresh.append(&mut findings.fresh);
                    }
                    (rest, pieces) = (findings.rest, pieces + 1);
                    if rest.is_none() || pieces == MOST_PIECES {
                        (rest, pieces) = (None, 0);
                    }
                    if rest.is_some() {
                        wait = wait.min(NEXT_PIECE);
                    } else {
                        known = Arc::new(std::mem::take(&mut fresh));
                        if !known.is_empty() {
                            wait = wait.min(SETTLE);
                        }
                    }
                }
                // Whether a peer is there is told by what it is sent.
                Err(failure) => tracing::debug!(peer = %peer.url, %failure, "comparing with a peer failed"),
            }
        }
        sleep(wait).await;
    }
}

/// Whether there is a peer, one that answers, and one of our own that speaks this version.
fn speaks_digest(peers: &Peers, peer: &Peer) -> bool {
    let speaks = peer.identity().is_some_and(|identity| identity.digest == Some(DIGEST_VERSION) && identity.open);
    let is_up = || peer.post().is_some_and(|post| *post.outbox.lock().state() == PeerState::Up);
    speaks && peer.standing() == Standing::Peer && peers.context.registry.was_opened() && is_up()
}

async fn exchange(
    context: &Context,
    peer: &Peer,
    rest: Option<(String, String)>,
    known: Arc<BTreeSet<Differing>>,
) -> Result<Findings, Failure> {
    let registry = Arc::clone(&context.registry);
    // A large registry is summed up off the workers.
    let begun = tokio::task::spawn_blocking(move || Exchange::begin(&registry, rest)).await;
    let (exchange, mut request) = begun.map_err(Failure::faulty)?.map_err(Failure::faulty)?;
    let mut exchange = exchange.mending(known);
    loop {
        let asked = context.clock.mono();
        let reply = context.calls.post(&peer.url, PATH, request, true, MOST_ANSWER_BYTES).await?;
        let took = context.clock.mono().since(asked);
        let same = reply.identity.map(|identity| identity.node) == peer.node();
        if reply.status != StatusCode::OK || !same {
            return Err(Failure::of_status(reply.status.as_u16()));
        }
        let (registry, now) = (Arc::clone(&context.registry), context.clock.now().wall);
        let answered = tokio::task::spawn_blocking(move || {
            let next = exchange.answered(&registry, &reply.body, took, now);
            (exchange, next)
        });
        let next;
        (exchange, next) = answered.await.map_err(Failure::faulty)?;
        match next.map_err(Failure::faulty)? {
            Some(more) => request = more,
            None => return Ok(exchange.findings().clone()),
        }
    }
}

fn note(peers: &Peers, peer: &Peer, findings: &Findings) {
    let (now, mended) = (peers.context.clock.mono(), findings.mended);
    {
        let mut found = peer.found.lock();
        let (at, compared) = found.compared.get_or_insert((now, Compared::default()));
        *at = now;
        compared.found = findings.differences;
        compared.is_full = findings.rest.is_some();
        compared.mended += u64::try_from(mended).unwrap_or(u64::MAX);
    }
    if mended > 0 {
        let found = findings.differences;
        tracing::info!(peer = %peer.url, found, mended, "differences to a peer were mended");
    }
}

/// At least three quarters of it, so that the nodes of a cluster do not ask at the same moments.
fn part_of(whole: Duration) -> Duration {
    whole.mul_f64(rand::rng().random_range(0.75..=1.0))
}
