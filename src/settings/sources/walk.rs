//! The files of settings, in the order in which Spring looks at them (`ConfigDataEnvironment`).
//!
//! A walk is made twice: without profiles, to learn which ones are active, then with them. Within
//! one group of locations all files for profiles win over all others, and the later location over
//! the earlier. What a document imports wins over the document.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::document::{self, Broken, EXTENSIONS, Kind};
use super::location::{Location, Target, expand};
use super::profiles::Profiles;
use super::{ConfigTrees, Origin, Written, rules};
use crate::settings::findings::{Findings, SettingsError};
use crate::settings::secrets::masked;
use crate::settings::winners::Winners;

/// Where files are looked for when nobody says anything else.
const USUAL: &str = "optional:./;optional:./config/;optional:./config/*/";
/// Nobody means more: files that import one another many times end here.
const MOST_FILES: usize = 1000;
/// Files that import one another in a row; bounds the stack.
const DEEPEST: usize = 32;

/// One walk over all files.
pub(super) struct Walk<'a> {
    /// The start folder.
    pub dir: &'a Path,
    /// What is written outside of files, what wins last.
    pub outside: &'a [Vec<Written>],
    /// Which profiles are active; `None`: not known yet.
    pub profiles: Option<&'a Profiles>,
    pub findings: &'a mut Findings,
    /// The files that were read, in order.
    pub files: Vec<PathBuf>,
    /// The profiles that a file or a document was for.
    pub heard: BTreeSet<String>,
    /// What a walk without profiles has read: it is not read again for a profile, so that it wins
    /// over no more than it did.
    pub before: HashSet<PathBuf>,
    /// What was read by this walk.
    pub read: HashSet<PathBuf>,
    /// The folders of secrets among it.
    pub trees: ConfigTrees,
    /// Whether what is read now is for a profile.
    profiled: bool,
    /// The files that are being read: each imports the next.
    trail: Vec<PathBuf>,
    names: Vec<String>,
    forgiving: bool,
}

/// What a location gives. What is for a profile is apart, since it wins over more than its own
/// location.
#[derive(Default)]
struct Layers {
    plain: Vec<Vec<Written>>,
    profiled: Vec<Vec<Written>>,
}

impl Layers {
    fn flat(self) -> Vec<Vec<Written>> {
        self.plain.into_iter().chain(self.profiled).collect()
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        dir: &'a Path,
        outside: &'a [Vec<Written>],
        profiles: Option<&'a Profiles>,
        findings: &'a mut Findings,
    ) -> Self {
        let all = Winners::among(outside);
        let list = |name| all.list(name, &all).into_iter().map(|(text, _)| text);
        let mut names: Vec<String> = list("spring.config.name").collect();
        if names.is_empty() {
            names.push("application".to_owned());
        }
        let forgiving = list("spring.config.on-not-found").any(|action| action.eq_ignore_ascii_case("ignore"));
        Self {
            dir,
            outside,
            profiles,
            findings,
            files: Vec::new(),
            heard: BTreeSet::new(),
            before: HashSet::new(),
            read: HashSet::new(),
            trees: ConfigTrees::default(),
            profiled: false,
            trail: Vec::new(),
            names,
            forgiving,
        }
    }

    /// Everything that is written in files, what wins last.
    pub(super) fn run(&mut self) -> Vec<Vec<Written>> {
        let all = Winners::among(self.outside);
        let list = |name| all.list(name, &all);
        let usual = [(USUAL.to_owned(), &Origin::Word)];
        let mut locations = list("spring.config.location");
        if locations.is_empty() {
            locations.extend(usual);
        }
        locations.extend(list("spring.config.additional-location"));
        locations.extend(list("spring.config.import"));
        let dir = self.dir;
        locations.into_iter().flat_map(|(text, told)| self.group(&text, told, dir).flat()).collect()
    }

    /// What is at locations that are parted by `;`. It is `told` that names them, a file in `base`.
    fn group(&mut self, text: &str, told: &Origin, base: &Path) -> Layers {
        let mut layers = Layers::default();
        let mut locations = Vec::new();
        for text in text.split(';').map(str::trim).filter(|text| !text.is_empty()) {
            let location = Location::parse(text, base, self.dir);
            let text = &masked("", text);
            let (found, new) = self.plain(&location.target, text, told);
            if !found && !location.optional && !self.forgiving {
                let problem = format!("there is nothing at {text}; if that is right, write optional:{text}");
                self.findings.error(SettingsError::File { origin: told.clone(), problem });
            }
            layers.plain.extend(new.plain);
            layers.profiled.extend(new.profiled);
            locations.push(location);
        }
        let profiles = self.profiles;
        // What is imported for a profile wins over the profile's own files.
        let imported = std::mem::take(&mut layers.profiled);
        for profile in profiles.into_iter().flat_map(Profiles::accepted) {
            for location in &locations {
                layers.profiled.extend(self.profiled(&location.target, profile));
            }
        }
        layers.profiled.extend(imported);
        layers
    }

