//! A folder in which each file is a property: its path below the folder is the name, its text the
//! value. So secrets are mounted into containers (`ConfigTreePropertySource`).
//!
//! What was in the folders is remembered, so that it can be seen whether that has changed. They are compared by
//! what is in them: it does not matter how files are replaced (Kubernetes turns a link to another folder).

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use super::document::{Broken, text};
use super::location::{expand, is_hidden};
use super::{Origin, Written};

/// No mount has more; a folder of that size was not meant.
const MOST: usize = 1000;
/// Folders within one another; a link to a folder above it ends here.
const DEEPEST: usize = 16;

/// The places that settings were read from, and what was there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigTrees(BTreeMap<PathBuf, u64>);

/// What is in one folder.
pub(super) type Content = Result<Option<Vec<Written>>, Broken>;

impl ConfigTrees {
    /// What is at a place, which may have a `*`: each folder with its content.
    pub(super) fn read(&mut self, place: &Path) -> Vec<(PathBuf, Content)> {
        let (folders, stamp) = look(place);
        self.0.insert(place.to_owned(), stamp);
        folders
    }

    /// Adds other places; what was last seen at a place counts.
    pub(super) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Whether anything is there now that was not there, or not the same. Blocks on files.
    pub fn have_changed(&self) -> bool {
        self.0.iter().any(|(place, stamp)| look(place).1 != *stamp)
    }
}

fn look(place: &Path) -> (Vec<(PathBuf, Content)>, u64) {
    let read = |folder: PathBuf| {
        let content = read(&folder);
        (folder, content)
    };
    let folders: Vec<_> = expand(place).into_iter().map(read).collect();
    let mut hasher = DefaultHasher::new();
    for (folder, content) in &folders {
        folder.hash(&mut hasher);
        match content {
            Ok(written) => written.as_ref().map(|written| pairs(written).collect::<Vec<_>>()).hash(&mut hasher),
            Err(broken) => broken.problem.hash(&mut hasher),
        }
    }
    (folders, hasher.finish())
}

fn pairs(written: &[Written]) -> impl Iterator<Item = (&str, &str)> {
    written.iter().map(|one| (one.name.as_str(), one.value.as_str()))
}

/// The properties, by their names; `None` if there is no such folder.
fn read(folder: &Path) -> Content {
    if !folder.is_dir() {
        return Ok(None);
    }
    let mut written = Vec::new();
    collect(folder, "", 0, &mut 0, &mut written)?;
    written.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Some(written))
}

fn collect(
    folder: &Path,
    prefix: &str,
    depth: usize,
    seen: &mut usize,
    written: &mut Vec<Written>,
) -> Result<(), Broken> {
    let broken = |path: &Path, error: std::io::Error| Broken {
        line: None,
        problem: format!("{} cannot be read: {error}", path.display()),
    };
    if depth > DEEPEST {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder).map_err(|error| broken(folder, error))? {
        let path = entry.map_err(|error| broken(folder, error))?.path();
        let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else { continue };
        if is_hidden(&path) {
            continue;
        }
        *seen += 1;
        if *seen > MOST {
            return Err(Broken { line: None, problem: format!("more than {MOST} files and folders") });
        }
        let name = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
        if path.is_dir() {
            collect(&path, &name, depth + 1, seen, written)?;
        } else if path.is_file() {
            let value = text(std::fs::read(&path).map_err(|error| broken(&path, error))?);
            // A secret is no text with placeholders: what it holds it means, as in Spring.
            let value = one_line(&value).unwrap_or(&value).replace("${", "\\${");
            written.push(Written { name, value, origin: Origin::file(path, None) });
        }
    }
    Ok(())
}

/// A text that is one line, without the end of that line.
fn one_line(text: &str) -> Option<&str> {
    let line = text.strip_suffix('\n').filter(|line| !line.contains('\n'))?;
    Some(line.strip_suffix('\r').unwrap_or(line))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::fs;

    use super::*;

    #[test]
    fn files_are_properties() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("..data/eureka/server");
        fs::create_dir_all(&data).unwrap();
        fs::write(data.join("my-url"), "http://a/\n").unwrap();
        fs::write(dir.path().join("server.port"), "8762\r\n").unwrap();
        fs::write(dir.path().join("text"), "a${x}\nb\n").unwrap();
        // As Kubernetes does it.
        std::os::unix::fs::symlink("..data/eureka", dir.path().join("eureka")).unwrap();
        let written = read(dir.path()).unwrap().unwrap();
        assert_eq!(
            pairs(&written).collect::<Vec<_>>(),
            [("eureka.server.my-url", "http://a/"), ("server.port", "8762"), ("text", "a\\${x}\nb\n")]
        );
        assert!(written[1].origin.to_string().ends_with("/server.port"));
        assert_eq!(read(&dir.path().join("nowhere")), Ok(None));
    }

    #[test]
    fn it_is_seen_when_a_mounted_secret_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for (folder, password) in [("..1", "one"), ("..2", "two")] {
            fs::create_dir(at(folder)).unwrap();
            fs::write(at(folder).join("password"), password).unwrap();
        }
        std::os::unix::fs::symlink("..1", at("..data")).unwrap();
        std::os::unix::fs::symlink("..data/password", at("password")).unwrap();
        let seen = || {
            let mut trees = ConfigTrees::default();
            trees.read(dir.path());
            trees.read(&at("more/*"));
            trees
        };
        let trees = seen();
        assert!(!trees.have_changed());
        std::os::unix::fs::symlink("..2", at("..new")).unwrap();
        fs::rename(at("..new"), at("..data")).unwrap();
        assert!(trees.have_changed());
        let trees = seen();
        fs::create_dir_all(at("more/a")).unwrap();
        assert!(trees.have_changed(), "a folder is there that was not");
        let trees = seen();
        fs::write(at("more/a/user"), "").unwrap();
        assert!(trees.have_changed(), "a file, too");
        let trees = seen();
        fs::remove_dir_all(at("more")).unwrap();
        assert!(trees.have_changed(), "and it is gone");
        assert!(!seen().have_changed());
    }

    #[test]
    fn a_folder_within_itself_ends() {
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(dir.path(), dir.path().join("again")).unwrap();
        fs::write(dir.path().join("a"), "1").unwrap();
        assert_eq!(read(dir.path()).unwrap().unwrap().len(), DEEPEST + 1);
    }

    #[test]
    fn too_many_files_are_a_mistake() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..=MOST {
            fs::write(dir.path().join(number.to_string()), "").unwrap();
        }
        assert_eq!(read(dir.path()).unwrap_err().problem, "more than 1000 files and folders");
    }
}
