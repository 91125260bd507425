//! Looking instances up, by what one knows of them.

use axum::extract::{RawQuery, State};
use axum::response::Response;
use serde_json::json;

use crate::model::Instance;
use crate::ops::Context;

use super::error::OperationError;
use super::{selection, shown};

/// `GET instances`: those that the parameters select; `q` is a text that stands anywhere in what is known of them.
pub(super) async fn all(State(context): State<Context>, RawQuery(query): RawQuery) -> Result<Response, OperationError> {
    let (selection, text) = selection::of_query(query.as_deref().unwrap_or_default())?;
    let walks = context.walks.clone();
    let answer = walks.list(move || {
        let registry = &context.registry;
        let leases = registry.select(&selection).into_iter();
        let found = leases.filter(|lease| text.as_deref().is_none_or(|text| holds(&lease.instance, text)));
        let found: Vec<_> = found.map(|lease| shown::instance(registry, &lease)).collect();
        shown::list(&context.walks, &json!({"instances": found}))
    });
    Ok(answer.await??)
}

/// Whether a text, in lower case, stands anywhere in it; letter case does not count.
fn holds(instance: &Instance, text: &str) -> bool {
    let holds = |own: &str| own.to_lowercase().contains(text);
    let vips = [&instance.vip_address, &instance.secure_vip_address].into_iter().flatten();
    holds(instance.app.as_str())
        || holds(instance.id.as_str())
        || holds(&instance.host_name)
        || holds(&instance.ip_addr)
        || holds(instance.status.as_str())
        || instance.zone().is_some_and(holds)
        || [instance.port, instance.secure_port].iter().any(|port| port.enabled && port.number.to_string() == text)
        || vips.into_iter().any(|vip| holds(vip))
        || instance.metadata.iter().any(|(key, value)| holds(key) || holds(value) || holds(&format!("{key}={value}")))
}
