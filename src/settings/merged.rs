//! One flat map of the properties in use, from all sources: canonical name, the value that won with
//! its placeholders put in, and where it came from.
//!
//! On the way it is said what is unknown (a mistyped name does nothing in Java, in silence), what
//! has no effect, and which placeholders lead nowhere.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::findings::{Findings, SettingsError};
use super::known::{Known, Usage};
use super::names::{Identified, identify, nearest, split_root, squash};
use super::placeholders::{self, Filled, Found};
use super::sources::{Origin, Written};

/// A property in use that somebody set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub value: String,
    pub origin: Origin,
}

/// The properties in use that somebody set, by canonical name; a member of a map is `name.key`.
#[derive(Debug, Default)]
pub(super) struct Merged(BTreeMap<String, Property>);

impl Merged {
    /// Merges what was written; the last wins.
    pub(super) fn new(written: Vec<Written>, findings: &mut Findings) -> Self {
        let winners = Winners::among(written);
        let mut used = HashSet::new();
        let merged = winners.fill(&mut used, findings);
        winners.report_unknown(&used, findings);
        Self(merged)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Property> {
        self.0.get(name)
    }

    /// The members of a map, by their keys.
    pub(super) fn members(&self, family: &str) -> impl Iterator<Item = (&str, &Property)> {
        self.0.iter().filter_map(move |(name, property)| {
            let key = name.strip_prefix(family)?.strip_prefix('.')?;
            Some((key, property))
        })
    }
}

/// Which of all that was written counts. Numbers are places in `written`.
struct Winners {
    written: Vec<Written>,
    /// By canonical name, members of families with their key.
    known: BTreeMap<String, (usize, &'static Known)>,
    /// The rest by squashed name.
    unknown: HashMap<String, usize>,
    /// Everything by its name as written, known or not: an environment variable that a word
    /// overrides can still be named in a placeholder.
    exact: HashMap<String, usize>,
}

impl Winners {
    fn among(written: Vec<Written>) -> Self {
        let mut winners = Self { written, known: BTreeMap::new(), unknown: HashMap::new(), exact: HashMap::new() };
        for (place, one) in winners.written.iter().enumerate() {
            winners.exact.insert(one.name.clone(), place);
            if let Some(found) = identify(&one.name) {
                let name = canonical(&found, &winners.known);
                winners.known.insert(name, (place, found.known));
            } else {
                winners.unknown.insert(squash(&one.name), place);
            }
        }
        winners
    }

    /// What a name in a placeholder leads to. A canonical name is relaxed, as in Spring; any other
    /// is first looked for as it is.
    fn look_up(&self, name: &str) -> Option<Found<'_>> {
        let exact = || self.exact.get(name).copied();
        let relaxed = || match identify(name) {
            Some(found) => self.known.get(&canonical(&found, &self.known)).map(|(place, _)| *place),
            None => self.unknown.get(&squash(name)).copied(),
        };
        let is_canonical = !name.contains(|c: char| c == '_' || c.is_ascii_uppercase());
        let id = if is_canonical { relaxed().or_else(exact) } else { exact().or_else(relaxed) }?;
        let found = self.written.get(id)?;
        Some(Found { text: &found.value, id, exact: found.name == name })
    }

    /// Fills in the placeholders of what is in use, and reports on what is not. Other properties
    /// are filled in too, to see which unknown names they use.
    fn fill(&self, used: &mut HashSet<usize>, findings: &mut Findings) -> BTreeMap<String, Property> {
        let mut merged = BTreeMap::new();
        for (name, (place, known)) in &self.known {
            let Some(Written { value, origin, .. }) = self.written.get(*place) else { continue };
            let filled = placeholders::fill(value, *place, |name| self.look_up(name));
            if let Ok(Filled { used: uses, .. }) = &filled {
                used.extend(uses);
            }
            match (known.usage, filled) {
                (Usage::NoEffect(reason), _) => findings.detail(format!("{name} ({origin}) has no effect: {reason}")),
                (Usage::Unserved(_), _) if value.trim().is_empty() => {}
                (Usage::Unserved(reason), _) => findings.warn(format!("{name} ({origin}) has no effect: {reason}")),
                (Usage::Works, Err(problem)) => findings.error(SettingsError::Placeholder {
                    name: name.clone(),
                    value: value.clone(),
                    origin: origin.clone(),
                    problem: problem.to_owned(),
                }),
                (Usage::Works, Ok(Filled { text, missing, .. })) => {
                    for missing in missing {
                        findings
                            .warn(format!("{name} ({origin}): nothing is named {missing:?}, the placeholder stays"));
                    }
                    merged.insert(name.clone(), Property { value: text, origin: origin.clone() });
                }
            }
        }
        merged
    }

