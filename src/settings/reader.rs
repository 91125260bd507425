//! How a concern gets its values: by property name, with a reader of texts from `settings::value`.

use std::collections::BTreeSet;
use std::time::Duration;

use super::findings::{Findings, SettingsError};
use super::known::{self, Kind, Usage};
use super::merged::{Merged, Property};
use super::secrets::masked;
use super::value::{self, Unit};

/// Reads properties and collects what is wrong with them, so that all mistakes are told at once.
pub(super) struct Reader<'a> {
    merged: &'a Merged,
    findings: &'a mut Findings,
}

impl<'a> Reader<'a> {
    pub(super) fn new(merged: &'a Merged, findings: &'a mut Findings) -> Self {
        Self { merged, findings }
    }

    /// The value of the first of `names` that has one; an empty text is none, as in Spring. `None`
    /// also if it is a mistake.
    pub(super) fn get<T>(&mut self, names: &[&'static str], read: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        debug_assert!(names.iter().all(|name| known::is_in_use(name)), "{names:?} must be in the table");
        for name in names {
            let Some(property) = self.merged.get(name) else { continue };
            if property.value.trim().is_empty() {
                self.detail(&format!("{name} ({}) is empty: it counts as not set", property.origin));
                continue;
            }
            return self.convert(name, property, read);
        }
        None
    }

    /// The members of a map with their values, in the order of their keys; here an empty text is a
    /// value.
    pub(super) fn members<T>(
        &mut self,
        family: &'static str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Vec<(String, T)> {
        debug_assert!(known::is_in_use(family), "{family} must be in the table");
        let merged = self.merged;
        let read = |(key, property): (&str, &Property)| {
            let value = self.convert(&format!("{family}.{key}"), property, &read)?;
            Some((key.to_owned(), value))
        };
        merged.members(family).filter_map(read).collect()
    }

    /// The places of a list of records that have any of these fields. What else is written there is a mistake.
    pub(super) fn records(&mut self, family: &'static str, fields: &[&str]) -> Vec<u32> {
        debug_assert!(known::is_in_use(family), "{family} must be in the table");
        let merged = self.merged;
        let mut places = BTreeSet::new();
        for (name, property) in merged.iter() {
            let Some(rest) = name.strip_prefix(family).filter(|rest| rest.starts_with(['.', '['])) else { continue };
            let record = rest.strip_prefix('[').and_then(|rest| rest.split_once("]."));
            match record.and_then(|(place, field)| Some((place.parse().ok()?, field))) {
                Some((place, field)) if fields.contains(&field) => drop(places.insert(place)),
                _ => self.mistake(name, property, &format!("one of {family}[0].{}", fields.join(", ."))),
            }
        }
        places.into_iter().collect()
    }

    /// The value of a record's field; an empty text is none.
    pub(super) fn field<T>(
        &mut self,
        (family, place): (&str, u32),
        field: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let name = format!("{family}[{place}].{field}");
        let property = self.merged.get(&name).filter(|property| !property.value.trim().is_empty())?;
        self.convert(&name, property, read)
    }

    /// What was written under a name, be it empty.
    pub(super) fn there(&self, name: &str) -> Option<&'a Property> {
        self.merged.get(name)
    }

    /// What was written under a name, if it is not empty.
    pub(super) fn written(&self, name: &str) -> Option<&'a Property> {
        self.merged.get(name).filter(|property| !property.value.trim().is_empty())
    }

    /// The first property, by name, that begins so.
    pub(super) fn first_below(&self, prefix: &str) -> Option<(&'a str, &'a Property)> {
        self.merged.iter().find(|(name, _)| name.starts_with(prefix))
    }

    /// Tells of a mistake in a property that can be seen only beside others.
    pub(super) fn mistake(&mut self, name: &str, property: &Property, expected: &str) {
        let Property { value, origin, .. } = property;
        self.findings.error(SettingsError::Value {
            name: name.to_owned(),
            value: masked(name, value),
            origin: origin.clone(),
            expected: expected.to_owned(),
        });
    }

    /// Looks for mistakes in what no concern reads yet.
    pub(super) fn check_unserved(&mut self) {
        let merged = self.merged;
        for (name, property) in merged.iter().filter(|(_, property)| !property.value.trim().is_empty()) {
            let Usage::NotYet(kind) = property.known.usage else { continue };
            let time = |unit| value::duration(unit, Duration::ZERO);
            match kind {
                Kind::Text => {}
                Kind::Flag => drop(self.convert(name, property, value::boolean)),
                Kind::Seconds => drop(self.convert(name, property, time(Unit::Seconds))),
            }
        }
    }

    fn convert<T>(&mut self, name: &str, property: &Property, read: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let Property { value, origin, .. } = property;
        let problem = |expected| SettingsError::Value {
            name: name.to_owned(),
            value: masked(name, value),
            origin: origin.clone(),
            expected,
        };
        read(value).map_err(|expected| self.findings.error(problem(expected))).ok()
    }

    /// Whether anything below a root has a value, its switch aside.
    pub(super) fn has_any_below(&self, root: &str) -> bool {
        self.merged.iter().any(|(name, property)| {
            let rest = name.strip_prefix(root).and_then(|rest| rest.strip_prefix('.'));
            rest.is_some_and(|rest| rest != "enabled") && !property.value.trim().is_empty()
        })
    }

    /// Tells of properties that do not go together.
    pub(super) fn unfit(&mut self, name: &str, problem: &str) {
        self.findings.error(SettingsError::Unfit { name: name.to_owned(), problem: problem.to_owned() });
    }

    /// Warns of something that a concern does not do.
    pub(super) fn warn(&mut self, text: &str) {
        self.findings.warn(text);
    }

    /// Tells of something that a concern makes of a value.
    pub(super) fn detail(&mut self, text: &str) {
        self.findings.detail(text);
    }
}
