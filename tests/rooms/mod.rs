//! The rooms of the source: a module imports from rooms below it, never from those above.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms from the top, as src/lib.rs lists them.
fn rooms() -> Vec<String> {
    let library = fs::read_to_string(source().join("lib.rs")).unwrap();
    let rows = library.lines().filter_map(|line| line.strip_prefix("//! | [`")?.split_once('`'));
    rows.map(|(room, _)| room.to_owned()).collect()
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files(at: &Path) -> Vec<PathBuf> {
    if at.is_file() {
        return vec![at.to_owned()];
    }
    fs::read_dir(at).unwrap().flat_map(|entry| files(&entry.unwrap().path())).collect()
}

/// The rooms that a file names as `crate::room`; its tests, which may build a whole server, aside.
fn imported(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap();
    let (code, _tests) = text.split_once("#[cfg(test)]\nmod tests {").unwrap_or((&text, ""));
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1).map(str::to_owned).collect::<Vec<_>>())
        .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .collect()
}

#[test]
fn arrows_go_downwards() {
    let rooms = rooms();
    assert!(rooms.len() > 5, "{rooms:?}");
    let mut seen = 0;
    for (place, room) in rooms.iter().enumerate() {
        let at = [source().join(room), source().join(format!("{room}.rs"))].into_iter().find(|at| at.exists());
        for file in files(&at.unwrap_or_else(|| panic!("{room} is listed and is not there"))) {
            for other in imported(&file) {
                if let Some(below) = rooms.iter().position(|listed| *listed == other) {
                    seen += 1;
                    assert!(below >= place, "{} imports from {other}, which is above", file.display());
                }
            }
        }
    }
    assert!(seen > 50, "only {seen} imports were found");
}

#[test]
fn every_room_is_listed() {
    let listed: BTreeSet<_> = rooms().into_iter().collect();
    let there = fs::read_dir(source()).unwrap().map(|entry| entry.unwrap().path());
    let there: BTreeSet<_> = there.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    let rooms: BTreeSet<_> = there.into_iter().filter(|name| name != "lib" && name != "main").collect();
    assert_eq!(listed, rooms);
}
