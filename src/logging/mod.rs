//! The log: which events become lines, what they look like, where they go; and the access log.
//!
//! It guarantees that nobody who logs waits for a disk, a pipe or a terminal; that memory is bounded
//! and what does not fit is counted; that no text from outside can forge a line. Properties are
//! Spring Boot's (`logging.*`, `server.tomcat.accesslog.*`). `docs/logging.md` has what is logged.
//!
//! | file | what | Java's counterpart |
//! | --- | --- | --- |
//! | `levels` | [`LogLevels`] | `LoggingSystem`, `LoggersEndpoint` |
//! | `event` | events to lines | Logback's `Appender` |
//! | `format` | text, ECS, Logstash | `StructuredLogFormatter`s |
//! | `escape` | text from outside | none: a client can forge lines of a Java server |
//! | `stamps` | times and days | |
//! | `queue` | lines on their way | `AsyncAppender` |
//! | `files`, `rolling`, `daily` | where they end up | `RollingFileAppender`, `AccessLogValve` |
//! | `access` | [`AccessLog`] | `AbstractAccessLogValve` |
//! | `banner` | what is said at the start | |

mod access;
mod banner;
mod daily;
mod escape;
mod event;
mod files;
mod format;
mod levels;
mod queue;
mod rolling;
mod stamps;

use std::net::SocketAddr;
use std::sync::Arc;

use tracing::Dispatch;
use tracing_subscriber::Registry;
use tracing_subscriber::layer::SubscriberExt as _;

pub use access::AccessLog;
pub use banner::{banner, report};
pub use files::LogFileError;
pub use levels::{LogLevels, LoggerLevel, UnknownLogger};

use crate::clock::Clock;
use crate::settings::{Colours, LineFormat, LogFileSettings, LoggingSettings, Settings};
use event::Outputs;
use files::Stream;
use format::Format;
use queue::Queue;
use rolling::RollingFile;
use stamps::Stamps;

/// Who speaks at the other end of a request's connection: an extension of every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub SocketAddr);

/// What standard output is.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    /// A terminal.
    pub terminal: bool,
    /// Somebody wants no colours on terminals (`NO_COLOR`).
    pub no_color: bool,
}

/// Whose login a request had: an extension of its answer, for the access log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserName(pub Arc<str>);

/// The log of a process. When it goes, the last lines are written (for two seconds at most).
#[derive(Debug)]
pub struct Log {
    dispatch: Dispatch,
    levels: LogLevels,
    files: LogFiles,
    access: Option<AccessLog>,
}

impl Log {
    /// Opens the log's files. Nothing is logged before [`install`](Self::install).
    pub fn open(settings: &Settings, console: Console, clock: Clock) -> Result<Self, LogFileError> {
        let logging = &settings.logging;
        let service = settings.own.application_name.as_deref().unwrap_or(env!("CARGO_PKG_NAME"));
        let stamps = Stamps::local(clock);
        let colours = match logging.colours {
            Colours::Always => true,
            Colours::Never => false,
            Colours::Detect => console.terminal && !console.no_color,
        };
        let stdout = Queue::start("console", Stream(std::io::stdout()));
        let stdout = stdout.map_err(|error| LogFileError { path: "/dev/stdout".into(), property: "console", error })?;
        let mut outputs = vec![(look(logging.console, colours, service), stdout)];
        outputs.extend(file(&logging.file, service, &stamps)?);
        let access = match &logging.access {
            access if access.enabled => Some(AccessLog::open(access, stamps.clone())?),
            _ => None,
        };
        let queues = outputs.iter().map(|(_, queue)| queue).chain(access.as_ref().map(AccessLog::queue));
        let files = LogFiles(queues.cloned().collect());
        let (levels, dispatch) = subscriber(logging, Outputs { stamps, outputs });
        Ok(Self { dispatch, levels, files, access })
    }

    /// Makes it the log of this process, from here on; where there is one already, that stays.
    pub fn install(&self) {
        let _ = tracing::dispatcher::set_global_default(self.dispatch.clone());
    }

    /// The levels, to show and to change.
    pub fn levels(&self) -> LogLevels {
        self.levels.clone()
    }

    /// The files, to open them anew.
    pub fn files(&self) -> LogFiles {
        self.files.clone()
    }

    /// The access log, if it is on.
    pub fn access(&self) -> Option<AccessLog> {
        self.access.clone()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        for queue in &self.files.0 {
            queue.end(queue::LAST_LINES);
        }
    }
}

/// Everything that lines are written to. Copies are the same.
#[derive(Clone, Debug)]
pub struct LogFiles(Vec<Queue>);

impl LogFiles {
    /// Opens the files anew, for whoever has moved them away (`logrotate`). Does not wait for it.
    pub fn reopen(&self) {
        for queue in &self.0 {
            queue.reopen();
        }
    }

    /// How many lines were never written: the disk was too slow, or full.
    pub fn lost_lines(&self) -> u64 {
        self.0.iter().map(Queue::lost).fold(0, u64::saturating_add)
    }
}

fn subscriber(settings: &LoggingSettings, outputs: Outputs) -> (LogLevels, Dispatch) {
    let (levels, filter) = LogLevels::new(settings);
    (levels, Dispatch::new(Registry::default().with(filter).with(outputs)))
}

fn file(settings: &LogFileSettings, service: &str, stamps: &Stamps) -> Result<Option<(Format, Queue)>, LogFileError> {
    let Some(path) = &settings.path else { return Ok(None) };
    let file = RollingFile::open(path, settings.max_size, settings.max_history, stamps.clone());
    let queue = file.and_then(|file| Queue::start("log file", file));
    let queue = queue.map_err(|error| LogFileError { path: path.clone(), property: "logging.file.name", error })?;
    Ok(Some((look(settings.format, false, service), queue)))
}

fn look(format: LineFormat, colours: bool, service: &str) -> Format {
    match format {
        LineFormat::Text => Format::Text { colours },
        LineFormat::Ecs => Format::Ecs { service: service.to_owned() },
        LineFormat::Logstash => Format::Logstash,
    }
}

#[cfg(test)]
mod tests;
