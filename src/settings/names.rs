//! Relaxed names: which property somebody means by what he wrote.
//!
//! Spring compares names after dropping dashes and case, and lets `_` stand for `.` in variables;
//! it misses natural spellings (`EUREKA_SERVER_RETENTION_TIME_IN_MS_IN_DELTA_QUEUE`) because of how
//! it splits capitals. Here `.`, `-`, `_` and case are dropped altogether and the rest is compared
//! with the known names: every spelling that Spring binds binds, from every source, and the natural
//! ones too. No two known names differ in less (tested).

use std::collections::HashMap;
use std::sync::LazyLock;

use super::known::{self, Known, Shape};

/// The known properties by squashed name.
static INDEX: LazyLock<HashMap<String, Known>> =
    LazyLock::new(|| known::all().map(|known| (squash(known.name), known)).collect());

/// What is compared of a name.
pub(super) fn squash(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '.' | '-' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

/// A name that stands for a known property.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Identified<'a> {
    pub known: &'static Known,
    /// The key of a map, as written. Empty if there is none.
    pub key: &'a str,
    /// The place in a list.
    pub index: Option<u32>,
    /// Whether [`Self::key`] was written with underscores, so that its letter case and its dots
    /// were lost on the way (environment variables).
    pub blurred: bool,
}

/// Finds the property that a written name stands for.
pub(super) fn identify(written: &str) -> Option<Identified<'_>> {
    if let Some(known) = INDEX.get(&squash(written)) {
        return Some(Identified { known, key: "", index: None, blurred: false });
    }
    let blurred = !written.contains(['.', '[']);
    let separators: &[char] = if blurred { &['_'] } else { &['.', '['] };
    written.match_indices(separators).rev().find_map(|(at, separator)| {
        let (prefix, rest) = written.split_at_checked(at)?;
        let known = INDEX.get(&squash(prefix))?;
        let rest = rest.strip_prefix(separator)?;
        let (key, index) = match known.shape {
            Shape::One => return None,
            Shape::List => ("", Some(unbracketed(rest).parse().ok()?)),
            // Of a variable's name it cannot be told: `…_US_EAST_1` is a zone.
            Shape::Lists | Shape::Records if !blurred => split_index(rest),
            Shape::Map | Shape::Lists | Shape::Records => (rest, None),
        };
        let key = if separator == "[" { unbracketed(key) } else { key };
        Some(Identified { known, key, index, blurred })
    })
}

fn unbracketed(key: &str) -> &str {
    key.strip_suffix(']').unwrap_or(key)
}

/// Parts `key[3]`.
fn split_index(written: &str) -> (&str, Option<u32>) {
    let parts = written.strip_suffix(']').and_then(|written| written.rsplit_once('['));
    let indexed = parts.and_then(|(key, index)| Some((key, Some(index.parse().ok()?))));
    indexed.unwrap_or((written, None))
}

/// The roots below which a name that is not known is somebody's mistake.
const ROOTS: [&str; 8] =
    ["eureka", "eurekad", "server", "management", "logging", "spring.security", "spring.profiles", "spring.config"];

/// The root of a name that this server should know, and what follows it.
pub(super) fn split_root(written: &str) -> Option<(&'static str, &str)> {
    const SEPARATORS: [char; 3] = ['.', '_', '-'];
    ROOTS.into_iter().find_map(|root| {
        let (head, rest) = written.split_at_checked(root.len())?;
        let same = |(written, known): (char, char)| {
            written.eq_ignore_ascii_case(&known) || known == '.' && SEPARATORS.contains(&written)
        };
        let rest = rest.strip_prefix('[').or_else(|| rest.strip_prefix(SEPARATORS))?;
        head.chars().zip(root.chars()).all(same).then_some((root, rest))
    })
}

/// Whether a name is that of a whole group of properties.
pub(super) fn is_group(written: &str) -> bool {
    ROOTS.iter().any(|root| squash(root) == squash(written))
}

