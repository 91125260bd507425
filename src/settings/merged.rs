//! One flat map of the known properties that somebody set, from all sources: canonical name, the
//! value that won with its placeholders put in, and where it came from.
//!
//! On the way it is said what is unknown (a mistyped name does nothing in Java, in silence), what
//! has no effect, and which placeholders lead nowhere.

use std::collections::{BTreeMap, HashSet};

use super::findings::{Findings, SettingsError};
use super::known::{Known, Usage};
use super::names::{is_group, nearest, split_root};
use super::placeholders::Filled;
use super::secrets::masked;
use super::sources::{Origin, Written};
use super::unresolved::{is_of_logins, nowhere};
use super::winners::{Winners, Won};

/// A known property that somebody set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub value: String,
    pub origin: Origin,
    pub known: &'static Known,
}

/// The known properties that somebody set, by canonical name; a member of a map is `name.key`. The
/// elements of a list have commas between them.
#[derive(Debug, Default)]
pub(super) struct Merged(BTreeMap<String, Property>);

impl Merged {
    /// Merges what was written; the last wins.
    pub(super) fn new(sources: &[Vec<Written>], findings: &mut Findings) -> Self {
        let winners = Winners::among(sources);
        let mut used = HashSet::new();
        let mut merged = BTreeMap::new();
        for (name, won) in winners.known() {
            if let Ok(Filled { used: uses, .. }) = &won.filled {
                used.extend(uses);
            }
            let Won { known, origin, .. } = won;
            if let Some(value) = judge(name, won, findings) {
                merged.insert(name.to_owned(), Property { value, origin: origin.clone(), known });
            }
        }
        report_unknown(&winners, &used, findings);
        Self(merged)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Property> {
        self.0.get(name)
    }

    /// All of them, by name.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Property)> {
        self.0.iter().map(|(name, property)| (name.as_str(), property))
    }

    /// The members of a map, by their keys.
    pub(super) fn members(&self, family: &str) -> impl Iterator<Item = (&str, &Property)> {
        self.iter().filter_map(move |(name, property)| {
            let key = name.strip_prefix(family)?.strip_prefix('.')?;
            Some((key, property))
        })
    }
}

/// Says what is to be said of one property, and gives its value unless that is a mistake.
fn judge(name: &str, won: Won<'_>, findings: &mut Findings) -> Option<String> {
    let Won { known, raw, filled, origin } = won;
    match known.usage {
        Usage::Missed(_) if raw.trim().is_empty() => {}
        Usage::Missed(reason) => findings.warn(format!("{name} ({origin}) has no effect: {reason}")),
        Usage::NoEffect(_) | Usage::NotYet(_) => {
            let reason = known.usage.idle().unwrap_or_default();
            findings.detail(format!("{name} ({origin}) has no effect: {reason}"));
        }
        Usage::Works(_) | Usage::Sources(_) => {}
    }
    match filled {
        // Nobody reads it, so nothing is wrong with it.
        Err(_) if matches!(known.usage, Usage::Missed(_) | Usage::NoEffect(_)) => Some(raw),
        Err(problem) => {
            let value = masked(name, &raw);
            let (name, origin, problem) = (name.to_owned(), origin.clone(), problem.to_owned());
            findings.error(SettingsError::Placeholder { name, value, origin, problem });
            None
        }
        Ok(Filled { text, missing, .. }) => {
            if matches!(known.usage, Usage::Missed(_) | Usage::NoEffect(_)) {
                return Some(text);
            }
            if is_of_logins(name) && !missing.is_empty() {
                let error = SettingsError::Placeholder {
                    name: name.to_owned(),
                    value: masked(name, &raw),
                    origin: origin.clone(),
                    problem: nowhere(name, &missing),
                };
                findings.error(error);
                return Some(text);
            }
            report_unserved(name, &text, &missing, origin, findings);
            Some(text)
        }
    }
}

/// Warns of what Spring would make of a value and this does not.
fn report_unserved(name: &str, text: &str, missing: &[String], origin: &Origin, findings: &mut Findings) {
    for missing in missing {
        let why = if missing.starts_with("random.") {
            "random values are not made here".to_owned()
        } else {
            format!("nothing is named {missing:?}; give it a default, ${{{missing}:default}}")
        };
        findings.warn(format!("{name} ({origin}): the placeholder ${{{missing}}} stays as it is: {why}"));
    }
    if text.contains("#{") {
        findings.warn(format!("{name} ({origin}): expressions (#{{…}}) are not evaluated, write the value itself"));
    }
    if text.starts_with("{cipher}") {
        findings.warn(format!("{name} ({origin}): encrypted values ({{cipher}}…) are not decrypted, write it plain"));
    }
}

