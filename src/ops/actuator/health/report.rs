//! A health with its parts, as Spring shows it: `{"components":{…},"description":"…","details":{…},"status":"UP"}`.

use serde_json::{Map, Value, json};

/// Spring's words, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    /// Something does not work.
    Down,
    /// Traffic is not welcome.
    OutOfService,
    /// All is well.
    Up,
    /// Nothing that counts: it lowers no other.
    Unknown,
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Self::Down => "DOWN",
            Self::OutOfService => "OUT_OF_SERVICE",
            Self::Up => "UP",
            Self::Unknown => "UNKNOWN",
        }
    }

    /// Whether traffic may come.
    pub(super) fn is_fine(self) -> bool {
        matches!(self, Self::Up | Self::Unknown)
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Report {
    pub(super) status: Status,
    /// What is to be said of it, without names.
    pub(super) description: Option<String>,
    /// Figures and names.
    pub(super) details: Map<String, Value>,
    /// Its parts by name.
    pub(super) parts: Vec<(&'static str, Report)>,
}

impl Report {
    /// Without more to say.
    pub(super) fn of(status: Status) -> Self {
        Self { status, description: None, details: Map::new(), parts: Vec::new() }
    }

    /// Of parts: as bad as the worst of them.
    pub(super) fn of_parts(parts: Vec<(&'static str, Self)>) -> Self {
        let status = parts.iter().map(|(_, part)| part.status).min().unwrap_or(Status::Unknown);
        Self { parts, ..Self::of(status) }
    }

    pub(super) fn described(self, description: Option<String>) -> Self {
        Self { description, ..self }
    }

    /// With details, an object.
    pub(super) fn with(self, details: Value) -> Self {
        let Value::Object(details) = details else { return self };
        Self { details, ..self }
    }

    /// The part, or the part of a part, of this path.
    pub(super) fn at(&self, mut path: impl Iterator<Item = impl AsRef<str>>) -> Option<&Self> {
        path.try_fold(self, |report, name| {
            report.parts.iter().find(|(own, _)| *own == name.as_ref()).map(|(_, part)| part)
        })
    }

    /// As JSON, its members by name, as Spring Boot 4 has them.
    pub(super) fn json(&self, components: bool, details: bool) -> Value {
        let mut shown = json!({"status": self.status.as_str()});
        if let Some(description) = &self.description {
            shown["description"] = description.as_str().into();
        }
        if components && !self.parts.is_empty() {
            let parts = self.parts.iter().map(|(name, part)| ((*name).to_owned(), part.json(components, details)));
            shown["components"] = Value::Object(parts.collect());
        }
        if details && !self.details.is_empty() {
            shown["details"] = Value::Object(self.details.clone());
        }
        shown.sort_all_objects();
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_part_counts_and_what_is_unknown_does_not() {
        let of = |statuses: &[Status]| {
            Report::of_parts(statuses.iter().map(|status| ("x", Report::of(*status))).collect()).status
        };
        assert_eq!(of(&[Status::Up, Status::Unknown]), Status::Up);
        assert_eq!(of(&[Status::Unknown]), Status::Unknown);
        assert_eq!(of(&[Status::Up, Status::OutOfService, Status::Unknown]), Status::OutOfService);
        assert_eq!(of(&[Status::OutOfService, Status::Down]), Status::Down);
        assert_eq!(of(&[]), Status::Unknown);
    }
}
