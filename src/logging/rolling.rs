//! The log's file, put away when it is full or the day is over (`RollingFileAppender` with a
//! `SizeAndTimeBasedRollingPolicy`, as Spring sets it up).
//!
//! What is put away is called `name.2026-01-31.0`, `.1` and so on, by the day it was written on. Java
//! compresses it (`.gz`), which costs a burst of a processor in the middle of serving; here it stays
//! as it is. Java's `max-history` counts days, so that a talkative day fills the disk; here it counts
//! files.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::civil::Date;

use super::files::{append, siblings};
use super::queue::Sink;
use super::stamps::Stamps;

/// A file of limited size, and its predecessors.
pub(super) struct RollingFile {
    path: PathBuf,
    max_size: u64,
    /// How many predecessors are kept; 0 means all.
    max_history: usize,
    stamps: Stamps,
    file: File,
    /// What is in it.
    size: u64,
    /// Not a device or a pipe, which are never put away.
    real: bool,
    /// When it was last written to.
    day: Date,
}

impl RollingFile {
    pub(super) fn open(path: &Path, max_size: u64, max_history: usize, stamps: Stamps) -> io::Result<Self> {
        let file = append(path)?;
        let day = stamps.today();
        let mut rolling = Self { path: path.to_owned(), max_size, max_history, stamps, file, size: 0, real: true, day };
        rolling.look()?;
        Ok(rolling)
    }

    /// Finds out what was in the file already, and since when.
    fn look(&mut self) -> io::Result<()> {
        let about = self.file.metadata()?;
        self.real = about.is_file();
        self.size = if self.real { about.len() } else { 0 };
        let modified = about.modified()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        if self.size > 0 {
            self.day = self.stamps.day(i64::try_from(modified.as_millis()).unwrap_or(i64::MAX));
        }
        Ok(())
    }

    /// Writes what fits; at least a line, if the file is empty. Gives what is left.
    fn fill<'a>(&mut self, lines: &'a [u8]) -> io::Result<&'a [u8]> {
        let room = self.max_size.saturating_sub(self.size);
        let room = usize::try_from(room).unwrap_or(usize::MAX).min(lines.len());
        let whole = |part: &[u8]| part.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let mut fitting = lines.get(..room).map_or(0, whole);
        if fitting == 0 && self.size == 0 {
            fitting = lines.iter().position(|byte| *byte == b'\n').map_or(lines.len(), |end| end + 1);
        }
        let (now, later) = lines.split_at_checked(fitting).unwrap_or((lines, &[]));
        self.file.write_all(now)?;
        self.size = self.size.saturating_add(u64::try_from(now.len()).unwrap_or(u64::MAX));
        Ok(later)
    }

    /// Puts the file away and begins a new one. Where that fails the old one is written on, and the
    /// next try is when it has grown as much again.
    fn roll(&mut self) {
        if let Err(error) = self.put_away() {
            tracing::error!(file = %self.path.display(), %error, "cannot put the log file away, it grows on");
            self.size = 0;
        }
    }

    fn put_away(&mut self) -> io::Result<()> {
        let mut archives = self.archives()?;
        let last = archives.iter().filter(|archive| archive.day == self.day).map(|archive| archive.number).max();
        let number = last.map_or(0, |last| last.saturating_add(1));
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{}.{number}", self.day));
        let path = PathBuf::from(name);
        fs::rename(&self.path, &path)?;
        self.file = append(&self.path)?;
        self.size = 0;
        archives.push(Archive { day: self.day, number, path });
        archives.sort_unstable();
        if self.max_history > 0 {
            let surplus = archives.len().saturating_sub(self.max_history);
            for archive in archives.iter().take(surplus) {
                fs::remove_file(&archive.path)?;
            }
        }
        Ok(())
    }

    /// What was put away and is still there.
    fn archives(&self) -> io::Result<Vec<Archive>> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let archive = |(between, path): (String, PathBuf)| {
            let (day, number) = between.split_once('.')?;
            Some(Archive { day: day.parse().ok()?, number: number.parse().ok()?, path })
        };
        Ok(siblings(folder, &format!("{name}."), "")?.into_iter().filter_map(archive).collect())
    }
}

/// A file that was put away; the oldest is the smallest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Archive {
    day: Date,
    number: u64,
    path: PathBuf,
}

