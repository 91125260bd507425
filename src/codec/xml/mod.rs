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
pub use text::carried;
pub use write::{error, push_instance, write_instance, write_outcomes, write_status};

use super::pieces::{Edges, Frame};
use super::{Detail, Document, Group};

/// Writes a cached document: the whole registry, a delta, a VIP list or one application.
pub fn write_document(document: &Document, detail: Detail) -> Vec<u8> {
    match document {
        Document::Application(app) => match detail {
            Detail::Full => write::write_application(app),
            Detail::Compact => compact::write_application(app),
        },
        Document::Applications { version, hash, apps } => {
            let frame = Frame { version: *version, hash, empty: apps.is_empty() };
            let mut out = write_head(detail, frame);
            push_piece(&mut out, detail, apps, Edges::WHOLE);
            out.append(&mut write_tail(detail, frame));
            out
        }
    }
}

/// See [`pieces::head`](super::pieces::head).
pub fn write_head(detail: Detail, frame: Frame<'_>) -> Vec<u8> {
    match detail {
        Detail::Full => write::write_head(frame),
        Detail::Compact => compact::HEAD.to_vec(),
    }
}

/// See [`pieces::piece`](super::pieces::piece).
pub fn write_piece(detail: Detail, apps: &[Group], edges: Edges) -> Vec<u8> {
    let mut out = Vec::new();
    push_piece(&mut out, detail, apps, edges);
    out
}

/// See [`pieces::tail`](super::pieces::tail).
pub fn write_tail(detail: Detail, frame: Frame<'_>) -> Vec<u8> {
    match detail {
        Detail::Full => write::TAIL.to_vec(),
        Detail::Compact => compact::write_tail(frame),
    }
}

fn push_piece(out: &mut Vec<u8>, detail: Detail, apps: &[Group], edges: Edges) {
    match detail {
        Detail::Full => write::push_applications(out, apps, edges),
        Detail::Compact => compact::push_applications(out, apps, edges),
    }
}
