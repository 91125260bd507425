//! The state and its rules: who is registered, for how long, with which status.
//!
//! A registry is a map app → id → [`Lease`] and a `ChangeLog`. A **heartbeat** looks a lease up and
//! stores the time in it; it takes no write lock and appends nothing. A **write** holds the commit
//! lock: it changes the map, appends one change and counts the population anew, and neither encodes,
//! waits nor does I/O meanwhile. Both levels of the map change under that lock only, so whoever holds
//! it sees map and log agree.
//!
//! | file | what | Java's classes |
//! | --- | --- | --- |
//! | `lease`, `renewals`, `lease_length`, `lease_clock` | leases, when they were renewed, how long they last, and the time they go by | `Lease` |
//! | `overrides` | own status and status set from outside | `InstanceStatusOverrideRule` |
//! | `operator`, `override_ends` | overrides that operators set and take back, and their ends | none |
//! | `agreement`, `repair`, `tombstones` | what two nodes agree on, and what does not come back | none |
//! | `change_log` | every change in one order | the recently changed queue |
//! | `history` | every one of the last changes | none |
//! | `commit` | what is changed together, under one lock | none |
//! | `capacity` | how many leases there may be | none |
//! | `explain`, `preservation_report` | why leases stay or go, in words | none |
//! | `preservation`, `eviction` | who may go when | `EvictionTask`, self-preservation |
//! | `renewal_rate` | renewals of the last minute | `MeasuredRate` |
//! | `opening`, `early` | when lists may be read, and what no first copy undoes | `shouldAllowAccess` |
//! | `replicas` | whom to tell: the peers | `replicateToPeers` |
//! | `regions` | copies of what other regions hold | `RemoteRegionRegistry` |
//! | `register`, `renew`, `cancel`, `status_override`, `read` | the operations | `AbstractInstanceRegistry` |
//! | `recall` | what was held before a restart | none |
//! | `last_leases` | the last that came and went | the last-1000 queues |

mod agreement;
mod cancel;
mod capacity;
mod change_log;
mod commit;
mod early;
mod eviction;
mod explain;
mod history;
mod last_leases;
mod lease;
mod lease_clock;
mod lease_length;
mod opening;
mod operator;
mod override_ends;
mod overrides;
mod preservation;
mod preservation_report;
mod read;
mod recall;
mod regions;
mod register;
mod renew;
mod renewal_rate;
mod renewals;
mod repair;
mod replicas;
mod settled;
mod status_override;
mod tombstones;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arc_swap::ArcSwap;
use dashmap::DashMap;
use parking_lot::Mutex;
use tokio::sync::{broadcast, watch};

use crate::clock::{Clock, Now};
use crate::model::{AppName, InstanceId};
use crate::settings::{CatalogSettings, LeaseSettings, OpeningSettings, PreservationSettings};

pub use agreement::{Facts, OverrideStamp};
pub use capacity::Full;
pub use change_log::{Cause, Change, Origin, RecentChanges, Tally, Version};
pub use eviction::{PreservationNews, Round};
pub use explain::{Explanation, Fate};
pub use last_leases::LeaseEvent;
pub use lease::Lease;
pub use lease_clock::{LeaseClock, LeaseMillis};
pub use lease_length::SignOfLife;
pub use operator::{Former, StatusChange};
pub use preservation_report::{PreservationReport, PreservationState, SilentApp};
pub use read::CatchUp;
pub use recall::{Remembered, Unconfirmed};
pub use regions::{RegionChange, RegionId, RegionSet, RemoteInstance};
pub use renew::Renewal;
pub use repair::{Difference, Ended, Holding};
pub use replicas::{NoReplicas, Replicas, Told};
pub use status_override::Set;

use change_log::ChangeLog;
use commit::Commit;
use early::Early;
use history::History;
use last_leases::LastLeases;
use lease_length::LeaseLength;
use opening::Gate;
use override_ends::OverrideEnds;
use preservation::{Losses, Population};
use regions::Region;
use renewal_rate::RenewalRate;
use tombstones::Tombstones;

/// What the registry is told by the user.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Leases and heartbeats.
    pub leases: LeaseSettings,
    /// Self-preservation.
    pub preservation: PreservationSettings,
    /// The opening for traffic.
    pub opening: OpeningSettings,
    /// How long and how much the change log keeps.
    pub catalog: CatalogSettings,
}

/// So many beginnings and ends of self-preservation are kept for whoever follows them and is late.
const NEWS_KEPT: usize = 64;

/// The leases of one application.
type AppLeases = DashMap<InstanceId, Arc<Lease>>;

