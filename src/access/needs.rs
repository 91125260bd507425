//! What a request takes, and whether somebody has it.

use http::Method;

use crate::model::AppName;
use crate::settings::{Permissions, Role};

/// What a request takes. Which request takes what is said where the paths are: `http/demands`, `ops/actuator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs<'a> {
    /// Nothing if health is public, else a login.
    Health,
    /// A login, whatever its roles.
    Login,
    /// A role.
    Role(Role),
    /// To change an application's instances as their client does.
    Change {
        /// In any letter case.
        app: &'a str,
    },
    /// To change an application's instances from outside: for operators, and for whoever is bound to the
    /// application by name.
    Override {
        /// In any letter case.
        app: &'a str,
    },
    /// To operate, be it on some applications only: which ones, the [`Visitor`](super::Visitor) tells.
    OperateOnSome,
    /// To operate on the server as a whole: whoever is bound to applications may not.
    Operate,
}

impl Needs<'_> {
    /// Whether it is written down who did it: who reads changes nothing.
    pub(super) fn is_privileged(&self, method: &Method) -> bool {
        matches!(self, Self::Override { .. } | Self::OperateOnSome | Self::Operate)
            && ![Method::GET, Method::HEAD].contains(method)
    }

    pub(super) fn are_met_by(&self, permissions: &Permissions) -> bool {
        let Permissions { roles, apps } = permissions;
        let named = |app: &str| {
            let app = AppName::upper(app);
            apps.iter().any(|pattern| pattern.matches(&app))
        };
        match *self {
            Self::Health | Self::Login => true,
            Self::Role(role) => roles.allow(role),
            Self::OperateOnSome => roles.allow(Role::Operate),
            Self::Operate => roles.allow(Role::Operate) && apps.is_empty(),
            Self::Change { app } => roles.allow(Role::Register) && (apps.is_empty() || named(app)),
            Self::Override { .. } if apps.is_empty() => roles.allow(Role::Operate),
            Self::Override { app } => (roles.allow(Role::Operate) || roles.allow(Role::Register)) && named(app),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use crate::settings::Settings;

    use super::*;

    fn permissions(roles: &str, apps: &str) -> Permissions {
        let mut words = vec!["name=a".to_owned(), "password=b".to_owned(), format!("roles={roles}")];
        if !apps.is_empty() {
            words.push(format!("apps={apps}"));
        }
        let words: Vec<String> = words.iter().map(|word| format!("--eurekad.security.users[0].{word}")).collect();
        Settings::from_words(&words).unwrap().security.users[0].permissions.clone()
    }

    #[test]
    fn whoever_is_bound_to_an_application_changes_no_other() {
        let bound = permissions("register", "orders*,Billing");
        for app in ["ORDERS", "orders-eu", "billing"] {
            assert!(Needs::Change { app }.are_met_by(&bound) && Needs::Override { app }.are_met_by(&bound), "{app}");
        }
        for app in ["STOCK", "BILLING2", ""] {
            assert!(!Needs::Change { app }.are_met_by(&bound) && !Needs::Override { app }.are_met_by(&bound), "{app}");
        }
        let operator = permissions("operate", "orders");
        assert!(!Needs::Override { app: "stock" }.are_met_by(&operator));
        assert!(!Needs::Change { app: "orders" }.are_met_by(&operator));
        assert!(Needs::OperateOnSome.are_met_by(&operator) && !Needs::Operate.are_met_by(&operator));
        assert!(Needs::Operate.are_met_by(&permissions("operate", "")));
    }

    #[test]
    fn whoever_is_bound_to_none_sets_no_status_of_others_from_outside() {
        let app = "ORDERS";
        assert!(!Needs::Override { app }.are_met_by(&permissions("register", "")));
        assert!(Needs::Change { app }.are_met_by(&permissions("register", "")));
        assert!(Needs::Override { app }.are_met_by(&permissions("operate", "")));
    }
}
