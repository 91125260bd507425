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
//! | `known` | every property known by name | `EurekaServerConfigBean` and others |
//! | `names` | relaxed spellings, nearest names | `ConfigurationPropertyName` |
//! | `placeholders` | `${name:default}` | `PropertyPlaceholderHelper` |
//! | `merged` | the flat map | `Environment` |
//! | `value`, `reader` | texts to values | `ApplicationConversionService`, `Binder` |
//! | `findings` | [`SettingsErrors`], [`Notice`] | none: Spring stops at the first mistake |
//! | the rest | one struct a concern | `EurekaServerConfigBean`, `ServerProperties`, … |

mod catalog;
mod findings;
mod http;
mod known;
mod leases;
mod limits;
mod logging;
mod merged;
mod names;
mod opening;
mod own_instance;
mod placeholders;
mod preservation;
mod reader;
mod replication;
pub(crate) mod sources;
mod value;

pub use catalog::CatalogSettings;
pub use findings::{Notice, NoticeLevel, SettingsError, SettingsErrors};
pub use http::HttpSettings;
pub use leases::LeaseSettings;
pub use limits::LimitSettings;
pub use logging::{
    AccessLogSettings, AccessPart, Colours, LineFormat, LogFileSettings, LogLevel, LoggingSettings, TimeUnit,
    java_loggers, target_of,
};
pub use opening::OpeningSettings;
pub use own_instance::OwnInstanceSettings;
pub use preservation::PreservationSettings;
pub use replication::ReplicationSettings;
pub use sources::{Origin, Sources};
pub use value::LONGEST as LONGEST_TIME;

use findings::Findings;
use merged::Merged;
use reader::Reader;
use sources::Written;

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
    /// When a server that just started lets clients read.
    pub opening: OpeningSettings,
    /// The record that the server shows of itself.
    pub own: OwnInstanceSettings,
    /// What peers mean to this server.
    pub replication: ReplicationSettings,
    /// What is logged.
    pub logging: LoggingSettings,
}

/// Settings, and what is to be said about them.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The settings.
    pub settings: Settings,
    /// For the log, once there is one.
    pub notices: Vec<Notice>,
}

impl Settings {
    /// Reads all sources. Blocks on files.
    pub fn load<E>(sources: Sources<'_, E>) -> Result<Loaded, SettingsErrors>
    where
        E: IntoIterator<Item = (String, String)>,
    {
        let mut findings = Findings::default();
        let written = sources.gather(&mut findings);
        Self::mean(written, findings)
    }

    /// The settings that words of the form `--name=value` make alone, without files or environment.
    pub fn from_words<S: AsRef<str>>(words: &[S]) -> Result<Self, SettingsErrors> {
        let mut findings = Findings::default();
        let written = sources::words::read(words, &mut findings);
        Self::mean(written, findings).map(|loaded| loaded.settings)
    }

    fn mean(written: Vec<Written>, mut findings: Findings) -> Result<Loaded, SettingsErrors> {
        let merged = Merged::new(written, &mut findings);
        let mut reader = Reader::new(&merged, &mut findings);
        let settings = Self {
            http: HttpSettings::read(&mut reader),
            leases: LeaseSettings::read(&mut reader),
            preservation: PreservationSettings::read(&mut reader),
            catalog: CatalogSettings::read(&mut reader),
            limits: limits::read(&mut reader),
            opening: OpeningSettings::read(&mut reader),
            own: OwnInstanceSettings::read(&mut reader),
            replication: ReplicationSettings::read(&mut reader),
            logging: LoggingSettings::read(&mut reader),
        };
        findings.conclude().map(|notices| Loaded { settings, notices })
    }
}

#[cfg(test)]
mod tests;
