//! Where changes become events: one task follows the registry for all who read.
//!
//! A reader takes neither the registry's commit lock nor makes an event: it has a place in the window and is woken
//! when there is more. While nobody reads nothing is done for a write; who comes then finds what happened
//! meanwhile in the registry's history, as far as that reaches, and it gets its numbers then.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::blocking::off_the_workers;
use crate::peers::{NodeId, Peers};
use crate::registry::{Change, Registry, Version};

use super::event::Event;
use super::figures::{Counters, EventFigures};
use super::id::EventId;
use super::interest::Interest;
use super::snapshot::Snapshot;
use super::window::Window;

/// What happens in this time goes out together, so that a thousand readers are not woken for each of many changes.
const TOGETHER: Duration = Duration::from_millis(20);
/// More changes than this are not written on a worker of the runtime.
const AT_ONCE: u64 = 64;
/// A snapshot that somebody still reads is given to others for this time.
const SNAPSHOT_LASTS: Duration = Duration::from_secs(1);

/// The events of this process. Copies are the same.
#[derive(Clone)]
pub struct Events(Arc<Shared>);

struct Shared {
    epoch: NodeId,
    registry: Arc<Registry>,
    peers: Peers,
    /// Held while changes are read and written: each gets one number, in the order of the log. The registry's
    /// commit lock and the window are taken under it, never the other way round.
    following: Arc<tokio::sync::Mutex<Following>>,
    /// Held for taking or adding events, never while one is written.
    window: Mutex<Window>,
    /// The number of the last event, for those who wait for the next.
    published: watch::Sender<u64>,
    /// How many want events: readers and webhooks.
    interested: watch::Sender<usize>,
    readers: AtomicUsize,
    pub(super) counters: Counters,
}

/// How far the registry was followed.
struct Following {
    version: Version,
    /// What was given last to somebody who begins, and when.
    snapshot: Option<(Weak<Snapshot>, Instant)>,
}

/// A reader's place among those that there may be.
pub(super) struct Place {
    pub(super) events: Events,
    _interest: Interest,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.events.0.readers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Events {
    /// Those of this process, of which so many are kept, of so many bytes.
    pub fn new(epoch: NodeId, registry: Arc<Registry>, peers: Peers, most: usize, most_bytes: usize) -> Self {
        let following = Following { version: Version::EMPTY, snapshot: None };
        Self(Arc::new(Shared {
            epoch,
            registry,
            peers,
            following: Arc::new(tokio::sync::Mutex::new(following)),
            window: Mutex::new(Window::new(most, most_bytes)),
            published: watch::Sender::new(0),
            interested: watch::Sender::new(0),
            readers: AtomicUsize::new(0),
            counters: Counters::default(),
        }))
    }

    /// Follows registry and peers from now on. To be run once, beside everything else.
    pub async fn follow(&self) {
        let shared = &*self.0;
        let (mut interest, mut changes) = (shared.interested.subscribe(), shared.registry.news());
        // Who came before this began waits for what has happened since.
        changes.mark_changed();
        let (mut peers, mut preservation) = (shared.peers.news(), shared.registry.preservation_news());
        loop {
            let is_wanted = *interest.borrow_and_update() > 0;
            tokio::select! {
                _ = interest.changed() => {}
                Ok(()) = changes.changed(), if is_wanted => {
                    self.catch_up().await;
                    tokio::time::sleep(TOGETHER).await;
                }
                news = peers.recv() => match news {
                    Ok(news) => self.add(|id| Event::of_peer(id, &news)).await,
                    Err(RecvError::Lagged(_)) => self.lose().await,
                    Err(RecvError::Closed) => return,
                },
                news = preservation.recv() => match news {
                    Ok(news) => self.add(|id| Event::of_preservation(id, &news)).await,
                    Err(RecvError::Lagged(_)) => self.lose().await,
                    Err(RecvError::Closed) => return,
                },
            }
        }
    }

    /// Makes events of all that has happened until now.
    pub(in crate::ops) async fn catch_up(&self) {
        let mut following = Arc::clone(&self.0.following).lock_owned().await;
        let behind = self.0.registry.version().0.saturating_sub(following.version.0);
        if behind <= AT_ONCE {
            self.0.follow_on(&mut following);
        } else {
            // The guard goes along: who waits here may be gone before it is done.
            let events = self.clone();
            off_the_workers(move || events.0.follow_on(&mut following)).await;
        }
    }

    /// Adds an event that is no change of an instance, after all that happened before.
    async fn add(&self, make: impl FnOnce(EventId) -> Event) {
        self.catch_up().await;
        let _following = self.0.following.lock().await;
        let event = make(self.id(self.last() + 1));
        self.0.publish([event]);
    }

    async fn lose(&self) {
        let _following = self.0.following.lock().await;
        self.0.lose();
    }

    /// All instances, and the number of the last event that is in them already.
    pub(super) async fn snapshot(&self) -> Arc<Snapshot> {
        let mut following = Arc::clone(&self.0.following).lock_owned().await;
        if let Some(snapshot) = self.0.recent_snapshot(&following) {
            return snapshot;
        }
        let events = self.clone();
        off_the_workers(move || events.0.take_snapshot(&mut following)).await
    }

    /// Wants events for as long as the answer lives.
    pub(in crate::ops) fn interest(&self) -> Interest {
        Interest::begin(&self.0.interested)
    }

    /// A place for one more reader; none when there are so many already.
    pub(super) fn admit(&self, most: usize) -> Option<Place> {
        if self.0.readers.fetch_add(1, Ordering::Relaxed) < most {
            return Some(Place { events: self.clone(), _interest: self.interest() });
        }
        self.0.readers.fetch_sub(1, Ordering::Relaxed);
        self.0.counters.refused_readers.fetch_add(1, Ordering::Relaxed);
        None
    }

    /// The id of an event of this process.
    pub fn id(&self, sequence: u64) -> EventId {
        EventId { epoch: self.0.epoch, sequence }
    }

    /// The number of the last event.
    pub fn last(&self) -> u64 {
        self.0.window.lock().last()
    }

    /// Who gives the numbers.
    pub fn epoch(&self) -> NodeId {
        self.0.epoch
    }

    /// Whether all events after a place are kept.
    pub(super) fn reaches(&self, place: u64) -> bool {
        self.0.window.lock().reaches(place)
    }

    /// The next events after a place, see [`Window::after`].
    pub(in crate::ops) fn after(&self, place: u64, most: usize, most_bytes: usize) -> Option<Vec<Arc<Event>>> {
        self.0.window.lock().after(place, most, most_bytes).ok()
    }

    /// Tells when there are more events.
    pub(in crate::ops) fn published(&self) -> watch::Receiver<u64> {
        self.0.published.subscribe()
    }

    /// What is counted.
    pub fn figures(&self) -> EventFigures {
        self.0.counters.figures(self.0.readers.load(Ordering::Relaxed))
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.0.counters
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.0.registry
    }
}

impl Shared {
    fn follow_on(&self, following: &mut Following) {
        if self.registry.version() == following.version {
            return;
        }
        // Read before the changes: what they lack after it will be found the next time.
        let now = self.registry.version();
        match self.registry.changes_since(following.version) {
            Some(changes) => self.publish_changes(following, &changes),
            None => self.skip(following, now),
        }
    }

