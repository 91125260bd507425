//! Which instances of a list a request asks for: `?status=UP&zone=z1&metadata.version=1.4&apps=A,B`. Java's lists are
//! always whole.
//!
//! A parameter of another name is passed over, as Java passes over all. One of these without a value is a mistake: it
//! is never everything.

use http::Uri;

use crate::codec::quoted;
use crate::model::{AppName, InstanceStatus, Selection};

use super::error::ApiError;
use super::query::pairs;

/// Those that fit in every respect; all, if nothing is said. 400 that names what cannot be read.
pub fn selection(uri: &Uri) -> Result<Selection, ApiError> {
    let mut only = Selection::default();
    if uri.query().is_none() {
        return Ok(only);
    }
    for (name, value) in pairs(uri) {
        match &*name {
            "apps" => only.apps.extend(each(&name, &value)?.map(AppName::new)),
            "zone" => only.zones.extend(each(&name, &value)?.map(Into::into)),
            "status" => {
                for word in each(&name, &value)? {
                    only.statuses.push(InstanceStatus::from_name(word).ok_or_else(|| no_status(word))?);
                }
            }
            name => {
                if let Some(key) = name.strip_prefix("metadata.").filter(|key| !key.is_empty()) {
                    only.metadata.push((key.into(), value.into()));
                }
            }
        }
    }
    Ok(only)
}

/// What stands between commas.
fn each<'a>(name: &str, value: &'a str) -> Result<impl Iterator<Item = &'a str> + use<'a>, ApiError> {
    let mut words = value.split(',').map(str::trim).filter(|word| !word.is_empty()).peekable();
    if words.peek().is_none() {
        return Err(ApiError::BadRequest(format!("cannot read {name}: expected one or several, with commas between")));
    }
    Ok(words)
}

fn no_status(word: &str) -> ApiError {
    let (names, found) = (InstanceStatus::names(), quoted(word));
    ApiError::BadRequest(format!("cannot read status: expected some of {names}, found {found}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::model::Text;

    fn read(query: &str) -> Result<Selection, ApiError> {
        selection(&format!("/eureka/apps?{query}").parse().unwrap())
    }

    #[test]
    fn several_are_told_by_commas_or_by_more_parameters() {
        let only =
            read("status=UP,%20DOWN&zone=z1&apps=a,,b&apps=c&metadata.k=1,2&metadata.%C3%A9=&regions=x").unwrap();
        let expected = Selection {
            apps: ["a", "b", "c"].map(AppName::new).into(),
            zones: vec!["z1".into()],
            statuses: vec![InstanceStatus::Up, InstanceStatus::Down],
            metadata: [("k", "1,2"), ("é", "")].map(|(key, value)| (Text::from(key), Text::from(value))).into(),
            ..Selection::default()
        };
        assert_eq!(only, expected);
        assert!(read("regions=x&vip=a&Status=UP&metadata=1&metadata.=1&app=A").unwrap().is_empty());
    }

    #[test]
    fn a_mistake_is_named_and_is_never_everything() {
        for (query, named) in [
            ("status=up", "\"up\""),
            ("status=UP,GONE", "GONE"),
            ("zone=", "zone"),
            ("apps=,", "apps"),
            ("status", "status"),
        ] {
            assert!(read(query).unwrap_err().to_string().contains(named), "{query}");
        }
    }
}
