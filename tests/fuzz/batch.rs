//! What a peer sends in a batch, and what it answers to one.

use std::sync::Arc;

use eurekad::codec::Limits;
use eurekad::codec::json::{read_batch, read_outcomes, write_batch};
use eurekad::model::{LeaseTimes, OutgoingAction, OutgoingItem, ReplicationAction, ReplicationItem};

use super::assert_is_a_line;
use super::instance::{accepted, assert_survives};
use super::json::{NARROW, narrowly};

pub(super) fn check(body: &[u8]) {
    let limits = Limits::default();
    match read_batch(body, &limits) {
        Ok(items) => {
            let mut passed_on = Vec::new();
            for item in items {
                match item {
                    Ok(item) => passed_on.extend(sent_on(item)),
                    Err(error) => assert_is_a_line(&error.to_string()),
                }
            }
            let again = read_batch(&write_batch(&passed_on), &limits).expect("a list");
            let again: Vec<_> = again.into_iter().map(|item| sent_on(item.expect("an item"))).collect();
            assert_eq!(again, passed_on.into_iter().map(Some).collect::<Vec<_>>());
        }
        Err(error) => assert_is_a_line(&error.to_string()),
    }
    narrowly(read_batch(body, &NARROW));
    for expected in [1, 3] {
        match read_outcomes(body, &limits, expected) {
            Ok(answers) => {
                assert_eq!(answers.len(), expected);
                for newer in answers.into_iter().filter_map(|answer| answer.entity) {
                    accepted(*newer).iter().for_each(assert_survives);
                }
            }
            Err(error) => assert_is_a_line(&error.to_string()),
        }
    }
}

/// The item as one would tell it to another server; none where its instance is refused.
fn sent_on(item: ReplicationItem) -> Option<OutgoingItem> {
    let ReplicationItem { app, id, last_dirty, override_set, background, action } = item;
    let (status, action) = match action {
        ReplicationAction::Heartbeat { overridden_status } => (None, OutgoingAction::Heartbeat { overridden_status }),
        ReplicationAction::Register(registration) => {
            let instance = Arc::new(accepted(*registration)?);
            (None, OutgoingAction::Register { instance, times: LeaseTimes::default() })
        }
        ReplicationAction::Cancel => (None, OutgoingAction::Cancel),
        ReplicationAction::StatusUpdate(status) => (Some(status), OutgoingAction::StatusUpdate),
        ReplicationAction::DeleteStatusOverride(status) => (Some(status), OutgoingAction::DeleteStatusOverride),
    };
    Some(OutgoingItem { app, id, last_dirty, status, override_set, background, action })
}
