//! Who was let in, for handlers that go by it.

use std::sync::Arc;

use crate::model::AppName;

use super::Needs;
use super::gate::{ANONYMOUS, Principal};

/// Somebody who was let in. Requests that come through [`Access::over`](super::Access::over) carry one among their
/// extensions.
#[derive(Clone, Debug, Default)]
pub struct Visitor(pub(super) Option<Arc<Principal>>);

impl Visitor {
    /// The name; none without a login.
    pub fn name(&self) -> Option<&str> {
        self.0.as_ref().map(|principal| &*principal.name).filter(|name| *name != ANONYMOUS)
    }

    /// Whether an application's instances may be changed from outside.
    pub fn may_change(&self, app: &AppName) -> bool {
        self.has(Needs::Override { app: app.as_str() })
    }

    /// Whether those of all applications may be.
    pub fn may_change_all(&self) -> bool {
        self.has(Needs::Operate)
    }

    /// Whether the operations API takes an application's instances.
    pub fn may_operate_on(&self, app: &AppName) -> bool {
        self.has(Needs::OperateOnSome) && self.may_change(app)
    }

    fn has(&self, needs: Needs<'_>) -> bool {
        self.0.as_ref().is_none_or(|principal| needs.are_met_by(&principal.permissions))
    }
}
