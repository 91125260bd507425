//! `docs/configuration.md` against the table of known properties.

use std::collections::BTreeSet;

use super::*;

const DOCUMENTATION: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/configuration.md"));

/// The cells of the rows that begin with a property.
fn rows() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    DOCUMENTATION.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.strip_suffix('|')?.split('|').map(str::trim);
        Some((cells.next()?.strip_suffix('`')?, cells.collect()))
    })
}

/// A name as the documentation has it.
fn documented(known: &Known) -> String {
    match known.shape {
        Shape::One | Shape::List => known.name.to_owned(),
        Shape::Map | Shape::Lists => format!("{}.*", known.name),
        Shape::Records => format!("{}[].*", known.name),
    }
}

#[test]
fn lists_what_is_in_use_with_the_defaults_that_hold() {
    let mut seen = BTreeSet::new();
    for (name, cells) in rows() {
        assert!(seen.insert(name.to_owned()), "{name} is there twice");
        let [default, _unit, change, meaning] = cells[..] else { panic!("{name} has {} cells", cells.len()) };
        let expected = if known::changes_at_run_time(name) { "at once" } else { "restart" };
        assert_eq!(change, expected, "{name}");
        assert!(!meaning.is_empty(), "{name} has no meaning");
        let known = known::all().find(|known| documented(known) == name);
        let known = known.unwrap_or_else(|| panic!("{name} is not known"));
        let expected = known.usage.default().unwrap_or("–");
        assert_eq!(default.trim_matches('`'), expected, "the default of {name}");
        if expected != "–" {
            assert_eq!(words(&[&format!("--{name}={expected}")]), Settings::default(), "the default of {name}");
        }
    }
    let in_use: BTreeSet<String> =
        known::all().filter(|known| known.usage.idle().is_none()).map(|known| documented(&known)).collect();
    assert_eq!(seen, in_use);
}

#[test]
fn lists_what_has_no_effect_with_the_reason() {
    let (_, idle) = DOCUMENTATION.split_once("## Without effect").expect("the heading");
    for known in known::all() {
        let Some(reason) = known.usage.idle() else { continue };
        let paragraph = idle.split("\n\n").find(|paragraph| paragraph.contains(&format!("`{}`", documented(&known))));
        let paragraph = paragraph.unwrap_or_else(|| panic!("`{}` is not there", documented(&known)));
        assert!(paragraph.replace('\n', " ").contains(reason), "{}: {reason}", known.name);
    }
}
