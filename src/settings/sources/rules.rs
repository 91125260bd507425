//! What a document may say about itself: for which profiles it is, and what it must leave to others
//! (`ConfigDataProperties`, `InvalidConfigDataPropertyException`).

use std::collections::BTreeSet;

use super::expression;
use super::profiles::Profiles;
use super::{Origin, Written};
use crate::settings::findings::{Findings, SettingsError};
use crate::settings::names::identify;
use crate::settings::winners::Winners;

/// The names of conditions on profiles, the second before Boot 2.4.
const ON_PROFILE: [&str; 2] = ["spring.config.activate.on-profile", "spring.profiles"];
const ON_CLOUD_PLATFORM: &str = "spring.config.activate.on-cloud-platform";
/// What says which profiles are active, and so cannot depend on them.
const CHOOSES_PROFILES: [&str; 3] = ["spring.profiles.active", "spring.profiles.default", "spring.profiles.include"];
/// What says where files are, and so cannot stand in one.
const CHOOSES_FILES: [&str; 5] = [
    "spring.config.name",
    "spring.config.location",
    "spring.config.additional-location",
    "spring.config.on-not-found",
    "spring.application.json",
];

fn canonical(name: &str) -> Option<&'static str> {
    identify(name).map(|found| found.known.name)
}

/// Whether a property is a condition of its document.
pub(super) fn is_condition(name: &str) -> bool {
    canonical(name).is_some_and(|name| ON_PROFILE.contains(&name) || name == ON_CLOUD_PLATFORM)
}

/// Whether the conditions of a document (`own`) hold; `None` if it has none. Without `profiles` no
/// condition holds. The profiles that were asked for are `heard`.
pub(super) fn condition(
    own: &Winners<'_>,
    all: &Winners<'_>,
    profiles: Option<&Profiles>,
    heard: &mut BTreeSet<String>,
    findings: &mut Findings,
) -> Option<bool> {
    if let Some((platform, origin)) = own.list(ON_CLOUD_PLATFORM, all).first() {
        findings.warn(format!(
            "{origin}: the document for the cloud platform {platform} is left out, \
             write a condition on a profile ({}) instead",
            ON_PROFILE[0]
        ));
        return Some(false);
    }
    let conditions: Vec<(String, &Origin)> = ON_PROFILE.iter().flat_map(|name| own.list(name, all)).collect();
    if conditions.is_empty() {
        return None;
    }
    let Some(profiles) = profiles else { return Some(false) };
    let mut any = false;
    for (condition, origin) in conditions {
        let mut accepted = |profile: &str| {
            heard.insert(profile.to_owned());
            profiles.accepts(profile)
        };
        match expression::holds(&condition, &mut accepted) {
            Ok(holds) => any |= holds,
            Err(problem) => {
                let problem = format!("{condition:?} is no condition on profiles: {problem}");
                findings.error(SettingsError::File { origin: origin.clone(), problem });
            }
        }
    }
    Some(any)
}

/// Tells of what a document cannot say, when it is `for_profile` itself, or when it only comes
/// `with_profile`, imported by another that is. Java says nothing of some of it, and does not start
/// with the rest.
pub(super) fn complain(document: &[Written], for_profile: bool, with_profile: bool, findings: &mut Findings) {
    for Written { name, origin, .. } in document {
        let Some(known) = canonical(name) else { continue };
        let chooses_profiles = CHOOSES_PROFILES.contains(&known);
        if CHOOSES_FILES.contains(&known) {
            findings.warn(format!(
                "{name} ({origin}) has no effect in a file: give it as an argument or an environment variable"
            ));
        } else if for_profile && chooses_profiles {
            let problem = format!(
                "{name} cannot stand in a file or document that is itself for a profile: \
                 write it in the one for all, or use spring.profiles.group"
            );
            findings.error(SettingsError::File { origin: origin.clone(), problem });
        } else if (for_profile || with_profile) && (chooses_profiles || known == "spring.profiles.group") {
            findings.warn(format!("{name} ({origin}) has no effect in a file or document that counts for a profile"));
        }
    }
}
