//! Programs under load: eurekad, the floor below it, and others to compare with, on one machine in one run.
//!
//! | file | what |
//! | --- | --- |
//! | `options` | the command line |
//! | `fleet` | the clients, and what they send |
//! | `wire`, `generator`, `latency` | connections, closed and open loops, what they found |
//! | `subject`, `floor` | the programs that are measured |
//! | `measure`, `session`, `memory`, `growth`, `instructions` | what is measured |
//! | `wrk` | that the generator is not what limits |
//! | `results`, `report`, `plot`, `machine` | medians, tables, drawings |
#![allow(
    clippy::disallowed_methods,
    reason = "what is measured lives in real time, and this process has one task a connection"
)]

mod fleet;
mod floor;
mod generator;
mod growth;
mod instructions;
mod latency;
mod machine;
mod measure;
mod memory;
mod options;
mod plot;
mod report;
mod results;
mod session;
mod subject;
mod wire;
mod wrk;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};

use fleet::{Fleet, Form};
use options::Options;
use results::Results;
use subject::Subject;

fn main() -> Result<()> {
    let options = Options::read()?;
    if let Some(port) = options.floor {
        return floor::serve(port);
    }
    let binary = match &options.server {
        Some(binary) => std::path::absolute(binary)?,
        None => build(&options.profile)?,
    };
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(run(&options, &binary))
}

/// The repository.
fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

/// Builds the server as it is shipped, without what tests and benchmarks add to its dependencies.
fn build(profile: &str) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["build", "--locked", "--package", "eurekad", "--bin", "eurekad", "--profile", profile];
    let status = Command::new(cargo).args(arguments).current_dir(root()).status().context("cargo")?;
    ensure!(status.success(), "the server is not built");
    // This program is at target/release/deps/load-….
    let own = std::env::current_exe()?;
    let target = own.ancestors().nth(3).context("the target folder")?;
    Ok(target.join(profile).join("eurekad"))
}

async fn run(options: &Options, binary: &Path) -> Result<()> {
    let ours = Subject::ours(binary);
    let (name, text) = if options.growth {
        ("growth", growth::run(&[ours, Subject::floor()?], options).await?)
    } else if options.instructions {
        ("instructions", instructions::run(&[ours, Subject::floor()?], options).await?)
    } else {
        let mut subjects = vec![ours, Subject::floor()?];
        subjects.extend(options.java.as_deref().map(std::path::absolute).transpose()?.as_deref().map(Subject::java));
        for words in &options.also {
            subjects.push(Subject::also(words)?);
        }
        ("speed", speed(&subjects, options).await?)
    };
    print(&text);
    match &options.write {
        Some(document) => report::write(&root().join(document), name, &text),
        None => Ok(()),
    }
}

/// The main run.
async fn speed(subjects: &[Subject], options: &Options) -> Result<String> {
    let mut results = Results::of(subjects.len());
    let fleet = Arc::new(Fleet::new(options.instances, options.apps(options.instances)));
    let windowed: Vec<_> = subjects.iter().map(|subject| subject.clone().with(options.window_words())).collect();
    let (players, lengths) = session::gather(&windowed, &fleet, options).await?;
    let check = wrk::check(&players, options).await?;
    session::rounds(&players, &measure::ALL, options, &mut results).await?;
    drop(players);
    session::starts(subjects, options, &mut results)?;
    if options.memory_instances > 0 {
        memory::all(subjects, options, &mut results).await?;
    }
    let lengths = Form::ALL.iter().zip(lengths).map(|(form, length)| {
        let length = u64::try_from(length).unwrap_or_default();
        format!("{} {} kB", form.name(), report::number(memory::megabytes(length) * 1e3))
    });
    let sizes = format!(
        "{} instances in {} applications; the whole list: {}. Medians of {} rounds of {} s a measure.\n\n{check}\n\n",
        report::number(f64::from(u32::try_from(fleet.instances)?)),
        fleet.apps,
        lengths.collect::<Vec<_>>().join(", "),
        options.rounds,
        options.length().as_secs_f64(),
    );
    Ok(report::heading(subjects) + &sizes + &report::table(subjects, &results))
}

/// Says how far it is; goes past the result.
#[expect(clippy::print_stderr, reason = "a program of the command line")]
fn tell(what: &str) {
    eprintln!("{what}");
}

#[expect(clippy::print_stdout, reason = "the result of a program of the command line")]
fn print(text: &str) {
    println!("{text}");
}
