//! What the registry holds: plain types in Eureka's own words, with neither bytes nor I/O.
//!
//! Nothing here knows how a document looks: JSON and XML are `codec`'s. Text fields are shared
//! ([`Text`]), so that an instance with another status costs pointers and no copies. Where Java
//! keeps `null` apart from an empty string, this is an `Option`.
//!
//! | file | type | Java's class |
//! | --- | --- | --- |
//! | `names` | [`AppName`], [`InstanceId`] | plain strings |
//! | `status` | [`InstanceStatus`], [`ActionType`] | `InstanceInfo.InstanceStatus`, `ActionType` |
//! | `event_kind` | [`EventKind`] | none |
//! | `data_center` | [`DataCenter`] | `DataCenterInfo`, `AmazonInfo` |
//! | `metadata` | [`Metadata`] | `Map` in `HashMap` order |
//! | `lease_info` | [`LeaseRequest`], [`LeaseTimes`] | `LeaseInfo` |
//! | `instance` | [`Instance`] | `InstanceInfo` |
//! | `override_note` | [`OverrideNote`], [`OverrideBackground`] | none |
//! | `selection` | [`Selection`] | none |
//! | `registration` | [`Registration`], [`Refusal`] | `ApplicationResource.addInstance` |
//! | `replication` | [`ReplicationItem`], [`ReplicationOutcome`]: received | `ReplicationInstance`, `…Response` |
//! | | [`OutgoingItem`], [`PeerAnswer`]: sent | the same |

mod data_center;
mod event_kind;
mod instance;
mod lease_info;
mod metadata;
mod names;
mod override_note;
mod registration;
mod replication;
mod selection;
mod status;

pub use data_center::{DataCenter, NonAmazon};
pub use event_kind::EventKind;
pub use instance::{Instance, Port};
pub use lease_info::{LeaseRequest, LeaseTimes};
pub use metadata::Metadata;
pub use names::{AppName, InstanceId, Text};
pub use override_note::{OverrideBackground, OverrideNote};
pub use registration::{GivenDataCenter, Refusal, Registration};
pub use replication::{
    OutgoingAction, OutgoingItem, PeerAnswer, ReplicationAction, ReplicationItem, ReplicationOutcome,
};
pub use selection::Selection;
pub use status::{ActionType, InstanceStatus};

/// A wall time in milliseconds since 1970, as Eureka writes it. 0 stands for "never".
pub type WallMillis = i64;
