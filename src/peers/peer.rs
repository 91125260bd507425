//! One peer, and the task that sends it what waits.

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use parking_lot::Mutex;
use tokio::time::{Duration, sleep};
use tokio_util::sync::CancellationToken;

use crate::blocking::off_the_workers;
use crate::clock::Monotonic;
use crate::codec::{Limits, json};
use crate::model::PeerAnswer;
use crate::settings::PeerUrl;

use super::batch::{self, Home};
use super::calls::Reply;
use super::identity::{DIGEST_VERSION, Identity, NodeId};
use super::line::{Failure, News};
use super::mesh::Hearing;
use super::outbox::{Next, Task};
use super::outboxes::Post;
use super::report::{Compared, PeerNews};
use super::turns::Stream;
use super::{Context, Peers};

/// A whole batch of answers with an instance each is far from it.
const MOST_ANSWER_BYTES: usize = 64 << 20;
/// Longer answers are not read on a worker of the runtime: some 0.5 ms of work.
const READ_AT_ONCE: usize = 64 << 10;
/// How often a URL that leads to this node, or to one that has another, is asked again whose it is: as often
/// as a peer that is sent nothing.
const ASK_AGAIN: Duration = Duration::from_secs(10);

/// What a URL leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// A peer, as far as is known.
    Peer,
    /// This node itself.
    Own,
    /// A node that another URL leads to as well.
    Alias,
}

/// A peer by one of its URLs.
#[derive(Debug)]
pub(super) struct Peer {
    /// Where it is.
    pub(super) url: PeerUrl,
    /// Never held while an outbox is locked.
    pub(super) found: Mutex<Found>,
    /// Cancelled when it is no peer any more.
    pub(super) gone: CancellationToken,
}

/// What was found out of a peer.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) standing: Standing,
    /// Who answered last; none for a Java server, or before the first answer.
    pub(super) identity: Option<Identity>,
    /// What waits for it; none while there is nothing to be sent to it.
    pub(super) post: Option<Arc<Post>>,
    /// When somebody last answered that is not this node.
    pub(super) other_answered: Option<Monotonic>,
    /// Whether it tells this node anything.
    pub(super) hearing: Hearing,
    /// That of its first batch, by which it is told from others that say they are this node; none before that, and
    /// for a Java server.
    pub(super) stream: Option<Stream>,
    /// When it was last compared with, and what came of it; none before the first time.
    pub(super) compared: Option<(Monotonic, Compared)>,
}

impl Peer {
    pub(super) fn new(url: PeerUrl, gone: CancellationToken) -> Self {
        let found = Found {
            standing: Standing::Peer,
            identity: None,
            post: None,
            other_answered: None,
            hearing: Hearing::default(),
            stream: None,
            compared: None,
        };
        Self { url, found: Mutex::new(found), gone }
    }

    /// What its URL leads to.
    pub(super) fn standing(&self) -> Standing {
        self.found.lock().standing
    }

    /// Who answered last.
    pub(super) fn identity(&self) -> Option<Identity> {
        self.found.lock().identity
    }

    pub(super) fn post(&self) -> Option<Arc<Post>> {
        self.found.lock().post.clone()
    }

    /// Whether it is sent things, and does not fail.
    pub(super) fn is_told(&self) -> bool {
        self.standing() == Standing::Peer && self.post().is_none_or(|post| !post.outbox.lock().seems_gone())
    }

    /// Whether a request with this node's name and this stream is its own, as far as is known.
    pub(super) fn sends(&self, node: NodeId, stream: Option<Stream>) -> bool {
        let found = self.found.lock();
        found.identity.is_some_and(|identity| identity.node == node)
            && found.stream.is_none_or(|own| stream == Some(own))
    }

    pub(super) fn node(&self) -> Option<NodeId> {
        self.identity().map(|identity| identity.node)
    }
}

/// Sends a peer what waits for it, until it is none any more.
pub(super) async fn serve(peers: &Peers, peer: &Arc<Peer>) {
    // A run that ended unexpectedly may have left a batch on its way.
    if let Some(post) = peer.post().filter(|post| post.outbox.lock().is_sending()) {
        let lost = Err(Failure::Faulty("the exchange was broken off".into()));
        post.outbox.lock().answered(lost, peers.context.clock.mono());
    }
    loop {
        match (peer.standing(), peer.post()) {
            (Standing::Peer, Some(post)) => exchange(peers, peer, &post).await,
            (Standing::Peer, None) => return,
            (Standing::Own | Standing::Alias, _) => {
                sleep(ASK_AGAIN).await;
                if let Ok((_, identity)) = ask(peers, peer, &[]).await {
                    peers.recognise(peer, identity);
                }
            }
        }
    }
}

