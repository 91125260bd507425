//! How many leases there may be (Java's server takes any number).
//!
//! Whoever is held may renew and register again, however many there are; only what is new is refused. What a
//! peer gives at the start is taken whole: half of a registry would be served as all of it.

use super::{Commit, Registry};
use crate::model::{AppName, InstanceId};

/// Why there is no room for one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Full {
    /// So many are held (`eurekad.limits.instances`).
    #[error("there are {0} instances already, see eurekad.limits.instances")]
    Registry(usize),
    /// The application has so many (`eurekad.limits.instances-per-application`).
    #[error("the application has {0} instances already, see eurekad.limits.instances-per-application")]
    Application(usize),
}

impl Registry {
    /// Whether an instance may be registered. Others may be at the same moment: there can be one too many for
    /// each worker of the runtime.
    pub fn check_room(&self, app: &AppName, id: &InstanceId) -> Result<(), Full> {
        if self.held(app, id).is_some() {
            return Ok(());
        }
        let leases = self.len();
        self.room(leases, app)
    }

    /// Whether one more that is not held yet may come into an application.
    pub(super) fn has_room(&self, commit: &Commit, app: &AppName) -> bool {
        self.room(commit.population.leases(), app).is_ok()
    }

    fn room(&self, leases: usize, app: &AppName) -> Result<(), Full> {
        let rules = self.rules.load();
        if leases >= rules.leases.most {
            return Err(Full::Registry(rules.leases.most));
        }
        let most = rules.leases.most_in_app;
        // Counting takes a look at each shard of the application's map.
        if self.apps.get(app.as_str()).is_some_and(|held| held.len() >= most) {
            return Err(Full::Application(most));
        }
        Ok(())
    }
}
