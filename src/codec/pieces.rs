//! A list of applications in pieces that are written apart and stand one after the other.
//!
//! Head, pieces with [`between`] between them, tail: together the document that
//! [`json::write_document`] or [`xml::write_document`] would write. An application may go over the edge
//! of a piece. Only head and tail depend on the version.

use super::{Detail, Format, Group, json, xml};

/// What stands around the applications of a list.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// `versions__delta`.
    pub version: i64,
    /// `apps__hashcode`.
    pub hash: &'a str,
    /// Whether there are none.
    pub empty: bool,
}

/// Whether a piece has the beginning of its first application, and the end of its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edges {
    /// The first application begins in it.
    pub opens: bool,
    /// The last application ends in it.
    pub closes: bool,
}

impl Edges {
    /// Of a piece with whole applications.
    pub const WHOLE: Self = Self { opens: true, closes: true };

    /// Each application of a piece with these edges, with its own.
    pub(super) fn of_each(self, apps: &[Group]) -> impl Iterator<Item = (&Group, Self)> {
        let last = apps.len().saturating_sub(1);
        let own = move |at| Self { opens: self.opens || at > 0, closes: self.closes || at < last };
        apps.iter().enumerate().map(move |(at, app)| (app, own(at)))
    }
}

/// Up to the first application.
pub fn head(format: Format, detail: Detail, frame: Frame<'_>) -> Vec<u8> {
    match format {
        Format::Json => json::write_head(detail, frame),
        Format::Xml => xml::write_head(detail, frame),
    }
}

/// Applications, the first and the last perhaps in part.
pub fn piece(format: Format, detail: Detail, apps: &[Group], edges: Edges) -> Vec<u8> {
    match format {
        Format::Json => json::write_piece(detail, apps, edges),
        Format::Xml => xml::write_piece(detail, apps, edges),
    }
}

/// Between two pieces.
pub fn between(format: Format) -> &'static [u8] {
    match format {
        Format::Json => b",",
        Format::Xml => b"",
    }
}

/// From the last application on.
pub fn tail(format: Format, detail: Detail, frame: Frame<'_>) -> Vec<u8> {
    match format {
        Format::Json => json::write_tail(detail, frame),
        Format::Xml => xml::write_tail(detail, frame),
    }
}

#[cfg(test)]
mod tests;
