//! The log of the process: a line an event on standard output. Only the binary starts it; a program
//! that uses this library has its own.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

use crate::settings::{Loaded, NoticeLevel};

/// Logs from here on what `logging.level.*` asks for, first what is to be said about the settings.
/// Where the process has a log already, that one stays.
pub fn start(loaded: &Loaded) {
    let filter = EnvFilter::new(loaded.settings.logging.directives());
    let colours = std::io::stdout().is_terminal();
    let _ = tracing::subscriber::set_global_default(
        tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours).finish(),
    );
    for notice in &loaded.notices {
        match notice.level {
            NoticeLevel::Warning => tracing::warn!("{notice}"),
            NoticeLevel::Detail => tracing::debug!("{notice}"),
        }
    }
}
