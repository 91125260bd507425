//! Which of all that was written counts: for each name the one that was written last.
//!
//! The keys of maps are merged over all sources; a list comes whole from the last source that has
//! any part of it (`MapBinder`, `IndexedElementsBinder`).

use std::collections::{BTreeMap, HashMap, HashSet};

use super::known::{FIELDS, Known, Shape};
use super::names::{Identified, identify, squash};
use super::placeholders::{self, Filled, Found};
use super::sources::{Origin, Written};

/// What counts. Numbers are places in `written`.
#[derive(Debug)]
pub(super) struct Winners<'a> {
    written: Vec<&'a Written>,
    /// By canonical name, members of maps with their key.
    known: BTreeMap<String, Winner>,
    /// The rest by squashed name.
    unknown: HashMap<String, usize>,
    /// Everything by its name as written, known or not: an environment variable that a word
    /// overrides can still be named in a placeholder.
    exact: HashMap<&'a str, usize>,
}

/// What counts of one known property.
#[derive(Debug)]
struct Winner {
    known: &'static Known,
    source: usize,
    /// The elements of a list by their index; otherwise one without.
    places: BTreeMap<Option<u32>, usize>,
}

/// What was written for one known property.
pub(super) struct Won<'a> {
    pub known: &'static Known,
    /// As written; the elements of a list with commas between them.
    pub raw: String,
    /// With placeholders put in, or what is wrong with them.
    pub filled: Result<Filled, &'static str>,
    /// Where; of a list, where its first element is.
    pub origin: &'a Origin,
}

impl<'a> Winners<'a> {
    /// Of several sources the last wins, and so it does within a source.
    pub(super) fn among<S: AsRef<[Written]> + ?Sized + 'a>(sources: impl IntoIterator<Item = &'a S>) -> Self {
        let mut winners =
            Self { written: Vec::new(), known: BTreeMap::new(), unknown: HashMap::new(), exact: HashMap::new() };
        for (source, properties) in sources.into_iter().enumerate() {
            for one in properties.as_ref() {
                winners.add(source, one);
            }
        }
        winners
    }

    fn add(&mut self, source: usize, one: &'a Written) {
        let place = self.written.len();
        self.written.push(one);
        self.exact.insert(&one.name, place);
        let Some(found) = identify(&one.name) else {
            self.unknown.insert(squash(&one.name), place);
            return;
        };
        let winner = self.known.entry(canonical(&found, &self.known)).or_insert_with(|| Winner {
            known: found.known,
            source,
            places: BTreeMap::new(),
        });
        let joins = found.index.is_some() && winner.source == source && !winner.places.contains_key(&None);
        if !joins {
            winner.places.clear();
        }
        winner.source = source;
        winner.places.insert(found.index, place);
    }

    /// What a name in a placeholder leads to. A canonical name is relaxed, as in Spring; any other
    /// is first looked for as it is.
    fn look_up(&self, name: &str) -> Option<Found<'_>> {
        let exact = || self.exact.get(name).copied();
        let relaxed = || match identify(name) {
            Some(found) => {
                let winner = self.known.get(&canonical(&found, &self.known))?;
                winner.places.get(&found.index).copied()
            }
            None => self.unknown.get(&squash(name)).copied(),
        };
        let is_canonical = !name.contains(|c: char| c == '_' || c.is_ascii_uppercase());
        let id = if is_canonical { relaxed().or_else(exact) } else { exact().or_else(relaxed) }?;
        let found = self.written.get(id)?;
        Some(Found { text: &found.value, id, exact: found.name == name })
    }

    /// A text with placeholders put in.
    fn fill(&self, text: &str, id: usize) -> Result<Filled, &'static str> {
        placeholders::fill(text, id, |name| self.look_up(name))
    }

    /// The known properties that somebody set, by canonical name.
    pub(super) fn known(&self) -> impl Iterator<Item = (&str, Won<'a>)> {
        self.known.iter().filter_map(|(name, winner)| Some((name.as_str(), self.won(winner)?)))
    }

    fn won(&self, winner: &Winner) -> Option<Won<'a>> {
        let elements = || winner.places.values().filter_map(|place| Some((*place, *self.written.get(*place)?)));
        let (_, first) = elements().next()?;
        let raw = elements().map(|(_, written)| written.value.as_str()).collect::<Vec<_>>().join(",");
        let filled = elements().enumerate().try_fold(Filled::default(), |mut all, (at, (place, written))| {
            let one = self.fill(&written.value, place)?;
            if at > 0 {
                all.text.push(',');
            }
            all.text.push_str(&one.text);
            all.missing.extend(one.missing);
            all.used.extend(one.used);
            Ok(all)
        });
        Some(Won { known: winner.known, raw, filled, origin: &first.origin })
    }

    /// The elements of a list that these sources give, with the placeholders that `all` knows.
    pub(super) fn list(&self, name: &str, all: &Winners<'_>) -> Vec<(String, &'a Origin)> {
        let Some(winner) = self.known.get(name) else { return Vec::new() };
        let written = winner.places.values().filter_map(|place| self.written.get(*place));
        let elements = written.flat_map(|Written { value, origin, .. }| {
            // What is wrong with a placeholder is told when all sources are known.
            let text = all.fill(value, usize::MAX).map_or_else(|_| value.clone(), |filled| filled.text);
            let elements: Vec<String> = text.split(',').map(|element| element.trim().to_owned()).collect();
            elements.into_iter().map(move |element| (element, origin))
        });
        elements.filter(|(element, _)| !element.is_empty()).collect()
    }

    /// The keys of a map of lists, with the elements of each.
    pub(super) fn lists(&self, family: &str) -> Vec<(String, Vec<String>)> {
        let keys = self.known.keys().filter_map(|name| Some((name, name.strip_prefix(family)?.strip_prefix('.')?)));
        keys.map(|(name, key)| {
            (key.to_owned(), self.list(name, self).into_iter().map(|(element, _)| element).collect())
        })
        .collect()
    }

    /// What was written under names that are not known and that no placeholder needs, in order.
    pub(super) fn unknown(&self, used: &HashSet<usize>) -> impl Iterator<Item = &'a Written> {
        let mut places: Vec<usize> = self.unknown.values().copied().filter(|place| !used.contains(place)).collect();
        places.sort_unstable();
        places.into_iter().filter_map(|place| self.written.get(place).copied())
    }
}

