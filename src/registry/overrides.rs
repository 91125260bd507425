//! Which status an instance has, after its own word and a status set from outside.

use crate::model::InstanceStatus;

/// The effective status (`FirstMatchWinsCompositeRule`), first match wins:
///
/// 1. An own status other than `UP` and `OUT_OF_SERVICE` is believed: it knows best that it is not well.
/// 2. A status set from outside.
/// 3. The own status.
///
/// Java has another rule before the last: an existing lease's `UP` or `OUT_OF_SERVICE` is kept for a
/// client's own registration, so that one that starts `OUT_OF_SERVICE` never gets out again by itself.
/// It is left out here: what an operator sets is rule 2 and lasts, what a client says is believed.
pub(super) fn effective_status(own: InstanceStatus, override_status: Option<InstanceStatus>) -> InstanceStatus {
    match own {
        InstanceStatus::Up | InstanceStatus::OutOfService => override_status.unwrap_or(own),
        InstanceStatus::Down | InstanceStatus::Starting | InstanceStatus::Unknown => own,
    }
}

#[cfg(test)]
mod tests {
    use super::effective_status;
    use crate::model::InstanceStatus::{Down, OutOfService, Starting, Unknown, Up};

    #[test]
    fn first_match_wins() {
        assert_eq!(effective_status(Down, Some(Up)), Down);
        assert_eq!(effective_status(Starting, Some(OutOfService)), Starting);
        assert_eq!(effective_status(Unknown, Some(Up)), Unknown);
        assert_eq!(effective_status(Up, Some(OutOfService)), OutOfService);
        assert_eq!(effective_status(OutOfService, Some(Down)), Down);
        assert_eq!(effective_status(Up, Some(Unknown)), Unknown);
        assert_eq!(effective_status(OutOfService, None), OutOfService);
        assert_eq!(effective_status(Up, None), Up);
    }
}
