//! Who registered which instance here (`eurekad.security.bind-instances`): nobody else may change it, unless they
//! may operate or replicate.
//!
//! A node knows this of what was registered with it since its start. What a peer told is nobody's, until somebody
//! registers it here.

use std::sync::Arc;

use dashmap::DashMap;
use dashmap::mapref::entry::Entry;

use crate::model::{AppName, InstanceId};

/// Somebody who was let in where instances have owners.
#[derive(Clone, Debug)]
pub struct Caller {
    pub(super) login: Login,
    pub(super) name: Arc<str>,
    /// Whether instances of others may be changed.
    pub(super) changes_all: bool,
}

/// By what somebody is known. A user and a token of the same name are two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Login {
    Password,
    Token,
    Certificate,
    /// Nothing.
    Anonymous,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Owners(DashMap<(AppName, InstanceId), Owner>);

#[derive(Debug)]
struct Owner {
    login: Login,
    name: Arc<str>,
    /// Not registered when somebody looked; it may be just about to be.
    was_missing: bool,
}

impl Owner {
    fn is(&self, caller: &Caller) -> bool {
        self.login == caller.login && self.name == caller.name
    }
}

impl Owners {
    /// Makes an instance the caller's, unless it is somebody else's.
    pub(super) fn claim(&self, caller: &Caller, app: AppName, id: InstanceId) -> bool {
        match self.0.entry((app, id)) {
            Entry::Vacant(entry) => {
                entry.insert(Owner { login: caller.login, name: Arc::clone(&caller.name), was_missing: false });
                true
            }
            Entry::Occupied(mut entry) => {
                entry.get_mut().was_missing = false;
                caller.changes_all || entry.get().is(caller)
            }
        }
    }

    /// Whether the caller may change an instance.
    pub(super) fn allow(&self, caller: &Caller, app: AppName, id: InstanceId) -> bool {
        caller.changes_all || !self.is_anothers(caller, app, id)
    }

    /// Whether an instance is known to be somebody else's.
    pub(super) fn is_anothers(&self, caller: &Caller, app: AppName, id: InstanceId) -> bool {
        self.0.get(&(app, id)).is_some_and(|owner| !owner.is(caller))
    }

    /// Forgets instances that were missing twice in a row.
    pub(super) fn forget(&self, is_missing: impl Fn(&AppName, &InstanceId) -> bool) {
        self.0.retain(|(app, id), owner| {
            let missing = is_missing(app, id);
            !(std::mem::replace(&mut owner.was_missing, missing) && missing)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(name: &str, changes_all: bool) -> Caller {
        Caller { login: Login::Password, name: name.into(), changes_all }
    }

    #[test]
    fn an_instance_is_its_first_registrants_until_it_is_gone() {
        let owners = Owners::default();
        let (orders, stock, ops) = (caller("orders", false), caller("stock", false), caller("ops", true));
        let key = || (AppName::new("A"), InstanceId::new("1"));
        let (claim, allow) = (|who| owners.claim(who, key().0, key().1), |who| owners.allow(who, key().0, key().1));
        assert!(allow(&stock), "it is nobody's");
        assert!(claim(&orders) && claim(&orders) && !claim(&stock) && claim(&ops));
        assert!(allow(&orders) && !allow(&stock) && allow(&ops));
        assert!(owners.is_anothers(&ops, key().0, key().1), "that is told");
        let token = Caller { login: Login::Token, ..orders.clone() };
        assert!(!allow(&token) && !claim(&token), "a token of that name is somebody else");
        owners.forget(|_, _| true);
        owners.forget(|_, _| false);
        owners.forget(|_, _| true);
        assert!(!claim(&stock), "it was there in between");
        owners.forget(|_, _| true);
        owners.forget(|_, _| true);
        assert!(claim(&stock));
    }
}
