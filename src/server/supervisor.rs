//! What the service manager is told (`sd_notify(3)`): when the server is open for traffic, reads its settings again, ends,
//! and that it is alive. Nothing unless whoever started the process wants to know (`NOTIFY_SOCKET`).
//!
//! Nobody waits for a manager that does not read: what finds its socket full is dropped, beside the news that it waits
//! for.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::time::Duration;

use sd_notify::NotifyState;

use crate::registry::Registry;

use super::tasks::Tasks;

/// How often it is looked whether the opening is over.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// How often a manager that does not read is told that settings are read again; it waits for that.
const RELOADED_TRIES: usize = 20;

/// Who started the process, perhaps nobody that is to be told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Supervisor {
    is_told: bool,
}

impl Supervisor {
    /// As the environment names it.
    pub fn of_environment() -> Self {
        Self { is_told: std::env::var_os("NOTIFY_SOCKET").is_some() }
    }

    /// Tells that the end has begun.
    pub(super) fn tell_end(self) {
        self.tell(&[NotifyState::Stopping, NotifyState::Status("shutting down")]);
    }

    /// Tells that settings are read again, and when that is done; before the opening it is told of that alone.
    /// Blocks, as reading does.
    #[expect(clippy::disallowed_methods, reason = "no worker of the runtime does this")]
    pub(super) fn while_reloading(self, registry: &Registry, work: impl FnOnce()) {
        let is_told = self.is_told && registry.was_opened();
        if is_told {
            let now = NotifyState::monotonic_usec_now().ok();
            self.tell(&[Some(NotifyState::Reloading), now].into_iter().flatten().collect::<Vec<_>>());
        }
        work();
        for _ in 0..RELOADED_TRIES {
            if !is_told || self.tell(&[NotifyState::Ready]) {
                return;
            }
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// Tells without waiting. False when there is no room for it now.
    fn tell(self, states: &[NotifyState<'_>]) -> bool {
        let Some(socket) = std::env::var_os("NOTIFY_SOCKET").filter(|_| self.is_told) else { return true };
        let told = send(&socket, states);
        if let Err(error) = &told {
            tracing::debug!(%error, "the service manager cannot be told");
        }
        told.map_or_else(|error| error.kind() != io::ErrorKind::WouldBlock, |()| true)
    }

    /// How often it is to hear of this process, or will end it (`WATCHDOG_USEC`).
    fn patience(self) -> Option<Duration> {
        sd_notify::watchdog_enabled().filter(|_| self.is_told)
    }
}

/// As `sd_notify::notify` does, which waits for room and knows files only.
fn send(socket: &OsStr, states: &[NotifyState<'_>]) -> io::Result<()> {
    let message = states.iter().fold(String::new(), |mut message, state| {
        let _never_fails = writeln!(message, "{state}");
        message
    });
    let sender = UnixDatagram::unbound()?;
    sender.set_nonblocking(true)?;
    sender.send_to_addr(message.as_bytes(), &address(socket)?).map(|_whole| ())
}

/// A file, or with an `@` before it a name without one, which only Linux has.
fn address(socket: &OsStr) -> io::Result<SocketAddr> {
    #[cfg(target_os = "linux")]
    {
        use std::os::linux::net::SocketAddrExt as _;
        use std::os::unix::ffi::OsStrExt as _;
        if let Some(name) = socket.as_bytes().strip_prefix(b"@") {
            return SocketAddr::from_abstract_name(name);
        }
    }
    SocketAddr::from_pathname(socket)
}

impl Tasks {
    /// Keeps the service manager told until the end begins.
    pub(super) fn keep_told(&self, supervisor: Supervisor, registry: &Arc<Registry>) {
        if !supervisor.is_told {
            return;
        }
        let (leaving, registry) = (self.leaving.clone(), Arc::clone(registry));
        self.tracker.spawn(async move {
            supervisor.tell(&[NotifyState::Status("not open for traffic yet")]);
            while !registry.was_opened() {
                if leaving.run_until_cancelled(tokio::time::sleep(LOOK_AGAIN)).await.is_none() {
                    return;
                }
            }
            // Without it the manager would give up the start.
            while !supervisor.tell(&[NotifyState::Ready, NotifyState::Status("open for traffic")]) {
                if leaving.run_until_cancelled(tokio::time::sleep(LOOK_AGAIN)).await.is_none() {
                    return;
                }
            }
        });
        if let Some(patience) = supervisor.patience() {
            let ending = self.ending.clone();
            self.tracker.spawn(async move {
                let interval = (patience / 2).max(Duration::from_millis(1));
                while ending.run_until_cancelled(tokio::time::sleep(interval)).await.is_some() {
                    supervisor.tell(&[NotifyState::Watchdog]);
                }
            });
        }
    }
}