    /// What is at one location for any profile, and whether there is such a place.
    fn plain(&mut self, target: &Target, text: &str, told: &Origin) -> (bool, Layers) {
        let mut layers = Layers::default();
        let found = match target {
            Target::Folder(folder) => {
                for (path, kind) in self.in_folder(folder, "") {
                    self.file(&path, kind, None, &mut layers);
                }
                expand(folder).iter().any(|folder| folder.is_dir())
            }
            Target::File { stem, extension, kind } => {
                let paths = expand(&with_suffix(stem, extension));
                paths.iter().filter(|path| self.file(path, *kind, None, &mut layers)).count() > 0
            }
            Target::Tree(folder) => self.tree(folder, &mut layers),
            Target::Unclear => {
                let problem = format!(
                    "{text} is no folder, and its name does not tell how the file is written: \
                     it must end in .yml, .yaml or .properties, or in [.yml] as a hint"
                );
                self.findings.error(SettingsError::File { origin: told.clone(), problem });
                true
            }
            Target::Foreign(prefix) => {
                self.findings.warn(format!(
                    "{told}: nothing is read from {text}: {prefix} is not supported, only files, folders and configtree:"
                ));
                true
            }
        };
        (found, layers)
    }

    /// What is at one location for one profile.
    fn profiled(&mut self, target: &Target, profile: &str) -> Vec<Vec<Written>> {
        let suffix = format!("-{profile}");
        let files = match target {
            Target::Folder(folder) => self.in_folder(folder, &suffix),
            Target::File { stem, extension, kind } => {
                let path = with_suffix(stem, &format!("{suffix}{extension}"));
                expand(&path).into_iter().map(|path| (path, *kind)).collect()
            }
            Target::Tree(_) | Target::Unclear | Target::Foreign(_) => Vec::new(),
        };
        let mut layers = Layers::default();
        for (path, kind) in files {
            self.file(&path, kind, Some(profile), &mut layers);
        }
        layers.flat()
    }

    /// The files that a folder may have, what wins last.
    fn in_folder(&self, folder: &Path, suffix: &str) -> Vec<(PathBuf, Kind)> {
        let kinds = self.names.iter().flat_map(|name| EXTENSIONS.iter().map(move |kind| (name, kind)));
        kinds
            .flat_map(|(name, (extension, kind))| {
                let path = folder.join(format!("{name}{suffix}.{extension}"));
                expand(&path).into_iter().map(|path| (path, *kind))
            })
            .collect()
    }

    /// Reads one file, and what it imports. Tells whether there is such a file.
    fn file(&mut self, path: &Path, kind: Kind, profile: Option<&str>, layers: &mut Layers) -> bool {
        // Nobody wants to read `./` in front of each file.
        let path = path.strip_prefix(".").unwrap_or(path);
        let real = real(path);
        if self.trail.contains(&real) || profile.is_none() && self.is_old(&real) {
            return true;
        }
        let documents = match document::read(path, kind) {
            Ok(Some(documents)) => documents,
            Ok(None) => return false,
            Err(Broken { line, problem }) => {
                self.findings.error(SettingsError::File { origin: Origin::file(path, line), problem });
                return true;
            }
        };
        if self.trail.len() >= DEEPEST || self.files.len() >= MOST_FILES {
            let problem = "too many files import one another".to_owned();
            self.findings.error(SettingsError::File { origin: Origin::file(path, None), problem });
            return true;
        }
        self.files.push(path.to_owned());
        self.heard.extend(profile.map(str::to_owned));
        self.read.insert(real.clone());
        self.trail.push(real);
        let outer = self.profiled;
        self.profiled |= profile.is_some();
        for document in documents {
            self.document(document, path, profile.is_some(), layers);
        }
        self.profiled = outer;
        self.trail.pop();
        true
    }

    /// Whether what is at a path was read already, and is only asked for again by a profile.
    fn is_old(&self, real: &Path) -> bool {
        self.profiled && self.before.contains(real)
    }

    fn document(&mut self, document: Vec<Written>, path: &Path, for_profile: bool, layers: &mut Layers) {
        let own = Winners::among([document.as_slice()]);
        let all = Winners::among(std::iter::once(document.as_slice()).chain(self.outside.iter().map(Vec::as_slice)));
        let condition = rules::condition(&own, &all, self.profiles, &mut self.heard, self.findings);
        rules::complain(&document, for_profile || condition.is_some(), self.profiled, self.findings);
        if condition == Some(false) {
            return;
        }
        let imports: Vec<(String, Origin)> =
            own.list("spring.config.import", &all).into_iter().map(|(text, told)| (text, told.clone())).collect();
        layers.plain.push(document.into_iter().filter(|one| !rules::is_condition(&one.name)).collect());
        let base = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(self.dir);
        let outer = self.profiled;
        self.profiled |= condition.is_some();
        for (text, told) in imports {
            let imported = self.group(&text, &told, base);
            layers.plain.extend(imported.plain);
            layers.profiled.extend(imported.profiled);
        }
        self.profiled = outer;
    }

    fn tree(&mut self, folder: &Path, layers: &mut Layers) -> bool {
        let mut found = false;
        for (folder, content) in self.trees.read(folder) {
            let real = real(&folder);
            if self.is_old(&real) {
                found = true;
                continue;
            }
            self.read.insert(real);
            found |= !matches!(content, Ok(None));
            match content {
                Ok(None) => {}
                Ok(Some(written)) => {
                    self.files.push(folder);
                    layers.plain.push(written);
                }
                Err(Broken { problem, .. }) => {
                    self.findings.error(SettingsError::File { origin: Origin::file(folder, None), problem });
                }
            }
        }
        found
    }
}

/// The path without links, to know it again.
fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// A path with more at its end.
fn with_suffix(stem: &Path, suffix: &str) -> PathBuf {
    let mut path = stem.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}
