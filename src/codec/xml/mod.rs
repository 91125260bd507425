//! Bytes and model for XML: full as `XStream` writes it, compact as Jackson does.
//!
//! What was accepted never breaks a document: every text and every metadata key comes out as
//! well-formed XML 1.0, whatever is in it. Apart from that, documents are byte for byte Java's.
//!
//! | file | what |
//! | --- | --- |
//! | `source` | a body's bytes as text; places in it for errors |
//! | `tree` | text as a tree of elements: what is well-formed |
//! | `read` | the tree as a registration: [`read_instance`] |
//! | `names` | metadata keys as names of elements and back |
//! | `text` | escapes in text, characters that XML has not |
//! | `tags` | tags that both forms write |
//! | `write` | full documents: [`write_instance`], [`write_outcomes`], [`write_status`], [`error`] |
//! | `compact` | compact documents |

mod compact;
mod names;
mod read;
mod source;
mod tags;
mod text;
mod tree;
mod write;

#[cfg(test)]
mod examples;
#[cfg(test)]
mod properties;

pub use compact::push_compact_instance;
pub use read::read_instance;
pub use write::{error, push_instance, write_instance, write_outcomes, write_status};

use super::{Detail, Document};

/// Writes a cached document: the whole registry, a delta, a VIP list or one application.
pub fn write_document(document: &Document, detail: Detail) -> Vec<u8> {
    match detail {
        Detail::Full => write::write_document(document),
        Detail::Compact => compact::write_document(document),
    }
}
