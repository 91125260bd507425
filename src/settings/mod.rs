//! What the user wrote, and what it means: one struct a concern, made from the files, environment
//! variables and words that a Java server's users already have.
//!
//! Sources give properties as written; they are merged into one flat map of canonical names, with
//! placeholders put in; each concern reads its own from that. All mistakes are told together.
//! Nothing here reads the process's environment, folder or arguments: they are handed in.
//!
//! Where Spring is silent this is not: unknown names are warned about with the nearest known one.
//!
//! | file | what | Spring's counterpart |
//! | --- | --- | --- |
//! | `sources/` | files, environment, words | `ConfigDataEnvironment`, `SystemEnvironmentPropertySource` |
//! | `known/` | every property known by name | `EurekaServerConfigBean` and others |
//! | `names` | relaxed spellings, nearest names | `ConfigurationPropertyName` |
//! | `winners` | which of all spellings and sources counts | `ConfigurationPropertySources` |
//! | `placeholders` | `${name:default}` | `PropertyPlaceholderHelper` |
//! | `merged` | the flat map | `Environment` |
//! | `value`, `reader` | texts to values | `ApplicationConversionService`, `Binder` |
//! | `findings` | [`SettingsErrors`], [`Notice`] | none: Spring stops at the first mistake |
//! | `secrets` | what must not be shown | `SanitizingFunction` |
//! | `effective` | [`Effective`]: what holds, and why | the `env` endpoint |
//! | the rest | one struct a concern | `EurekaServerConfigBean`, `ServerProperties`, … |

mod catalog;
mod credentials;
mod dashboard;
mod effective;
mod events;
mod findings;
mod health;
mod http;
mod known;
mod leases;
mod limits;
mod logging;
mod management;
mod merged;
mod metrics;
mod names;
mod opening;
mod own_instance;
mod peer_name;
mod peer_url;
mod peers;
mod placeholders;
mod preservation;
mod rate_limit;
mod reader;
mod regions;
mod replication;
mod secrets;
mod security;
mod snapshot;
pub(crate) mod sources;
mod tls;
mod unprotected;
mod unresolved;
mod value;
mod winners;

pub use catalog::CatalogSettings;
pub use credentials::{CredentialSettings, OAuth2Settings, OutgoingSecret};
pub use dashboard::DashboardSettings;
pub use effective::{Effect, Effective};
pub use events::{EventSettings, LONGEST_KEEP_ALIVE, WebhookSettings};
pub use findings::{Notice, NoticeLevel, SettingsError, SettingsErrors};
pub use health::{HealthGroup, HealthSettings, Show, Shown};
pub use http::HttpSettings;
pub use leases::LeaseSettings;
pub use limits::LimitSettings;
pub use logging::{
    AccessLogSettings, AccessPart, Colours, LineFormat, LogFileSettings, LogLevel, LoggingSettings, TimeUnit,
    java_loggers, target_of,
};
pub use management::{EndpointAccess, InfoSettings, ManagementPort, ManagementSettings};
pub use metrics::MetricsSettings;
pub use opening::OpeningSettings;
pub use own_instance::{OwnInstanceSettings, OwnRegistration};
pub use peer_name::{OwnRoot, PeerName};
pub use peer_url::{PeerUrl, PeerUrlError};
pub use peers::{PeerSettings, TxtSettings};
pub use preservation::PreservationSettings;
pub use rate_limit::{Rate, RateLimitSettings};
pub use regions::{NO_REGION, RegionSettings, RemoteRegion};
pub use replication::ReplicationSettings;
pub use security::{
    AlternativeName, AlternativePattern, CertificateSettings, Kept, Password, Pattern, Permissions, Role, Roles,
    Secret, SecuritySettings, SubjectPattern, TokenSettings, UserSettings, text_of_file,
};
pub use snapshot::SnapshotSettings;
pub use sources::{ConfigTrees, Origin, Sources};
pub use tls::{ClientAuth, KeySource, Location, OutgoingTls, Protocols, ServerTls, Stored, TlsSettings, TrustSource};
pub use value::{LONGEST as LONGEST_TIME, time_span};

use std::path::PathBuf;

use findings::Findings;
use merged::Merged;
use reader::Reader;
use sources::Gathered;

