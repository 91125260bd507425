//! The `eurekad` binary: arguments, and the command that they name.

use std::process::ExitCode;

use eurekad::cli::{self, Cli, Command, sources};

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
        Command::Serve => return cli::serve(cli.words),
        Command::Check => cli::check(sources(&cli.words), &mut out),
        Command::Config { json } => cli::config(sources(&cli.words), json, &mut out),
        Command::Completions { shell } => cli::completions(shell, &mut out),
        Command::Man { folder } => cli::manual(&folder),
        Command::Healthcheck => cli::healthcheck(sources(&cli.words), &mut out),
        Command::Operate(command) => {
            let named = std::env::var(cli::SERVER_VARIABLE).ok();
            cli::operate(&command, named, sources(&cli.words), &mut out)
        }
    };
    done.map_or(ExitCode::FAILURE, ExitCode::from)
}