/// The known name that comes nearest to an unknown one, if any comes near. For a member of a map it
/// is the map's name that is compared.
pub(super) fn nearest(written: &str) -> Option<String> {
    /// Below this two names have no more in common than any two.
    const SIMILAR: f64 = 0.55;
    /// What the same last part is worth: `EUREKA_SERVER_HOSTNAME` means `eureka.instance.hostname`.
    const SAME_END: f64 = 0.2;
    /// No known name is half as long, and the work grows with the square of the length.
    const LONGEST: usize = 200;
    if written.len() > LONGEST {
        return None;
    }
    let (root, rest) = split_root(written)?;
    // Wherever the name of a map may end and its key begin.
    let members: Vec<(String, &str)> = rest
        .match_indices(['.', '_', '['])
        .filter_map(|(at, separator)| {
            let (map, key) = rest.split_at_checked(at)?;
            Some((squash(map), key.strip_prefix(separator)?))
        })
        .collect();
    let end = squash(rest.rsplit(['.', '_', '[']).next().unwrap_or_default());
    let rest = squash(rest);
    INDEX
        .values()
        .filter_map(|known| {
            let (known_root, known_rest) = split_root(known.name)?;
            // Nobody mistakes `server.` for `eureka.`, but `eureka.` is taken for `eurekad.`.
            let kin = |root| if root == "eurekad" { "eureka" } else { root };
            if kin(root) != kin(known_root) {
                return None;
            }
            let known_rest = squash(known_rest);
            let score = |written: &str| strsim::normalized_damerau_levenshtein(&known_rest, written);
            let whole = (score(&rest), known.name.to_owned());
            let is_map = matches!(known.shape, Shape::Map | Shape::Lists);
            let members = members.iter().filter(|_| is_map);
            members
                .map(|(map, key)| (score(map), format!("{}.{key}", known.name)))
                .filter(|(score, _)| *score > whole.0)
                .max_by(|a, b| a.0.total_cmp(&b.0))
                .or(Some(whole))
        })
        .filter(|(score, _)| *score >= SIMILAR)
        .map(|(score, name)| {
            let same_end = name.rsplit('.').next().is_some_and(|part| squash(part) == end);
            (if same_end { score + SAME_END } else { score }, name)
        })
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)))
        .map(|(_, name)| name)
}

