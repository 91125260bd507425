//! What may be asked for, in which form, and what comes back.

use bytes::Bytes;

use crate::codec::{Detail, Format};
use crate::model::{AppName, Text};
use crate::registry::Version;

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

/// The content coding of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coding {
    /// As it is.
    Plain,
    /// `Content-Encoding: gzip`.
    Gzip,
}

/// Ready bytes. Copies share them.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The registry's version that they show.
    pub version: Version,
    /// The bytes, in pieces to be sent one after the other.
    pub pages: Vec<Bytes>,
    /// Their number.
    pub length: usize,
}

impl Answer {
    pub(super) fn new(version: Version, bytes: Vec<u8>) -> Self {
        Self::of(version, vec![bytes.into()])
    }

    pub(super) fn of(version: Version, pages: Vec<Bytes>) -> Self {
        Self { version, length: pages.iter().map(Bytes::len).sum(), pages }
    }
}
