//! `application.yaml`, `.yml` and `.properties`, in a folder and in its `config` folder.
//!
//! A later file wins over an earlier one as in Spring: `config` over the folder itself, and within a
//! folder `.properties` over YAML. A file may hold several documents; one that is for a profile
//! (`spring.config.activate.on-profile`, before Boot 2.4 `spring.profiles`) is left out with a
//! warning.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use super::{Origin, Written, properties, yaml};
use crate::settings::findings::{Findings, SettingsError};
use crate::settings::names::squash;

/// A reader of one kind of file: from its text to its documents.
type Reader = fn(&str) -> Result<Vec<Document>, Broken>;

/// What wins within a folder comes last.
const KINDS: [(&str, Reader); 3] =
    [("application.yaml", yaml::read), ("application.yml", yaml::read), ("application.properties", properties::read)];

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

pub(super) fn read(dir: &Path, findings: &mut Findings) -> Vec<Written> {
    let folders = [dir.to_owned(), dir.join("config")];
    let files = folders.iter().flat_map(|folder| KINDS.iter().map(|(name, reader)| (folder.join(name), reader)));
    let mut written = Vec::new();
    for (path, reader) in files {
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            // Nor is there a file below something that is no folder.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => continue,
            Err(error) => {
                let problem = format!("cannot be read: {error}");
                findings.error(SettingsError::File { origin: Origin::file(path, None), problem });
                continue;
            }
        };
        match reader(&text(bytes)) {
            Ok(documents) => {
                let path: Arc<Path> = Arc::from(path);
                for document in documents {
                    written.extend(take(document, &path, findings));
                }
            }
            Err(Broken { line, problem }) => {
                findings.error(SettingsError::File { origin: Origin::file(path, line), problem });
            }
        }
    }
    written
}

/// The entries of a document, none if it is for a profile.
fn take(document: Document, path: &Arc<Path>, findings: &mut Findings) -> impl Iterator<Item = Written> {
    let condition = document.iter().find(|entry| is_condition(&entry.name));
    if let Some(Entry { name, value, line }) = condition {
        let origin = Origin::File { path: Arc::clone(path), line: Some(*line) };
        findings
            .warn(format!("{origin}: the document with {name} = {value:?} is left out, this version has no profiles"));
    }
    let kept = if condition.is_some() { Document::new() } else { document };
    let path = Arc::clone(path);
    kept.into_iter().map(move |Entry { name, value, line }| Written {
        name,
        value,
        origin: Origin::File { path: Arc::clone(&path), line: Some(line) },
    })
}

fn is_condition(name: &str) -> bool {
    let name = squash(name.split('[').next().unwrap_or(name));
    name == "springprofiles" || name.starts_with("springconfigactivate")
}

/// UTF-8, with or without a byte order mark; what is not UTF-8 is read as Latin-1, Java's encoding
/// of `.properties`.
fn text(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|byte| char::from(*byte)).collect());
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::fs;

    use super::*;

    #[test]
    fn folders_and_kinds_come_in_springs_order() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("config")).unwrap();
        for (path, text) in [
            ("application.properties", "a.b=2"),
            ("application.yml", "a.b: 1"),
            ("application.yaml", "a.b: 0"),
            ("config/application.properties", "a.b=4"),
            ("config/application.yml", "a.b: 3"),
        ] {
            fs::write(dir.path().join(path), text).unwrap();
        }
        let mut findings = Findings::default();
        let values: Vec<String> = read(dir.path(), &mut findings).into_iter().map(|written| written.value).collect();
        assert_eq!(values, ["0", "1", "2", "3", "4"]);
        assert_eq!(findings.conclude(), Ok(vec![]));
    }

    #[test]
    fn broken_and_unreadable_files_are_named_with_their_line() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("application.yml"), "a: 1\nb: [\n").unwrap();
        fs::write(dir.path().join("application.properties"), "a=1\nb=\\u12").unwrap();
        fs::create_dir_all(dir.path().join("config/application.yml")).unwrap();
        let mut findings = Findings::default();
        assert_eq!(read(dir.path(), &mut findings), []);
        let errors = findings.conclude().unwrap_err().to_string();
        let lines: Vec<&str> = errors.lines().collect();
        assert_eq!(lines.len(), 3, "{errors}");
        assert!(lines.iter().any(|line| line.contains("application.yml line ")), "{errors}");
        assert!(lines.iter().any(|line| line.contains("application.properties line 2: ")), "{errors}");
        assert!(lines.iter().any(|line| line.contains("config/application.yml: cannot be read")), "{errors}");
    }

    #[test]
    fn documents_for_a_profile_are_left_out_and_said_so() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(
            dir.path().join("application.yml"),
            "a: 1\n---\nspring.config.activate.on-profile: prod\na: 2\n---\nspring:\n  profiles: [dev]\na: 3\n---\na: 4\n",
        )
        .unwrap();
        fs::write(
            dir.path().join("application.properties"),
            "a=5\n#---\nspring.config.activate.on-profile=prod\na=6\n!---\na=7\n",
        )
        .unwrap();
        let mut findings = Findings::default();
        let values: Vec<String> = read(dir.path(), &mut findings).into_iter().map(|written| written.value).collect();
        assert_eq!(values, ["1", "4", "5", "7"]);
        let notices = findings.conclude().unwrap();
        assert_eq!(notices.len(), 3);
        assert!(notices[0].text.contains("application.yml line 3") && notices[0].text.contains("\"prod\""));
    }

    #[test]
    fn marks_and_latin_1_are_understood() {
        assert_eq!(text(b"\xef\xbb\xbfa=\xc3\xbc".to_vec()), "a=ü");
        assert_eq!(text(b"a=\xfc".to_vec()), "a=ü");
    }
}
