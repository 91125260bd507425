//! What happens again and again is logged now and then.

use std::time::Duration;

use tokio::time::Instant;

/// How often the same complaint is logged.
const COMPLAIN_AGAIN: Duration = Duration::from_mins(1);

/// Something that happens again and again and is to be logged now and then.
#[derive(Debug, Default)]
pub(super) struct Complaint {
    last: Option<Instant>,
}

impl Complaint {
    /// Whether it is to be logged now; then it is not for a while.
    pub(super) fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let due = self.last.is_none_or(|last| now - last >= COMPLAIN_AGAIN);
        if due {
            self.last = Some(now);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_complaint_is_made_once_a_minute() {
        let mut complaint = Complaint::default();
        assert!(complaint.is_due());
        assert!(!complaint.is_due());
        tokio::time::advance(COMPLAIN_AGAIN / 2).await;
        assert!(!complaint.is_due());
        tokio::time::advance(COMPLAIN_AGAIN / 2).await;
        assert!(complaint.is_due());
        assert!(!complaint.is_due());
    }
}
