//! A restart without amnesia: the registry on disk (Java keeps nothing; its users lose overrides, and everybody
//! until the next heartbeat).
//!
//! What changed is written from the change log, on a timer, never on the way of a request: appended to one file, which
//! is written anew when it has grown to twice its size. Each line has a checksum. After a crash the end of the file
//! may be torn: what is whole counts. A file that is damaged otherwise, or is none of ours, is set aside, and the
//! start goes on without it. A disk that is full, slow or read-only costs what is not written, and nothing else.
//!
//! Leases that are read come back unconfirmed, see [`Registry::recall`]. Remote regions are not kept: they are
//! copied anew.
//!
//! | file | what |
//! | --- | --- |
//! | `record` | lines |
//! | `store` | the file |

mod record;
mod store;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::clock::Clock;
use crate::registry::{Change, Registry, Remembered, Version};
use crate::settings::SnapshotSettings;

use record::Record;
use store::{Contents, Store};

/// Keeps a registry on disk. Copies are the same one.
#[derive(Clone)]
pub struct Snapshot(Arc<Shared>);

struct Shared {
    path: PathBuf,
    registry: Arc<Registry>,
    clock: Clock,
    /// Held while something is read or written: one at a time.
    progress: Mutex<Progress>,
}

#[derive(Default)]
struct Progress {
    /// None before it was read, and if it cannot be used.
    store: Option<Store>,
    /// What the file holds; none: it has to be written anew.
    written: Option<Mark>,
    is_failing: bool,
}

/// A moment of the registry. Stamps of overrides may change without a change in the log.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark {
    version: Version,
    restamps: u64,
}

impl Snapshot {
    /// The one that the user wants (`eurekad.snapshot.path`). Touches no file.
    pub fn of(settings: &SnapshotSettings, registry: &Arc<Registry>, clock: &Clock) -> Option<Self> {
        Some(Self::new(settings.path.as_deref()?, Arc::clone(registry), clock.clone()))
    }

    /// The one in this file.
    pub fn new(path: &Path, registry: Arc<Registry>, clock: Clock) -> Self {
        Self(Arc::new(Shared { path: path.to_owned(), registry, clock, progress: Mutex::default() }))
    }

    /// Takes in what the file holds, or only what it knows of the overrides of instances that were `copied` from a
    /// peer. Gives how many leases came of it. Blocks on files, for as long as a disk hangs. If the file cannot be used
    /// the server goes on without it.
    pub fn recall(&self, copied: bool) -> usize {
        let Shared { path, registry, progress, clock } = &*self.0;
        let mut progress = progress.lock();
        let shown = path.display();
        let store = match Store::open(path) {
            Ok(store) => progress.store.insert(store),
            Err(error) => {
                tracing::error!(path = %shown, %error, "there is no snapshot, a restart will forget everything");
                return 0;
            }
        };
        let remembered: Vec<Remembered> = match store.read(clock.now().wall) {
            Ok(Contents { held, torn }) => {
                if torn > 0 {
                    tracing::warn!(path = %shown, bytes = torn, "the end of the snapshot is torn and was left out");
                }
                held
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return 0,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                let aside = store.set_aside();
                let aside = aside.map_or_else(|error| format!("nowhere: {error}"), |at| at.display().to_string());
                tracing::error!(path = %shown, %error, aside, "the snapshot cannot be used and was set aside");
                return 0;
            }
            Err(error) => {
                tracing::error!(path = %shown, %error, "the snapshot cannot be read, starting without it");
                return 0;
            }
        };
        if copied {
            registry.recall_overrides(remembered);
            return 0;
        }
        let instances = registry.recall(remembered);
        tracing::info!(path = %shown, instances, "instances of before the restart, unconfirmed until they renew");
        instances
    }

    /// Writes what has changed since the last time; nothing before the opening, since the file holds more until then. A
    /// failure is logged, once until it works again.
    pub fn keep(&self) {
        let Shared { path, registry, progress, clock } = &*self.0;
        let mut progress = progress.lock();
        if progress.written == Some(Mark::of(registry)) || !registry.was_opened() {
            return;
        }
        let Some(mut store) = progress.store.take() else { return };
        let result = progress.write(&mut store, registry, clock.now().wall);
        progress.store = Some(store);
        let path = path.display().to_string();
        match result {
            Ok(()) if progress.is_failing => {
                progress.is_failing = false;
                tracing::info!(path, "the snapshot is written again");
            }
            Ok(()) => {}
            Err(error) => {
                progress.written = None;
                if !std::mem::replace(&mut progress.is_failing, true) {
                    tracing::error!(path, %error, "the snapshot cannot be written, a restart would go back to the last one");
                }
            }
        }
    }
}

impl Mark {
    fn of(registry: &Registry) -> Self {
        // In this order: what is stamped in between is written again.
        let restamps = registry.restamps();
        Self { version: registry.version(), restamps }
    }
}

impl Progress {
    fn write(&mut self, store: &mut Store, registry: &Registry, now: i64) -> io::Result<()> {
        let at = Mark::of(registry);
        // Which override was stamped anew is not known.
        let written = self.written.filter(|written| written.restamps == at.restamps && !store.is_overgrown());
        let changes = written.and_then(|written| registry.changes_since(written.version));
        let version = if let Some(changes) = changes {
            let own = changes.iter().filter(|change| change.lease.region.is_none());
            store.append(own.map(Record::of))?;
            changes.last().map_or(at.version, |last| last.version)
        } else {
            let (version, leases) = registry.all_own();
            store.replace(now, || leases.iter().map(|lease| Record::held(lease)))?;
            version
        };
        self.written = Some(Mark { version, ..at });
        Ok(())
    }
}

impl Record {
    fn of(change: &Change) -> Self {
        if change.is_removal() { Self::ended(&change.lease) } else { Self::held(&change.lease) }
    }
}

#[cfg(test)]
mod tests;
