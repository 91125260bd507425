//! What may be asked for, in which form, and what comes back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use crate::codec::pieces::{self, Edges};
use crate::codec::{Detail, Format, Group};
use crate::model::{AppName, Text};
use crate::registry::Version;

use super::gzip::Packed;
use super::pages::PAGE;
use super::part::Part;

/// A list (`Key.EntityType` and name).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// The whole registry.
    Apps,
    /// The recent changes.
    Delta,
    /// One application.
    App(AppName),
    /// The instances with this name in their VIP list.
    Vip(Text),
    /// The instances with this name in their secure VIP list.
    SecureVip(Text),
    /// Some instances of another list; see [`What::only`].
    Part(Arc<Part>),
}

/// How to write it (`Key.KeyType` and `EurekaAccept`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// JSON or XML.
    pub format: Format,
    /// Full or compact.
    pub detail: Detail,
    /// Plain or compressed.
    pub coding: Coding,
}

impl Form {
    /// The same, compressed: a long plain list is made of it.
    pub(super) fn packed(self) -> Self {
        Self { coding: Coding::Gzip, ..self }
    }

    /// In which form a list is kept that has about so many bytes, where `most` stay plain.
    pub(super) fn kept(self, bytes: usize, most: usize) -> Self {
        if bytes > most { self.packed() } else { self }
    }
}

/// The content coding of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coding {
    /// As it is.
    Plain,
    /// `Content-Encoding: gzip`.
    Gzip,
}

/// Plain bytes as they are kept: `most` says how many stay plain.
pub(super) fn plain(bytes: Vec<u8>, most: usize) -> Vec<Piece> {
    if bytes.len() <= most {
        return vec![bytes.into()];
    }
    bytes.chunks(PAGE).map(|chunk| Content::Packed(Arc::new(Packed::new(chunk))).into()).collect()
}

/// Ready bytes. Copies share them.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The registry's version that they show.
    pub version: Version,
    /// The bytes, in pieces to be sent one after the other.
    pub pieces: Vec<Piece>,
    /// Their number.
    pub length: usize,
    /// Which writing of this process they are from: no other answer has it, not of the same list and version
    /// either, since lease times are those of the writing.
    pub writing: u64,
}

/// 0 is for what is written anew for everybody, always the same.
static WRITINGS: AtomicU64 = AtomicU64::new(1);

/// A plain list of more bytes than this is kept compressed and unpacked piece by piece while it is sent:
/// whoever reads tens of thousands of instances plain is rare, and plain lists of that size would take most
/// of a server's memory.
pub(super) const MOST_PLAIN: usize = 16 * 1024 * 1024;

/// Bytes as they are kept. Copies share them.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Plain(Bytes),
    Packed(Arc<Packed>),
}

impl Content {
    /// Applications in a form.
    pub(super) fn of(form: Form, apps: &[Group], edges: Edges) -> Self {
        let bytes = pieces::piece(form.format, form.detail, apps, edges);
        match form.coding {
            Coding::Plain => Self::Plain(bytes.into()),
            Coding::Gzip => Self::Packed(Arc::new(Packed::new(&bytes))),
        }
    }

    /// The bytes that it takes in memory.
    pub(super) fn kept(&self) -> usize {
        match self {
            Self::Plain(bytes) => bytes.len(),
            Self::Packed(packed) => packed.packed_length(),
        }
    }
}

/// A piece of an answer, unpacked when it is sent. Copies share it.
#[derive(Clone, Debug)]
pub struct Piece(Content);

impl Piece {
    /// Its bytes as they are sent.
    pub fn into_bytes(self) -> Bytes {
        match self.0 {
            Content::Plain(bytes) => bytes,
            Content::Packed(packed) => packed.unpack().into(),
        }
    }

    fn length(&self) -> usize {
        match &self.0 {
            Content::Plain(bytes) => bytes.len(),
            Content::Packed(packed) => packed.length(),
        }
    }
}

impl<T: Into<Bytes>> From<T> for Piece {
    fn from(bytes: T) -> Self {
        Self(Content::Plain(bytes.into()))
    }
}

impl From<Content> for Piece {
    fn from(content: Content) -> Self {
        Self(content)
    }
}

impl Answer {
    pub(super) fn of(version: Version, pieces: Vec<Piece>) -> Self {
        let writing = WRITINGS.fetch_add(1, Ordering::Relaxed);
        Self { version, length: pieces.iter().map(Piece::length).sum(), pieces, writing }
    }

    /// The bytes that it takes in memory.
    pub(super) fn kept(&self) -> usize {
        self.pieces.iter().map(|piece| piece.0.kept()).sum()
    }
}
