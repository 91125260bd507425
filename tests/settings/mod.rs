//! Settings as people write them, and what the program says of them.

mod binary;
mod snippets;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toml::{Table, Value};

/// One file of `tests/fixtures/settings/`: what is given, and what should hold.
struct Snippet {
    name: String,
    /// A folder with the files.
    dir: TempDir,
    environment: Vec<(String, String)>,
    words: Vec<String>,
    /// The properties that are set, with their values.
    effective: BTreeMap<String, String>,
    /// A part of each warning, in their order.
    warnings: Vec<String>,
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/settings")
}

/// All of them, by name.
fn snippets() -> Vec<Snippet> {
    let paths = fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    paths.sort();
    paths.iter().map(|path| Snippet::read(path)).collect()
}

impl Snippet {
    fn read(path: &Path) -> Self {
        let table: Table = toml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let pairs = |name: &str| -> Vec<(String, String)> {
            let pairs = table.get(name).and_then(Value::as_table).into_iter().flatten();
            pairs.map(|(name, value)| (name.clone(), value.as_str().expect(name).to_owned())).collect()
        };
        let list = |name: &str| -> Vec<String> {
            let items = table.get(name).and_then(Value::as_array).into_iter().flatten();
            items.map(|item| item.as_str().unwrap().to_owned()).collect()
        };
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in pairs("files") {
            let file = dir.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Self {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            dir,
            environment: pairs("environment"),
            words: list("words"),
            effective: pairs("effective").into_iter().collect(),
            warnings: list("warnings"),
        }
    }
}
