//! Fields of records: what must be there, and what somebody may do.

use crate::settings::reader::Reader;

use super::roles::roles;
use super::{Pattern, Permissions, Role, Roles};

/// What a client needs, unless something else is said.
pub(super) fn permissions(reader: &mut Reader<'_>, at: (&str, u32)) -> Permissions {
    refuse_empty(reader, at, "apps", "names of applications; left out: all");
    refuse_empty(reader, at, "roles", "roles; left out: read, register");
    let roles = reader.field(at, "roles", roles);
    let apps = reader.field(at, "apps", |text| Ok(super::names(text).map(Pattern::of_app).collect::<Vec<_>>()));
    Permissions {
        roles: roles.unwrap_or_else(|| Roles::of(&[Role::Read, Role::Register])),
        apps: apps.unwrap_or_default(),
    }
}

pub(super) fn is_written(reader: &Reader<'_>, (family, place): (&str, u32), field: &str) -> bool {
    reader.written(&format!("{family}[{place}].{field}")).is_some()
}

/// A field that must be there.
pub(super) fn required<T>(
    reader: &mut Reader<'_>,
    at: (&'static str, u32),
    field: &str,
    expected: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Option<T> {
    if !is_written(reader, at, field) {
        missing(reader, at, field, expected);
    }
    reader.field(at, field, read)
}

/// Tells what a field must be, by what is there of its record.
pub(super) fn missing(reader: &mut Reader<'_>, (family, place): (&str, u32), field: &str, expected: &str) {
    let record = format!("{family}[{place}].");
    if let Some((name, property)) = reader.first_below(&record) {
        let expected = if name == format!("{record}{field}") {
            expected.to_owned()
        } else {
            format!("given with {field}: {expected}")
        };
        reader.mistake(name, property, &expected);
    }
}

/// Tells of a field that is there and says nothing. Who leaves a restriction empty does not mean that there is none.
pub(super) fn refuse_empty(reader: &mut Reader<'_>, (family, place): (&str, u32), field: &str, expected: &str) {
    let name = format!("{family}[{place}].{field}");
    if let Some(property) = reader.there(&name)
        && super::names(&property.value).next().is_none()
    {
        reader.mistake(&name, property, expected);
    }
}
