//! Which events somebody wants.

use std::collections::HashSet;

use crate::model::{AppName, EventKind};

use super::event::Event;

/// Some applications and kinds; none listed: all of them.
///
/// Events of peers and of self-preservation are about no application: whoever lists applications gets them
/// only by listing their kinds as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// These applications; none listed: all.
    pub apps: HashSet<AppName>,
    /// These kinds; none listed: all.
    pub kinds: Vec<EventKind>,
}

impl Filter {
    /// Whether an event is wanted.
    pub fn passes(&self, event: &Event) -> bool {
        let kind_is_listed = self.kinds.contains(&event.kind);
        let app = match &event.about {
            Some((app, _)) => self.wants_app(app),
            None => self.apps.is_empty() || kind_is_listed,
        };
        app && (self.kinds.is_empty() || kind_is_listed)
    }

    /// Whether an application's events are wanted.
    pub fn wants_app(&self, app: &AppName) -> bool {
        self.apps.is_empty() || self.apps.contains(app)
    }
}
