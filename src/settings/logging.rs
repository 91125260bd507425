//! What is logged.

use super::reader::Reader;

/// Settings of the log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoggingSettings {
    /// `logging.level.*`: a target and its level, one of `trace`, `debug`, `info`, `warn`, `error`
    /// and `off`. A target is a module path of this program (`eurekad`, `eurekad::registry`) or of a
    /// library; the empty one stands for all (`root`). Each occurs once. Default empty.
    pub filter: Vec<(String, String)>,
}

/// Java's packages and what is here in their place. A Java name that is none of these, nor below
/// one, has no counterpart.
const PACKAGES: [(&str, &str); 7] = [
    ("com.netflix", "eurekad"),
    ("com.netflix.eureka", "eurekad"),
    ("org.springframework.cloud.netflix.eureka", "eurekad"),
    ("org.springframework.cloud.netflix.eureka.server", "eurekad"),
    ("com.netflix.eureka.registry", "eurekad::registry"),
    ("com.netflix.eureka.resources", "eurekad::http"),
    ("com.netflix.eureka.cluster", "eurekad::peers"),
];

impl LoggingSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let mut filter: Vec<(String, String)> = Vec::new();
        for (name, level) in reader.members("logging.level", level) {
            let Some(level) = level else { continue };
            let Some(target) = target(&name) else {
                reader.detail(&format!("logging.level.{name} has no effect: it is a Java name without a counterpart"));
                continue;
            };
            // Two Java names may mean one target: the more talkative level holds.
            match filter.iter_mut().find(|(known, _)| *known == target) {
                Some((_, known)) if verbosity(level) > verbosity(known) => level.clone_into(known),
                Some(_) => {}
                None => filter.push((target, level.to_owned())),
            }
        }
        Self { filter }
    }

    /// The filter as `tracing` writes it: `info,eurekad::registry=debug`. What is not named is
    /// logged at info.
    pub fn directives(&self) -> String {
        let root = self.filter.iter().find(|(target, _)| target.is_empty()).map_or("info", |(_, level)| level);
        let others = self.filter.iter().filter(|(target, _)| !target.is_empty());
        others.fold(root.to_owned(), |directives, (target, level)| format!("{directives},{target}={level}"))
    }
}

/// The levels of `tracing`, the most talkative last.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

fn verbosity(level: &str) -> Option<usize> {
    LEVELS.iter().position(|known| *known == level)
}

/// Spring's `LogLevel`; YAML makes `false` of `off`. An empty text is none.
fn level(text: &str) -> Result<Option<&'static str>, String> {
    let lower = text.trim().to_ascii_lowercase();
    let level = match lower.as_str() {
        "false" => "off",
        "fatal" => "error",
        "" => return Ok(None),
        level => level,
    };
    let known = LEVELS.into_iter().find(|known| *known == level);
    known.map(Some).ok_or_else(|| "one of trace, debug, info, warn, error, fatal and off".to_owned())
}

fn target(name: &str) -> Option<String> {
    if name.eq_ignore_ascii_case("root") {
        return Some(String::new());
    }
    if let Some((_, target)) = PACKAGES.iter().find(|(package, _)| *package == name) {
        return Some((*target).to_owned());
    }
    let path = if name.split('.').next() == Some("eurekad") { name.replace('.', "::") } else { name.to_owned() };
    // Anything else would be no directive, or another one than it seems.
    let plain = path.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':'));
    plain.then_some(path)
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
