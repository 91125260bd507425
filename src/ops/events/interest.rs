//! Who wants events. While nobody does, none are made.

use tokio::sync::watch;

/// Somebody wants events, as long as this lives.
pub struct Interest(watch::Sender<usize>);

impl Interest {
    /// One more of those that are counted there.
    pub(super) fn begin(interested: &watch::Sender<usize>) -> Self {
        interested.send_modify(|interested| *interested += 1);
        Self(interested.clone())
    }
}

impl Drop for Interest {
    fn drop(&mut self) {
        self.0.send_modify(|interested| *interested -= 1);
    }
}
