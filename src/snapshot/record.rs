//! One line of the file: a checksum, a blank, and what an instance has become, as JSON.
//!
//! The instance itself is written and read as peers send it to each other, so that it comes back as it was.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::codec::{Limits, json};
use crate::model::{AppName, Instance, InstanceId, InstanceStatus, OverrideBackground, OverrideNote, WallMillis};
use crate::registry::{Lease, OverrideStamp, Remembered};

/// The version of the format; another one cannot be read.
const FORMAT: u32 = 1;

/// What this server has held it takes back, whatever its limits are now.
const OF_OURSELVES: Limits = Limits {
    nesting_depth: 32,
    metadata_entries: usize::MAX,
    metadata_length: usize::MAX,
    metadata_size: usize::MAX,
    name_length: usize::MAX,
    text_length: usize::MAX,
    vip_names: usize::MAX,
    body_values: usize::MAX,
    batch_items: usize::MAX,
};

/// See the module.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Record {
    /// The first line.
    Snapshot {
        format: u32,
        /// When, in milliseconds; for people.
        written: WallMillis,
    },
    /// A lease that is held.
    #[serde(rename_all = "camelCase")]
    Held {
        #[serde(skip_serializing_if = "Option::is_none", default)]
        override_status: Option<String>,
        #[serde(default)]
        override_stamp: WallMillis,
        /// What the client said of itself behind the override.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        own: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        note: Option<Note>,
        /// `{"instance":{…}}`
        lease: Box<RawValue>,
    },
    /// The file was written whole up to here; what follows was appended.
    Whole {},
    /// One that has ended.
    Ended { app: String, id: String },
}

/// Why a status was set from outside.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Note {
    reason: String,
    owner: String,
    since: WallMillis,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    until: Option<WallMillis>,
}

/// What a line says.
pub(super) enum Said {
    Snapshot,
    Whole,
    Held(Box<Remembered>),
    Ended(AppName, InstanceId),
}

impl Record {
    /// The first line of a file that is written now.
    pub(super) fn first(now: WallMillis) -> Self {
        Self::Snapshot { format: FORMAT, written: now }
    }

    /// Of a lease that is held.
    pub(super) fn held(lease: &Lease) -> Self {
        let text = String::from_utf8(json::write_instance(&lease.instance, lease.times()));
        let lease_json = text.ok().and_then(|text| RawValue::from_string(text).ok());
        Self::Held {
            override_status: lease.override_status.map(|status| status.as_str().to_owned()),
            override_stamp: lease.override_stamp.0,
            own: lease.background.own.map(|status| status.as_str().to_owned()),
            note: lease.background.note.as_deref().map(|note| Note {
                reason: note.reason.to_string(),
                owner: note.owner.to_string(),
                since: note.since,
                until: note.until,
            }),
            // What the codec writes is JSON.
            lease: lease_json.unwrap_or_default(),
        }
    }

    /// Of one that has ended.
    pub(super) fn ended(lease: &Lease) -> Self {
        let Instance { app, id, .. } = &*lease.instance;
        Self::Ended { app: app.as_str().to_owned(), id: id.as_str().to_owned() }
    }

    /// Appends the line.
    pub(super) fn write(&self, lines: &mut Vec<u8>) -> serde_json::Result<()> {
        let text = serde_json::to_vec(self)?;
        lines.extend_from_slice(format!("{:08x} ", checksum(&text)).as_bytes());
        lines.extend_from_slice(&text);
        lines.push(b'\n');
        Ok(())
    }

    /// Reads a line, without its end; the error says what is wrong with it.
    pub(super) fn read(line: &[u8], now: WallMillis) -> Result<Said, String> {
        let (sum, text) = line.split_at_checked(9).ok_or("it is too short")?;
        let sum = std::str::from_utf8(sum).ok().and_then(|sum| u32::from_str_radix(sum.trim_end(), 16).ok());
        if sum != Some(checksum(text)) {
            return Err("its checksum is wrong".to_owned());
        }
        match serde_json::from_slice(text).map_err(|error| error.to_string())? {
            Self::Snapshot { format: FORMAT, .. } => Ok(Said::Snapshot),
            Self::Snapshot { format, .. } => Err(format!("it has format {format}, this version reads {FORMAT}")),
            Self::Whole {} => Ok(Said::Whole),
            Self::Held { override_status, override_stamp, own, note, lease } => {
                let registration = json::read_instance(lease.get().as_bytes(), &OF_OURSELVES);
                let registration = registration.map_err(|error| error.to_string())?;
                let instance = registration.accept_alone(now).map_err(|refusal| refusal.to_string())?;
                let note = note.map(|Note { reason, owner, since, until }| {
                    Arc::new(OverrideNote { reason: reason.into(), owner: owner.into(), since, until })
                });
                Ok(Said::Held(Box::new(Remembered {
                    instance,
                    override_status: status(override_status)?,
                    override_stamp: OverrideStamp(override_stamp),
                    background: OverrideBackground { own: status(own)?, note },
                })))
            }
            Self::Ended { app, id } => Ok(Said::Ended(AppName::new(&app), InstanceId::new(id))),
        }
    }
}

fn status(name: Option<String>) -> Result<Option<InstanceStatus>, String> {
    let known = |name: String| InstanceStatus::from_name(&name).ok_or_else(|| "it has an unknown status".to_owned());
    name.map(known).transpose()
}

fn checksum(text: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(text);
    sum.sum()
}
