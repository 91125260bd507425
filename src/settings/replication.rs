//! How peers are told, and what they mean to this server.

use std::time::Duration;

use super::reader::Reader;
use super::value::{self, Unit};

/// Settings of replication.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicationSettings {
    /// `eureka.server.min-available-instances-for-peer-replication`: the status document tells
    /// whether so many peers are available. Default none (a negative number): it does not tell.
    pub min_available_peers: Option<u32>,
    /// `eureka.server.max-elements-in-peer-replication-pool`: tasks that wait for one peer. Default
    /// 10,000.
    pub most_tasks: usize,
    /// `eureka.server.max-time-for-replication`: how long a cancel or a status waits for a peer. Default
    /// 30 s.
    pub longest_wait: Duration,
    /// `eureka.server.peer-node-connect-timeout-ms`. Default 2 s (Java: 200 ms).
    pub connect_timeout: Duration,
    /// `eureka.server.peer-node-read-timeout-ms`: how long a peer may take to answer. Default 5 s (Java:
    /// 200 ms, which a busy peer does not keep).
    pub read_timeout: Duration,
    /// `eureka.server.peer-node-connection-idle-timeout-seconds`. Default 30 s.
    pub idle_timeout: Duration,
    /// `eureka.server.registry-sync-retries`: rounds through all peers at the start in which one may have
    /// something to copy. Default 2 (Java: 0 or 5).
    pub copy_rounds: u32,
    /// `eureka.server.registry-sync-retry-wait-ms`: between those rounds. Default 2 s (Java: 30 s).
    pub copy_wait: Duration,
    /// `eurekad.first-copy.limit`: after this the server opens although peers that failed may have
    /// had something. Default 2 min.
    pub copy_limit: Duration,
    /// `eurekad.peers.digest-interval`: how often nodes of our own compare what they hold. Default 45 s; 0
    /// or `off`: never.
    pub digest_interval: Option<Duration>,
}

impl Default for ReplicationSettings {
    fn default() -> Self {
        Self {
            min_available_peers: None,
            most_tasks: 10_000,
            longest_wait: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(2),
            read_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(30),
            copy_rounds: 2,
            copy_wait: Duration::from_secs(2),
            copy_limit: Duration::from_mins(2),
            digest_interval: Some(Duration::from_secs(45)),
        }
    }
}

impl ReplicationSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let defaults = Self::default();
        let any = i64::from(i32::MIN)..=i64::from(i32::MAX);
        let minimum = reader
            .get(&["eureka.server.min-available-instances-for-peer-replication"], value::whole::<i64>(any))
            .and_then(|minimum| u32::try_from(minimum).ok());
        let most = 1..=i64::from(i32::MAX);
        let millis = |shortest| value::duration(Unit::Millis, Duration::from_millis(shortest));
        Self {
            min_available_peers: minimum,
            most_tasks: reader
                .get(&["eureka.server.max-elements-in-peer-replication-pool"], value::whole(most))
                .unwrap_or(defaults.most_tasks),
            longest_wait: reader
                .get(&["eureka.server.max-time-for-replication"], millis(1))
                .unwrap_or(defaults.longest_wait),
            connect_timeout: reader
                .get(&["eureka.server.peer-node-connect-timeout-ms"], millis(1))
                .unwrap_or(defaults.connect_timeout),
            read_timeout: reader
                .get(&["eureka.server.peer-node-read-timeout-ms"], millis(1))
                .unwrap_or(defaults.read_timeout),
            idle_timeout: reader
                .get(
                    &["eureka.server.peer-node-connection-idle-timeout-seconds"],
                    value::duration(Unit::Seconds, Duration::from_secs(1)),
                )
                .unwrap_or(defaults.idle_timeout),
            copy_rounds: reader
                .get(&["eureka.server.registry-sync-retries"], value::whole(0..=1000))
                .map_or(defaults.copy_rounds, |rounds: u32| rounds.max(1)),
            copy_wait: reader
                .get(&["eureka.server.registry-sync-retry-wait-ms"], millis(0))
                .unwrap_or(defaults.copy_wait),
            copy_limit: reader
                .get(&["eurekad.first-copy.limit"], value::duration(Unit::Seconds, Duration::from_secs(1)))
                .unwrap_or(defaults.copy_limit),
            digest_interval: reader
                .get(&["eurekad.peers.digest-interval"], off_or_interval)
                .unwrap_or(defaults.digest_interval),
        }
    }
}

/// A time in seconds or with a unit; 0 and `off`, which YAML makes `false` of, are none.
fn off_or_interval(text: &str) -> Result<Option<Duration>, String> {
    if ["off", "false"].contains(&text.trim()) {
        return Ok(None);
    }
    let time = value::duration(Unit::Seconds, Duration::ZERO)(text)?;
    Ok(Some(time.max(Duration::from_millis(100))).filter(|_| !time.is_zero()))
}
