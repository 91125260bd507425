//! The leases that whoever names no regions is shown, for those who show them in a form of their own.

use std::sync::Arc;

use crate::model::{AppName, InstanceId};
use crate::registry::Lease;

use super::Catalog;

impl Catalog {
    /// All, sorted by application and id: what a whole list of this moment has.
    pub fn leases(&self) -> Vec<Arc<Lease>> {
        self.listed().leases().cloned().collect()
    }

    /// Those of an application, sorted by id.
    pub fn leases_of(&self, app: &AppName) -> Vec<Arc<Lease>> {
        self.plain.current().of_app(app).cloned().collect()
    }

    /// That of an instance.
    pub fn lease(&self, app: &AppName, id: &InstanceId) -> Option<Arc<Lease>> {
        self.plain.current().get(app, id).cloned()
    }
}
