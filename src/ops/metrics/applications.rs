//! How many instances each application has, by status.
//!
//! Who registers chooses the names of applications, so that their number here has a limit. Those that are shown stay
//! shown while they have instances; others take their places, by name, when these are free.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::Mutex;

use crate::catalog::Listed;
use crate::model::{AppName, InstanceStatus};

/// What stands for all applications that are not shown apart.
const OTHERS: &str = "other";

/// See the module.
#[derive(Debug)]
pub(super) struct Applications {
    most: usize,
    /// Held for counting, by one reader of figures at a time.
    shown: Mutex<BTreeSet<AppName>>,
}

/// What was counted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Counted {
    /// By application and status.
    pub(super) instances: BTreeMap<(String, InstanceStatus), u64>,
    /// Applications that have instances.
    pub(super) applications: usize,
    /// Those of them that are not shown apart.
    pub(super) summed: usize,
}

impl Applications {
    pub(super) fn new(most: usize) -> Self {
        Self { most, shown: Mutex::default() }
    }

    /// Counts a list.
    pub(super) fn count(&self, listed: &Listed) -> Counted {
        let mut by_app: BTreeMap<&AppName, BTreeMap<InstanceStatus, u64>> = BTreeMap::new();
        for instance in listed.instances() {
            *by_app.entry(&instance.app).or_default().entry(instance.status).or_default() += 1;
        }
        let mut shown = self.shown.lock();
        shown.retain(|app| by_app.contains_key(app));
        for app in by_app.keys() {
            if shown.len() >= self.most {
                break;
            }
            shown.insert((*app).clone());
        }
        let mut counted = Counted { applications: by_app.len(), ..Counted::default() };
        for (app, statuses) in by_app {
            let is_shown = shown.contains(app);
            counted.summed += usize::from(!is_shown);
            let name = if is_shown { app.as_str() } else { OTHERS };
            for (status, instances) in statuses {
                *counted.instances.entry((name.to_owned(), status)).or_default() += instances;
            }
        }
        counted
    }
}
