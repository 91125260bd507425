//! What a node does before it lets clients read: it takes in what another node holds.
//!
//! It copies the whole registry of the first peer that has one, instances of any status and their
//! overrides, but no remote regions (see [`super::regions`]), whatever `register-with-eureka` and
//! `fetch-registry` say. (Java copies from its embedded client, and only what is UP.) A list that breaks
//! off is none. Who is unconfirmed at a node of our own is so here: it is asked for that before and after the list.
//! A Java server answers that it knows no such thing (404), and so does an earlier version.
//!
//! A peer that refuses the connection, or says that it is not open itself, has nothing; when all have nothing
//! for as many rounds as asked for, there is nothing to copy. Whoever cannot be reached otherwise may have
//! something: no answer in time, a connection that breaks, a host name without an address, a source of peers
//! that cannot be asked. This node may be the one that is cut off, and its empty lists would tell clients that
//! nobody is there. So it asks again until the limit. (A source that answers and lists nobody, as a headless
//! service does while no pod is ready, has nobody.)

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::codec::{Limits, ReadError, json};
use crate::model::Instance;
use crate::registry::Unconfirmed;
use crate::settings::{NO_REGION, PeerUrl, ReplicationSettings};

use super::Context;
use super::calls::Reply;
use super::digest::{self, PATH};
use super::discovery::Found;
use super::identity::{DIGEST_VERSION, Identity};
use super::line::Failure;

/// A registry of half a million instances.
const MOST_BYTES: usize = 1 << 30;
/// The same by their number: a peer may be anybody behind a name in DNS.
const MOST_INSTANCES: usize = 500_000;

/// How long the names of peers are looked up before it is asked whoever is known.
const FIND_PEERS: Duration = Duration::from_secs(2);

/// See the module.
pub(super) struct FirstCopy<'a> {
    pub(super) context: &'a Context,
    pub(super) settings: &'a ReplicationSettings,
    pub(super) found: watch::Receiver<Found>,
}

/// What a peer has.
enum Holding {
    /// A whole registry, and who is unconfirmed there.
    All(Vec<Instance>, Unconfirmed),
    /// Nothing: nobody listens there, or it is not open.
    Nothing,
    /// It is this node itself.
    Own,
    /// Something, perhaps.
    Unknown(Failure),
}

