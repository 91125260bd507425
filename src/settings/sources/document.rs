//! A file of settings: its name says how it is written, its text consists of documents.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use super::{Origin, Written, properties, yaml};

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Yaml,
    Properties,
}

/// The ends of names that are looked for; what wins within a folder comes last.
pub(super) const EXTENSIONS: [(&str, Kind); 3] =
    [("yaml", Kind::Yaml), ("yml", Kind::Yaml), ("properties", Kind::Properties)];

impl Kind {
    /// What the end of a file's name says.
    pub(super) fn of(extension: &str) -> Option<Self> {
        EXTENSIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension)).map(|(_, kind)| *kind)
    }
}

/// The properties of one document of a file.
pub(super) type Document = Vec<Entry>;

/// One property in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    pub value: String,
    pub line: u64,
}

/// Why a file cannot be read as what it claims to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub line: Option<u64>,
    pub problem: String,
}

/// The documents of a text, in order.
pub(super) fn documents(text: &str, kind: Kind) -> Result<Vec<Document>, Broken> {
    match kind {
        Kind::Yaml => yaml::read(text),
        Kind::Properties => properties::read(text),
    }
}

/// The documents of a file, in order; `None` if there is no such file.
pub(super) fn read(path: &Path, kind: Kind) -> Result<Option<Vec<Vec<Written>>>, Broken> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        // Nor is there a file below something that is no folder.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(Broken { line: None, problem: format!("cannot be read: {error}") }),
    };
    let path: Arc<Path> = Arc::from(path);
    let written = |Entry { name, value, line }| {
        let origin = Origin::File { path: Arc::clone(&path), line: Some(line) };
        Written { name, value, origin }
    };
    let documents = documents(&text(bytes), kind)?.into_iter();
    Ok(Some(documents.map(|document| document.into_iter().map(written).collect()).collect()))
}

/// UTF-8, with or without a byte order mark; what is not UTF-8 is read as Latin-1, Java's encoding
/// of `.properties`.
pub(super) fn text(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|byte| char::from(*byte)).collect());
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_latin_1_are_understood() {
        assert_eq!(text(b"\xef\xbb\xbfa=\xc3\xbc".to_vec()), "a=ü");
        assert_eq!(text(b"a=\xfc".to_vec()), "a=ü");
    }

    #[test]
    fn names_tell_how_files_are_written() {
        assert_eq!(Kind::of("YML"), Some(Kind::Yaml));
        assert_eq!(Kind::of("properties"), Some(Kind::Properties));
        assert_eq!(Kind::of("xml"), None);
    }
}
