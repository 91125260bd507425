//! What the process lends to its server.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::access::tls::Tls;
use crate::logging::{AccessLog, Log, LogFiles, LogLevels};

use super::ReadSettings;

/// Log, settings and signals; a server in a test has nothing of it.
#[derive(Default)]
pub struct Process {
    /// Where each request is written down.
    pub access: Option<AccessLog>,
    /// What is logged.
    pub levels: Option<LogLevels>,
    /// Where it is written, to be opened anew when the process is hung up on.
    pub files: Option<LogFiles>,
    /// Where settings are read again.
    pub read_settings: Option<ReadSettings>,
    /// `SIGHUP`: the settings are read again.
    pub hangups: Option<Signal>,
    /// What was made of the settings of TLS.
    pub tls: Tls,
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
        })
    }
}

/// Ends with the first `SIGTERM` or `SIGINT` from now on. Must be called within the runtime.
pub fn end_of_process() -> io::Result<impl Future<Output = ()>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