/// Waits until there is something to be sent, and sends it.
async fn exchange(peers: &Peers, peer: &Arc<Peer>, post: &Post) {
    let Context { registry, clock, .. } = &*peers.context;
    let next = post.outbox.lock().next(clock.mono(), |app, id| registry.held(app, id));
    match next {
        Next::Wait(until) => {
            // Perhaps since nothing is left of what waited.
            post.answered.notify_waiters();
            let wait = until.since(clock.mono()).max(Duration::from_millis(1));
            tokio::select! {
                () = post.came_in.notified() => {}
                () = sleep(wait) => {}
            }
        }
        Next::Send(tasks) => {
            let (outcome, identity) = match ask(peers, peer, &tasks).await {
                Ok((_, identity)) if peers.is_own(identity) => {
                    peers.recognise(peer, identity);
                    if peer.standing() == Standing::Own {
                        post.answered.notify_waiters();
                        return;
                    }
                    // A load balancer brought it back: whoever it was for has not heard of it.
                    (Err(Failure::faulty("this node itself answers")), None)
                }
                Ok((answers, identity)) => (Ok(answers), Some(identity)),
                Err(failure) => (Err(failure), None),
            };
            let follow_ups = post.outbox.lock().answered(outcome, clock.mono());
            let home = Home { registry, refusals: &peers.context.refusals, clock };
            if let Some(news) = home.settle(&peer.url, follow_ups) {
                tell(peer, &news);
                // Without anybody who follows it goes nowhere.
                let _ = peers.news.send(PeerNews { at: clock.now().wall, url: peer.url.clone(), news });
            }
            peers.context.refusals.tell_rest(clock.mono());
            if let Some(identity) = identity {
                peers.recognise(peer, identity);
                peers.listen_to(peer);
            }
            post.answered.notify_waiters();
        }
    }
}

/// One exchange: the answers, and who gave them.
async fn ask(peers: &Peers, peer: &Peer, tasks: &[Task]) -> Result<(Vec<PeerAnswer>, Option<Identity>), Failure> {
    let speaks_digest = peer.identity().is_some_and(|identity| identity.digest == Some(DIGEST_VERSION));
    let written = if speaks_digest { batch::stamped_item } else { batch::item };
    let items: Vec<_> = tasks.iter().map(written).collect();
    let body = json::write_batch(&items);
    drop(items);
    // Java's servers take none that is packed.
    let packs = peer.identity().is_some();
    let reply = peers.context.calls.post(&peer.url, "peerreplication/batch/", body, packs, MOST_ANSWER_BYTES).await?;
    if reply.status != StatusCode::OK {
        return Err(Failure::of_status(reply.status.as_u16()));
    }
    let Reply { identity, body, .. } = reply;
    Ok((read(body, tasks.len()).await?, identity))
}

/// The answers to so many items.
async fn read(body: Bytes, items: usize) -> Result<Vec<PeerAnswer>, Failure> {
    let is_small = body.len() <= READ_AT_ONCE;
    let read = move || json::read_outcomes(&body, &Limits::default(), items).map_err(Failure::faulty);
    if is_small { read() } else { off_the_workers(read).await }
}

fn tell(peer: &Peer, news: &News) {
    match news {
        News::Down(failure) => {
            tracing::warn!(peer = %peer.url, %failure, "a peer fails, what it misses is kept or expires");
        }
        News::Back(after) => tracing::info!(peer = %peer.url, ?after, "a peer is back"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::blocking::tests::while_no_thread_is_free;

    /// An answer to one item, of that many bytes at least.
    fn answer(bytes: usize) -> Bytes {
        format!("{{\"responseList\":[{{\"statusCode\":200}}],\"more\":\"{}\"}}", "x".repeat(bytes)).into()
    }

    #[test]
    fn a_large_answer_is_not_read_on_a_worker() {
        let (at_once, long) = while_no_thread_is_free(read(answer(10), 1), read(answer(READ_AT_ONCE), 1));
        assert_eq!(at_once, (true, false), "there is no thread for it yet");
        assert_eq!(long.unwrap().len(), 1);
    }
}
