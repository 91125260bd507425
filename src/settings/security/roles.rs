//! What somebody may do: five roles, as a set.

use std::fmt;

/// What one may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Read lists, instances and the server's status.
    Read,
    /// Register, renew and cancel instances.
    Register,
    /// Set statuses and metadata from outside, levels of the log; read the settings again.
    Operate,
    /// Replicate, and read what is to be replicated.
    Peer,
    /// Read figures.
    Metrics,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Read, Self::Register, Self::Operate, Self::Peer, Self::Metrics];

    /// The role's name in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Register => "register",
            Self::Operate => "operate",
            Self::Peer => "peer",
            Self::Metrics => "metrics",
        }
    }

    /// The role of a name, in any letter case, with or without Spring's `ROLE_`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        let name = name.strip_prefix("role_").unwrap_or(&name);
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// A set of roles.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Roles(u8);

impl Roles {
    /// No role: nothing is allowed.
    pub const NONE: Self = Self(0);
    /// What everybody has where no login is set.
    pub const ALL: Self = Self((1 << Role::ALL.len()) - 1);

    /// These roles.
    pub fn of(roles: &[Role]) -> Self {
        roles.iter().fold(Self::NONE, |roles, role| roles.with(*role))
    }

    /// These and one more.
    #[must_use]
    pub const fn with(self, role: Role) -> Self {
        Self(self.0 | 1 << role as u8)
    }

    /// Whether one of them is this role. A peer reads what it copies.
    pub const fn allow(self, role: Role) -> bool {
        self.0 & 1 << role as u8 != 0 || matches!(role, Role::Read) && self.allow(Role::Peer)
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Roles {
    /// Their names, as settings have them; or `none`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("none");
        }
        let names = Role::ALL.into_iter().filter(|role| self.0 & 1 << *role as u8 != 0).map(Role::name);
        f.write_str(&names.collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Debug for Roles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{self}]")
    }
}

/// Reads a list of roles.
pub(super) fn roles(text: &str) -> Result<Roles, String> {
    let named = |name: &str| Role::named(name).ok_or_else(|| format!("roles out of {}", Roles::ALL));
    super::names(text).try_fold(Roles::NONE, |roles, name| Ok(roles.with(named(name)?)))
}

/// Reads the roles of Spring's user; none if no name is one of ours. Such a user may do everything, as in a Java
/// server.
#[expect(clippy::unnecessary_wraps, reason = "the shape of all readers of values")]
pub(super) fn of_springs_user(text: &str) -> Result<Option<Roles>, String> {
    let ours = super::names(text).filter_map(Role::named).fold(Roles::NONE, Roles::with);
    Ok((!ours.is_empty()).then_some(ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case_with_or_without_springs_prefix() {
        assert_eq!(roles("read, REGISTER,ROLE_peer"), Ok(Roles::of(&[Role::Read, Role::Register, Role::Peer])));
        assert_eq!(roles("admin"), Err("roles out of read, register, operate, peer, metrics".to_owned()));
        assert_eq!(Roles::of(&[Role::Metrics, Role::Read]).to_string(), "read, metrics");
    }

    #[test]
    fn of_springs_roles_those_count_that_are_ours() {
        for (written, meant) in
            [("ADMIN", None), ("USER,ACTUATOR", None), ("ADMIN,read", Some(Roles::NONE.with(Role::Read)))]
        {
            assert_eq!(of_springs_user(written), Ok(meant), "{written}");
        }
    }

    #[test]
    fn a_peer_may_read_and_nobody_else_gets_more_than_is_said() {
        for own in Role::ALL {
            for wanted in Role::ALL {
                let allowed = own == wanted || (own, wanted) == (Role::Peer, Role::Read);
                assert_eq!(Roles::NONE.with(own).allow(wanted), allowed, "{own:?} {wanted:?}");
            }
        }
    }
}
