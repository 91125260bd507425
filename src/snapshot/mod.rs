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
use std::path::Path;
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
    registry: Arc<Registry>,
    clock: Clock,
    /// Held while something is written: one at a time.
    progress: Mutex<Progress>,
}

struct Progress {
    store: Store,
    /// What the file holds; none: it has to be written anew.
    written: Option<Version>,
    is_failing: bool,
}

impl Snapshot {
    /// The one that the user wants (`eurekad.snapshot.path`). If its file cannot be used the server goes on without it.
    pub fn of(settings: &SnapshotSettings, registry: &Arc<Registry>, clock: &Clock) -> Option<Self> {
        let path = settings.path.as_ref()?;
        Self::new(path, Arc::clone(registry), clock.clone())
            .inspect_err(|error| {
                tracing::error!(path = %path.display(), %error, "there is no snapshot, a restart will forget everything");
            })
            .ok()
    }

    /// The one in this file. Blocks on files, as all that is done with it. Fails if the file is another process's.
    pub fn new(path: &Path, registry: Arc<Registry>, clock: Clock) -> io::Result<Self> {
        let store = Store::open(path)?;
        let progress = Progress { store, written: None, is_failing: false };
        Ok(Self(Arc::new(Shared { registry, clock, progress: Mutex::new(progress) })))
    }

    /// Takes in what the file holds. Gives how many leases came of it.
    pub fn recall(&self) -> usize {
        let Shared { registry, progress, clock } = &*self.0;
        let progress = progress.lock();
        let path = progress.store.path();
        let remembered: Vec<Remembered> = match progress.store.read(clock.now().wall) {
            Ok(Contents { held, torn }) => {
                if torn > 0 {
                    tracing::warn!(path = %path.display(), bytes = torn, "the end of the snapshot is torn and was left out");
                }
                held
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return 0,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                let aside = progress.store.set_aside();
                let aside = aside.map_or_else(|error| format!("nowhere: {error}"), |at| at.display().to_string());
                tracing::error!(path = %path.display(), %error, aside, "the snapshot cannot be used and was set aside");
                return 0;
            }
            Err(error) => {
                tracing::error!(path = %path.display(), %error, "the snapshot cannot be read, starting without it");
                return 0;
            }
        };
        let instances = registry.recall(remembered);
        tracing::info!(path = %path.display(), instances, "instances of before the restart, unconfirmed until they renew");
        instances
    }

    /// Writes what has changed since the last time; nothing before the opening, since the file holds more until then. A
    /// failure is logged, once until it works again.
    pub fn keep(&self) {
        let Shared { registry, progress, clock } = &*self.0;
        let mut progress = progress.lock();
        if progress.written == Some(registry.version()) || !registry.was_opened() {
            return;
        }
        let result = progress.write(registry, clock.now().wall);
        let path = progress.store.path().display().to_string();
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

impl Progress {
    fn write(&mut self, registry: &Registry, now: i64) -> io::Result<()> {
        let changes = self.written.filter(|_| !self.store.is_overgrown()).and_then(|from| registry.changes_since(from));
        let version = if let Some(changes) = changes {
            let own = changes.iter().filter(|change| change.lease.region.is_none());
            self.store.append(own.map(Record::of))?;
            changes.last().map(|last| last.version)
        } else {
            let (version, leases) = registry.all_own();
            self.store.replace(now, leases.iter().map(|lease| Record::held(lease)))?;
            Some(version)
        };
        self.written = version.or(self.written);
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
