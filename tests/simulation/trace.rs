//! What happened, in order.

use std::fmt;
use std::hash::{DefaultHasher, Hasher as _};

/// A hash of all lines, and the last of them where somebody wants to read them.
#[derive(Debug)]
pub(crate) struct Trace {
    hasher: DefaultHasher,
    line: String,
    shows: bool,
}

impl Trace {
    pub(crate) fn new(shows: bool) -> Self {
        Self { hasher: DefaultHasher::new(), line: String::new(), shows }
    }

    /// Adds a line.
    #[expect(clippy::print_stdout, reason = "shown when the seed fails")]
    pub(crate) fn add(&mut self, now: u64, line: fmt::Arguments<'_>) {
        self.line.clear();
        fmt::write(&mut self.line, format_args!("{now} {line}")).unwrap();
        self.hasher.write(self.line.as_bytes());
        if self.shows {
            println!("{}", self.line);
        }
    }

    /// Adds bytes that travel; they are not shown.
    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        self.hasher.write(bytes);
    }

    pub(crate) fn hash(&self) -> u64 {
        self.hasher.finish()
    }
}
