//! `eurekad`: the server itself.

use std::io::IsTerminal as _;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;

use crate::access::tls::Tls;
use crate::clock::Clock;
use crate::logging::{self, Console, Log};
use crate::server::{self, Inherited, Process, ReadSettings, Sockets, end_of_process, raise_file_limit};
use crate::settings::{Examined, Settings, SettingsErrors};

use super::sources;

/// Serves until a signal comes, and ends well then; with [`SettingsErrors::EXIT_CODE`] if the settings are wrong. A second
/// signal ends it at once, with the code of one that it ended.
pub fn serve(words: Vec<String>) -> ExitCode {
    let inherited = match Inherited::take() {
        Ok(inherited) => inherited,
        Err(error) => return complain(&error, ExitCode::FAILURE),
    };
    run(words, inherited).unwrap_or_else(|error| {
        let is_mistake = error.is::<SettingsErrors>();
        let code = if is_mistake { SettingsErrors::EXIT_CODE.into() } else { ExitCode::FAILURE };
        complain(&format_args!("{error:#}"), code)
    })
}

fn run(words: Vec<String>, inherited: Inherited) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(until_ended(words.into(), inherited));
    // What still waits for a disk or for a name holds up nobody.
    runtime.shutdown_background();
    ended
}

async fn until_ended(words: Arc<[String]>, inherited: Inherited) -> anyhow::Result<ExitCode> {
    // First of all: process 1 of a container is sent no signal that it has no handler for.
    let (end, second) = end_of_process()?;
    let (mut end, mut second) = (pin!(end), pin!(second));
    let given = Arc::clone(&words);
    let (settings, read, tls, log) = tokio::select! {
        prepared = tokio::task::spawn_blocking(move || prepare(&given)) => prepared??,
        () = &mut end => return Ok(complain(&"a signal came before the settings were read", ExitCode::SUCCESS)),
        code = &mut second => return Ok(code.into()),
    };
    log.install();
    logging::report(&read.notices);
    raise_file_limit();
    let sockets = Sockets::bind(&settings, inherited)?;
    let again = Box::new(move || Settings::examine(sources(&words)));
    let process = Process::new(&log, ReadSettings { first: read, again }, tls)?;
    logging::banner(&settings, &sockets.addresses());
    Ok(tokio::select! {
        _all_answered = server::serve(&settings, sockets, process, end) => ExitCode::SUCCESS,
        code = second => code.into(),
    })
}

/// Reads settings and opens the log; waits for files however long.
fn prepare(words: &[String]) -> anyhow::Result<(Settings, Examined, Tls, Log)> {
    let mut read = Settings::examine(sources(words));
    let settings = read.outcome.clone()?;
    let (tls, more) = Tls::load(&settings.tls)?;
    read.notices.extend(more);
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let console = Console { terminal: std::io::stdout().is_terminal(), no_color };
    let log = Log::open(&settings, console, Clock::system())?;
    Ok((settings, read, tls, log))
}

#[expect(clippy::print_stderr, reason = "there may be no log yet, and the caller reads this")]
fn complain(error: &impl std::fmt::Display, code: ExitCode) -> ExitCode {
    eprintln!("eurekad: {error}");
    code
}
