//! What a peer that asks is answered. It changes nothing here.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::codec::json;
use crate::model::{AppName, InstanceId};
use crate::registry::Registry;

use super::DigestError;
use super::summary::{Digest, Summary, differing, summary};
use super::wire::{Asked, Differences, EndedEntry, Entry, Fetched, NoteEntry, Place, Request};

/// Instances that one answer tells of, held or ended; some 150 bytes each.
pub(super) const MOST_ENTRIES: usize = 20_000;
/// An answer with so many bytes of whole instances is long enough.
const ENOUGH_BYTES: usize = 8 << 20;

/// Answers the body of `POST peerreplication/digest`.
pub fn answer(registry: &Registry, request: &[u8]) -> Result<Vec<u8>, DigestError> {
    Ok(match serde_json::from_slice(request)? {
        Request::Compare(asked) => serde_json::to_vec(&compare(registry, asked))?,
        Request::Fetch(places) => serde_json::to_vec(&fetch(registry, &places)?)?,
    })
}

fn compare(registry: &Registry, asked: Asked) -> Differences {
    let Asked { after, until, apps } = asked;
    let (first, passed) = after.unwrap_or_default();
    let within =
        |app: &AppName| app.as_str() >= first.as_str() && until.as_deref().is_none_or(|until| app.as_str() <= until);
    let theirs: Summary =
        apps.into_iter().map(|(app, (count, hash))| (AppName::new(&app), Digest { count, hash })).collect();
    let mut mine = summary(registry);
    mine.retain(|app, _| within(app));
    let apps = differing(&mine, &theirs);
    let (mut differences, mut bytes) = (Differences::default(), 0);
    if apps.is_empty() {
        return differences;
    }
    for app in &apps {
        let passed = if app.as_str() == first { passed.as_str() } else { "" };
        // In this order: whoever leaves in between has left.
        let held = registry.ids(app).into_iter().filter(|id| id.as_str() > passed).map(|id| (id, None));
        let mut places: BTreeMap<_, _> = held.collect();
        // One more than there is room for tells that this is not all.
        let ended = registry.ended(app, passed, MOST_ENTRIES - differences.len() + 1).into_iter();
        places.extend(ended.map(|ended| (ended.id.clone(), Some(ended))));
        for (id, ended) in places {
            if differences.next.is_some() {
                return differences;
            }
            if let Some(ended) = ended {
                differences.ended.push(EndedEntry::of(&ended));
            } else if let Some((holding, _)) = registry.holding(app, &id) {
                bytes += holding.background.length();
                differences.notes.extend(NoteEntry::of(&holding));
                differences.held.push(Entry::of(&holding));
            }
            let full = differences.len() == MOST_ENTRIES || bytes >= ENOUGH_BYTES;
            differences.next = full.then(|| (app.as_str().to_owned(), id.as_str().to_owned()));
        }
    }
    // It ended with the last of all.
    differences.next = None;
    differences
}

fn fetch(registry: &Registry, places: &[Place]) -> Result<Fetched, DigestError> {
    let (mut fetched, mut bytes) = (Fetched::default(), 0);
    for (app, id) in places {
        if bytes >= ENOUGH_BYTES {
            break;
        }
        fetched.answered += 1;
        let Some((holding, lease)) = registry.holding(&AppName::new(app), &InstanceId::new(id.as_str())) else {
            continue;
        };
        let document = json::write_instance(&lease.instance, lease.times());
        bytes += document.len() + holding.background.length();
        fetched.notes.extend(NoteEntry::of(&holding));
        fetched.instances.push((Entry::of(&holding), raw(&document)?));
    }
    Ok(fetched)
}

fn raw(document: &[u8]) -> Result<Box<RawValue>, DigestError> {
    Ok(serde_json::from_slice(document)?)
}
