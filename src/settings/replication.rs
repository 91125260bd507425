//! What peers mean to this server.

use super::reader::Reader;
use super::value;

/// Settings of peers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplicationSettings {
    /// `eureka.server.min-available-instances-for-peer-replication`: the status document tells
    /// whether so many peers are available. Default none (a negative number): it does not tell.
    pub min_available_peers: Option<u32>,
}

impl ReplicationSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let java = i64::from(i32::MIN)..=i64::from(i32::MAX);
        let minimum = reader
            .get(&["eureka.server.min-available-instances-for-peer-replication"], value::whole::<i64>(java))
            .and_then(|minimum| u32::try_from(minimum).ok());
        Self { min_available_peers: minimum }
    }
}
