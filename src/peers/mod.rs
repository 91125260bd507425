//! The other nodes of the cluster: who they are, what they are told, what they tell.
//!
//! Eureka's own peer protocol, so that Java servers may be among them: each node sends what its clients
//! do to each other node, in batches; nothing that came from a peer is sent on. What is decided is
//! decided by state machines that are told the time ([`Outbox`]); the rest of this room does the I/O.
//!
//! | file | what | Java's classes |
//! | --- | --- | --- |
//! | `outbox`, `line` | what waits for a peer, and when it may be tried | `AcceptorExecutor`, `BatchWorkerRunnable` |
//! | `outboxes` | one for each peer, filled by the registry | `PeerAwareInstanceRegistryImpl` |
//! | `batch` | tasks to items, answers to consequences | `ReplicationTaskProcessor`, `PeerEurekaNode` |
//! | `calls` | requests over HTTP | `Jersey3ReplicationClient` |
//! | `credentials`, `oauth2` | what they prove themselves with | none |
//! | `peer` | one peer and the task that sends | `PeerEurekaNode` |
//! | `report` | what is known of a peer, for those who look | |
//! | `identity` | who a node is, whatever its URL | `isThisMyUrl` |
//! | `recognition` | what a URL leads to | |
//! | `mesh` | peers that do not know each other | none |
//! | `receiver`, `refusals` | what peers send here | `PeerReplicationResource` |
//! | `turns` | which batch of a sender is the last, by numbers that nobody else can send | |
//! | [`digest`] | comparing what nodes of our own hold | none |
//! | [`discovery`] | where peers are: settings, DNS, a file | `EndpointUtils` |
//! | `regions` | copies of other regions | `RemoteRegionRegistry` |
//! | `first_copy` | a peer's registry at the start | `syncUp` |
//! | `begun_again` | tasks that must not die | none |

mod batch;
mod begun_again;
mod calls;
mod credentials;
pub mod digest;
pub mod discovery;
mod first_copy;
mod identity;
mod line;
mod mesh;
mod oauth2;
mod outbox;
mod outboxes;
mod peer;
mod receiver;
mod recognition;
mod refusals;
mod regions;
mod report;
mod turns;

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{broadcast, watch};
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Clock;
use crate::registry::Registry;
use crate::settings::{PeerUrl, ReplicationSettings};

pub use batch::{Home, Outcome, item, stamped_item};
pub use calls::{Calls, OwnIdentity, Reply, failure};
pub use credentials::Credentials;
pub use identity::{DIGEST_VERSION, Identity, NODE_HEADER, NodeId};
pub use line::{Failure, News, PeerState};
pub use mesh::Stranger;
pub use outbox::{BATCH, FollowUp, Next, Outbox, OutboxLimits, Tally, Task, What};
pub use outboxes::{Outboxes, Post};
pub use receiver::{Receiver, Sender};
pub use refusals::Refusals;
pub use regions::Regions;
pub use report::{Compared, PeerNews, PeerReport};
pub use turns::{Stream, Turn};

use digest::{Admitted, Askers};
use discovery::Found;
use first_copy::FirstCopy;
use mesh::Strangers;
use outboxes::MOST_PEERS;
use peer::{Peer, Standing};

/// So many news of peers are kept for whoever follows them and is late.
const NEWS_KEPT: usize = 256;

/// What all peers work with.
pub struct Context {
    /// Who this node is.
    pub node: NodeId,
    /// What is told and what takes newer copies over.
    pub registry: Arc<Registry>,
    /// Where the registry puts what is to be told.
    pub outboxes: Arc<Outboxes>,
    /// How much may wait.
    pub limits: OutboxLimits,
    /// What was said of refused items.
    pub refusals: Arc<Refusals>,
    /// How peers are asked: time limits, credentials, TLS.
    pub calls: Calls,
    /// How often nodes of our own compare what they hold; none: never.
    pub digest_interval: Option<Duration>,
    /// The time.
    pub clock: Clock,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("node", &self.node).finish_non_exhaustive()
    }
}

/// The peers of this node. Copies share them.
#[derive(Clone, Debug)]
pub struct Peers {
    context: Arc<Context>,
    /// Held for looking and for changing the list; never while something is sent.
    list: Arc<Mutex<Vec<Arc<Peer>>>>,
    strangers: Arc<Strangers>,
    askers: Askers,
    /// Which peers fail, and which are back.
    news: broadcast::Sender<PeerNews>,
    /// Outlive the requests, so that what these changed still reaches the peers.
    tasks: TaskTracker,
    ending: CancellationToken,
}

impl Peers {
    /// A node without peers, until some are found.
    pub fn new(context: Context) -> Self {
        let (tasks, ending) = (TaskTracker::new(), CancellationToken::new());
        let (strangers, askers) = (Arc::default(), Askers::default());
        let news = broadcast::Sender::new(NEWS_KEPT);
        Self { context: Arc::new(context), list: Arc::default(), strangers, askers, news, tasks, ending }
    }

    /// Copies the registry of a peer, before the opening for traffic. Gives how many instances there were.
    pub async fn copy(&self, found: watch::Receiver<Found>, settings: &ReplicationSettings) -> usize {
        FirstCopy { context: &self.context, settings, found }.make().await
    }

