//! The `eurekad` binary: arguments, settings, logging, sockets, serve, exit code.

use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use eurekad::cli::{Cli, Command};
use eurekad::server::{bind, raise_file_limit};
use eurekad::settings::{Loaded, NoticeLevel, Settings, SettingsErrors, Sources};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let cli = match Cli::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(answer) => answer.exit(),
    };
    let environment =
        std::env::vars_os().filter_map(|(name, value)| name.into_string().ok().zip(value.into_string().ok()));
    match Settings::load(Sources { dir: Path::new("."), environment, words: &cli.words }) {
        Ok(loaded) => match cli.command {
            Command::Serve => serve(&loaded),
        },
        Err(errors) => {
            complain(&errors);
            ExitCode::from(SettingsErrors::EXIT_CODE)
        }
    }
}

fn serve(loaded: &Loaded) -> ExitCode {
    let filter = EnvFilter::new(loaded.settings.logging.directives());
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(std::io::stdout().is_terminal()).init();
    for notice in &loaded.notices {
        match notice.level {
            NoticeLevel::Warning => tracing::warn!("{notice}"),
            NoticeLevel::Detail => tracing::debug!("{notice}"),
        }
    }
    match run(&loaded.settings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn run(settings: &Settings) -> anyhow::Result<()> {
    raise_file_limit();
    let (address, port) = (settings.http.address, settings.http.port);
    let listener = bind(address, port).with_context(|| format!("cannot listen on port {port} (server.port)"))?;
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tracing::info!(version = env!("CARGO_PKG_VERSION"), address = %listener.local_addr()?, "listening");
    let shutdown = async {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    if eurekad::serve(settings, vec![listener], shutdown).await {
        tracing::info!("all requests are answered, bye");
    } else {
        tracing::warn!("the time for the shutdown is over, some requests were cut off");
    }
    Ok(())
}

#[expect(clippy::print_stderr, reason = "there may be no log yet, and the caller reads this")]
fn complain(error: &impl std::fmt::Display) {
    eprintln!("eurekad: {error}");
}
