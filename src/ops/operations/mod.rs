//! What operators do all day: find instances, take them out of traffic and back, end leases, and ask why.
//!
//! JSON in and out below `/eureka/operations`; Java has nothing like it. Who may read may ask; what changes something
//! takes the role of an operator, and is written down with its reason. A mistake is a 400 whose sentence names the
//! field, and then nothing has changed. What does not say which instances it means is one.
//!
//! | file | what |
//! | --- | --- |
//! | `instances` | search |
//! | `insight` | why an instance is still there, self-preservation, the peers |
//! | `drain`, `resume` | out of traffic and back |
//! | `overrides` | all of them, and an end to them |
//! | `evict` | ending leases, and accepting a loss |
//! | `memory` | what was done here, for undoing it |
//! | `request`, `selection`, `shown`, `error` | what they have in common |

mod drain;
mod error;
mod evict;
mod insight;
mod instances;
mod memory;
mod overrides;
mod request;
mod resume;
mod selection;
mod shown;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};

use crate::access::Needs;
use crate::settings::Role;

use super::Context;

pub use memory::Memory;

/// No request of an operator is longer.
const LONGEST_BODY: usize = 64 * 1024;

/// Everything below `/eureka/operations`.
pub(super) fn router(context: &Context) -> Router {
    let questions = Router::new()
        .route("/instances", get(instances::all))
        .route("/explain/{app}/{instance}", get(insight::explain))
        .route("/preservation", get(insight::preservation))
        .route("/peers", get(insight::peers))
        .route("/overrides", get(overrides::all))
        .route("/drains", get(drain::all));
    let actions = Router::new()
        .route("/drain", post(drain::drain))
        .route("/resume", post(resume::resume))
        .route("/evict", post(evict::evict))
        .route("/accept", post(evict::accept))
        .route("/overrides/clear", post(overrides::clear))
        .layer(DefaultBodyLimit::max(LONGEST_BODY));
    let access = &context.access;
    let routes = access.over(questions, Needs::Role(Role::Read)).merge(access.over(actions, Needs::OperateOnSome));
    Router::new().nest("/eureka/operations", routes.with_state(context.clone()))
}
