//! The `eurekad` binary: arguments, settings, log, sockets, serve, exit code.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use eurekad::access::tls::Tls;
use eurekad::cli::{self, Cli, Command};
use eurekad::clock::Clock;
use eurekad::logging::{self, Console, Log};
use eurekad::server::{Process, Sockets, end_of_process, machine, raise_file_limit};
use eurekad::settings::{Loaded, Settings, SettingsErrors, Sources};

/// Long answers are written and dropped again and again; the system's allocator keeps much of that memory. Measured
/// beside it and jemalloc: docs/benchmarks.md.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(answer) => answer.exit(),
    };
    let mut out = std::io::stdout();
    let done = match cli.command {
        Command::Serve => return start(cli.words),
        Command::Check => cli::check(sources(&cli.words), &mut out),
        Command::Config { json } => cli::config(sources(&cli.words), json, &mut out),
        Command::Completions { shell } => cli::completions(shell, &mut out),
        Command::Healthcheck => cli::healthcheck(sources(&cli.words), &mut out),
        Command::Operate(command) => {
            let named = std::env::var(cli::SERVER_VARIABLE).ok();
            cli::operate(&command, named, sources(&cli.words), &mut out)
        }
    };
    done.map_or(ExitCode::FAILURE, ExitCode::from)
}

fn sources(words: &[String]) -> Sources<'_, BTreeMap<String, String>> {
    let readable = |(name, value): (OsString, OsString)| name.into_string().ok().zip(value.into_string().ok());
    let mut environment: BTreeMap<String, String> = machine().into();
    environment.extend(std::env::vars_os().filter_map(readable));
    // It is no property.
    environment.remove(cli::SERVER_VARIABLE);
    Sources { dir: Path::new("."), environment, words }
}

fn start(words: Vec<String>) -> ExitCode {
    let loaded = Settings::load(sources(&words)).and_then(|loaded| {
        let (tls, notices) = Tls::load(&loaded.settings.tls)?;
        Ok((Loaded { notices: [loaded.notices, notices].concat(), ..loaded }, tls))
    });
    match loaded.map(|(loaded, tls)| serve(&loaded, tls, words)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => complain(&format_args!("{error:#}"), ExitCode::FAILURE),
        Err(mistakes) => complain(&mistakes, SettingsErrors::EXIT_CODE.into()),
    }
}

#[tokio::main]
async fn serve(Loaded { settings, notices }: &Loaded, tls: Tls, words: Vec<String>) -> anyhow::Result<()> {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let console = Console { terminal: std::io::stdout().is_terminal(), no_color };
    let log = Log::open(settings, console, Clock::system())?;
    log.install();
    logging::report(notices);
    raise_file_limit();
    let sockets = Sockets::bind(settings)?;
    let process = Process::new(&log, Arc::new(move || Settings::examine(sources(&words))), tls)?;
    let end = end_of_process()?;
    logging::banner(settings, &sockets.addresses());
    if eurekad::serve(settings, sockets, process, end).await {
        tracing::info!("all requests are answered, bye");
    } else {
        tracing::warn!("the time for the shutdown is over, some requests were cut off");
    }
    Ok(())
}

#[expect(clippy::print_stderr, reason = "there may be no log yet, and the caller reads this")]
fn complain(error: &impl std::fmt::Display, code: ExitCode) -> ExitCode {
    eprintln!("eurekad: {error}");
    code
}