    /// Warns about each name that looks like ours and is not, unless a placeholder needs it.
    fn report_unknown(&self, used: &HashSet<usize>, findings: &mut Findings) {
        let mut places: Vec<usize> = self.unknown.values().copied().filter(|place| !used.contains(place)).collect();
        places.sort_unstable();
        for Written { name, value, origin } in places.into_iter().filter_map(|place| self.written.get(place)) {
            let Some((root, rest)) = split_root(name) else { continue };
            let variable = matches!(origin, Origin::Environment { .. }) && !name.contains('.');
            // Web servers and shells have variables SERVER_… of their own.
            if variable && (root == "server" || is_service_link(rest, value)) {
                continue;
            }
            let hint = nearest(name).map(|nearest| format!("; the nearest is {nearest}")).unwrap_or_default();
            let place = if variable { origin.to_string() } else { format!("{name} ({origin})") };
            findings.warn(format!("{place}: there is no such property{hint}"));
        }
    }
}

/// The name under which a property is kept. A key whose letter case was lost finds the one that is
/// already there: `EUREKA_CLIENT_SERVICEURL_DEFAULTZONE` overrides a file's `defaultZone`. Else it
/// is in lower case with dots, as Spring has it.
fn canonical(found: &Identified<'_>, known: &BTreeMap<String, (usize, &'static Known)>) -> String {
    let Identified { known: Known { name, .. }, key, blurred } = found;
    if key.is_empty() {
        return (*name).to_owned();
    }
    let existing = || {
        let squashed = squash(&format!("{name}{key}"));
        known.iter().find(|(existing, (_, family))| family.name == *name && squash(existing) == squashed)
    };
    match blurred.then(existing).flatten() {
        Some((existing, _)) => existing.clone(),
        None if *blurred => format!("{name}.{}", key.to_ascii_lowercase().replace('_', ".")),
        None => format!("{name}.{key}"),
    }
}

