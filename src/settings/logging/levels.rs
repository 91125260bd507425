//! Levels and the names they are set for.

use std::fmt;
use std::str::FromStr;

use crate::settings::reader::Reader;

/// How talkative a target is (`org.springframework.boot.logging.LogLevel`); the most talkative is
/// the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// Silent.
    Off,
    /// Something failed that nobody else is told of.
    Error,
    /// Somebody should look at it.
    Warn,
    /// What happened to the registry.
    Info,
    /// For whoever looks for a mistake.
    Debug,
    /// Everything, each heartbeat too.
    Trace,
}

impl LogLevel {
    /// All of them, the most silent first.
    pub const ALL: [Self; 6] = [Self::Off, Self::Error, Self::Warn, Self::Info, Self::Debug, Self::Trace];
}

impl fmt::Display for LogLevel {
    /// In lower case.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Off => "off",
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        })
    }
}

impl FromStr for LogLevel {
    /// What it must be.
    type Err = String;

    /// In any letter case. Logback has no `FATAL` either, and YAML makes `false` of `off`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lower = text.trim().to_ascii_lowercase();
        let name = match lower.as_str() {
            "false" => "off",
            "fatal" => "error",
            name => name,
        };
        let known = Self::ALL.into_iter().find(|level| level.to_string() == name);
        known.ok_or_else(|| "one of trace, debug, info, warn, error, fatal and off".to_owned())
    }
}

/// Java's packages and what is here in their place. A Java name that is none of these, nor in the
/// table by itself, has no counterpart.
const PACKAGES: [(&str, &str); 7] = [
    ("com.netflix", "eurekad"),
    ("com.netflix.eureka", "eurekad"),
    ("org.springframework.cloud.netflix.eureka", "eurekad"),
    ("org.springframework.cloud.netflix.eureka.server", "eurekad"),
    ("com.netflix.eureka.registry", "eurekad::registry"),
    ("com.netflix.eureka.resources", "eurekad::http"),
    ("com.netflix.eureka.cluster", "eurekad::peers"),
];

/// The names of Java's loggers that have a counterpart here.
pub fn java_loggers() -> impl Iterator<Item = &'static str> {
    PACKAGES.iter().map(|(package, _)| *package)
}

/// The target that the name of a logger means: empty for `root`; none for a Java name without a
/// counterpart, or what is no name at all. Targets of this program may be written with dots.
pub fn target_of(logger: &str) -> Option<String> {
    if logger.eq_ignore_ascii_case("root") {
        return Some(String::new());
    }
    if let Some((_, target)) = PACKAGES.iter().find(|(package, _)| *package == logger) {
        return Some((*target).to_owned());
    }
    let path = if logger.split('.').next() == Some("eurekad") { logger.replace('.', "::") } else { logger.to_owned() };
    // Anything else would be no directive, or another one than it seems.
    let plain = !path.is_empty() && path.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':'));
    plain.then_some(path)
}

pub(super) fn read(reader: &mut Reader<'_>) -> Vec<(String, LogLevel)> {
    let mut levels: Vec<(String, LogLevel)> = Vec::new();
    for (logger, level) in reader.members("logging.level", level) {
        let Some(level) = level else { continue };
        let Some(target) = target_of(&logger) else {
            reader.detail(&format!("logging.level.{logger} has no effect: it is a Java name without a counterpart"));
            continue;
        };
        // Two Java names may mean one target: the more talkative level holds.
        match levels.iter_mut().find(|(known, _)| *known == target) {
            Some((_, known)) => *known = level.max(*known),
            None => levels.push((target, level)),
        }
    }
    levels
}

/// An empty text is none.
fn level(text: &str) -> Result<Option<LogLevel>, String> {
    if text.trim().is_empty() { Ok(None) } else { text.parse().map(Some) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use crate::settings::Settings;

    fn directives(words: &[&str]) -> String {
        Settings::from_words(words).unwrap().logging.directives()
    }

    #[test]
    fn java_names_become_targets() {
        assert_eq!(directives(&[]), "info");
        assert_eq!(
            directives(&[
                "--logging.level.root=WARN",
                "--logging.level.com.netflix.eureka=off",
                "--logging.level.org.springframework.cloud.netflix.eureka.server=DEBUG",
                "--logging.level.com.netflix.eureka.registry=trace",
                "--logging.level.eurekad.codec=fatal",
                "--logging.level.hyper=false",
                "--logging.level.tower=",
                "--logging.level.com.netflix.eureka.util.Odd=trace",
                "--logging.level.org.springframework.web=trace",
            ]),
            "warn,eurekad=debug,eurekad::registry=trace,eurekad::codec=error,hyper=off"
        );
    }

    #[test]
    fn an_unknown_level_is_a_mistake() {
        let errors = Settings::from_words(&["--logging.level.com.netflix=loud"]).unwrap_err();
        assert_eq!(
            errors.to_string(),
            "logging.level.com.netflix = \"loud\" (argument): \
             must be one of trace, debug, info, warn, error, fatal and off"
        );
    }
}
