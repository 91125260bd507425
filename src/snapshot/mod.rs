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

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;

use crate::clock::Clock;
use crate::model::WallMillis;
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
    file: OnDisk,
    /// What the file holds; none: it has to be written anew.
    written: Option<Mark>,
    is_failing: bool,
}

/// How the file is used.
#[derive(Default)]
enum OnDisk {
    /// Not before somebody asks what it holds.
    #[default]
    Unread,
    Used(Store),
    /// Its folder cannot be written to so far. What it held nevertheless has been taken in, if it could be read: when it
    /// was written then.
    Later {
        read: Option<SystemTime>,
    },
    /// It is another process's: what that keeps would be lost if it was away for a moment.
    Foreign,
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
        let remembered = progress.read(path, clock.now().wall);
        if copied {
            registry.recall_overrides(remembered);
            return 0;
        }
        if remembered.is_empty() {
            return 0;
        }
        let instances = registry.recall(remembered);
        tracing::info!(path = %path.display(), instances, "instances of before the restart, unconfirmed until they renew");
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
        let Some(mut store) = progress.take_store(path) else { return };
        let result = progress.write(&mut store, registry, clock.now().wall);
        progress.file = OnDisk::Used(store);
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
    /// Opens the file and gives what it holds: nothing if there is none, or it cannot be used.
    fn read(&mut self, path: &Path, now: WallMillis) -> Vec<Remembered> {
        let shown = path.display();
        let opened = Store::open(path).inspect_err(|error| {
            self.is_failing = true;
            lament(path, error);
        });
        if matches!(&opened, Err(error) if error.kind() == io::ErrorKind::ResourceBusy) {
            self.file = OnDisk::Foreign;
            return Vec::new();
        }
        let as_of = modified(path);
        let read = Store::read(path, now);
        if let (Ok(store), Err(error)) = (&opened, &read)
            && error.kind() != io::ErrorKind::NotFound
        {
            set_aside(store, path, error);
        }
        self.file = opened.map_or(OnDisk::Later { read: as_of.filter(|_| read.is_ok()) }, OnDisk::Used);
        let Contents { held, torn } = read.unwrap_or_default();
        if torn > 0 {
            tracing::warn!(path = %shown, bytes = torn, "the end of the snapshot is torn and was left out");
        }
        held
    }

    /// The file, if it can be written to; opened again where that failed so far. Why was told at the start.
    fn take_store(&mut self, path: &Path) -> Option<Store> {
        match std::mem::take(&mut self.file) {
            OnDisk::Used(store) => Some(store),
            OnDisk::Later { read } => match Store::open(path) {
                Ok(store) => {
                    if modified(path) != read {
                        set_aside(
                            &store,
                            path,
                            &io::Error::other("it was not there, or another, when the server started"),
                        );
                    }
                    Some(store)
                }
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    lament(path, &error);
                    self.file = OnDisk::Foreign;
                    None
                }
                Err(_as_before) => {
                    self.file = OnDisk::Later { read };
                    None
                }
            },
            other => {
                self.file = other;
                None
            }
        }
    }

    fn write(&mut self, store: &mut Store, registry: &Registry, now: WallMillis) -> io::Result<()> {
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

fn lament(path: &Path, error: &io::Error) {
    tracing::error!(path = %path.display(), %error, "there is no snapshot, a restart will forget everything");
}

/// None if there is nothing.
fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|file| file.modified()).ok()
}

fn set_aside(store: &Store, path: &Path, error: &io::Error) {
    let aside = store.set_aside();
    let aside = aside.map_or_else(|error| format!("nowhere: {error}"), |at| at.display().to_string());
    tracing::error!(path = %path.display(), %error, aside, "the snapshot cannot be used and was set aside");
}

impl Record {
    fn of(change: &Change) -> Self {
        if change.is_removal() { Self::ended(&change.lease) } else { Self::held(&change.lease) }
    }
}

#[cfg(test)]
mod tests;
