//! What holds of each property: its value, and where that comes from.

use std::collections::BTreeMap;

use super::known::{self, Shape, Usage};
use super::merged::Merged;
use super::secrets::masked;
use super::sources::Origin;

/// What holds of one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective {
    /// The canonical name, with the key of a map.
    pub name: String,
    /// The value as one would write it, with placeholders put in and without secrets; the elements
    /// of a list with commas between them.
    pub value: String,
    /// Where it was written; `None`: nowhere, it is the default.
    pub origin: Option<Origin>,
    /// What it does.
    pub effect: Effect,
}

/// What a property does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// What it says, and another value counts at once when the settings are read again.
    WorksAtOnce,
    /// What it says, and another value counts after a restart.
    Works,
    /// Nothing, for this reason.
    None(&'static str),
}

/// What somebody set, and the defaults of the rest, by name.
pub(super) fn all(merged: &Merged) -> Vec<Effective> {
    let defaults = known::all().filter(|known| matches!(known.shape, Shape::One | Shape::List));
    let defaults = defaults.filter_map(|known| Some((known.name.to_owned(), known.usage.default()?)));
    let mut all: BTreeMap<String, Effective> = defaults
        .map(|(name, value)| {
            let value = value.to_owned();
            (name.clone(), Effective { effect: works(&name), name, value, origin: None })
        })
        .collect();
    for (name, property) in merged.iter() {
        let usage: Usage = property.known.usage;
        // An empty value is none: the default holds.
        if property.value.trim().is_empty() && usage.default().is_some() {
            continue;
        }
        let effective = Effective {
            name: name.to_owned(),
            value: masked(name, &property.value),
            origin: Some(property.origin.clone()),
            effect: usage.idle().map_or_else(|| works(name), Effect::None),
        };
        all.insert(name.to_owned(), effective);
    }
    all.into_values().collect()
}

fn works(name: &str) -> Effect {
    if known::changes_at_run_time(name) { Effect::WorksAtOnce } else { Effect::Works }
}
