//! Files that lines are appended to, and streams.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::queue::Sink;

/// A file of the log that cannot be opened at the start.
///
/// The program leaves with exit code 1, as for a port that is in use: what is written may be right
/// and the machine not (yet), so that another start is worth a try. 78 says that none is.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to {path} ({property}): {error}")]
pub struct LogFileError {
    /// The file.
    pub path: PathBuf,
    /// The property that it comes from.
    pub property: &'static str,
    /// What is wrong.
    #[source]
    pub error: io::Error,
}

/// Opens a file at its end; makes it and the folders that it lies in.
pub(super) fn append(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    File::options().append(true).create(true).open(path)
}

/// Files beside `path` and what their names have between `prefix` and `suffix`, in no order.
pub(super) fn siblings(folder: &Path, prefix: &str, suffix: &str) -> io::Result<Vec<(String, PathBuf)>> {
    // A file without a folder in its name lies in the current one.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let between = name.to_str().and_then(|name| name.strip_prefix(prefix)?.strip_suffix(suffix));
        if let Some(between) = between {
            found.push((between.to_owned(), entry.path()));
        }
    }
    Ok(found)
}

/// Standard output or standard error.
pub(super) struct Stream<W>(pub(super) W);

impl<W: Write + Send + 'static> Sink for Stream<W> {
    fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        self.0.write_all(lines)?;
        self.0.flush()
    }

    fn reopen(&mut self) -> io::Result<()> {
        Ok(())
    }
}