/// The name under which a property is kept. A key whose letter case was lost, or does not count,
/// finds the one that is already there: `EUREKA_CLIENT_SERVICEURL_DEFAULTZONE` overrides a file's
/// `defaultZone`. Else it is in lower case with dots, as Spring has it; but the default zone has its
/// own name, so that the variable works alone.
fn canonical(found: &Identified<'_>, known: &BTreeMap<String, Winner>) -> String {
    const DEFAULT_ZONE: &str = "defaultZone";
    let Identified { known: Known { name, shape, .. }, key, blurred, .. } = found;
    if key.is_empty() {
        return (*name).to_owned();
    }
    if *shape == Shape::Records {
        return field_of(name, key);
    }
    let is_default_zone = *name == "eureka.client.service-url" && squash(key).eq_ignore_ascii_case(DEFAULT_ZONE);
    let key = if is_default_zone { DEFAULT_ZONE } else { key };
    let same = |existing: &str| {
        existing.eq_ignore_ascii_case(key) && *shape == Shape::Lists || *blurred && squash(existing) == squash(key)
    };
    let existing = known.iter().find(|(existing, winner)| {
        let key = existing.strip_prefix(name).and_then(|key| key.strip_prefix('.'));
        winner.known.name == *name && key.is_some_and(same)
    });
    match existing {
        Some((existing, _)) => existing.clone(),
        None if *blurred && !is_default_zone => format!("{name}.{}", key.to_ascii_lowercase().replace('_', ".")),
        None => format!("{name}.{key}"),
    }
}

/// A record's field in one spelling; what is none stays as it is.
fn field_of(family: &str, key: &str) -> String {
    let digits = key.bytes().take_while(u8::is_ascii_digit).count();
    let parts = key.split_at_checked(digits).filter(|(number, _)| !number.is_empty());
    let Some((number, field)) = parts.map(|(number, rest)| (number, rest.trim_start_matches([']', '.', '_']))) else {
        return format!("{family}.{key}");
    };
    let same = |known: &&&str| squash(known).eq_ignore_ascii_case(&squash(field));
    let field = FIELDS.iter().find(same).map_or(field, |known| *known);
    format!("{family}[{number}].{field}")
}

#[cfg(test)]
mod tests;
