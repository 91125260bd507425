//! Room on the disk (`DiskSpaceHealthIndicator`).

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::json;

use crate::settings::HealthSettings;

use super::report::{Report, Status};

/// How long a disk may take to answer: one on a network may never.
const PATIENCE: Duration = Duration::from_secs(1);

/// Looks at a disk, once at a time: however many ask, one thread at most waits for it.
#[derive(Debug, Default)]
pub(super) struct Disk(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    looking: AtomicBool,
    /// What was seen last, for those who ask while somebody looks; held for a look.
    last: Mutex<Option<Report>>,
}

impl Disk {
    /// DOWN with less room than there must be; UNKNOWN if that cannot be told.
    pub(super) async fn look(&self, settings: &HealthSettings) -> Report {
        let unknown = || Report::of(Status::Unknown).described(Some("the disk does not answer".to_owned()));
        if self.0.looking.swap(true, Ordering::AcqRel) {
            return self.0.last.lock().clone().unwrap_or_else(unknown);
        }
        let (path, threshold) = (settings.disk_path.clone(), settings.disk_threshold);
        let shared = Arc::clone(&self.0);
        let look = tokio::task::spawn_blocking(move || {
            let found = report(&path, threshold);
            *shared.last.lock() = Some(found.clone());
            shared.looking.store(false, Ordering::Release);
            found
        });
        if let Ok(Ok(report)) = tokio::time::timeout(PATIENCE, look).await {
            return report;
        }
        *self.0.last.lock() = None;
        unknown()
    }
}

fn report(path: &Path, threshold: usize) -> Report {
    let threshold = u64::try_from(threshold).unwrap_or(u64::MAX);
    let shown = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let Ok(found) = rustix::fs::statvfs(path) else {
        let details = json!({"path": shown.display().to_string(), "exists": false, "threshold": threshold});
        return Report::of(Status::Down).with(details);
    };
    let (total, free) = (found.f_blocks.saturating_mul(found.f_frsize), found.f_bavail.saturating_mul(found.f_frsize));
    let status = if free >= threshold { Status::Up } else { Status::Down };
    Report::of(status).with(json!({
        "exists": true, "free": free, "path": shown.display().to_string(), "threshold": threshold, "total": total,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_room_than_there_must_be_is_down() {
        let here = Path::new(".");
        let (enough, too_little) = (report(here, 0), report(here, usize::MAX));
        assert_eq!((enough.status, too_little.status), (Status::Up, Status::Down));
        assert!(enough.details["total"].as_u64() >= enough.details["free"].as_u64());
        assert_eq!(report(Path::new("/no/such/folder"), 0).status, Status::Down);
    }

    #[tokio::test]
    async fn one_thread_at_most_waits_for_a_disk() {
        let disk = Disk::default();
        let settings = HealthSettings::default();
        assert_eq!(disk.look(&settings).await.status, Status::Up);
        disk.0.looking.store(true, Ordering::Release);
        assert_eq!(disk.look(&settings).await.status, Status::Up, "as somebody saw it");
        *disk.0.last.lock() = None;
        assert_eq!(disk.look(&settings).await.status, Status::Unknown, "nobody has seen it");
    }
}