    /// Follows the list of those that are found, until nobody looks for them any more.
    pub async fn follow(&self, mut found: watch::Receiver<Found>) {
        loop {
            let urls = found.borrow_and_update().peers.clone();
            self.set(&urls);
            if found.changed().await.is_err() {
                return;
            }
        }
    }

    /// Goes by this list from now on. What waits for peers that stay is kept.
    pub fn set(&self, urls: &[PeerUrl]) {
        let mut list = self.list.lock();
        let mut now = Vec::with_capacity(urls.len());
        for url in urls {
            match list.iter().position(|peer| peer.url == *url) {
                Some(at) => now.push(list.swap_remove(at)),
                None => now.extend(self.begin(url)),
            }
        }
        let gone = std::mem::replace(&mut *list, now);
        drop(list);
        for peer in gone {
            peer.gone.cancel();
            self.drop_post(&peer);
        }
    }

    fn begin(&self, url: &PeerUrl) -> Option<Arc<Peer>> {
        let peer = Arc::new(Peer::new(url.clone(), self.ending.child_token()));
        peer.found.lock().post = Some(self.open_post(url)?);
        self.keep_running(
            &peer,
            |peers, peer| async move { peer::serve(&peers, &peer).await },
            |peer, error| tracing::error!(%peer, %error, "sending to a peer failed, it begins anew"),
        );
        if let Some(interval) = self.context.digest_interval {
            self.keep_running(
                &peer,
                move |peers, peer| async move { digest::compare::keep_comparing(&peers, &peer, interval).await },
                |peer, error| tracing::error!(%peer, %error, "comparing with a peer failed, it begins anew"),
            );
        }
        Some(peer)
    }

    /// Does something for a peer until it is none any more.
    fn keep_running<R>(
        &self,
        peer: &Arc<Peer>,
        run: impl Fn(Self, Arc<Peer>) -> R + Send + 'static,
        tell: impl Fn(&PeerUrl, JoinError) + Send + 'static,
    ) where
        R: Future<Output = ()> + Send + 'static,
    {
        let (peers, peer) = (self.clone(), Arc::clone(peer));
        self.tasks.spawn(begun_again::keep_running(
            self.tasks.clone(),
            peer.gone.clone(),
            {
                let peer = Arc::clone(&peer);
                move || run(peers.clone(), Arc::clone(&peer))
            },
            move |error| tell(&peer.url, error),
        ));
    }

    /// An outbox for a peer; none where there are too many, which is told.
    fn open_post(&self, url: &PeerUrl) -> Option<Arc<Post>> {
        let post = self.context.outboxes.open(self.context.limits, rand::random());
        if post.is_none() {
            tracing::error!(peer = %url, most = MOST_PEERS, "a peer is told nothing: there are too many");
        }
        post
    }

    fn drop_post(&self, peer: &Peer) {
        // The guard must be gone before an outbox is locked.
        let post = peer.found.lock().post.take();
        if let Some(post) = post {
            self.context.outboxes.close(&post);
        }
    }

    /// All URLs but those of this node, in their order, whoever answers there.
    fn others(&self) -> Vec<Arc<Peer>> {
        self.list.lock().iter().filter(|peer| peer.standing() == Standing::Peer).cloned().collect()
    }

    /// The turn of a node that asks for a digest, and says by a stream that it is that node; none while it, or
    /// another one that is no peer, has one.
    pub fn admit(&self, node: NodeId, stream: Option<Stream>) -> Option<Admitted> {
        let known = self.list.lock().iter().any(|peer| peer.sends(node, stream));
        self.askers.admit(known.then_some(node))
    }

    /// What is known of each peer.
    pub fn reports(&self) -> Vec<PeerReport> {
        let now = self.context.clock.mono();
        self.others().iter().filter_map(|peer| PeerReport::of(peer, now)).collect()
    }

    /// Tells from now on which peers fail, and which are back.
    pub fn news(&self) -> broadcast::Receiver<PeerNews> {
        self.news.subscribe()
    }

    /// How long ago a peer was missed, see [`PeerReport::missing`].
    pub fn last_missing(&self) -> Option<Duration> {
        self.reports().iter().filter_map(PeerReport::missing).min()
    }

    /// Ends the tasks of all peers, once those that answer have heard of all changes, or after `limit`. A broken
    /// connection is tried again. Gives how many changes nobody was told of.
    pub async fn end(&self, limit: Duration) -> usize {
        let left = self.flush(limit).await;
        self.ending.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        left
    }

    async fn flush(&self, limit: Duration) -> usize {
        let posts = self.context.outboxes.all();
        let left = |post: &Arc<Post>| post.outbox.lock().changes();
        let all = async {
            for post in &posts {
                loop {
                    let answered = post.answered.notified();
                    if left(post) == 0 || post.outbox.lock().seems_gone() {
                        break;
                    }
                    answered.await;
                }
            }
        };
        // What is left is counted below.
        let _ = tokio::time::timeout(limit, all).await;
        posts.iter().map(left).sum()
    }
}
