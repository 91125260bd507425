//! Whether the registry outlives a restart.

use std::path::PathBuf;
use std::time::Duration;

use super::reader::Reader;
use super::value::{self, Unit};

/// Settings of the registry on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotSettings {
    /// `eurekad.snapshot.path`: the file. Default none: nothing is kept.
    pub path: Option<PathBuf>,
    /// `eurekad.snapshot.interval`: how long a change waits before it is written. Default 2 s, 100 ms to 1 h.
    pub interval: Duration,
}

impl Default for SnapshotSettings {
    fn default() -> Self {
        Self { path: None, interval: Duration::from_secs(2) }
    }
}

impl SnapshotSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let path: Option<String> = reader.get(&["eurekad.snapshot.path"], value::text);
        Self {
            path: path.filter(|path| !path.is_empty()).map(PathBuf::from),
            interval: reader
                .get(&["eurekad.snapshot.interval"], value::duration(Unit::Millis, Duration::from_millis(100)))
                .unwrap_or(Self::default().interval),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_waits_five_seconds_at_most_unless_set_otherwise() {
        assert!(SnapshotSettings::default().interval <= Duration::from_secs(5));
    }
}
