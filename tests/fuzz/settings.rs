//! Settings: files, words, environment variables. An input is one of them, by its length.

use std::fs;

use eurekad::settings::{Examined, Settings, SettingsErrors, Sources};

pub(super) fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    // What lies elsewhere on this machine is no part of the input.
    let lower = text.to_lowercase();
    if ["import", "location", "configtree", "/dev", "/proc"].iter().any(|word| lower.contains(word)) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let examine = |environment: Vec<(String, String)>, words: &[String]| {
        assert_is_told(&Settings::examine(Sources { dir: dir.path(), environment, words }));
    };
    let lines = || text.lines().map(str::to_owned).collect::<Vec<_>>();
    match input.len() % 5 {
        0 | 1 => {
            let name = ["application.properties", "application.yaml"][input.len() % 5];
            fs::write(dir.path().join(name), input).expect("written");
            examine(Vec::new(), &[]);
        }
        2 => examine(Vec::new(), &lines()),
        3 => {
            let pairs = text.lines().filter_map(|line| line.split_once('='));
            examine(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(), &[]);
        }
        _ => examine(Vec::new(), &[format!("--spring.application.json={text}")]),
    }
}

/// Each finding is one line, and what holds means the same when it is written as words.
fn assert_is_told(examined: &Examined) {
    let errors = examined.outcome.as_ref().err().into_iter().flat_map(SettingsErrors::iter).map(ToString::to_string);
    for line in errors.chain(examined.notices.iter().map(ToString::to_string)) {
        assert!(!line.contains(['\n', '\r']), "{line:?}");
    }
    let Ok(settings) = &examined.outcome else { return };
    let masked = |value: &str| value.contains("******") || value.contains("${") || value.contains('\\');
    if examined.effective.iter().any(|one| masked(&one.value)) || !examined.profiles.is_empty() {
        return;
    }
    let written = examined.effective.iter().filter(|one| one.origin.is_some());
    let words: Vec<_> = written.map(|one| format!("--{}={}", one.name, one.value)).collect();
    assert_eq!(Settings::from_words(&words).as_ref(), Ok(settings), "{words:?}");
}
