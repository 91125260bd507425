//! The access log's file: one a day, with the day in its name (`AccessLogValve`).

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;

use jiff::Span;
use jiff::civil::Date;

use super::files::{append, siblings};
use super::queue::Sink;
use super::stamps::Stamps;
use crate::settings::AccessLogSettings;

/// The file of the day.
pub(super) struct DailyFile {
    settings: AccessLogSettings,
    stamps: Stamps,
    file: File,
    day: Date,
}

impl DailyFile {
    pub(super) fn open(settings: &AccessLogSettings, stamps: Stamps) -> io::Result<Self> {
        let day = stamps.today();
        let daily = Self { settings: settings.clone(), file: append(&path(settings, day))?, stamps, day };
        daily.forget();
        Ok(daily)
    }

    /// Removes files that have been kept long enough.
    fn forget(&self) {
        let Some(days) = self.settings.max_days else { return };
        // A number of days that no calendar has is for ever.
        let Ok(oldest) = Span::new().try_days(days).and_then(|days| self.day.checked_sub(days)) else { return };
        let AccessLogSettings { directory, prefix, suffix, .. } = &self.settings;
        let removed = siblings(directory, &format!("{prefix}."), suffix).and_then(|files| {
            let old = |day: &str| day.parse().is_ok_and(|day: Date| day < oldest);
            files.iter().filter(|(day, _)| old(day)).try_for_each(|(_, path)| fs::remove_file(path))
        });
        if let Err(error) = removed {
            tracing::warn!(folder = %directory.display(), %error, "cannot remove old access logs");
        }
    }
}

/// Where the lines of a day are.
pub(super) fn path(settings: &AccessLogSettings, day: Date) -> PathBuf {
    let AccessLogSettings { directory, prefix, suffix, .. } = settings;
    let day = if settings.rotate { format!(".{day}") } else { String::new() };
    directory.join(format!("{prefix}{day}{suffix}"))
}

impl Sink for DailyFile {
    fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        let today = self.stamps.today();
        if self.day != today && self.settings.rotate {
            self.file = append(&path(&self.settings, today))?;
            self.day = today;
            self.forget();
        }
        self.file.write_all(lines)
    }

    fn reopen(&mut self) -> io::Result<()> {
        self.file = append(&path(&self.settings, self.day))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::clock::Clock;

    #[test]
    fn each_day_has_a_file_and_old_ones_go() {
        let dir = tempfile::tempdir().unwrap();
        let settings =
            AccessLogSettings { directory: dir.path().join("a/b"), max_days: Some(1), ..AccessLogSettings::default() };
        // 2026-01-31, an hour before midnight in UTC+1.
        let clock = Clock::held(1_769_896_800_000);
        fs::create_dir_all(&settings.directory).unwrap();
        for other in ["access_log.2026-01-29.log", "access_log.2026-01-30.log", "access_log.old.log"] {
            fs::write(settings.directory.join(other), "").unwrap();
        }
        let names = || {
            let entries = fs::read_dir(&settings.directory).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        let mut file = DailyFile::open(&settings, Stamps::fixed(clock.clone(), 1)).unwrap();
        file.write(b"a\n").unwrap();
        assert_eq!(names(), ["access_log.2026-01-30.log", "access_log.2026-01-31.log", "access_log.old.log"]);
        clock.jump_wall(7_200_000);
        file.write(b"b\n").unwrap();
        file.reopen().unwrap();
        file.write(b"c\n").unwrap();
        assert_eq!(names(), ["access_log.2026-01-31.log", "access_log.2026-02-01.log", "access_log.old.log"]);
        let read = |name: &str| fs::read_to_string(settings.directory.join(name)).unwrap();
        assert_eq!(read("access_log.2026-01-31.log"), "a\n");
        assert_eq!(read("access_log.2026-02-01.log"), "b\nc\n");
    }

    #[test]
    fn without_rotation_the_name_stays() {
        let settings = AccessLogSettings { rotate: false, ..AccessLogSettings::default() };
        let day = jiff::civil::date(2026, 1, 31);
        assert_eq!(path(&settings, day), PathBuf::from("logs/access_log.log"));
    }
}