/// Warns about each name that looks like ours and is not, unless a placeholder needs it.
fn report_unknown(winners: &Winners<'_>, used: &HashSet<usize>, findings: &mut Findings) {
    for Written { name, value, origin } in winners.unknown(used) {
        if is_group(name) && matches!(origin, Origin::File { .. }) && !value.trim().is_empty() {
            findings.warn(format!(
                "{name} ({origin}) has no value of its own: write name: value below it, with a blank after the colon"
            ));
        }
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

    /// Of properties that each come from a source of their own.
    fn merged(written: &[Written]) -> (Merged, Vec<String>) {
        let mut findings = Findings::default();
        let merged = Merged::new(&written.iter().map(|one| vec![one.clone()]).collect::<Vec<_>>(), &mut findings);
        let (outcome, notices) = findings.conclude();
        outcome.unwrap();
        let warnings = notices.into_iter().filter(|notice| notice.level == NoticeLevel::Warning);
        (merged, warnings.map(|notice| notice.text).collect())
    }

    fn value(written: &[Written], name: &str) -> Option<String> {
        merged(written).0.get(name).map(|property| property.value.clone())
    }

    #[test]
    fn a_property_may_name_its_own_variable() {
        let port = "server.port";
        assert_eq!(value(&[word(port, "${SERVER_PORT:8761}")], port).as_deref(), Some("8761"));
        let both = [variable("SERVER_PORT", "9000"), word(port, "${SERVER_PORT:8761}")];
        assert_eq!(value(&both, port).as_deref(), Some("9000"));
        let mut findings = Findings::default();
        Merged::new(&[vec![word(port, "${server.port:8761}")]], &mut findings);
        let errors = findings.conclude().0.unwrap_err().to_string();
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
        let zones = merged.get("eureka.client.service-url.defaultZone").unwrap();
        assert_eq!(zones.value, "http://a/admin");
    }

    #[test]
    fn a_blank_that_is_missing_after_a_colon_is_missed() {
        let path = std::path::Path::new("application.yml");
        let origin = Origin::File { path: path.into(), line: Some(2) };
        let server = |value: &str| Written { name: "server".into(), value: value.into(), origin: origin.clone() };
        let (_, warnings) = merged(&[server("port:8761")]);
        assert_eq!(
            warnings,
            ["server (application.yml line 2) has no value of its own: \
              write name: value below it, with a blank after the colon"]
        );
        assert_eq!(merged(&[server(""), word("server", "x")]).1, Vec::<String>::new());
        let (_, warnings) = merged(&[word("server[0].port", "1")]);
        assert!(warnings.concat().ends_with("the nearest is server.port"), "{warnings:?}");
    }

    #[test]
    fn what_spring_would_work_out_and_this_does_not_is_said() {
        let (merged, warnings) = merged(&[
            word("eureka.instance.instance-id", "a:${random.value}"),
            word("eureka.instance.hostname", "#{T(java.net.InetAddress).localHost}"),
            word("eureka.instance.app-group-name", "{cipher}00ff"),
            word("eureka.client.service-url.defaultZone", "http://${NODE}/"),
        ]);
        assert_eq!(merged.get("eureka.instance.instance-id").unwrap().value, "a:${random.value}");
        assert_eq!(
            warnings,
            [
                "eureka.client.service-url.defaultZone (argument): the placeholder ${NODE} stays as it is: \
                 nothing is named \"NODE\"; give it a default, ${NODE:default}",
                "eureka.instance.app-group-name (argument): \
                 encrypted values ({cipher}…) are not decrypted, write it plain",
                "eureka.instance.hostname (argument): \
                 expressions (#{…}) are not evaluated, write the value itself",
                "eureka.instance.instance-id (argument): the placeholder ${random.value} stays as it is: \
                 random values are not made here",
            ]
        );
    }

    #[test]
    fn what_changes_how_the_server_is_reached_is_said_aloud() {
        let (_, warnings) = merged(&[
            word("server.ssl.ciphers", "x"),
            word("spring.security.oauth2.client.registration.a.client-secret", "hidden"),
            word("management.port", "9090"),
            word("management.address", ""),
        ]);
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert!(!warnings.concat().contains("hidden"));
    }
}
