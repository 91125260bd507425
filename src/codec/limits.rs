//! What a body may be at most, and what is wrong with one that cannot be read.

use std::fmt::{self, Display, Write as _};

/// Bounds for what comes in; the size of a whole body is bounded before it gets here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Objects, arrays or elements within one another (`eurekad.limits.nesting-depth`). In a list of another
    /// server, of each instance; in a batch, of each item.
    pub nesting_depth: usize,
    /// Entries of one metadata map (`eurekad.limits.metadata-entries`).
    pub metadata_entries: usize,
    /// Bytes of a metadata key or value (`eurekad.limits.metadata-length`).
    pub metadata_length: usize,
    /// Bytes of all keys and values of one metadata map (`eurekad.limits.metadata-size`).
    pub metadata_size: usize,
    /// Bytes of an application's name, an instance's id, a host name or a single VIP
    /// (`eurekad.limits.name-length`).
    pub name_length: usize,
    /// Bytes of any other text of an instance (`eurekad.limits.text-length`).
    pub text_length: usize,
    /// Names in one VIP list (`eurekad.limits.vip-names`).
    pub vip_names: usize,
    /// Values of a body that are read (`eurekad.limits.body-values`): members, items, elements, attributes.
    /// In a list of another server, of each instance; in a batch, of each item.
    pub body_values: usize,
    /// Items of one replication batch (`eurekad.limits.batch-items`); a Java server sends 250 at most.
    pub batch_items: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nesting_depth: 32,
            metadata_entries: 1000,
            metadata_length: 16 * 1024,
            // Every list carries it to everybody.
            metadata_size: 1024 * 1024,
            name_length: 1024,
            text_length: 16 * 1024,
            vip_names: 100,
            // A thousand metadata entries in each of 250 instances; some 20 MB as a tree.
            body_values: 250_000,
            batch_items: 1000,
        }
    }
}

/// Why a body cannot be read. The text is one sentence for the caller or the log, with the place in the
/// body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Not the syntax it claims to be.
    #[error("cannot parse request body: {0}")]
    Syntax(String),
    /// The same of an answer.
    #[error("cannot parse answer: {0}")]
    Answer(String),
    /// A member that is not what it must be.
    #[error("cannot read {path}: {problem}")]
    Field {
        /// Where: `instance.port.$`.
        path: String,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// Over one of the [`Limits`].
    #[error("{path} is over the limit: {problem}")]
    Limit {
        /// Where.
        path: String,
        /// How much is allowed, and the setting that allows more.
        problem: String,
    },
}

impl ReadError {
    #[cold]
    fn under(mut self, name: &dyn Display) -> Self {
        if let Self::Field { path, .. } | Self::Limit { path, .. } = &mut self {
            *path = if path.is_empty() { name.to_string() } else { format!("{name}.{path}") };
        }
        self
    }

    /// The same problem of a body that another server answered.
    pub(super) fn of_answer(self) -> Self {
        match self {
            Self::Syntax(problem) => Self::Answer(problem),
            other => other,
        }
    }
}

/// A member that is not what it must be. Its place is added on the way out: [`Under`].
pub(super) fn wrong(problem: impl Into<String>) -> ReadError {
    ReadError::Field { path: String::new(), problem: problem.into() }
}

/// Something over a limit. Its place is added on the way out: [`Under`].
pub(super) fn over(problem: impl Into<String>) -> ReadError {
    ReadError::Limit { path: String::new(), problem: problem.into() }
}

/// Spells out where a problem lies, from the inside out: only a body that fails pays for it.
pub(super) trait Under {
    /// Puts a name in front of the place.
    #[must_use]
    fn under(self, name: impl Display) -> Self;
}

impl<T> Under for Result<T, ReadError> {
    #[inline]
    fn under(self, name: impl Display) -> Self {
        self.map_err(|error| error.under(&name))
    }
}

/// A piece of a body, quoted for an error.
pub(crate) fn quoted(piece: &str) -> String {
    format!("\"{}\"", shortened(piece))
}

/// The beginning of a piece of a body for an error, fit for one line.
pub(crate) fn shortened(piece: &str) -> impl Display {
    fmt::from_fn(move |f| {
        const LONGEST: usize = 80;
        for c in piece.chars().take(LONGEST) {
            if c.is_control() { write!(f, "{}", c.escape_debug())? } else { f.write_char(c)? }
        }
        if piece.chars().nth(LONGEST).is_some() { f.write_char('…') } else { Ok(()) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_body_are_quoted_short() {
        assert_eq!(quoted("a\nb"), r#""a\nb""#);
        assert_eq!(quoted(&"é".repeat(100)), format!("\"{}…\"", "é".repeat(80)));
    }
}
