//! The access log, as Tomcat's `AccessLogValve` has it.

mod pattern;

use std::path::PathBuf;

use crate::settings::reader::Reader;
use crate::settings::value;

pub use pattern::{AccessPart, TimeUnit};

/// Settings of the access log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessLogSettings {
    /// `server.tomcat.accesslog.enabled`: default false.
    pub enabled: bool,
    /// `server.tomcat.accesslog.directory`: default `logs` in the folder in which the server is
    /// started. (A Java server's is in a temporary folder unless `server.tomcat.basedir` is set.)
    pub directory: PathBuf,
    /// `server.tomcat.accesslog.prefix`: how the file's name begins. Default `access_log`.
    pub prefix: String,
    /// `server.tomcat.accesslog.suffix`: how it ends. Default `.log`.
    pub suffix: String,
    /// `server.tomcat.accesslog.rotate`: whether the day stands between the two (`.2026-01-31`), so
    /// that each has a file of its own. Default true.
    pub rotate: bool,
    /// `server.tomcat.accesslog.max-days`: how many days a file is kept. Default none, for ever
    /// (`-1`).
    pub max_days: Option<u32>,
    /// `server.tomcat.accesslog.pattern`: `common` (the default), `combined`, or a text with Tomcat's
    /// letters.
    pub pattern: Vec<AccessPart>,
}

impl Default for AccessLogSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            directory: "logs".into(),
            prefix: "access_log".to_owned(),
            suffix: ".log".to_owned(),
            rotate: true,
            max_days: None,
            pattern: pattern::common(),
        }
    }
}

impl AccessLogSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let max_days = reader.get(&["server.tomcat.accesslog.max-days"], value::whole(-1..=i64::from(i32::MAX)));
        Self {
            enabled: reader.get(&["server.tomcat.accesslog.enabled"], value::boolean).unwrap_or(default.enabled),
            directory: reader
                .get(&["server.tomcat.accesslog.directory"], value::text)
                .map_or(default.directory, PathBuf::from),
            prefix: reader.get(&["server.tomcat.accesslog.prefix"], value::text).unwrap_or(default.prefix),
            suffix: reader.get(&["server.tomcat.accesslog.suffix"], value::text).unwrap_or(default.suffix),
            rotate: reader.get(&["server.tomcat.accesslog.rotate"], value::boolean).unwrap_or(default.rotate),
            max_days: max_days.and_then(|days: i64| u32::try_from(days).ok()),
            pattern: reader.get(&["server.tomcat.accesslog.pattern"], pattern::parse).unwrap_or(default.pattern),
        }
    }
}
