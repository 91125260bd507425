//! Results as Markdown, and into a document.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::machine;
use super::results::Results;
use super::subject::{Kind, Subject};

/// How and where: the lines above a table.
pub(crate) fn heading(subjects: &[Subject]) -> String {
    let mut text = format!("`{}`\n\n{}", machine::command(), machine::machine());
    for subject in subjects.iter().filter(|subject| subject.kind != Kind::Floor) {
        let program = subject.command.first().map_or("", String::as_str);
        let argument = if program == "java" { "-version" } else { "--version" };
        if let Some(version) = machine::version(program, argument) {
            let _ = write!(text, "; {}: {version}", subject.name);
        }
    }
    text + ".\n\n"
}

/// A table of medians; each other subject has a column with the ratio of ours to it.
pub(crate) fn table(subjects: &[Subject], results: &Results) -> String {
    let ours = subjects.iter().position(|subject| subject.kind == Kind::Ours);
    let others: Vec<_> = (0..subjects.len()).filter(|place| Some(*place) != ours).collect();
    let name = |place: &usize| subjects.get(*place).map_or("", |subject| subject.name.as_str());
    let mut text = "| what | unit |".to_owned();
    for subject in subjects {
        let _ = write!(text, " {} |", subject.name);
    }
    for other in &others {
        let _ = write!(text, " {} ÷ {} |", ours.as_ref().map_or("", name), name(other));
    }
    text += "\n| --- | --- |";
    text += &" ---: |".repeat(subjects.len() + others.len());
    for (row, values) in results.medians() {
        let value = |place: usize| values.get(place).copied().flatten();
        let _ = write!(text, "\n| {} | {} |", row.name, row.unit);
        for place in 0..subjects.len() {
            let _ = write!(text, " {} |", value(place).map_or_else(String::new, number));
        }
        for other in &others {
            let ratio = ours.and_then(value).zip(value(*other)).map(|(ours, other)| ours / other);
            let _ = write!(text, " {} |", ratio.map_or_else(String::new, number));
        }
    }
    text + "\n"
}

/// With three digits that count, and thousands apart.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        tiny if tiny > 0.0 && tiny < 0.1 => format!("{value:.4}"),
        small if small < 10.0 => format!("{value:.2}"),
        middle if middle < 100.0 => format!("{value:.1}"),
        _ => {
            let digits = format!("{value:.0}");
            let mut text = String::new();
            for (place, digit) in digits.chars().enumerate() {
                if place > 0 && (digits.len() - place).is_multiple_of(3) {
                    text.push(',');
                }
                text.push(digit);
            }
            text
        }
    }
}

/// Replaces what stands in the document between the two marks of this name.
pub(crate) fn write(document: &Path, name: &str, text: &str) -> Result<()> {
    let (begin, end) = (format!("<!-- {name}: written by benches/load -->"), format!("<!-- {name}: end -->"));
    let old = std::fs::read_to_string(document).with_context(|| document.display().to_string())?;
    let parts = old.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
    let (before, after) = parts.with_context(|| format!("{} has no marks {begin} … {end}", document.display()))?;
    let new = format!("{before}{begin}\n\n{}\n\n{end}{after}", text.trim());
    std::fs::write(document, new).with_context(|| document.display().to_string())
}
