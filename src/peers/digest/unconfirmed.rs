//! Who is unconfirmed at a node, as it tells a node of our own that is about to copy it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::{AppName, InstanceId};
use crate::registry::{Registry, Unconfirmed};

use super::DigestError;

/// Application, id, age.
#[derive(Debug, Serialize, Deserialize)]
struct Entry(String, String, u64);

/// The answer to `GET peerreplication/digest`.
pub fn unconfirmed(registry: &Registry) -> Result<Vec<u8>, DigestError> {
    let entry = |((app, id), age): ((AppName, InstanceId), u64)| Entry(app.as_str().into(), id.as_str().into(), age);
    let all: Vec<_> = registry.unconfirmed().into_iter().map(entry).collect();
    Ok(serde_json::to_vec(&all)?)
}

/// What such an answer says that took so long.
pub fn read_unconfirmed(answer: &[u8], took: Duration) -> Result<Unconfirmed, DigestError> {
    let way = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let place = |Entry(app, id, age)| ((AppName::new(&app), InstanceId::new(id)), age.saturating_add(way));
    let all: Vec<Entry> = serde_json::from_slice(answer)?;
    Ok(all.into_iter().map(place).collect())
}
