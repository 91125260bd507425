//! Which profiles are active (`org.springframework.boot.context.config.Profiles`).

use std::collections::BTreeSet;

use super::Written;
use crate::settings::winners::Winners;

/// The active profiles, or the default ones when none is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Profiles {
    accepted: Vec<String>,
    /// Those that somebody named, but that only stand for others.
    groups: BTreeSet<String>,
    chosen: bool,
}

impl Profiles {
    /// Reads them from what holds without any profile. Included ones come first, so that the active
    /// ones win over them; each is followed by those that it stands for.
    pub(super) fn of(sources: &[&[Written]]) -> Self {
        let all = Winners::among(sources.iter().copied());
        let names = |name| all.list(name, &all).into_iter().map(|(profile, _)| profile);
        // Unlike other lists these come from all sources, the one that wins first.
        let included = sources.iter().rev().flat_map(|source| {
            let own = Winners::among([*source]);
            own.list("spring.profiles.include", &all).into_iter().map(|(profile, _)| profile).collect::<Vec<_>>()
        });
        let mut chosen: Vec<String> = included.chain(names("spring.profiles.active")).collect();
        let any = !chosen.is_empty();
        if !any {
            chosen = names("spring.profiles.default").collect();
            if chosen.is_empty() {
                chosen.push("default".to_owned());
            }
        }
        let groups = all.lists("spring.profiles.group");
        let members = |profile: &str| groups.iter().find(|(name, _)| name.eq_ignore_ascii_case(profile));
        let mut profiles = Self { chosen: any, ..Self::default() };
        chosen.reverse();
        while let Some(profile) = chosen.pop() {
            if profiles.accepts(&profile) {
                continue;
            }
            if let Some((_, members)) = members(&profile) {
                chosen.extend(members.iter().rev().cloned());
                profiles.groups.insert(profile.clone());
            }
            profiles.accepted.push(profile);
        }
        profiles
    }

    /// Whether what is for this profile counts.
    pub(super) fn accepts(&self, profile: &str) -> bool {
        self.accepted.iter().any(|accepted| accepted == profile)
    }

    /// Whose files count, the last winning.
    pub(super) fn accepted(&self) -> impl Iterator<Item = &str> {
        self.accepted.iter().map(String::as_str)
    }

    /// Those that somebody chose; none, when it is the default that counts.
    pub(super) fn active(&self) -> Vec<String> {
        if self.chosen { self.accepted.clone() } else { Vec::new() }
    }

    /// The chosen ones that should have something of their own to say.
    pub(super) fn speaking(&self) -> impl Iterator<Item = &str> {
        self.accepted().filter(|profile| self.chosen && !self.groups.contains(*profile))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Origin;
    use super::*;

    fn profiles(sources: &[&[(&str, &str)]]) -> Profiles {
        let written: Vec<Vec<Written>> = sources
            .iter()
            .map(|source| {
                let one = |(name, value): &(&str, &str)| Written {
                    name: (*name).to_owned(),
                    value: (*value).to_owned(),
                    origin: Origin::Word,
                };
                source.iter().map(one).collect()
            })
            .collect();
        Profiles::of(&written.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    fn accepted(sources: &[&[(&str, &str)]]) -> String {
        profiles(sources).accepted.join(" ")
    }

    #[test]
    fn the_default_counts_when_none_is_active() {
        assert_eq!(accepted(&[]), "default");
        assert_eq!(profiles(&[]).active(), Vec::<String>::new());
        assert_eq!(accepted(&[&[("spring.profiles.default", "a,b")]]), "a b");
        assert_eq!(accepted(&[&[("spring.profiles.default", "a"), ("spring.profiles.active", "b")]]), "b");
        // An empty text in a source that wins takes them away.
        assert_eq!(accepted(&[&[("spring.profiles.active", "b")], &[("SPRING_PROFILES_ACTIVE", "")]]), "default");
    }

    #[test]
    fn lists_come_from_the_last_source_and_placeholders_are_put_in() {
        let file: &[_] = &[("spring.profiles.active[0]", "a"), ("spring.profiles.active[1]", "b")];
        assert_eq!(accepted(&[file]), "a b");
        assert_eq!(accepted(&[file, &[("SPRING_PROFILES_ACTIVE", " c , d,c")]]), "c d");
        assert_eq!(accepted(&[&[("spring.profiles.active", "${STAGE:dev}")], &[("STAGE", "prod")]]), "prod");
        assert_eq!(accepted(&[&[("spring.profiles.active", "${STAGE:dev}")]]), "dev");
    }

    #[test]
    fn included_ones_come_first_from_all_sources() {
        let low: &[_] = &[("spring.profiles.include", "x,y"), ("spring.profiles.active", "a")];
        assert_eq!(accepted(&[low, &[("spring.profiles.include[0]", "z")]]), "z x y a");
        assert_eq!(accepted(&[&[("spring.profiles.include", "x")]]), "x");
    }

    #[test]
    fn groups_stand_for_their_members() {
        let groups: &[_] = &[
            ("spring.profiles.group.Prod", "db, net"),
            ("spring.profiles.group.net[0]", "tls"),
            ("spring.profiles.group.net[1]", "prod"),
            ("spring.profiles.active", "prod,last"),
        ];
        let profiles = profiles(&[groups]);
        assert_eq!(profiles.accepted.join(" "), "prod db net tls last");
        assert_eq!(profiles.speaking().collect::<Vec<_>>(), ["db", "tls", "last"]);
    }
}
