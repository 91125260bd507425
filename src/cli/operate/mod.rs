//! What operators do with a running server, from a shell: the operations API with tables for people.
//!
//! `--json` writes what the server answers, for scripts. Exit codes: 0 done, 1 nothing was meant or the server refuses,
//! 2 a mistake in the arguments, 69 no server answers, 78 the settings are wrong.
//!
//! | file | what |
//! | --- | --- |
//! | `arguments` | the commands and their options |
//! | `target` | which server, by which login and TLS |
//! | `server` | one request and its answer |
//! | `questions` | `ls`, `show`, `overrides`, `explain` |
//! | `changes` | `drain`, `resume`, `evict`, `accept`, `overrides --clear`; asks before it does something |
//! | `watch` | the stream of changes |
//! | `table` | columns, times |

mod arguments;
mod changes;
mod questions;
mod server;
mod table;
mod target;
mod watch;

use std::io::{self, IsTerminal as _, Write};

use crate::settings::Sources;

pub use arguments::Operate;

use server::Server;
use target::Target;

/// The variable that names a server for all commands of operators.
pub const SERVER_VARIABLE: &str = "EUREKAD_SERVER";

/// Nothing was meant, or the server refuses.
const REFUSED: u8 = 1;
/// A mistake in the arguments.
const USAGE: u8 = 2;
/// No server answers (`EX_UNAVAILABLE`).
const UNREACHABLE: u8 = 69;

/// Why a command ends early: what to say, and the exit code.
#[derive(Debug)]
struct Stopped {
    code: u8,
    told: String,
}

impl Stopped {
    fn new(code: u8, told: impl Into<String>) -> Self {
        Self { code, told: told.into() }
    }
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::new(REFUSED, format!("cannot write: {error}"))
    }
}

/// Where a command writes and asks.
struct Terminal<'a, W> {
    out: &'a mut W,
    /// Whether there is somebody to ask.
    is_attended: bool,
}

/// Does it; `named` is the server that the environment names. Gives the exit code.
pub fn operate<E>(
    command: &Operate,
    named: Option<String>,
    sources: Sources<'_, E>,
    out: &mut impl Write,
) -> io::Result<u8>
where
    E: IntoIterator<Item = (String, String)>,
{
    let done = runtime().and_then(|runtime| {
        let target = Target::of(command.connect(), named, sources, command.changes())?;
        let server = Server::new(target)?;
        let mut terminal = Terminal { out: &mut *out, is_attended: io::stdin().is_terminal() };
        runtime.block_on(run(command, &server, &mut terminal))
    });
    match done {
        Ok(code) => Ok(code),
        Err(Stopped { code, told }) => {
            out.flush()?;
            writeln!(io::stderr(), "eurekad: {}", super::printable(&told))?;
            Ok(code)
        }
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, Stopped> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Stopped::new(UNREACHABLE, format!("cannot begin: {error}")))
}

async fn run(command: &Operate, server: &Server, terminal: &mut Terminal<'_, impl Write>) -> Result<u8, Stopped> {
    match command {
        Operate::Ls { text, select, connect } => {
            questions::list(server, terminal.out, select, text.as_deref(), connect.json).await
        }
        Operate::Show { app, instance: None, connect } => {
            questions::application(server, terminal.out, app, connect.json).await
        }
        Operate::Show { app, instance: Some(instance), connect } => {
            questions::instance(server, terminal.out, (app, instance), connect.json).await
        }
        Operate::Explain { app, instance, connect } => {
            questions::explain(server, terminal.out, (app, instance), connect.json).await
        }
        Operate::Overrides { clear: false, connect, .. } => {
            questions::overrides(server, terminal.out, connect.json).await
        }
        Operate::Overrides { all, select, change, connect, .. } => {
            changes::clear(server, terminal, select, *all, change, connect.json).await
        }
        Operate::Drain { select, set_status, owner, span, until, change, connect } => {
            let texts = [("status", set_status), ("owner", owner), ("for", span), ("until", until)];
            changes::drain(server, terminal, select, texts, change, connect.json).await
        }
        Operate::Resume { select, operation, change, connect } => {
            changes::resume(server, terminal, select, operation.as_deref(), change, connect.json).await
        }
        Operate::Evict { select, change, connect } => {
            changes::evict(server, terminal, select, change, connect.json).await
        }
        Operate::Accept { change, connect } => changes::accept(server, terminal, change, connect.json).await,
        Operate::Watch { app, kind, since, snapshot, connect } => {
            let query = [("app", app.join(",")), ("kind", kind.join(","))];
            watch::watch(server, terminal.out, &query, *snapshot, since.clone(), connect.json).await
        }
    }
}
