//! The program's arguments: a command, and Spring's words `--name=value` and Java's `-Dname=value`
//! anywhere among them.
//!
//! Words are taken out before clap sees the rest, so that any property can be set with any command.

mod check;
mod config;
mod healthcheck;
mod man;
mod operate;
mod serve;
mod sources;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use crate::settings::sources::{java_options, words};

pub use check::check;
pub use config::config;
pub use healthcheck::healthcheck;
pub use operate::{Operate, SERVER_VARIABLE, operate};
pub use serve::serve;
pub use sources::sources;

/// What the arguments ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cli {
    /// What to do.
    pub command: Command,
    /// The words, as [`Sources`](crate::settings::Sources) takes them.
    pub words: Vec<String>,
}

/// What the program can do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Run the server (the default)
    #[default]
    Serve,
    /// Look for mistakes in the settings and explain them
    Check,
    /// Show the settings that hold and where they come from
    Config {
        /// Write JSON
        #[arg(long)]
        json: bool,
    },
    /// Ask the local server whether it is ready
    Healthcheck,
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap takes them for help")]
    Operate(Box<Operate>),
    /// Print completions for a shell: bash, zsh, fish
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Write manual pages, for packages
    #[command(hide = true)]
    Man {
        /// The folder to write them to
        folder: PathBuf,
    },
}

/// The version, with the commit when the build was told one (`EUREKAD_COMMIT`).
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let version = env!("CARGO_PKG_VERSION");
    option_env!("EUREKAD_COMMIT").map_or(version.to_owned(), |commit| format!("{version} ({commit})"))
});

/// A Eureka service registry in one binary.
#[derive(Debug, Parser)]
#[command(
    name = "eurekad",
    version = VERSION.as_str(),
    override_usage = "eurekad [COMMAND] [--PROPERTY=VALUE]...",
    disable_help_subcommand = true,
    after_help = "\
Settings are those of a Spring Cloud Eureka server (docs/configuration.md):
--server.port=8762, SERVER_PORT=8762 in the environment, or application.yml."
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

impl Cli {
    /// Reads the arguments, the name of the program first. The error is also what answers `--help`
    /// and `--version`: print it and leave with its exit code (`clap::Error::exit`).
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let arguments: Vec<_> = arguments.into_iter().collect();
        let own = options(&arguments);
        let is_own = |word: &str| words::split(word).is_some_and(|(name, _)| own.iter().any(|option| option == name));
        let mut words = Vec::new();
        let mut rest = Vec::new();
        for (index, argument) in arguments.into_iter().enumerate() {
            match argument.into_string() {
                Ok(word)
                    if index > 0
                        && !is_own(&word)
                        && (words::is_word(&word) || java_options::is_system_property(&word)) =>
                {
                    words.push(word);
                }
                Ok(other) => rest.push(OsString::from(other)),
                Err(other) => rest.push(other),
            }
        }
        if let Some(word) = words.iter().find(|word| words::is_word(word) && words::split(word).is_none()) {
            let message = format!("write {word}=VALUE: a property and its value are one argument");
            return Err(Arguments::command().error(ErrorKind::NoEquals, message));
        }
        let Arguments { command } = Arguments::try_parse_from(rest)?;
        Ok(Self { command: command.unwrap_or_default(), words })
    }
}

/// The options of the command among the arguments: `--app=ORDERS` is one of them then, and no property.
fn options(arguments: &[OsString]) -> Vec<String> {
    let name = arguments.iter().skip(1).filter_map(|argument| argument.to_str()).find(|word| !word.starts_with('-'));
    let program = Arguments::command();
    let command = name.and_then(|name| program.find_subcommand(name));
    let options = command.into_iter().flat_map(clap::Command::get_arguments).filter_map(clap::Arg::get_long);
    options.map(str::to_owned).collect()
}

/// Writes what a shell needs to complete the arguments.
pub fn completions(shell: Shell, out: &mut impl Write) -> io::Result<u8> {
    // The generator panics where writing fails.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "eurekad", &mut script);
    out.write_all(&script)?;
    Ok(0)
}

/// Writes the manual pages into a folder, which is made if it is not there. Gives the exit code: 0, or 1 if that cannot
/// be done.
pub fn manual(folder: &Path) -> io::Result<u8> {
    man::write(Arguments::command(), folder)
}

