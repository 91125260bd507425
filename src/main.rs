//! The `eurekad` binary: arguments, settings, logging, sockets, serve, exit code.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use eurekad::cli::{Cli, Command};
use eurekad::logging;
use eurekad::server::{bind, raise_file_limit};
use eurekad::settings::{Settings, SettingsErrors, Sources};
use tokio::signal::unix::{SignalKind, signal};

fn main() -> ExitCode {
    let cli = match Cli::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(answer) => answer.exit(),
    };
    let environment =
        std::env::vars_os().filter_map(|(name, value)| name.into_string().ok().zip(value.into_string().ok()));
    let loaded = match Settings::load(Sources { dir: Path::new("."), environment, words: &cli.words }) {
        Ok(loaded) => loaded,
        Err(errors) => return complain(&errors, SettingsErrors::EXIT_CODE.into()),
    };
    logging::start(&loaded);
    match cli.command {
        Command::Serve => match serve(&loaded.settings) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => complain(&format_args!("{error:#}"), ExitCode::FAILURE),
        },
    }
}

#[tokio::main]
async fn serve(settings: &Settings) -> anyhow::Result<()> {
    raise_file_limit();
    let (address, port) = (settings.http.address, settings.http.port);
    let listener = bind(address, port).with_context(|| format!("cannot listen on port {port} (server.port)"))?;
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tracing::info!(version = env!("CARGO_PKG_VERSION"), address = %listener.local_addr()?, "listening");
    let shutdown = async move {
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
fn complain(error: &impl std::fmt::Display, code: ExitCode) -> ExitCode {
    eprintln!("eurekad: {error}");
    code
}
