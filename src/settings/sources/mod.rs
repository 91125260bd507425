//! Where settings come from: each source gives what was [`Written`], in order, with its origin.
//!
//! In Spring's order, the later winning: files, environment, system properties of Java, a JSON text,
//! words. Values are text as written; what they mean is decided by the concern that reads them.
//!
//! | file | what | Spring's counterpart |
//! | --- | --- | --- |
//! | `walk` | which files, in which order | `ConfigDataEnvironment` and its contributors |
//! | `location` | where they are | `ConfigDataLocation` |
//! | `rules`, `expression` | for whom a document is | `ConfigDataProperties`, `ProfilesParser` |
//! | `profiles` | who is active | `Profiles` |
//! | `document`, `yaml`, `properties` | what a file says | `PropertySourceLoader` |
//! | `config_tree` | folders of secrets | `ConfigTreePropertySource` |
//! | `environment`, `java_options`, `words` | what the process is given | `PropertySource` |

mod config_tree;
mod document;
mod environment;
mod expression;
pub(crate) mod java_options;
mod location;
mod profiles;
mod properties;
mod rules;
mod walk;
pub(crate) mod words;
mod yaml;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::findings::{Findings, SettingsError};
pub use config_tree::ConfigTrees;
use document::{Broken, Kind};
use profiles::Profiles;
use walk::Walk;

/// Where the settings are looked for. Nothing else is read: no process environment, and no folder
/// but this one and those that the settings name.
#[derive(Debug)]
pub struct Sources<'a, E> {
    /// The folder in which relative paths start: the server's own.
    pub dir: &'a Path,
    /// Environment variables, in any order.
    pub environment: E,
    /// Arguments of the form `--name=value` and `-Dname=value`.
    pub words: &'a [String],
}

/// What all sources together say.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// One list a source, what wins last.
    pub sources: Vec<Vec<Written>>,
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// The profiles that somebody chose.
    pub profiles: Vec<String>,
    /// The folders of secrets.
    pub trees: ConfigTrees,
}

impl<E: IntoIterator<Item = (String, String)>> Sources<'_, E> {
    /// Everything that is written anywhere.
    pub(super) fn gather(self, findings: &mut Findings) -> Gathered {
        let outside = outside(environment::read(self.environment), self.words, findings);
        // What is wrong is told when the profiles are known.
        let mut unheeded = Findings::default();
        let mut walk = Walk::new(self.dir, &outside, None, &mut unheeded);
        let first = walk.run();
        let (before, mut trees) = (walk.read, walk.trees);
        let profiles = Profiles::of(&first.iter().chain(&outside).map(Vec::as_slice).collect::<Vec<_>>());
        let mut walk = Walk::new(self.dir, &outside, Some(&profiles), findings);
        walk.before = before;
        let mut sources = walk.run();
        let (files, heard) = (walk.files, walk.heard);
        trees.extend(walk.trees);
        for profile in profiles.speaking().filter(|profile| !heard.contains(*profile)) {
            findings.warn(format!("the profile {profile:?} is active, but no file and no document is for it"));
        }
        sources.extend(outside);
        Gathered { sources, files, profiles: profiles.active(), trees }
    }
}

/// What arguments alone say.
pub(super) fn arguments<S: AsRef<str>>(arguments: &[S], findings: &mut Findings) -> Gathered {
    Gathered { sources: outside(Vec::new(), arguments, findings), ..Gathered::default() }
}

/// What is written outside of files, what wins last.
fn outside<S: AsRef<str>>(variables: Vec<Written>, arguments: &[S], findings: &mut Findings) -> Vec<Vec<Written>> {
    let system = java_options::read(&variables, arguments);
    let words = words::read(arguments, findings);
    let json = json(&[&words, &system, &variables], findings);
    vec![variables, system, json, words]
}

/// The properties of `SPRING_APPLICATION_JSON`, from the first source that has one
/// (`SpringApplicationJsonEnvironmentPostProcessor`).
fn json(sources: &[&[Written]], findings: &mut Findings) -> Vec<Written> {
    let is_json = |one: &&Written| super::names::squash(&one.name) == "springapplicationjson";
    let Some(json) = sources.iter().find_map(|source| source.iter().rfind(is_json)) else { return Vec::new() };
    let origin = Origin::Json { name: json.name.clone() };
    // JSON is YAML, and is flattened alike.
    match document::documents(&json.value, Kind::Yaml) {
        Ok(documents) => {
            let entries = documents.into_iter().flatten();
            entries.map(|entry| Written { name: entry.name, value: entry.value, origin: origin.clone() }).collect()
        }
        Err(Broken { problem, .. }) => {
            findings.error(SettingsError::File { origin, problem });
            Vec::new()
        }
    }
}

/// One property as somebody wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub name: String,
    pub value: String,
    pub origin: Origin,
}

/// Where something was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file.
    File {
        /// Which.
        path: Arc<Path>,
        /// The line, from 1, where it is known.
        line: Option<u64>,
    },
    /// An environment variable.
    Environment {
        /// Its name.
        variable: String,
    },
    /// `-Dname=value`.
    SystemProperty {
        /// The environment variable that holds it; none: an argument.
        variable: Option<String>,
    },
    /// A JSON text in place of a file.
    Json {
        /// The name under which it was given: `SPRING_APPLICATION_JSON`.
        name: String,
    },
    /// An argument `--name=value`.
    Word,
}

impl Origin {
    fn file(path: impl Into<PathBuf>, line: Option<u64>) -> Self {
        Self::File { path: Arc::from(path.into()), line }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line: Some(line) } => write!(f, "{} line {line}", path.display()),
            Self::File { path, line: None } => write!(f, "{}", path.display()),
            Self::Environment { variable } => write!(f, "environment variable {variable}"),
            Self::SystemProperty { variable: Some(variable) } => write!(f, "-D in {variable}"),
            Self::SystemProperty { variable: None } => f.write_str("argument -D"),
            Self::Json { name } => write!(f, "JSON in {name}"),
            Self::Word => f.write_str("argument"),
        }
    }
}

#[cfg(test)]
mod tests;
