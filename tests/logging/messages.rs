//! Every message in the source is in `docs/logging.md`, with its level and fields, and has the form
//! that is promised there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use eurekad::clock::Clock;
use eurekad::logging::{Console, Log};
use eurekad::settings::Settings;

const DOCUMENTATION: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/logging.md"));

/// Something that is logged.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Message {
    level: String,
    text: String,
    fields: Vec<String>,
}

#[test]
fn every_message_is_documented_and_well_formed() {
    let mut written = BTreeSet::new();
    for (path, source) in sources() {
        for message in messages(&source) {
            let text = &message.text;
            let form = !text.starts_with(char::is_uppercase) && !text.ends_with(['.', '!', ':']);
            assert!(form, "{}: {text:?} is to be in lower case without a full stop", path.display());
            written.insert(message);
        }
    }
    assert!(written.len() > 20, "the source is not read right: {written:?}");
    let documented: BTreeSet<Message> = DOCUMENTATION.lines().filter_map(row).collect();
    assert_eq!(documented.difference(&written).collect::<Vec<_>>(), Vec::<&Message>::new(), "only documented");
    assert_eq!(written.difference(&documented).collect::<Vec<_>>(), Vec::<&Message>::new(), "not in docs/logging.md");
}

#[test]
fn every_room_that_logs_has_a_level_to_set() {
    let settings = Settings::default();
    let log = Log::open(&settings, Console { terminal: false, no_color: false }, Clock::system()).unwrap();
    let known: BTreeSet<String> = log.levels().list().into_iter().map(|logger| logger.name).collect();
    for (path, source) in sources() {
        let room = path.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned();
        let target = format!("eurekad::{room}");
        assert!(messages(&source).is_empty() || known.contains(&target), "{target} is not in the list");
    }
}

/// All source files by their path below `src`, without their tests.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
                let source = fs::read_to_string(&path).unwrap();
                let source = source.split("#[cfg(test)]\nmod tests").next().unwrap().to_owned();
                sources.push((path.strip_prefix(&root).unwrap().to_owned(), source));
            }
        }
    }
    sources
}

/// What a source logs, but for messages that come from elsewhere as a whole (`"{notice}"`).
fn messages(source: &str) -> Vec<Message> {
    let mut messages = Vec::new();
    for level in ["error", "warn", "info", "debug", "trace"] {
        for call in source.split(&format!("tracing::{level}!(")).skip(1) {
            let mut arguments = arguments(call);
            let text = arguments.pop().unwrap();
            let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).expect("a message comes last");
            if text.starts_with('{') {
                continue;
            }
            let fields = arguments.iter().map(|field| field.split('=').next().unwrap().trim());
            let fields = fields.map(|field| field.trim_start_matches(['%', '?']).to_owned()).collect();
            messages.push(Message { level: level.to_owned(), text: text.to_owned(), fields });
        }
    }
    messages
}

/// The arguments of a call, from behind its parenthesis.
fn arguments(call: &str) -> Vec<String> {
    let (mut depth, mut quoted) = (0, false);
    let mut arguments = vec![String::new()];
    for character in call.chars() {
        match character {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted && depth == 0 => break,
            ')' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                arguments.push(String::new());
                continue;
            }
            _ => {}
        }
        arguments.last_mut().unwrap().push(character);
    }
    arguments.iter().map(|argument| argument.trim().to_owned()).filter(|argument| !argument.is_empty()).collect()
}

/// A row of a table of messages.
fn row(line: &str) -> Option<Message> {
    let cells: Vec<&str> = line.strip_prefix("| ")?.split('|').map(str::trim).collect();
    let [level, text, fields, ..] = cells.as_slice() else { return None };
    if !["error", "warn", "info", "debug", "trace"].contains(level) || cells.len() < 4 {
        return None;
    }
    let fields = fields.split(", ").filter(|field| !field.is_empty());
    let fields = fields.map(|field| field.trim_matches('`').to_owned()).collect();
    Some(Message { level: (*level).to_owned(), text: (*text).to_owned(), fields })
}
