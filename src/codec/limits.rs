//! What a body may be at most, and what is wrong with one that cannot be read.

/// Bounds for what comes in; the size of a whole body is bounded before it gets here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Objects, arrays or elements within one another (`eurekad.limits.nesting-depth`).
    pub nesting_depth: usize,
    /// Entries of one metadata map (`eurekad.limits.metadata-entries`).
    pub metadata_entries: usize,
    /// Bytes of a metadata key or value (`eurekad.limits.metadata-length`).
    pub metadata_length: usize,
    /// Values of a body that are read (`eurekad.limits.body-values`): members, items, elements, attributes.
    pub body_values: usize,
    /// Items of one replication batch (`eurekad.limits.batch-items`); a Java server sends 250 at most.
    pub batch_items: usize,
}

impl Default for Limits {
    fn default() -> Self {
        // A thousand metadata entries in each of 250 instances; some 20 MB as a tree.
        Self {
            nesting_depth: 32,
            metadata_entries: 1000,
            metadata_length: 16 * 1024,
            body_values: 250_000,
            batch_items: 1000,
        }
    }
}

/// Why a body cannot be read. The text is one sentence for the caller, with the place in the body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Not the syntax it claims to be.
    #[error("cannot parse request body: {0}")]
    Syntax(String),
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
