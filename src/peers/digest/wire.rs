//! The requests and answers of an exchange, version 1. Entries are lists, since there may be many.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::model::{AppName, InstanceId, InstanceStatus, LeaseRequest, OverrideBackground, OverrideNote, WallMillis};
use crate::registry::{Ended, Facts, Holding, OverrideStamp, SignOfLife};

/// A place among all instances: an application and an id, in their order.
pub(super) type Place = (String, String);

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Request {
    /// What differs?
    Compare(Asked),
    /// These instances, whole.
    Fetch(Vec<Place>),
}

/// What the node that asks holds of applications from one name to another.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Asked {
    /// Where to begin: this application, after this id. None: at the first.
    pub(super) after: Option<Place>,
    /// The last application that is meant. None: the last there is.
    pub(super) until: Option<String>,
    /// Count and hash by application.
    pub(super) apps: BTreeMap<String, (u64, u64)>,
}

/// What differs.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Differences {
    pub(super) held: Vec<Entry>,
    pub(super) ended: Vec<EndedEntry>,
    /// What is behind overrides of those that are held. Nodes that do not know of it skip it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<NoteEntry>,
    /// The last place that it tells of, if that was not all. Both lists end there.
    pub(super) next: Option<Place>,
}

impl Differences {
    /// How many instances it tells of.
    pub(super) fn len(&self) -> usize {
        self.held.len() + self.ended.len()
    }
}

/// Instances in the order in which they were asked for, those that are held no more left out.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Fetched {
    pub(super) instances: Vec<(Entry, Box<RawValue>)>,
    /// How many of those that were asked for this answers.
    pub(super) answered: usize,
    /// What is behind their overrides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<NoteEntry>,
}

/// Application, id, what the client said; reason, owner, since and until of a note.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NoteEntry(String, String, Option<String>, Option<(String, String, i64, Option<i64>)>);

/// What is behind overrides, by instance.
#[derive(Debug)]
pub(super) struct Notes(HashMap<Place, OverrideBackground>);

impl Notes {
    pub(super) fn of(entries: Vec<NoteEntry>) -> Self {
        let entry = |NoteEntry(app, id, own, note)| {
            let own = own.and_then(|own: String| InstanceStatus::from_name(&own));
            let note = note.filter(|(reason, owner, ..): &(String, String, i64, Option<i64>)| {
                reason.len() <= OverrideNote::LONGEST_REASON && owner.len() <= OverrideNote::LONGEST_OWNER
            });
            let note = note.map(|(reason, owner, since, until)| {
                Arc::new(OverrideNote { reason: reason.into(), owner: owner.into(), since, until })
            });
            ((app, id), OverrideBackground { own, note })
        };
        Self(entries.into_iter().map(entry).collect())
    }

    /// The same holding with what is behind its override.
    pub(super) fn under(&mut self, holding: Holding) -> Holding {
        let place = (holding.app.as_str().to_owned(), holding.id.as_str().to_owned());
        Holding { background: self.0.remove(&place).unwrap_or_default(), ..holding }
    }
}

impl NoteEntry {
    /// That of an instance; none where there is nothing to tell.
    pub(super) fn of(holding: &Holding) -> Option<Self> {
        let Holding { app, id, background, .. } = holding;
        let note = background.note.as_ref();
        let note = note.map(|note| (note.reason.to_string(), note.owner.to_string(), note.since, note.until));
        let own = background.own.map(|own| own.as_str().to_owned());
        let known = !background.is_empty();
        known.then(|| Self(app.as_str().to_owned(), id.as_str().to_owned(), own, note))
    }
}

/// Application, id, version, status, override, its stamp, sign of life, its age, duration and interval of
/// the lease.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry(String, String, i64, String, Option<String>, i64, u8, u64, i32, i32);

/// Application, id, version, age.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EndedEntry(String, String, i64, u64);

impl Entry {
    pub(super) fn of(holding: &Holding) -> Self {
        let Holding { app, id, facts, sign, age, lease, background: _ } = holding;
        Self(
            app.as_str().to_owned(),
            id.as_str().to_owned(),
            facts.last_dirty,
            facts.status.as_str().to_owned(),
            facts.override_status.map(|status| status.as_str().to_owned()),
            facts.override_stamp.0,
            sign.number(),
            *age,
            lease.duration_secs,
            lease.renewal_interval_secs,
        )
    }

    /// What it says at the wall time `now`, with so many milliseconds on its way. None for a status that this
    /// version does not know.
    pub(super) fn holding(&self, way: u64, now: WallMillis) -> Option<Holding> {
        let Self(app, id, last_dirty, status, override_status, stamp, sign, age, duration, interval) = self;
        let override_status = match override_status {
            Some(status) => Some(InstanceStatus::from_name(status)?),
            None => None,
        };
        Some(Holding {
            app: AppName::new(app),
            id: InstanceId::new(id.as_str()),
            facts: Facts {
                last_dirty: *last_dirty,
                status: InstanceStatus::from_name(status)?,
                override_status,
                override_stamp: OverrideStamp(*stamp).believed(now),
            },
            sign: SignOfLife::of_number(*sign),
            age: age.saturating_add(way),
            lease: LeaseRequest::new(*interval, *duration),
            background: OverrideBackground::default(),
        })
    }
}

impl EndedEntry {
    pub(super) fn of(ended: &Ended) -> Self {
        Self(ended.app.as_str().to_owned(), ended.id.as_str().to_owned(), ended.last_dirty, ended.age)
    }

    /// What it says, with so many milliseconds on its way.
    pub(super) fn ended(&self, way: u64) -> Ended {
        let Self(app, id, last_dirty, age) = self;
        Ended {
            app: AppName::new(app),
            id: InstanceId::new(id.as_str()),
            last_dirty: *last_dirty,
            age: age.saturating_add(way),
        }
    }
}
