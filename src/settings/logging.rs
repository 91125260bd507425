//! What is logged, how a line looks and where it goes.

mod access;
mod levels;

use std::path::PathBuf;

use super::reader::Reader;
use super::value;

pub use access::{AccessLogSettings, AccessPart, TimeUnit};
pub use levels::{LogLevel, java_loggers, target_of};

/// Settings of the log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoggingSettings {
    /// `logging.level.*`: a target and its level. A target is a module path of this program
    /// (`eurekad`, `eurekad::registry`) or of a library; the empty one stands for all (`root`). Each
    /// occurs once. Default empty.
    pub levels: Vec<(String, LogLevel)>,
    /// `logging.structured.format.console`: default text.
    pub console: LineFormat,
    /// `spring.output.ansi.enabled`: default detect.
    pub colours: Colours,
    /// `logging.file.*` and `logging.logback.rollingpolicy.*`.
    pub file: LogFileSettings,
    /// `server.tomcat.accesslog.*`.
    pub access: AccessLogSettings,
}

/// How a line of the log looks (`CommonStructuredLogFormat`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineFormat {
    /// For people.
    #[default]
    Text,
    /// A JSON object of the Elastic Common Schema.
    Ecs,
    /// A JSON object as Logstash's encoder writes it.
    Logstash,
}

/// When lines on the console are coloured (`AnsiOutput.Enabled`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colours {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Detect,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Settings of the log's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFileSettings {
    /// `logging.file.name`, else `spring.log` in `logging.file.path`. Default none: only the console.
    pub path: Option<PathBuf>,
    /// `logging.structured.format.file`: default text.
    pub format: LineFormat,
    /// `logging.logback.rollingpolicy.max-file-size`, in bytes: when the file is put away. Default
    /// 10 MB.
    pub max_size: u64,
    /// `logging.logback.rollingpolicy.max-history`: how many files that were put away are kept; 0
    /// means all. Default 7. (Logback counts the days.)
    pub max_history: usize,
}

impl Default for LogFileSettings {
    fn default() -> Self {
        Self { path: None, format: LineFormat::Text, max_size: 10 << 20, max_history: 7 }
    }
}

/// The name of the file in `logging.file.path` (`LogFile`).
const FILE_NAME: &str = "spring.log";

impl LoggingSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let format = |reader: &mut Reader<'_>, name| reader.get(&[name], line_format).unwrap_or_default();
        Self {
            levels: levels::read(reader),
            console: format(reader, "logging.structured.format.console"),
            colours: reader.get(&["spring.output.ansi.enabled"], colours).unwrap_or_default(),
            file: LogFileSettings::read(reader, format),
            access: AccessLogSettings::read(reader),
        }
    }

    /// The levels as `tracing` writes them: `info,eurekad::registry=debug`. What is not named is
    /// logged at info.
    pub fn directives(&self) -> String {
        let root = self.levels.iter().find(|(target, _)| target.is_empty()).map_or(LogLevel::Info, |(_, level)| *level);
        let others = self.levels.iter().filter(|(target, _)| !target.is_empty());
        others.fold(root.to_string(), |directives, (target, level)| format!("{directives},{target}={level}"))
    }
}

impl LogFileSettings {
    fn read(reader: &mut Reader<'_>, format: impl Fn(&mut Reader<'_>, &'static str) -> LineFormat) -> Self {
        let default = Self::default();
        let name = reader.get(&["logging.file.name"], value::text).map(PathBuf::from);
        let folder = reader.get(&["logging.file.path"], value::text).map(PathBuf::from);
        let size = value::size(1..=i64::MAX);
        Self {
            path: name.or_else(|| folder.map(|folder| folder.join(FILE_NAME))),
            format: format(reader, "logging.structured.format.file"),
            max_size: reader
                .get(&["logging.logback.rollingpolicy.max-file-size"], size)
                .and_then(|size| u64::try_from(size).ok())
                .unwrap_or(default.max_size),
            max_history: reader
                .get(&["logging.logback.rollingpolicy.max-history"], value::whole(0..=i64::from(i32::MAX)))
                .unwrap_or(default.max_history),
        }
    }
}

fn line_format(text: &str) -> Result<LineFormat, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "ecs" => Ok(LineFormat::Ecs),
        "logstash" => Ok(LineFormat::Logstash),
        _ => Err("ecs or logstash, or absent for plain text".to_owned()),
    }
}

fn colours(text: &str) -> Result<Colours, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "always" => Ok(Colours::Always),
        "never" => Ok(Colours::Never),
        "detect" => Ok(Colours::Detect),
        _ => Err("always, never or detect".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::path::Path;

    use super::*;
    use crate::settings::Settings;

    fn logging(words: &[&str]) -> LoggingSettings {
        Settings::from_words(words).unwrap().logging
    }

    #[test]
    fn a_file_name_wins_over_its_folder() {
        let file = |words: &[&str]| logging(words).file.path;
        assert_eq!(file(&["--logging.file.path=/var/log"]).as_deref(), Some(Path::new("/var/log/spring.log")));
        let both = ["--logging.file.path=/var/log", "--logging.file.name=a/b.log"];
        assert_eq!(file(&both).as_deref(), Some(Path::new("a/b.log")));
    }

    #[test]
    fn formats_and_colours_have_springs_words() {
        let settings = logging(&[
            "--logging.structured.format.console=ECS",
            "--logging.structured.format.file=logstash",
            "--spring.output.ansi.enabled=ALWAYS",
            "--logging.logback.rollingpolicy.max-file-size=1KB",
            "--logging.logback.rollingpolicy.max-history=0",
        ]);
        assert_eq!((settings.console, settings.colours), (LineFormat::Ecs, Colours::Always));
        let file = LogFileSettings { path: None, format: LineFormat::Logstash, max_size: 1024, max_history: 0 };
        assert_eq!(settings.file, file);
        let error = Settings::from_words(&["--logging.structured.format.console=xml"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "logging.structured.format.console = \"xml\" (argument): \
             must be ecs or logstash, or absent for plain text"
        );
    }
}