/// Text for a terminal: what could move its cursor is escaped.
fn printable(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut printable, c| {
        if c.is_control() {
            printable.extend(c.escape_default());
        } else {
            printable.push(c);
        }
        printable
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn parse(arguments: &[&str]) -> Result<Cli, clap::Error> {
        Cli::parse(std::iter::once("eurekad").chain(arguments.iter().copied()).map(OsString::from))
    }

    #[test]
    fn clap_finds_no_fault_with_the_definition() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn words_may_stand_anywhere() {
        let cli = parse(&["--server.port=1", "serve", "--eureka_client_fetchRegistry=true", "--a.b="]).unwrap();
        assert_eq!(cli.command, Command::Serve);
        assert_eq!(cli.words, ["--server.port=1", "--eureka_client_fetchRegistry=true", "--a.b="]);
        let cli = parse(&["-Dserver.port=1", "config", "-Da", "--json", "--a.b=c"]).unwrap();
        assert_eq!(cli.command, Command::Config { json: true });
        assert_eq!(cli.words, ["-Dserver.port=1", "-Da", "--a.b=c"]);
        assert_eq!(parse(&[]).unwrap(), Cli { command: Command::Serve, words: vec![] });
    }

    #[test]
    fn options_of_a_command_are_no_properties() {
        let cli = parse(&["drain", "--app=orders,stock", "--metadata=version=1.4", "--server.port=1", "-y"]).unwrap();
        let Command::Operate(command) = cli.command else { panic!("{cli:?}") };
        let Operate::Drain { select, change, .. } = *command else { panic!("{command:?}") };
        assert_eq!(
            (select.app, cli.words),
            (vec!["orders".to_owned(), "stock".to_owned()], vec!["--server.port=1".into()])
        );
        assert_eq!(select.metadata, [("version".to_owned(), "1.4".to_owned())]);
        assert!(change.yes && !change.dry_run);
        assert_eq!(parse(&["--app=orders"]).unwrap().words, ["--app=orders"], "the server has no such option");
        for wrong in [&["drain", "--metadata", "version"][..], &["explain", "ORDERS"], &["overrides", "--all"]] {
            assert_eq!(parse(wrong).unwrap_err().exit_code(), 2, "{wrong:?}");
        }
    }

    #[test]
    fn a_word_without_its_value_is_told_how_to_be_written() {
        let error = parse(&["--server.port", "8080"]).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("write --server.port=VALUE"), "{error}");
    }

    #[test]
    fn anything_else_is_refused() {
        for arguments in [["serv"], ["--port"], ["-p"], ["-D"], ["-D=x"], ["completions"]] {
            assert_eq!(parse(&arguments).unwrap_err().exit_code(), 2, "{arguments:?}");
        }
    }

    #[test]
    fn help_fits_a_screen_and_names_the_documentation() {
        let help = parse(&["--help"]).unwrap_err();
        assert_eq!(help.exit_code(), 0);
        let help = help.to_string();
        assert!(help.lines().count() <= 26, "{help}");
        assert!(help.lines().all(|line| line.len() <= 80), "{help}");
        assert!(help.contains("docs/configuration.md"));
        let version = parse(&["--version"]).unwrap_err();
        assert!(version.to_string().starts_with(concat!("eurekad ", env!("CARGO_PKG_VERSION"))), "{version}");
    }

    #[test]
    fn every_shell_gets_its_completions() {
        for shell in ["bash", "zsh", "fish"] {
            let Command::Completions { shell } = parse(&["completions", shell]).unwrap().command else { panic!() };
            let mut out = Vec::new();
            assert_eq!(completions(shell, &mut out).unwrap(), 0);
            let script = String::from_utf8(out).unwrap();
            for word in ["eurekad", "check", "drain", "dry-run", "accept", "overrides"] {
                assert!(script.contains(word), "{shell}: {script}");
            }
        }
    }

    #[test]
    fn every_command_gets_its_manual_page() {
        let folder = tempfile::tempdir().unwrap();
        let pages = folder.path().join("made/man1");
        assert_eq!(parse(&["man", "pages"]).unwrap().command, Command::Man { folder: "pages".into() });
        assert_eq!(manual(&pages).unwrap(), 0);
        for command in Arguments::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            assert!(pages.join(format!("eurekad-{}.1", command.get_name())).exists(), "{command}");
        }
        let main = std::fs::read_to_string(pages.join("eurekad.1")).unwrap();
        for section in ["NAME", "SYNOPSIS", "SETTINGS", "FILES", "SIGNALS", "EXIT STATUS"] {
            let heading =
                |line: &str| line.strip_prefix(".SH ").is_some_and(|title| title.trim_matches('"') == section);
            assert!(main.lines().any(heading), "{section}: {main}");
        }
        assert!(!main.contains("eurekad\\-man"), "{main}");
        assert_eq!(manual(&pages.join("eurekad.1")).unwrap(), 1, "a file is no folder");
    }

    #[test]
    fn nothing_moves_the_cursor() {
        assert_eq!(printable("zoë\u{1b}[2J\n"), "zoë\\u{1b}[2J\\n");
    }
}
