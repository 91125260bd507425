//! What the process lends to its server.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::access::tls::Tls;
use crate::logging::{AccessLog, Log, LogFiles, LogLevels};

use super::{ReadSettings, Supervisor};

/// Log, settings and signals; a server in a test has nothing of it.
#[derive(Default)]
pub struct Process {
    /// Where each request is written down.
    pub access: Option<AccessLog>,
    /// What is logged.
    pub levels: Option<LogLevels>,
    /// Where it is written, to be opened anew when the process is hung up on.
    pub files: Option<LogFiles>,
    /// What was read of settings, and where they are read again.
    pub read_settings: Option<ReadSettings>,
    /// `SIGHUP`: the settings are read again.
    pub hangups: Option<Signal>,
    /// What was made of the settings of TLS.
    pub tls: Tls,
    /// Who is told how the process fares.
    pub supervisor: Supervisor,
}

impl Process {
    /// A process with this log that reads its settings again when it is hung up on. Must be called
    /// within the runtime.
    pub fn new(log: &Log, read_settings: ReadSettings, tls: Tls) -> io::Result<Self> {
        Ok(Self {
            access: log.access(),
            levels: Some(log.levels()),
            files: Some(log.files()),
            read_settings: Some(read_settings),
            hangups: Some(signal(SignalKind::hangup())?),
            tls,
            supervisor: Supervisor::of_environment(),
        })
    }
}

/// Two futures that are to be polled together: one ends with the first `SIGTERM` or `SIGINT` from now on, when the
/// server is to end; the other with the second one, when the process is, with the exit code that a shell gives who ended
/// by it. Must be called within the runtime.
pub fn end_of_process() -> io::Result<(impl Future<Output = ()>, impl Future<Output = u8>)> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let (came, comes) = oneshot::channel();
    let first = async move {
        let _came_or_nobody_waits = comes.await;
    };
    let second = async move {
        ending(&mut terminate, &mut interrupt).await;
        let _nobody_waits = came.send(());
        let code = ending(&mut terminate, &mut interrupt).await;
        tracing::warn!("a second signal came, ending at once");
        code
    };
    Ok((first, second))
}

async fn ending(terminate: &mut Signal, interrupt: &mut Signal) -> u8 {
    tokio::select! {
        _ = terminate.recv() => 128 + 15,
        _ = interrupt.recv() => 128 + 2,
    }
}