impl Sink for RollingFile {
    fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        if !self.real {
            return self.file.write_all(lines);
        }
        let today = self.stamps.today();
        if self.size > 0 && self.day != today {
            self.roll();
        }
        self.day = today;
        let mut rest = self.fill(lines)?;
        while !rest.is_empty() {
            self.roll();
            rest = self.fill(rest)?;
        }
        Ok(())
    }

    fn reopen(&mut self) -> io::Result<()> {
        self.file = append(&self.path)?;
        self.look()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::time::Duration;

    use tempfile::TempDir;

    use super::*;
    use crate::clock::Clock;

    /// 2026-01-31, an hour before midnight in UTC+1.
    const EVENING: i64 = 1_769_896_800_000;
    const HOUR: i64 = 3_600_000;

    fn rolling(dir: &TempDir, clock: &Clock, max_history: usize) -> RollingFile {
        let stamps = Stamps::fixed(clock.clone(), 1);
        RollingFile::open(&dir.path().join("logs/e.log"), 10, max_history, stamps).unwrap()
    }

    /// Names and contents, by name.
    fn files(dir: &TempDir) -> Vec<(String, String)> {
        let mut files: Vec<_> = fs::read_dir(dir.path().join("logs"))
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()))
            .collect();
        files.sort();
        files
    }

    fn named(files: &[(&str, &str)]) -> Vec<(String, String)> {
        files.iter().map(|(name, content)| ((*name).to_owned(), (*content).to_owned())).collect()
    }

    #[test]
    fn a_full_file_is_put_away_between_lines_and_the_oldest_goes() {
        let (dir, clock) = (tempfile::tempdir().unwrap(), Clock::held(EVENING));
        let mut file = rolling(&dir, &clock, 2);
        fs::write(dir.path().join("logs/e.log.bak"), "mine").unwrap();
        file.write(b"1234\n6789\nab\n").unwrap();
        let full = [("e.log", "ab\n"), ("e.log.2026-01-31.0", "1234\n6789\n"), ("e.log.bak", "mine")];
        assert_eq!(files(&dir), named(&full));
        file.write(b"longer than allowed\nx\n").unwrap();
        file.write(b"y\n").unwrap();
        let kept = [
            ("e.log", "x\ny\n"),
            ("e.log.2026-01-31.1", "ab\n"),
            ("e.log.2026-01-31.2", "longer than allowed\n"),
            ("e.log.bak", "mine"),
        ];
        assert_eq!(files(&dir), named(&kept));
    }

    #[test]
    fn a_day_has_its_own_file() {
        let (dir, clock) = (tempfile::tempdir().unwrap(), Clock::held(EVENING));
        let mut file = rolling(&dir, &clock, 7);
        file.write(b"a\n").unwrap();
        clock.jump_wall(2 * HOUR);
        file.write(b"b\n").unwrap();
        assert_eq!(files(&dir), named(&[("e.log", "b\n"), ("e.log.2026-01-31.0", "a\n")]));
    }

    #[test]
    fn a_start_goes_on_with_what_is_there() {
        let (dir, clock) = (tempfile::tempdir().unwrap(), Clock::held(EVENING));
        let path = dir.path().join("logs/e.log");
        let written_at = |at: i64| {
            let time = SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(at).unwrap());
            File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
        };
        rolling(&dir, &clock, 7).write(b"12345\n").unwrap();
        written_at(EVENING - HOUR);
        rolling(&dir, &clock, 7).write(b"a\n").unwrap();
        assert_eq!(files(&dir), named(&[("e.log", "12345\na\n")]));
        written_at(EVENING - 24 * HOUR);
        rolling(&dir, &clock, 7).write(b"b\n").unwrap();
        assert_eq!(files(&dir), named(&[("e.log", "b\n"), ("e.log.2026-01-30.0", "12345\na\n")]));
    }

    #[test]
    fn a_file_that_was_moved_away_is_begun_anew() {
        let (dir, clock) = (tempfile::tempdir().unwrap(), Clock::held(EVENING));
        let mut file = rolling(&dir, &clock, 7);
        file.write(b"a\n").unwrap();
        let path = dir.path().join("logs/e.log");
        fs::rename(&path, dir.path().join("logs/moved")).unwrap();
        file.write(b"b\n").unwrap();
        file.reopen().unwrap();
        file.write(b"c\n").unwrap();
        assert_eq!(files(&dir), named(&[("e.log", "c\n"), ("moved", "a\nb\n")]));
    }

    #[test]
    fn what_cannot_be_put_away_is_written_on() {
        let (dir, clock) = (tempfile::tempdir().unwrap(), Clock::held(EVENING));
        let mut file = rolling(&dir, &clock, 7);
        file.write(b"12345678\n").unwrap();
        fs::remove_dir_all(dir.path().join("logs")).unwrap();
        file.write(b"abcdefgh\n").unwrap();
        file.write(b"ijklmnop\n").unwrap();
        assert!(!dir.path().join("logs").exists());
    }

    #[test]
    fn what_is_no_real_file_is_never_put_away() {
        let stamps = Stamps::fixed(Clock::held(EVENING), 1);
        let mut file = RollingFile::open(Path::new("/dev/null"), 10, 7, stamps).unwrap();
        file.write(b"12345678\nabcdefgh\nijklmnop\n").unwrap();
        file.write(b"12345678\n").unwrap();
    }
}
