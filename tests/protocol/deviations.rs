//! Where answers differ from the recorded ones on purpose: `tests/fixtures/golden/deviations.toml`.
//!
//! A difference that is not listed fails the test, and so does a listed one that is gone or has
//! become another. A failure prints every difference of its file, ready to be pasted into the list.

use std::fmt::Write as _;

use toml::{Table, Value};

use super::exchange::{Ask, Server, fixture};

/// A difference between a recorded answer and the one given.
#[derive(Debug)]
pub(crate) struct Difference {
    /// Position in the recording, from 0.
    pub(crate) index: usize,
    /// The entry's name.
    pub(crate) name: String,
    /// Method and target.
    pub(crate) request: String,
    /// What differs.
    pub(crate) text: String,
}

/// An accepted difference of some entries of a file.
struct Deviation {
    file: String,
    entries: Vec<String>,
    /// A part of the difference's text.
    difference: String,
    reason: String,
}

impl Deviation {
    fn covers(&self, difference: &Difference) -> bool {
        self.entries.contains(&difference.name) && difference.text.contains(&self.difference)
    }
}

/// What the list has under this name.
fn listed(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(fixture("golden/deviations.toml")).expect("the list of deviations");
    let table: Table = text.parse().unwrap_or_else(|error| panic!("deviations.toml: {error}"));
    table.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
}

fn text(entry: &Value, name: &str) -> String {
    let value = entry.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    value.unwrap_or_else(|| panic!("deviations.toml: no {name} in {entry}")).to_owned()
}

fn deviations() -> Vec<Deviation> {
    listed("deviation").iter().map(deviation).collect()
}

/// The requests that bring a server to where the recorded one was, each after the entry of this
/// name: there Java did something in spite of its 500, so that all that follows would differ.
pub(crate) fn alignments(file: &str) -> Vec<(String, Ask)> {
    let of_file = listed("alignment").into_iter().filter(|entry| text(entry, "file") == file);
    let pairs = of_file.map(|entry| {
        let request = text(&entry, "request");
        let (method, target) = request.split_once(' ').expect("a method and a target");
        (text(&entry, "after"), Ask::new(method, target, &[]))
    });
    pairs.collect()
}

fn deviation(entry: &Value) -> Deviation {
    let text = |name: &str| text(entry, name);
    let entries = entry.get("entries").and_then(Value::as_array).filter(|entries| !entries.is_empty());
    let entries = entries.unwrap_or_else(|| panic!("deviations.toml: no entries in {entry}"));
    let entries = entries.iter().map(|name| name.as_str().expect("names of entries").to_owned()).collect();
    Deviation { file: text("file"), entries, difference: text("difference"), reason: text("reason") }
}

/// Fails unless the differences of a file are the listed ones. Prints the counts.
///
/// A control server is granted none.
pub(crate) fn judge(server: &Server, file: &str, compared: usize, differences: &[Difference]) {
    let granted = if server.is_control() { Vec::new() } else { deviations() };
    let granted: Vec<_> = granted.into_iter().filter(|deviation| deviation.file == file).collect();
    let is_granted = |difference: &&Difference| granted.iter().any(|deviation| deviation.covers(difference));
    let (expected, unexpected): (Vec<_>, Vec<_>) = differences.iter().partition(is_granted);
    let stale: Vec<String> = granted.iter().flat_map(|deviation| stale(deviation, differences)).collect();
    super::announce(&format!("{file}: {compared} answers compared, {} listed deviations", expected.len()));
    let report = report(file, &unexpected, &stale);
    assert!(report.is_empty(), "{report}");
}

/// What a deviation says that is not so.
fn stale(deviation: &Deviation, differences: &[Difference]) -> Vec<String> {
    let gone = deviation.entries.iter().filter_map(|name| {
        let found: Vec<_> = differences.iter().filter(|difference| difference.name == *name).collect();
        match found.first() {
            None => Some(format!("{name:?} does not deviate any more ({})", deviation.difference)),
            Some(_) if found.iter().any(|difference| deviation.covers(difference)) => None,
            Some(other) => {
                Some(format!("{name:?} deviates otherwise: listed {:?}, is {:?}", deviation.difference, other.text))
            }
        }
    });
    gone.collect()
}

fn report(file: &str, unexpected: &[&Difference], stale: &[String]) -> String {
    let mut report = String::new();
    if !unexpected.is_empty() {
        writeln!(report, "\n{file}: {} answers differ", unexpected.len()).expect("memory");
    }
    for Difference { index, name, request, text } in unexpected {
        writeln!(report, "{index} {name}\n    {request}\n    {text}").expect("memory");
    }
    if !stale.is_empty() {
        writeln!(report, "\n{file}: {} listed deviations are stale\n    {}", stale.len(), stale.join("\n    "))
            .expect("memory");
    }
    report.push_str(&pasteable(file, unexpected));
    report
}

/// The differences as entries of the list, one for all names that share a text.
fn pasteable(file: &str, unexpected: &[&Difference]) -> String {
    let mut text = String::new();
    let mut groups: Vec<(&str, Vec<Value>)> = Vec::new();
    for difference in unexpected {
        let name = Value::from(difference.name.as_str());
        match groups.iter_mut().find(|(shared, _)| *shared == difference.text) {
            Some((_, names)) => names.push(name),
            None => groups.push((&difference.text, vec![name])),
        }
    }
    for (difference, names) in groups {
        let [file, difference, names] = [Value::from(file), Value::from(difference), Value::from(names)];
        writeln!(
            text,
            "\n[[deviation]]\nfile = {file}\nentries = {names}\ndifference = {difference}\nreason = \"OURS: \""
        )
        .expect("memory");
    }
    text
}

/// Each deviation names a recording that is replayed, and says which decision it rests on.
#[test]
fn every_deviation_has_a_file_and_a_reason() {
    for Deviation { file, entries, reason, .. } in deviations() {
        assert!(replayed().contains(&file), "nothing replays {file}");
        let states_a_reason = reason.starts_with("OURS: ") || reason.starts_with("LATER: ");
        assert!(states_a_reason, "{file} {entries:?}: the reason quotes no decision");
    }
}

fn replayed() -> Vec<String> {
    let files = super::golden::FILES.iter().chain(&super::differential::FILES);
    files.chain([&super::registration_bodies::FILE]).map(|file| (*file).to_owned()).collect()
}
