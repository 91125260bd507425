//! Where files are: `optional:file:./config/*/`, `configtree:/run/secrets/`, `extra.yml`
//! (`ConfigDataLocation`, `StandardConfigDataLocationResolver`).

use std::path::{Component, Path, PathBuf};

use super::document::Kind;

/// One place to read from.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Location {
    /// Whether it may be missing.
    pub optional: bool,
    /// What is there.
    pub target: Target,
}

/// What is at a location. Paths may have one `*` for any one folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A folder with files of the usual names.
    Folder(PathBuf),
    /// A file without the end of its name, that end, and how it is written.
    File { stem: PathBuf, extension: String, kind: Kind },
    /// A folder in which each file is a property.
    Tree(PathBuf),
    /// A file whose name does not tell how it is written.
    Unclear,
    /// What this server cannot read from: a class path, a config server, a URL. With its prefix.
    Foreign(String),
}

impl Location {
    /// Understands a location. A plain relative path starts where the file is that names it
    /// (`base`), one with `file:` at the start folder (`dir`).
    pub(super) fn parse(text: &str, base: &Path, dir: &Path) -> Self {
        let (text, optional) = text.strip_prefix("optional:").map_or((text, false), |text| (text, true));
        let target = match prefix(text) {
            Some(("configtree", tree)) => Target::Tree(join(dir, tree)),
            Some(("file", path)) => file_or_folder(dir, path),
            Some(("resource", path)) => file_or_folder(base, path),
            Some((prefix, _)) => Target::Foreign(format!("{prefix}:")),
            None => file_or_folder(base, text),
        };
        Self { optional, target }
    }
}

/// The prefix of a URL.
fn prefix(text: &str) -> Option<(&str, &str)> {
    let (prefix, rest) = text.split_once(':')?;
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '*' | '-');
    (prefix.starts_with(|c: char| c.is_ascii_alphabetic()) && prefix.chars().all(letters)).then_some((prefix, rest))
}

fn file_or_folder(base: &Path, path: &str) -> Target {
    let whole = join(base, path);
    // Spring wants the slash at the end of a folder; nobody means a file then.
    if path.ends_with('/') || whole.is_dir() {
        return Target::Folder(whole);
    }
    // A hint, for a file whose name has no end: `settings[.yml]`.
    let hinted = path.strip_suffix(']').and_then(|path| path.rsplit_once("[."));
    let parts = hinted.map(|(stem, hint)| (stem, "", hint)).or_else(|| {
        let (stem, extension) = path.rsplit_once('.')?;
        Some((stem, extension, extension))
    });
    parts.and_then(|(stem, extension, hint)| Some((stem, extension, Kind::of(hint)?))).map_or(
        Target::Unclear,
        |(stem, extension, kind)| {
            let extension = if extension.is_empty() { String::new() } else { format!(".{extension}") };
            Target::File { stem: join(base, stem), extension, kind }
        },
    )
}

/// Without a `./` in between.
fn join(base: &Path, path: &str) -> PathBuf {
    let path: PathBuf = Path::new(path).components().filter(|part| *part != Component::CurDir).collect();
    if path.as_os_str().is_empty() { base.to_owned() } else { base.join(path) }
}

/// The paths that one with a `*` stands for, in the order of their names. Folders that start with
/// two dots are how Kubernetes mounts things, and are passed over.
pub(super) fn expand(path: &Path) -> Vec<PathBuf> {
    let mut parts = path.components();
    if !parts.clone().any(|part| part.as_os_str() == "*") {
        return vec![path.to_owned()];
    }
    let before: PathBuf = parts.by_ref().take_while(|part| part.as_os_str() != "*").collect();
    let after: PathBuf = parts.collect();
    let Ok(entries) = std::fs::read_dir(&before) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir() && !is_hidden(path))
        .map(|folder| if after.as_os_str().is_empty() { folder } else { folder.join(&after) })
        .collect();
    folders.sort_unstable();
    folders
}

/// Whether the name starts with two dots.
pub(super) fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".."))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn parse(text: &str) -> Location {
        Location::parse(text, Path::new("/base"), Path::new("/dir"))
    }

    fn file(stem: &str, extension: &str, kind: Kind) -> Target {
        Target::File { stem: stem.into(), extension: extension.into(), kind }
    }

    #[test]
    fn paths_start_where_they_should() {
        for (text, target) in [
            ("extra.yml", file("/base/extra", ".yml", Kind::Yaml)),
            ("./extra.yml", file("/base/extra", ".yml", Kind::Yaml)),
            ("file:./extra.properties", file("/dir/extra", ".properties", Kind::Properties)),
            ("file:/etc/a.b/extra.yaml", file("/etc/a.b/extra", ".yaml", Kind::Yaml)),
            ("file:///etc/extra.YML", file("/etc/extra", ".YML", Kind::Yaml)),
            ("/etc/extra.yml", file("/etc/extra", ".yml", Kind::Yaml)),
            ("file:/etc/extra[.yaml]", file("/etc/extra", "", Kind::Yaml)),
            ("/etc/config/", Target::Folder("/etc/config".into())),
            ("config/*/", Target::Folder("/base/config/*".into())),
            ("./", Target::Folder("/base".into())),
            // It exists.
            ("/tmp", Target::Folder("/tmp".into())),
            ("configtree:/run/secrets/", Target::Tree("/run/secrets".into())),
            ("configtree:secrets", Target::Tree("/dir/secrets".into())),
            ("/etc/extra", Target::Unclear),
            ("/etc/extra.xml", Target::Unclear),
        ] {
            assert_eq!(parse(text), Location { optional: false, target }, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_from_is_told_by_its_prefix() {
        for (text, prefix) in [
            ("classpath:/config/", "classpath:"),
            ("configserver:http://a:8888", "configserver:"),
            ("aws-secretsmanager:x", "aws-secretsmanager:"),
            ("https://a/x.yml", "https:"),
            ("classpath*:x", "classpath*:"),
        ] {
            let target = Target::Foreign(prefix.to_owned());
            assert_eq!(parse(&format!("optional:{text}")), Location { optional: true, target }, "{text}");
        }
    }

    #[test]
    fn a_star_stands_for_every_folder_but_hidden_ones() {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["b", "a", "..data", ".c"] {
            std::fs::create_dir(dir.path().join(folder)).unwrap();
        }
        std::fs::write(dir.path().join("file"), "").unwrap();
        let names = |paths: Vec<PathBuf>| -> Vec<String> {
            paths.iter().map(|path| path.strip_prefix(dir.path()).unwrap().display().to_string()).collect()
        };
        assert_eq!(names(expand(&dir.path().join("*"))), [".c", "a", "b"]);
        assert_eq!(names(expand(&dir.path().join("*/x.yml"))), [".c/x.yml", "a/x.yml", "b/x.yml"]);
        assert_eq!(names(expand(&dir.path().join("a"))), ["a"]);
        assert_eq!(expand(&dir.path().join("nowhere/*")), Vec::<PathBuf>::new());
    }
}