/// Whether Kubernetes set a variable for a Service of such a name: `EUREKA_PORT=tcp://10.0.0.1:8761`.
fn is_service_link(rest: &str, value: &str) -> bool {
    ["tcp://", "udp://"].iter().any(|scheme| value.starts_with(scheme))
        || ["SERVICE_HOST", "SERVICE_PORT", "_TCP_", "_UDP_"].iter().any(|part| rest.contains(part))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::settings::findings::NoticeLevel;

    fn word(name: &str, value: &str) -> Written {
        Written { name: name.to_owned(), value: value.to_owned(), origin: Origin::Word }
    }

    fn variable(name: &str, value: &str) -> Written {
        let origin = Origin::Environment { variable: name.to_owned() };
        Written { name: name.to_owned(), value: value.to_owned(), origin }
    }

    fn merged(written: &[Written]) -> (Merged, Vec<String>) {
        let mut findings = Findings::default();
        let merged = Merged::new(written.to_vec(), &mut findings);
        let warnings = findings.conclude().unwrap().into_iter().filter(|n| n.level == NoticeLevel::Warning);
        (merged, warnings.map(|notice| notice.text).collect())
    }

    fn value(written: &[Written], name: &str) -> Option<String> {
        merged(written).0.get(name).map(|property| property.value.clone())
    }

    #[test]
    fn the_last_spelling_of_a_property_wins() {
        let written = [word("server.port", "1"), variable("SERVER_PORT", "2"), word("server.PORT", "3")];
        assert_eq!(value(&written, "server.port").as_deref(), Some("3"));
    }

    #[test]
    fn keys_of_maps_keep_their_case_where_somebody_wrote_it() {
        let (merged, _) = merged(&[
            word("eureka.instance.metadataMap.rackId", "a"),
            word("eureka.instance.metadata-map.rack-name", "b"),
            variable("EUREKA_INSTANCE_METADATA_MAP_RACKID", "c"),
            variable("EUREKA_INSTANCE_METADATAMAP_MY_ZONE", "d"),
            variable("eureka.instance.metadataMap.hostGroup", "e"),
        ]);
        let members: Vec<_> = merged
            .members("eureka.instance.metadata-map")
            .map(|(key, property)| (key, property.value.as_str()))
            .collect();
        assert_eq!(members, [("hostGroup", "e"), ("my.zone", "d"), ("rack-name", "b"), ("rackId", "c")]);
    }

    #[test]
    fn placeholders_find_every_source() {
        let hostname = "eureka.instance.hostname";
        let written = [word(hostname, "${MY_POD_NAME}.${my.domain:eureka}"), variable("MY_POD_NAME", "eureka-0")];
        assert_eq!(value(&written, hostname).as_deref(), Some("eureka-0.eureka"));
        let written = [variable("EUREKA_INSTANCE_HOSTNAME", "${my.pod-name}"), variable("MY_PODNAME", "p")];
        assert_eq!(value(&written, hostname).as_deref(), Some("p"));
        let written = [word(hostname, "${spring.application.name}"), variable("SPRING_APPLICATION_NAME", "registry")];
        assert_eq!(value(&written, hostname).as_deref(), Some("registry"));
        // Of two variables that differ by an underscore only, the one that is named.
        let written =
            [word(hostname, "${MY_POD}"), variable("MYPOD", "a"), variable("MY_POD", "b"), variable("MYP_OD", "c")];
        assert_eq!(value(&written, hostname).as_deref(), Some("b"));
    }

    #[test]
    fn a_property_may_name_its_own_variable() {
        let port = "server.port";
        assert_eq!(value(&[word(port, "${SERVER_PORT:8761}")], port).as_deref(), Some("8761"));
        let both = [variable("SERVER_PORT", "9000"), word(port, "${SERVER_PORT:8761}")];
        assert_eq!(value(&both, port).as_deref(), Some("9000"));
        let mut findings = Findings::default();
        Merged::new(vec![word(port, "${server.port:8761}")], &mut findings);
        let errors = findings.conclude().unwrap_err().to_string();
        assert_eq!(errors, "server.port = \"${server.port:8761}\" (argument): its placeholders lead back to itself");
    }

    #[test]
    fn what_leads_nowhere_is_a_warning() {
        let (merged, warnings) = merged(&[word("eureka.instance.hostname", "${vcap.uris[0]}")]);
        assert_eq!(merged.get("eureka.instance.hostname").unwrap().value, "${vcap.uris[0]}");
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("vcap.uris[0]"), "{warnings:?}");
    }

    #[test]
    fn case_98_a_mistyped_name_is_warned_about_with_the_nearest() {
        let (_, warnings) =
            merged(&[word("eureka.client.server-url.defaultZone", "x"), variable("EUREKA_SERVER_HOSTNAME", "h")]);
        assert_eq!(
            warnings,
            [
                "eureka.client.server-url.defaultZone (argument): there is no such property; \
                 the nearest is eureka.client.service-url.defaultZone",
                "environment variable EUREKA_SERVER_HOSTNAME: there is no such property; \
                 the nearest is eureka.instance.hostname",
            ]
        );
    }

    #[test]
    fn no_warning_for_what_is_known_or_foreign_or_used() {
        let (merged, warnings) = merged(&[
            word("eureka.client.register-with-eureka", "false"),
            word("eureka.client.service-url.defaultZone", "${EUREKA_SERVER}/${eureka.user}"),
            variable("EUREKA_SERVER", "http://a"),
            word("eureka.user", "admin"),
            word("server.tomcat.threads.max", "5"),
            word("spring.cloud.config.enabled", "false"),
            variable("SERVER_NAME", "x"),
            variable("EUREKA_PORT", "tcp://10.0.0.1:8761"),
            variable("EUREKA_PORT_8761_TCP_ADDR", "10.0.0.1"),
            variable("EUREKAD_SERVICE_HOST", "10.0.0.1"),
            variable("EUREKA", "x"),
        ]);
        assert_eq!(warnings, Vec::<String>::new());
        assert!(merged.0.is_empty());
    }

    #[test]
    fn what_changes_how_the_server_is_reached_is_said_aloud() {
        let (_, warnings) = merged(&[
            word("server.ssl.key-store", "x.p12"),
            word("spring.security.user.password", "secret"),
            variable("SPRING_PROFILES_ACTIVE", "docker"),
        ]);
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert!(!warnings.concat().contains("secret"));
    }
}
