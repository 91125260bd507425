//! Which instances are meant, as a request says it: `{"app": "ORDERS", "metadata": {"version": "1.4"}}`, or as
//! parameters of a query.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::codec::quoted;
use crate::model::{AppName, InstanceId, InstanceStatus, Selection, Text};

use super::error::OperationError;

/// The member `select`. Where several are meant there is a list; of metadata every entry counts.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Select {
    #[serde(default)]
    app: Words,
    #[serde(default)]
    instance: Words,
    #[serde(default)]
    zone: Words,
    #[serde(default)]
    host: Words,
    #[serde(default)]
    status: Words,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
}

/// One, or several.
#[derive(Debug, Default, Deserialize)]
#[serde(untagged, expecting = "a text, or a list of texts")]
enum Words {
    #[default]
    None,
    One(String),
    Several(Vec<String>),
}

impl Words {
    fn all(self) -> Vec<String> {
        match self {
            Self::None => Vec::new(),
            Self::One(word) => vec![word],
            Self::Several(words) => words,
        }
    }
}

impl Select {
    /// What it means. One that says nothing is no selection: nobody means everything by leaving something out.
    pub(super) fn selection(self) -> Result<Selection, OperationError> {
        let Self { app, instance, zone, host, status, metadata } = self;
        let texts = |words: Words| words.all().into_iter().map(Text::from).collect();
        let statuses = status.all().into_iter().map(|status| named_status("select.status", &status));
        let selection = Selection {
            apps: app.all().iter().map(|app| AppName::new(app)).collect(),
            ids: instance.all().into_iter().map(InstanceId::new).collect(),
            zones: texts(zone),
            hosts: texts(host),
            statuses: statuses.collect::<Result<_, _>>()?,
            metadata: metadata.into_iter().map(|(key, value)| (key.into(), value.into())).collect(),
        };
        if selection.is_empty() {
            let members = "app, instance, zone, host, status, metadata";
            return Err(OperationError::Wrong(format!("select: must say which instances, by one of {members}")));
        }
        Ok(selection)
    }
}

/// The status of that name, in any letter case.
pub(super) fn named_status(member: &str, name: &str) -> Result<InstanceStatus, OperationError> {
    let status = InstanceStatus::from_name(&name.to_ascii_uppercase());
    let wrong = || format!("{member}: {} is none of {}", quoted(name), InstanceStatus::names());
    status.ok_or_else(|| OperationError::Wrong(wrong()))
}

/// A selection and a text to look for, of the parameters of a query. Parameters may be repeated, and those of closed
/// words and names have commas between several.
pub(super) fn of_query(query: &str) -> Result<(Selection, Option<String>), OperationError> {
    let (mut selection, mut text) = (Selection::default(), None);
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let several = || value.split(',').map(str::trim).filter(|word| !word.is_empty());
        match &*name {
            "app" => selection.apps.extend(several().map(AppName::new)),
            "instance" => selection.ids.push(InstanceId::new(&*value)),
            "zone" => selection.zones.extend(several().map(Text::from)),
            "host" => selection.hosts.extend(several().map(Text::from)),
            "status" => {
                for status in several() {
                    selection.statuses.push(named_status("status", status)?);
                }
            }
            "q" => text = Some(value.to_lowercase()).filter(|text| !text.trim().is_empty()),
            name => {
                let known =
                    || format!("{} is none of app, instance, zone, host, status, metadata.KEY, q", quoted(name));
                let key = name.strip_prefix("metadata.").ok_or_else(|| OperationError::Wrong(known()))?;
                selection.metadata.push((key.into(), (&*value).into()));
            }
        }
    }
    Ok((selection, text))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_query_selects_and_searches() {
        let (selection, text) =
            of_query("app=orders,stock&status=up,DOWN&zone=a&metadata.version=1.4&q=+Ord&host=").unwrap();
        assert_eq!(selection.apps, [AppName::new("ORDERS"), AppName::new("STOCK")]);
        assert_eq!(selection.statuses, [InstanceStatus::Up, InstanceStatus::Down]);
        assert_eq!(selection.metadata, [("version".into(), "1.4".into())]);
        assert_eq!((selection.zones.len(), selection.hosts.len()), (1, 0));
        assert_eq!(text.as_deref(), Some(" ord"));
        let refused = |query| of_query(query).unwrap_err().to_string();
        assert!(refused("status=UPP").starts_with("status: \"UPP\" is none of DOWN"), "{}", refused("status=UPP"));
        assert!(refused("apps=a").starts_with("\"apps\" is none of app, "), "{}", refused("apps=a"));
    }
}
