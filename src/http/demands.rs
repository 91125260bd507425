//! What each request takes, by its resource and method. `docs/security.md` has the same as a table.

use http::Method;
use http::request::Parts;

use crate::access::{Caller, Needs};
use crate::model::{AppName, InstanceId};
use crate::registry::Origin;
use crate::settings::Role;

use super::error::ApiError;
use super::resource::{Key, Resource};
use super::{Api, origin};

impl Resource<'_> {
    /// What a request for the resource takes. Batches carry no header that says who speaks, so that their path
    /// decides; the header on any other change makes it a peer's.
    pub(super) fn needs(&self, head: &Parts) -> Needs<'_> {
        match (&head.method, self) {
            (&Method::GET | &Method::HEAD, _) => Needs::Role(Role::Read),
            (&Method::OPTIONS, _) => Needs::Login,
            (_, Self::Batch | Self::Digest) => Needs::Role(Role::Peer),
            _ if origin(&head.headers) == Origin::Peer => Needs::Role(Role::Peer),
            (_, Self::Status(Key { app, .. }) | Self::Metadata(Key { app, .. })) => Needs::Override { app },
            (_, Self::App(app) | Self::Instance(Key { app, .. })) => Needs::Change { app },
            // What is left changes nothing, here or in Java, but for groups of Amazon's.
            _ => Needs::Operate,
        }
    }

    /// Refuses a change to an instance that is not the caller's. Of a registration the body says whose it is.
    pub(super) fn check_owner(&self, api: &Api, caller: &Caller, head: &Parts) -> Result<(), ApiError> {
        match self {
            Self::Instance(key) | Self::Status(key) | Self::Metadata(key)
                if ![Method::GET, Method::HEAD, Method::OPTIONS].contains(&head.method)
                    && !api.access.owns(caller, AppName::new(&key.app), InstanceId::new(&*key.id)) =>
            {
                Err(ApiError::NotTheOwner)
            }
            _ => Ok(()),
        }
    }

    /// Whether this cancels an instance that is known to be somebody else's.
    pub(super) fn cancels_anothers(&self, api: &Api, caller: &Caller, head: &Parts) -> bool {
        let Self::Instance(key) = self else { return false };
        head.method == Method::DELETE
            && origin(&head.headers) != Origin::Peer
            && api.access.is_anothers(caller, AppName::new(&key.app), InstanceId::new(&*key.id))
    }

    /// Whether somebody may want to know who did it.
    pub(super) fn is_privileged(&self) -> bool {
        matches!(self, Self::Status(_) | Self::Metadata(_))
    }
}
