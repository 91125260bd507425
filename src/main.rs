//! The `eurekad` binary: arguments, settings, log, sockets, serve, exit code.

use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use eurekad::cli::{self, Cli, Command};
use eurekad::clock::Clock;
use eurekad::logging::{self, Console, Log};
use eurekad::server::{bind, raise_file_limit};
use eurekad::settings::{Loaded, Settings, SettingsErrors, Sources};
use tokio::signal::unix::{SignalKind, signal};

fn main() -> ExitCode {
    let cli = match Cli::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(answer) => answer.exit(),
    };
    let environment =
        std::env::vars_os().filter_map(|(name, value)| name.into_string().ok().zip(value.into_string().ok()));
    let sources = Sources { dir: Path::new("."), environment, words: &cli.words };
    let mut out = std::io::stdout();
    let done = match cli.command {
        Command::Serve => return start(sources),
        Command::Check => cli::check(sources, &mut out),
        Command::Config { json } => cli::config(sources, json, &mut out),
        Command::Completions { shell } => cli::completions(shell, &mut out),
    };
    done.map_or(ExitCode::FAILURE, ExitCode::from)
}

fn start<E: IntoIterator<Item = (String, String)>>(sources: Sources<'_, E>) -> ExitCode {
    let loaded = match Settings::load(sources) {
        Ok(loaded) => loaded,
        Err(errors) => return complain(&errors, SettingsErrors::EXIT_CODE.into()),
    };
    match serve(&loaded) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(&format_args!("{error:#}"), ExitCode::FAILURE),
    }
}

#[tokio::main]
async fn serve(Loaded { settings, notices }: &Loaded) -> anyhow::Result<()> {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let console = Console { terminal: std::io::stdout().is_terminal(), no_color };
    let log = Log::open(settings, console, Clock::system())?;
    log.install();
    logging::report(notices);
    raise_file_limit();
    let port = settings.http.port;
    let listener =
        bind(settings.http.address, port).with_context(|| format!("cannot listen on port {port} (server.port)"))?;
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    logging::banner(settings, &[listener.local_addr()?]);
    let shutdown = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    if eurekad::serve(settings, vec![listener], log.access(), shutdown).await {
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
