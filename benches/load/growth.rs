//! How costs grow with the number of instances: the same few measures at fleets of several sizes, and a
//! drawing of each.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::Result;

use super::fleet::{Fleet, Form};
use super::measure::{Measure, Row};
use super::options::Options;
use super::plot::{Curve, Plot};
use super::results::Results;
use super::session::{self, Player};
use super::subject::Subject;
use super::{memory, report, root, tell};

const SIZES: [usize; 5] = [100, 1_000, 10_000, 50_000, 100_000];
const QUICK_SIZES: [usize; 2] = [100, 500];
const MEASURES: [Measure; 5] = [
    Measure::Heartbeats,
    Measure::Fetch(Form::JSON_GZIP),
    Measure::ChangeThenFetch,
    Measure::HeartbeatsBesides,
    Measure::Registrations,
];

/// What is drawn: the row, the file.
const DRAWN: [(&str, &str); 6] = [
    ("heartbeats", "growth-heartbeats"),
    ("registrations", "growth-registrations"),
    ("full fetches, JSON gzip", "growth-fetches"),
    ("a change, then a full fetch, JSON gzip, p50", "growth-change-then-fetch"),
    ("heartbeats beside 100 changes/s and 100 full fetches/s", "growth-heartbeats-beside"),
    ("memory, every form read", "growth-memory"),
];

/// Measures, draws, and tells in a table.
pub(crate) async fn run(subjects: &[Subject], options: &Options) -> Result<String> {
    let sizes = if options.quick { QUICK_SIZES.as_slice() } else { SIZES.as_slice() };
    let windowed: Vec<_> = subjects.iter().map(|subject| subject.clone().with(options.window_words())).collect();
    let mut by_size = Vec::new();
    for size in sizes {
        tell(&format!("{size} instances"));
        let fleet = Arc::new(Fleet::new(*size, options.apps(*size)));
        let (players, lengths) = session::gather(&windowed, &fleet, options).await?;
        let mut results = Results::of(players.len());
        let length = lengths.first().copied().unwrap_or_default();
        for (place, Player { process, .. }) in players.iter().enumerate() {
            let filled = memory::megabytes(process.resident()?);
            results.add(place, [(Row { name: "memory, every form read".into(), unit: "MB" }, filled)]);
            let list = memory::megabytes(u64::try_from(length)?) * 1e3;
            results.add(place, [(Row { name: "the whole list, JSON gzip".into(), unit: "kB" }, list)]);
        }
        session::rounds(&players, &MEASURES, options, &mut results).await?;
        by_size.push((*size, results));
    }
    let mut text = report::heading(subjects);
    text += &table(subjects, &by_size);
    for (row, file) in DRAWN {
        let plot = plot(subjects, &by_size, row);
        let figures = root().join(if options.quick { "target/figures" } else { "docs/figures" });
        std::fs::create_dir_all(&figures)?;
        std::fs::write(figures.join(file).with_extension("svg"), plot.svg())?;
        let _ = write!(text, "\n![{row}](figures/{file}.svg)");
    }
    Ok(text + "\n")
}

/// The median of a row of a subject.
fn value(results: &Results, row: &Row, place: usize) -> Option<f64> {
    results.medians().find(|(other, _)| *other == row)?.1.get(place).copied()?
}

fn rows(by_size: &[(usize, Results)]) -> Vec<Row> {
    by_size.first().map(|(_, results)| results.medians().map(|(row, _)| row.clone()).collect()).unwrap_or_default()
}

fn table(subjects: &[Subject], by_size: &[(usize, Results)]) -> String {
    let sizes: Vec<_> = by_size.iter().map(|(size, _)| report::number(to_float(*size))).collect();
    let mut text = format!("| what | unit | of | {} |\n| --- | --- | --- |", sizes.join(" | "));
    text += &" ---: |".repeat(sizes.len());
    for row in rows(by_size) {
        for (place, subject) in subjects.iter().enumerate() {
            let values = by_size.iter().map(|(_, results)| value(results, &row, place));
            let values: Vec<_> = values.map(|value| value.map_or_else(String::new, report::number)).collect();
            let _ = write!(text, "\n| {} | {} | {} | {} |", row.name, row.unit, subject.name, values.join(" | "));
        }
    }
    text + "\n"
}

fn plot(subjects: &[Subject], by_size: &[(usize, Results)], name: &str) -> Plot {
    let row = rows(by_size).into_iter().find(|row| row.name == name);
    let unit = row.as_ref().map_or("", |row| row.unit);
    let curve = |(place, subject): (usize, &Subject)| {
        let point = |(size, results): &(usize, Results)| Some((to_float(*size), value(results, row.as_ref()?, place)?));
        Curve { name: subject.name.clone(), points: by_size.iter().filter_map(point).collect() }
    };
    Plot { title: format!("{name}, {unit}"), curves: subjects.iter().enumerate().map(curve).collect() }
}

fn to_float(size: usize) -> f64 {
    u32::try_from(size).map_or(f64::NAN, f64::from)
}
