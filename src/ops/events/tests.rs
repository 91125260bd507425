//! Events and their readers, through the router.

use std::sync::Arc;

use crate::peers::NodeId;
use crate::registry::PreservationNews;

use super::*;

/// An event with this number.
pub(crate) fn event(sequence: u64) -> Arc<Event> {
    let id = EventId { epoch: NodeId::of(7), sequence };
    let news = PreservationNews { at: 1, held: None, lapsed: 0, silent: 0, renewals: 0, threshold: 0 };
    Arc::new(Event::of_preservation(id, &news))
}