    /// Goes on after a version, whatever was before.
    fn skip(&self, following: &mut Following, to: Version) {
        tracing::debug!("more has happened than the history keeps, readers of events are told of a gap");
        following.version = to;
        self.lose();
    }

    fn recent_snapshot(&self, following: &Following) -> Option<Arc<Snapshot>> {
        let (snapshot, taken) = following.snapshot.as_ref()?;
        let snapshot = snapshot.upgrade().filter(|_| taken.elapsed() < SNAPSHOT_LASTS)?;
        self.window.lock().reaches(snapshot.sequence).then_some(snapshot)
    }

    fn take_snapshot(&self, following: &mut Following) -> Arc<Snapshot> {
        let (version, leases) = Snapshot::leases_of(&self.registry);
        let changes = self.registry.changes_since(following.version);
        if changes.is_none() {
            self.skip(following, version);
        }
        let changes = changes.unwrap_or_default();
        let (before, after) = changes.split_at(changes.partition_point(|change| change.version <= version));
        self.publish_changes(following, before);
        let sequence = self.window.lock().last();
        self.publish_changes(following, after);
        let snapshot = Arc::new(Snapshot { version, sequence, leases });
        following.snapshot = Some((Arc::downgrade(&snapshot), Instant::now()));
        snapshot
    }

    fn publish_changes(&self, following: &mut Following, changes: &[Change]) {
        let Some(last) = changes.last() else { return };
        following.version = last.version;
        let first = self.window.lock().last() + 1;
        let ids = (first..).map(|sequence| EventId { epoch: self.epoch, sequence });
        let events: Vec<_> =
            ids.zip(changes).map(|(id, change)| Event::of_change(id, change, &self.registry)).collect();
        self.publish(events);
    }

    /// Gives events to all who read.
    fn publish(&self, events: impl IntoIterator<Item = Event>) {
        let mut made = 0;
        let last = {
            let mut window = self.window.lock();
            for event in events {
                window.push(event);
                made += 1;
            }
            window.last()
        };
        self.counters.events.fetch_add(made, Ordering::Relaxed);
        self.published.send_replace(last);
    }

    fn lose(&self) {
        let last = {
            let mut window = self.window.lock();
            window.lose();
            window.last()
        };
        self.published.send_replace(last);
    }
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events").field("epoch", &self.0.epoch).finish_non_exhaustive()
    }
}
