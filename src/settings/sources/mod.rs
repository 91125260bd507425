//! Where settings come from: each source gives what was [`Written`], in order, with its origin.
//!
//! In Spring's order, the later winning: files (`application.yaml`, `.yml`, `.properties` in the
//! start folder, then in its `config` folder), environment, words. Values are text as written; what
//! they mean is decided by the concern that reads them.

mod environment;
mod files;
mod properties;
pub(crate) mod words;
mod yaml;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::findings::Findings;

/// Where the settings are looked for. Nothing else is read: no process environment, no folder.
#[derive(Debug)]
pub struct Sources<'a, E> {
    /// The folder whose `application.*` and `config/application.*` are read.
    pub dir: &'a Path,
    /// Environment variables, in any order.
    pub environment: E,
    /// Arguments of the form `--name=value`.
    pub words: &'a [String],
}

impl<E: IntoIterator<Item = (String, String)>> Sources<'_, E> {
    /// Everything that is written anywhere, what wins last.
    pub(super) fn gather(self, findings: &mut Findings) -> Vec<Written> {
        let mut written = files::read(self.dir, findings);
        written.extend(environment::read(self.environment));
        written.extend(words::read(self.words, findings));
        written
    }
}

/// One property as somebody wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub name: String,
    pub value: String,
    pub origin: Origin,
}

/// Where something was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file.
    File {
        /// Which.
        path: Arc<Path>,
        /// The line, from 1, where it is known.
        line: Option<u64>,
    },
    /// An environment variable.
    Environment {
        /// Its name.
        variable: String,
    },
    /// An argument `--name=value`.
    Word,
}

impl Origin {
    fn file(path: impl Into<PathBuf>, line: Option<u64>) -> Self {
        Self::File { path: Arc::from(path.into()), line }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line: Some(line) } => write!(f, "{} line {line}", path.display()),
            Self::File { path, line: None } => write!(f, "{}", path.display()),
            Self::Environment { variable } => write!(f, "environment variable {variable}"),
            Self::Word => f.write_str("argument"),
        }
    }
}