/// See the module.
#[derive(Debug)]
pub struct Registry {
    /// Written under the commit lock only; read by anybody.
    apps: DashMap<AppName, Arc<AppLeases>>,
    commit: Mutex<Commit>,
    /// The log's version, set before a write is answered: what readers compare with.
    version: AtomicU64,
    /// How often an override was stamped anew without a change; written under the commit lock.
    restamps: AtomicU64,
    /// The same as the version, for those who wait for the next one.
    news: watch::Sender<Version>,
    renewals: RenewalRate,
    /// Whether the last round of eviction left lapsed leases alone; written by eviction.
    holding: AtomicBool,
    /// When that changes.
    preservation_news: broadcast::Sender<PreservationNews>,
    /// Lease time of the last renewal that came too late; raised by heartbeats, read by eviction.
    last_late: AtomicU64,
    /// Whether anybody may be unconfirmed; set before the opening, and cleared once nobody is.
    recalled: AtomicBool,
    lease_clock: LeaseClock,
    gate: Gate,
    replicas: Arc<dyn Replicas>,
    /// By their ids.
    regions: Vec<Region>,
    /// Read by heartbeats without a lock; written by a reload of the settings.
    rules: ArcSwap<Rules>,
    clock: Clock,
}

impl Registry {
    /// An empty registry, not open for traffic yet, of a server without peers.
    pub fn new(rules: Rules, clock: Clock) -> Self {
        Self::with_replicas(rules, clock, Arc::new(NoReplicas))
    }

    /// An empty registry, not open for traffic yet, that tells these of what clients do.
    pub fn with_replicas(rules: Rules, clock: Clock, replicas: Arc<dyn Replicas>) -> Self {
        Self {
            apps: DashMap::new(),
            commit: Mutex::new(Commit {
                log: ChangeLog::new(
                    rules.catalog.delta_entries,
                    History::new(rules.catalog.history_changes, rules.catalog.history_bytes),
                ),
                population: Population::new(rules.preservation.clone()),
                losses: Losses::new(rules.preservation.clone()),
                registered: LastLeases::default(),
                cancelled: LastLeases::default(),
                early: Early::default(),
                tombstones: Tombstones::default(),
                override_ends: OverrideEnds::default(),
            }),
            version: AtomicU64::new(Version::EMPTY.0),
            restamps: AtomicU64::new(0),
            news: watch::Sender::new(Version::EMPTY),
            renewals: RenewalRate::default(),
            holding: AtomicBool::new(false),
            preservation_news: broadcast::Sender::new(NEWS_KEPT),
            last_late: AtomicU64::new(0),
            recalled: AtomicBool::new(false),
            lease_clock: LeaseClock::default(),
            gate: Gate::new(rules.opening.wait_when_sync_empty, clock.mono()),
            replicas,
            regions: Vec::new(),
            rules: ArcSwap::from_pointee(rules),
            clock,
        }
    }

    /// Opens for traffic with what was copied from a peer (`openForTraffic`): the minutes of the
    /// renewals begin, and lists may be read, at once or after the wait for an empty registry.
    pub fn open(&self, copied: usize) {
        let now = self.clock.now();
        let assumed = self.rules.load().opening.default_count;
        if copied == 0
            && let Some(clients) = assumed.filter(|clients| *clients > 0)
        {
            self.commit.lock().population.expect_more(clients);
        }
        self.commit.lock().early = Early::default();
        self.renewals.open(now.mono);
        self.replicas.opened();
        self.gate.open(now.mono, copied == 0 && assumed == Some(0));
    }

    /// The version of the last change that a write was answered for.
    pub fn version(&self) -> Version {
        Version(self.version.load(Ordering::Acquire))
    }

    /// The clock that leases go by; its beat is a task of the server.
    pub fn lease_clock(&self) -> &LeaseClock {
        &self.lease_clock
    }

    /// Drops changes from the log that are older than the delta's retention, and tombstones that count no
    /// more.
    pub fn sweep_log(&self) {
        let (now, retention) = (self.clock.mono(), self.rules.load().catalog.delta_retention);
        self.commit.lock().log.sweep(now, retention);
        // Writers take turns with it.
        while self.commit.lock().tombstones.sweep(self.lease_clock.at(now), Tombstones::A_TURN) {}
    }

    /// Forgets clients that are expected but do not exist (every `renewal-threshold-update-interval-ms`).
    pub fn update_threshold(&self) {
        self.commit.lock().population.update();
    }

    /// Goes by other rules from now on. The opening and the size of the change log stay as they were.
    pub fn change_rules(&self, rules: Rules) {
        let mut commit = self.commit.lock();
        commit.population.change_settings(rules.preservation.clone());
        commit.losses.change_settings(rules.preservation.clone());
        self.rules.store(Arc::new(rules));
    }

    /// The lease time of now, and how long leases last.
    fn lease_time(&self, now: Now) -> (LeaseMillis, LeaseLength) {
        let java = self.rules.load().leases.java_length;
        (self.lease_clock.at(now.mono), if java { LeaseLength::Java } else { LeaseLength::Documented })
    }

    /// Renews a lease and notes when that was late.
    fn renew_lease(&self, lease: &Lease, at: LeaseMillis, now: Now) {
        if lease.renew(at, now.wall) {
            self.last_late.fetch_max(at.0, Ordering::Relaxed);
        }
    }

    fn lease(&self, app: &str, id: &str) -> Option<Arc<Lease>> {
        let leases = self.apps.get(app)?;
        let lease = leases.get(id)?;
        Some(Arc::clone(&lease))
    }
}