impl FirstCopy<'_> {
    /// Makes the copy. Gives how many instances there were.
    pub(super) async fn make(mut self) -> usize {
        let begun = Instant::now();
        let (mut empty_rounds, mut told) = (0, false);
        loop {
            if empty_rounds == 0 {
                self.wait_for_sources().await;
            }
            let Found { peers: urls, silent, unanswered } = self.found.borrow_and_update().clone();
            let unanswered = unanswered.into_iter().next();
            let (mut failed, mut own) = (unanswered.map(|source| (source, "cannot be asked".to_owned())), 0);
            for url in &urls {
                match self.ask(url).await {
                    Holding::All(instances, unconfirmed) => return self.take_in(url, instances, unconfirmed).await,
                    Holding::Nothing => {}
                    Holding::Own => own += 1,
                    Holding::Unknown(failure) => failed = Some((url.to_string(), failure.to_string())),
                }
            }
            if own == urls.len() && silent.is_empty() {
                return 0;
            }
            empty_rounds += u32::from(failed.is_none());
            if failed.is_none() && empty_rounds >= self.settings.copy_rounds {
                tracing::info!(peers = urls.len(), "no peer has anything to copy");
                return 0;
            }
            if let Some((peer, failure)) = failed {
                let limit = self.settings.copy_limit;
                if begun.elapsed() >= limit {
                    tracing::warn!(
                        peer,
                        failure,
                        "opening without a copy, a peer that may have something does not give it"
                    );
                    return 0;
                }
                if !std::mem::replace(&mut told, true) {
                    tracing::info!(peer, failure, ?limit, "not open yet, a peer may have something to copy");
                }
            }
            sleep(self.settings.copy_wait.max(Duration::from_millis(10))).await;
        }
    }

    /// Gives names that are being looked up a moment.
    async fn wait_for_sources(&mut self) {
        let all = self.found.wait_for(|found| found.silent.is_empty());
        // Whoever gives no peers within it has none in this round.
        let _ = tokio::time::timeout(FIND_PEERS, all).await;
    }

    async fn ask(&self, url: &PeerUrl) -> Holding {
        let asked = async {
            let Some(unconfirmed) = self.fetch_unconfirmed(url).await? else { return Ok(None) };
            Ok(Some((unconfirmed, self.fetch(url).await?)))
        };
        let (mut unconfirmed, reply) = match asked.await {
            Ok(Some(answers)) => answers,
            Ok(None) => return Holding::Nothing,
            Err(Failure::NotThere(cause)) => {
                tracing::debug!(peer = %url, cause, "a peer is not there, it has nothing to copy");
                return Holding::Nothing;
            }
            Err(failure) => return Holding::Unknown(failure),
        };
        let Reply { status, identity, body } = reply;
        match identity {
            Some(identity) if identity.node == self.context.node => return Holding::Own,
            Some(identity) if !identity.open => return Holding::Nothing,
            Some(_) | None => {}
        }
        if status != StatusCode::OK {
            return Holding::Unknown(Failure::of_status(status.as_u16()));
        }
        let now = self.context.clock.now().wall;
        let read = tokio::task::spawn_blocking(move || {
            let list = json::read_applications(&body, &Limits::default(), MOST_INSTANCES)?;
            Ok::<_, ReadError>(list.sorted_out(|listed| listed.registration.accept_alone(now)))
        });
        match read.await.map_err(Failure::faulty) {
            Ok(Ok((instances, refusals))) => {
                if let Some(refusal) = refusals.first() {
                    let refused = refusals.len();
                    tracing::warn!(peer = %url, instances = refused, refusal, "instances of a peer cannot be copied");
                }
                if !unconfirmed.is_empty() {
                    // Who is so no more has renewed there or gone, before the list or after it: it may take its time.
                    let after = self.fetch_unconfirmed(url).await.ok().flatten().unwrap_or_default();
                    for (place, age) in &mut unconfirmed {
                        *age = after.get(place).copied().unwrap_or(0);
                    }
                }
                Holding::All(instances, unconfirmed)
            }
            Ok(Err(error)) => Holding::Unknown(Failure::faulty(error)),
            Err(failure) => Holding::Unknown(failure),
        }
    }

    /// What is registered there. A Java server that never reached a region of its own refuses that, and
    /// gives a list without it.
    async fn fetch(&self, url: &PeerUrl) -> Result<Reply, Failure> {
        let calls = &self.context.calls;
        let reply = calls.get(url, &format!("apps/?regions={NO_REGION}"), MOST_BYTES).await?;
        if reply.status == StatusCode::FORBIDDEN && reply.identity.is_none() {
            return calls.get(url, "apps/", MOST_BYTES).await;
        }
        Ok(reply)
    }

    /// Who is unconfirmed there; nobody at a server that does not tell. None if it is not open: it may read its
    /// snapshot just now.
    async fn fetch_unconfirmed(&self, url: &PeerUrl) -> Result<Option<Unconfirmed>, Failure> {
        let asked = self.context.clock.mono();
        let Reply { status, identity, body } = self.context.calls.get(url, PATH, MOST_BYTES).await?;
        let tells = |identity: &Identity| identity.digest == Some(DIGEST_VERSION) && identity.node != self.context.node;
        let Some(identity) = identity.filter(tells).filter(|_| status != StatusCode::NOT_FOUND) else {
            return Ok(Some(Unconfirmed::new()));
        };
        if !identity.open {
            return Ok(None);
        }
        if status != StatusCode::OK {
            return Err(Failure::of_status(status.as_u16()));
        }
        let way = self.context.clock.mono().since(asked);
        let read = tokio::task::spawn_blocking(move || digest::read_unconfirmed(&body, way));
        read.await.map_err(Failure::faulty)?.map(Some).map_err(Failure::faulty)
    }

    async fn take_in(&self, peer: &PeerUrl, instances: Vec<Instance>, unconfirmed: Unconfirmed) -> usize {
        let registry = Arc::clone(&self.context.registry);
        let taken = tokio::task::spawn_blocking(move || registry.take_in(instances, &unconfirmed)).await;
        let taken = taken.unwrap_or_default();
        tracing::info!(%peer, instances = taken, "copied the registry of a peer");
        taken
    }
}