/// Everything that can be set. The default is what holds when nothing is. No time is longer than
/// [`LONGEST_TIME`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Where the server listens and what a connection may cost.
    pub http: HttpSettings,
    /// How leases end.
    pub leases: LeaseSettings,
    /// When the server stops believing that silent instances are gone.
    pub preservation: PreservationSettings,
    /// What readers get, and how old it may be.
    pub catalog: CatalogSettings,
    /// What a body may hold.
    pub limits: LimitSettings,
    /// How often lists may be read.
    pub rate_limit: RateLimitSettings,
    /// When a server that just started lets clients read.
    pub opening: OpeningSettings,
    /// The record that the server shows of itself.
    pub own: OwnInstanceSettings,
    /// Where the peers are.
    pub peers: PeerSettings,
    /// What this server proves itself with to its peers.
    pub peer_credentials: CredentialSettings,
    /// What peers mean to this server.
    pub replication: ReplicationSettings,
    /// Registries of other regions.
    pub regions: RegionSettings,
    /// What this server proves itself with to remote regions.
    pub region_credentials: CredentialSettings,
    /// Where the dashboard is.
    pub dashboard: DashboardSettings,
    /// Where the actuator is.
    pub management: ManagementSettings,
    /// Who may follow what happens, and who is told.
    pub events: EventSettings,
    /// Which figures are shown.
    pub metrics: MetricsSettings,
    /// Who may come in, and what they may do.
    pub security: SecuritySettings,
    /// Whether the registry outlives a restart.
    pub snapshot: SnapshotSettings,
    /// What is logged.
    pub logging: LoggingSettings,
    /// TLS, both ways.
    pub tls: TlsSettings,
}

/// Settings, and what is to be said about them.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The settings.
    pub settings: Settings,
    /// For the log, once there is one.
    pub notices: Vec<Notice>,
}

/// Everything that can be said about settings, also if there are mistakes in them.
#[derive(Clone, Debug)]
pub struct Examined {
    /// The settings, or all mistakes.
    pub outcome: Result<Settings, SettingsErrors>,
    /// What else is to be said.
    pub notices: Vec<Notice>,
    /// What holds of each property, by name. Without secrets.
    pub effective: Vec<Effective>,
    /// The files that were read, what wins last.
    pub files: Vec<PathBuf>,
    /// The profiles that somebody chose; none: `default` counts.
    pub profiles: Vec<String>,
    /// The folders of secrets that were read (`configtree:`).
    pub trees: ConfigTrees,
}

impl Settings {
    /// Reads all sources. Blocks on files.
    pub fn load<E>(sources: Sources<'_, E>) -> Result<Loaded, SettingsErrors>
    where
        E: IntoIterator<Item = (String, String)>,
    {
        let Examined { outcome, notices, .. } = Self::examine(sources);
        outcome.map(|settings| Loaded { settings, notices })
    }

    /// Reads all sources, and tells what is to be known about them. Blocks on files.
    pub fn examine<E>(sources: Sources<'_, E>) -> Examined
    where
        E: IntoIterator<Item = (String, String)>,
    {
        let mut findings = Findings::default();
        let gathered = sources.gather(&mut findings);
        Self::mean(gathered, findings)
    }

    /// The settings that words of the form `--name=value` and `-Dname=value` make alone, without
    /// files or environment.
    pub fn from_words<S: AsRef<str>>(words: &[S]) -> Result<Self, SettingsErrors> {
        let mut findings = Findings::default();
        let gathered = sources::arguments(words, &mut findings);
        Self::mean(gathered, findings).outcome
    }

    fn mean(gathered: Gathered, mut findings: Findings) -> Examined {
        let Gathered { sources, files, profiles, trees } = gathered;
        let merged = Merged::new(&sources, &mut findings);
        let mut reader = Reader::new(&merged, &mut findings);
        let management = ManagementSettings::read(&mut reader);
        let settings = Self {
            tls: TlsSettings::read(&mut reader, management.port),
            http: HttpSettings::read(&mut reader),
            leases: LeaseSettings::read(&mut reader),
            preservation: PreservationSettings::read(&mut reader),
            catalog: CatalogSettings::read(&mut reader),
            limits: limits::read(&mut reader),
            rate_limit: RateLimitSettings::read(&mut reader),
            opening: OpeningSettings::read(&mut reader),
            own: OwnInstanceSettings::read(&mut reader),
            peers: PeerSettings::read(&mut reader),
            snapshot: SnapshotSettings::read(&mut reader),
            peer_credentials: CredentialSettings::for_peers(&mut reader),
            replication: ReplicationSettings::read(&mut reader),
            regions: RegionSettings::read(&mut reader),
            region_credentials: CredentialSettings::for_regions(&mut reader),
            dashboard: DashboardSettings::read(&mut reader, &management),
            management,
            events: EventSettings::read(&mut reader),
            metrics: MetricsSettings::read(&mut reader),
            security: SecuritySettings::read(&mut reader),
            logging: LoggingSettings::read(&mut reader),
        };
        unprotected::warn(&settings, &mut reader);
        reader.check_unserved();
        let (outcome, notices) = findings.conclude();
        let effective = effective::all(&merged);
        Examined { outcome: outcome.map(|()| settings), notices, effective, files, profiles, trees }
    }
}

#[cfg(test)]
mod tests;
