//! Where an instance runs, read.
//!
//! Java goes by `@class` and wants it known. Clients send none, a class of their own, or one that
//! contradicts the name; so here the **name** decides, and only Amazon's class speaks for itself.

use super::AMAZON_CLASS;
use super::member::{Under as _, over, quoted, shortened, text, wrong};
use super::tree::Tree;
use crate::codec::{Limits, ReadError};
use crate::model::{DataCenter, GivenDataCenter, Metadata, NonAmazon, Text};

/// Reads `dataCenterInfo`; null was dealt with before. A name may be its ordinal, as in Java.
pub(super) fn data_center(value: &Tree<'_>, limits: &Limits) -> Result<GivenDataCenter, ReadError> {
    let Tree::Object(members) = value else {
        return Err(wrong("must be an object with a name"));
    };
    let name = if members.get("@class").map_or(Ok(None), text)?.is_some_and(|class| class == AMAZON_CLASS) {
        Some("Amazon".into())
    } else {
        members.get("name").map_or(Ok(None), text).under("name")?
    };
    Ok(match name.as_deref() {
        None => GivenDataCenter::Nameless,
        Some("Netflix" | "0") => GivenDataCenter::Given(DataCenter::Own(NonAmazon::Netflix)),
        Some("MyOwn" | "2") => GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn)),
        Some("Amazon" | "1") => GivenDataCenter::Given(DataCenter::Amazon(match members.get("metadata") {
            None => Metadata::default(),
            // Here, unlike in the instance's own metadata, Java keeps `@class` as an entry.
            Some(entries) => metadata(entries, |_| true, limits).under("metadata")?,
        })),
        Some(other) => {
            return Err(wrong(format!("{} is none of MyOwn, Amazon, Netflix", quoted(other)))).under("name");
        }
    })
}

/// Reads a map of texts; null in it becomes the text `null`.
pub(super) fn metadata(value: &Tree<'_>, kept: fn(&str) -> bool, limits: &Limits) -> Result<Metadata, ReadError> {
    let Tree::Object(members) = value else {
        return Err(wrong("must be an object of texts"));
    };
    let mut entries = Vec::new();
    for (key, value) in members.iter().filter(|(key, _)| kept(key)) {
        if entries.len() == limits.metadata_entries {
            let problem = format!("at most {} entries (eurekad.limits.metadata-entries)", limits.metadata_entries);
            return Err(over(problem));
        }
        entries.push(entry(key, value, limits).under(shortened(key))?);
    }
    Ok(Metadata::new(entries))
}

fn entry(key: &str, value: &Tree<'_>, limits: &Limits) -> Result<(Text, Text), ReadError> {
    let value = text(value)?.unwrap_or("null".into());
    if key.len().max(value.len()) > limits.metadata_length {
        let problem =
            format!("at most {} bytes in a key or value (eurekad.limits.metadata-length)", limits.metadata_length);
        return Err(over(problem));
    }
    Ok((key.into(), (&*value).into()))
}

#[cfg(test)]
mod tests;