/// How somebody may write each character of a canonical name, by what surrounds it.
#[cfg(test)]
pub(super) fn spell(name: &str, choices: &[u8], environment: bool) -> String {
    name.chars()
        .zip(choices.iter().cycle())
        .map(|(c, choice)| match (c, environment) {
            ('.', true) => "_".to_owned(),
            ('.', false) => ".".to_owned(),
            ('-', true) => ["", "_"][usize::from(choice % 2)].to_owned(),
            ('-', false) => ["", "-", "_"][usize::from(choice % 3)].to_owned(),
            (c, _) if choice % 2 == 0 => c.to_ascii_uppercase().to_string(),
            (c, _) => c.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use proptest::prelude::*;

    use super::*;

    fn name_of(written: &str) -> Option<&'static str> {
        identify(written).map(|found| found.known.name)
    }

    #[test]
    fn no_two_known_names_are_the_same() {
        let names: Vec<String> = known::all().map(|known| squash(known.name)).collect();
        assert_eq!(INDEX.len(), names.len());
    }

    #[test]
    fn spellings_that_spring_misses_bind() {
        for written in [
            "EUREKA_SERVER_RETENTION_TIME_IN_MS_IN_DELTA_QUEUE",
            "EUREKA_SERVER_RETENTION_TIME_IN_M_S_IN_DELTA_QUEUE",
            "EUREKA_SERVER_RETENTIONTIMEINMSINDELTAQUEUE",
            "eureka.server.retention-time-in-m-s-in-delta-queue",
            "eureka.server.retentionTimeInMSInDeltaQueue",
        ] {
            assert_eq!(name_of(written), Some("eureka.server.retention-time-in-ms-in-delta-queue"), "{written}");
        }
        assert_eq!(
            name_of("EUREKA_SERVER_DEFAULT_OPEN_FOR_TRAFFIC_COUNT"),
            Some("eureka.server.default-open-for-traffic-count")
        );
        assert_eq!(name_of("eureka_client_registerWithEureka"), Some("eureka.client.register-with-eureka"));
    }

    #[test]
    fn a_family_gives_the_key_as_written() {
        let key_of = |written| identify(written).map(|found| (found.known.name, found.key, found.blurred));
        let map = "eureka.instance.metadata-map";
        assert_eq!(key_of("eureka.instance.metadataMap.rackId"), Some((map, "rackId", false)));
        assert_eq!(key_of("eureka.instance.metadata-map[my.key]"), Some((map, "my.key", false)));
        assert_eq!(key_of("eureka.instance.metadata-map.my.key"), Some((map, "my.key", false)));
        assert_eq!(key_of("EUREKA_INSTANCE_METADATA_MAP_ZONE"), Some((map, "ZONE", true)));
        assert_eq!(key_of("EUREKA_INSTANCE_METADATAMAP_ZONE"), Some((map, "ZONE", true)));
        assert_eq!(key_of("eureka.instance.metadata-mapzone"), None);
        assert_eq!(
            key_of("EUREKA_CLIENT_SERVICE_URL_DEFAULTZONE"),
            Some(("eureka.client.service-url", "DEFAULTZONE", true))
        );
        assert_eq!(key_of("server.tomcat.threads.max"), Some(("server.tomcat", "threads.max", false)));
        assert_eq!(key_of("server.tomcat.max-connections"), Some(("server.tomcat.max-connections", "", false)));
        assert_eq!(key_of("é.[_"), None);
    }

    #[test]
    fn lists_are_followed_by_an_index() {
        let place_of = |written| identify(written).map(|found| (found.known.name, found.key, found.index));
        let active = "spring.profiles.active";
        assert_eq!(place_of("spring.profiles.active"), Some((active, "", None)));
        assert_eq!(place_of("spring.profiles.active[2]"), Some((active, "", Some(2))));
        assert_eq!(place_of("SPRING_PROFILES_ACTIVE_0"), Some((active, "", Some(0))));
        assert_eq!(place_of("spring.profiles.active.first"), None);
        assert_eq!(place_of("spring.profiles.active[-1]"), None);
        let zones = "eureka.client.availability-zones";
        assert_eq!(place_of("eureka.client.availabilityZones.eu[1]"), Some((zones, "eu", Some(1))));
        assert_eq!(place_of("eureka.client.availability-zones.eu"), Some((zones, "eu", None)));
        assert_eq!(place_of("EUREKA_CLIENT_AVAILABILITY_ZONES_US_EAST_1"), Some((zones, "US_EAST_1", None)));
        assert_eq!(place_of("spring.profiles.group.a-b[0]"), Some(("spring.profiles.group", "a-b", Some(0))));
    }

    #[test]
    fn roots_are_found_in_every_spelling() {
        assert_eq!(split_root("SPRING_SECURITY_USR_NAME"), Some(("spring.security", "USR_NAME")));
        assert_eq!(split_root("spring.securityx"), None);
        assert_eq!(split_root("Management.port"), Some(("management", "port")));
        assert_eq!(split_root("eurekad.x"), Some(("eurekad", "x")));
        assert_eq!(split_root("server"), None);
    }

    #[test]
    fn the_nearest_name_is_the_one_that_was_meant() {
        for (written, meant) in [
            ("eureka.client.server-url.defaultZone", Some("eureka.client.service-url.defaultZone")),
            ("EUREKA_CLIENT_SERVER_URL_DEFAULTZONE", Some("eureka.client.service-url.DEFAULTZONE")),
            ("eureka.client.serviceUrls.defaultZone", Some("eureka.client.service-url.defaultZone")),
            ("eureka_server_responseCacheUpdateInvervalMs", Some("eureka.server.response-cache-update-interval-ms")),
            ("eureka_client_server_waitTimeInMsWhenSyncEmpty", Some("eureka.server.wait-time-in-ms-when-sync-empty")),
            ("EUREKA_SERVER_HOSTNAME", Some("eureka.instance.hostname")),
            ("eureka.server.enable-selfpreservation-mode", Some("eureka.server.enable-self-preservation")),
            ("eureka.shouldBatchReplication", Some("eureka.server.batch-replication")),
            ("server.prot", Some("server.port")),
            ("eurekad.http.idle-time", Some("eurekad.http.idle-timeout")),
            ("management.endpoits.web.exposure.include", Some("management.endpoints.web.exposure.include")),
            ("logging.levels.root", Some("logging.level.root")),
            ("spring.profiles.actve", Some("spring.profiles.active")),
            ("spring.security.usr.name", Some("spring.security.user.name")),
            ("eureka.server.foo", None),
        ] {
            assert_eq!(nearest(written).as_deref(), meant, "{written}");
        }
    }

    proptest! {
        #[test]
        fn any_relaxed_spelling_binds_to_the_one_name(
            pick in any::<prop::sample::Index>(),
            choices in prop::collection::vec(any::<u8>(), 1..40),
            environment in any::<bool>(),
        ) {
            let names: Vec<Known> = known::all().collect();
            let known = pick.get(&names);
            prop_assert_eq!(name_of(&spell(known.name, &choices, environment)), Some(known.name));
            let below = match known.shape {
                Shape::One => return Ok(()),
                Shape::List if environment => ".1",
                Shape::List => "[1]",
                Shape::Map | Shape::Lists | Shape::Records => ".zz",
            };
            let written = spell(&format!("{}{below}", known.name), &choices, environment);
            prop_assert_eq!(name_of(&written), Some(known.name));
        }

        #[test]
        fn no_name_panics(written in "\\PC*") {
            let _ = identify(&written);
            let _ = split_root(&written);
            let _ = nearest(&written);
        }
    }

    #[test]
    fn a_name_of_absurd_length_is_compared_with_none() {
        assert_eq!(nearest("server.prot").as_deref(), Some("server.port"));
        assert_eq!(nearest(&format!("server.prot{}", ".x".repeat(100))), None);
    }
}
