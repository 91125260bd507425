//! What files hold, read in one go, before anybody understands it.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher as _};

use crate::settings::{KeySource, Location, Stored, TrustSource};

use super::Mistake;

/// Longer files hold something else.
const LONGEST: u64 = 16 << 20;

/// The bytes of all that a side needs.
#[derive(Hash)]
pub(super) struct Content {
    /// Of [`KeySource::certificate`].
    pub(super) certificate: Option<Vec<u8>>,
    /// Of [`KeySource::key`].
    pub(super) key: Option<Vec<u8>>,
    /// Of [`TrustSource::certificates`].
    pub(super) trust: Option<Vec<u8>>,
}

impl Content {
    /// Blocks on files.
    pub(super) fn read(keys: Option<&KeySource>, trust: Option<&TrustSource>) -> Result<Self, Vec<Mistake>> {
        let mut mistakes = Vec::new();
        let mut read = |stored: Option<&Stored>| bytes(stored?).map_err(|mistake| mistakes.push(mistake)).ok();
        let content = Self {
            certificate: read(keys.map(|keys| &keys.certificate)),
            key: read(keys.and_then(|keys| keys.key.as_ref())),
            trust: read(trust.map(|trust| &trust.certificates)),
        };
        if mistakes.is_empty() { Ok(content) } else { Err(mistakes) }
    }
}

/// Tells whether something is what it was.
pub(super) fn stamp<T: Hash>(of: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

fn bytes(stored: &Stored) -> Result<Vec<u8>, Mistake> {
    let problem = |problem| Mistake { property: stored.property.clone(), problem };
    match &stored.at {
        Location::Text(text) => Ok(text.clone().into_bytes()),
        Location::File(path) => {
            let named = |error: &dyn std::fmt::Display| problem(format!("cannot read {}: {error}", path.display()));
            let length = fs::metadata(path).map_err(|error| named(&error))?.len();
            if length > LONGEST {
                return Err(named(&format_args!("it has {length} bytes")));
            }
            fs::read(path).map_err(|error| named(&error))
        }
    }
}

/// How something is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Pem,
    Pkcs12,
    /// Java's own, of which JCEKS is a kind.
    Jks,
    Unknown,
}

impl Form {
    pub(super) fn of(bytes: &[u8]) -> Self {
        match bytes {
            [0xFE, 0xED, 0xFE, 0xED, ..] | [0xCE, 0xCE, 0xCE, 0xCE, ..] => Self::Jks,
            [0x30, ..] => Self::Pkcs12,
            text if text.windows(11).any(|piece| piece == b"-----BEGIN ") => Self::Pem,
            _ => Self::Unknown,
        }
    }
}

/// What a store is called in a sentence.
pub(super) fn place(stored: &Stored) -> String {
    match &stored.at {
        Location::File(path) => path.display().to_string(),
        Location::Text(_) => "the text".to_owned(),
    }
}
