//! The file: written anew as a whole beside the old one and then put in its place, or appended to.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::model::{AppName, InstanceId, WallMillis};
use crate::registry::Remembered;

use super::record::{Record, Said};

/// Bytes that may be appended to any file before it is written anew.
const FREE: u64 = 1024 * 1024;

/// A file that is longer is not ours: a million instances.
const LONGEST: u64 = 4 << 30;

/// It holds what clients said of themselves.
const OURS_ALONE: u32 = 0o600;

/// See the module.
#[derive(Debug)]
pub(super) struct Store {
    path: PathBuf,
    /// Open at its end; none before it was written the first time, and after a failure.
    file: Option<File>,
    /// How long it was when it was written, and what was appended since.
    whole: u64,
    appended: u64,
    /// Held as long as this process runs, so that no other uses the file.
    _lock: File,
}

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) held: Vec<Remembered>,
    /// Bytes at its end that were being written when the process ended.
    pub(super) torn: usize,
}

impl Store {
    /// Of this path, whose folder is made if it is not there; where it is a link, of what that leads to. `ResourceBusy` if
    /// another process has it.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        let path = match regular(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            found => found?,
        };
        let lock = OpenOptions::new().create(true).append(true).mode(OURS_ALONE).open(beside(&path, ".lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, "another process uses it"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(Self { path, file: None, whole: 0, appended: 0, _lock: lock })
    }

    /// Whether it is time to write the file anew.
    pub(super) fn is_overgrown(&self) -> bool {
        self.file.is_none() || self.appended > self.whole.max(FREE)
    }

    /// What a file holds; `InvalidData` if it is none of ours, or damaged.
    pub(super) fn read(path: &Path, now: WallMillis) -> io::Result<Contents> {
        let mut bytes = Vec::new();
        File::open(regular(path)?)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
        let invalid =
            |line: usize, problem: &str| io::Error::new(io::ErrorKind::InvalidData, format!("line {line}: {problem}"));
        if u64::try_from(bytes.len()).is_ok_and(|length| length > LONGEST) {
            return Err(invalid(1, "the file is too long"));
        }
        let mut held: HashMap<(AppName, InstanceId), Remembered> = HashMap::new();
        let (mut is_whole, mut torn) = (false, 0);
        for (at, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let said = line.strip_suffix(b"\n").ok_or_else(|| "it has no end".to_owned());
            match (at, said.and_then(|line| Record::read(line, now))) {
                (0, Ok(Said::Snapshot)) => {}
                (0, Ok(_)) => return Err(invalid(1, "this is no snapshot of a registry")),
                (_, Ok(Said::Held(one))) if torn == 0 => {
                    held.insert((one.instance.app.clone(), one.instance.id.clone()), *one);
                }
                (_, Ok(Said::Ended(app, id))) if torn == 0 => {
                    held.remove(&(app, id));
                }
                (_, Ok(Said::Whole)) if !is_whole => is_whole = true,
                // What was appended may have been on its way to the disk when the machine stopped, in any order.
                _ if is_whole => torn += line.len(),
                (_, Ok(_)) => return Err(invalid(at + 1, "it does not belong here")),
                (_, Err(problem)) => return Err(invalid(at + 1, &problem)),
            }
        }
        if !is_whole {
            return Err(invalid(1, "its end is missing"));
        }
        let mut held: Vec<_> = held.into_values().collect();
        held.sort_unstable_by(|a, b| (&a.instance.app, &a.instance.id).cmp(&(&b.instance.app, &b.instance.id)));
        Ok(Contents { held, torn })
    }

    /// Puts the file out of the way. Gives where it is.
    pub(super) fn set_aside(&self) -> io::Result<PathBuf> {
        let aside = beside(&self.path, ".damaged");
        fs::rename(&self.path, &aside)?;
        Ok(aside)
    }

    /// Writes the file anew: it is the old one or the new one at any time. Only where the disk is too full for both, and
    /// the new one is no longer than the old, it is written over that.
    pub(super) fn replace<R>(&mut self, now: WallMillis, records: impl Fn() -> R) -> io::Result<()>
    where
        R: Iterator<Item = Record>,
    {
        self.file = None;
        let all = || std::iter::once(Record::first(now)).chain(records()).chain([Record::Whole {}]);
        let new = beside(&self.path, ".new");
        let (file, length) = match write_beside(&new, all()) {
            Ok(written) => {
                fs::rename(&new, &self.path)?;
                if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                    File::open(folder)?.sync_all()?;
                }
                written
            }
            Err(error) => {
                // What is left of it takes room on a disk that may be full.
                let _gone = fs::remove_file(&new);
                if error.kind() != io::ErrorKind::StorageFull {
                    return Err(error);
                }
                self.write_over(all).map_err(|_| error)?
            }
        };
        (self.file, self.whole, self.appended) = (Some(file), length, 0);
        Ok(())
    }

    fn write_over<R: Iterator<Item = Record>>(&self, all: impl Fn() -> R) -> io::Result<(File, u64)> {
        let mut file = OpenOptions::new().write(true).open(&self.path)?;
        let length = write_lines(&mut io::sink(), all())?;
        if length > file.metadata()?.len() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        write_lines(&mut file, all())?;
        file.set_len(length)?;
        file.sync_all()?;
        Ok((file, length))
    }

    /// Adds to the end of the file.
    pub(super) fn append(&mut self, records: impl Iterator<Item = Record>) -> io::Result<()> {
        let mut file = self.file.take().ok_or_else(|| io::Error::other("it was not written yet"))?;
        let mut lines = Vec::new();
        for record in records {
            record.write(&mut lines)?;
        }
        let end = self.whole + self.appended;
        file.write_all(&lines).and_then(|()| file.sync_data()).inspect_err(|_| {
            // Half of it would be taken for a torn end, and takes room.
            let _as_it_was = file.set_len(end);
        })?;
        self.appended += lines.len() as u64;
        self.file = Some(file);
        Ok(())
    }
}

/// Where a path leads to. A pipe there would never end.
fn regular(path: &Path) -> io::Result<PathBuf> {
    let path = fs::canonicalize(path)?;
    if path.is_file() { Ok(path) } else { Err(io::Error::other("this is no regular file")) }
}

fn write_beside(path: &Path, records: impl Iterator<Item = Record>) -> io::Result<(File, u64)> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    // Whatever is there by now was put there by somebody else.
    let mut file = OpenOptions::new().write(true).create_new(true).mode(OURS_ALONE).open(path)?;
    let length = write_lines(&mut file, records)?;
    file.sync_all()?;
    Ok((file, length))
}

/// Gives how many bytes it wrote.
fn write_lines(file: &mut impl io::Write, records: impl Iterator<Item = Record>) -> io::Result<u64> {
    /// Bytes that are written at once.
    const CHUNK: usize = 256 * 1024;
    let (mut lines, mut length) = (Vec::new(), 0);
    for record in records {
        record.write(&mut lines)?;
        if lines.len() >= CHUNK {
            file.write_all(&lines)?;
            length += lines.len() as u64;
            lines.clear();
        }
    }
    file.write_all(&lines)?;
    Ok(length + lines.len() as u64)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().map(OsString::from).unwrap_or_default();
    name.push(ending);
    path.with_file_name(name)
}
