//! How many instructions a request costs in the server's process, counted by valgrind's callgrind: two runs
//! that differ in the number of requests alone, so that start and filling fall out. Unlike time, the count
//! hardly depends on what else the machine does. What the kernel does is not in it.

use std::sync::Arc;

use anyhow::{Context as _, Result};

use super::fleet::{Fleet, Load};
use super::generator::Target;
use super::measure::Row;
use super::options::Options;
use super::results::Results;
use super::subject::Subject;
use super::{machine, report, tell};

/// Requests of the longer run.
const MANY: usize = 5_000;
/// Requests of the shorter run.
const FEW: usize = 1_000;
const INSTANCES: usize = 1_000;

/// Counts, and tells in a table.
pub(crate) async fn run(subjects: &[Subject], options: &Options) -> Result<String> {
    let valgrind = machine::version("valgrind", "--version").context("valgrind is not installed")?;
    let instances = INSTANCES.min(options.instances);
    let fleet = Arc::new(Fleet::new(instances, options.apps(instances)));
    let mut results = Results::of(subjects.len());
    for (name, load) in [("heartbeat", Load::Heartbeats), ("registration", Load::Registrations)] {
        for (place, subject) in subjects.iter().enumerate() {
            tell(&format!("instructions of {}: {name}", subject.name));
            let many = total(subject, &fleet, load, MANY).await?;
            let few = total(subject, &fleet, load, FEW).await?;
            let each = (many - few) / f64::from(u32::try_from(MANY - FEW)?);
            results.add(place, [(Row { name: name.to_owned(), unit: "instructions" }, each)]);
        }
    }
    let what = format!("{instances} instances, one connection; {valgrind}.\n\n");
    Ok(report::heading(subjects) + &what + &report::table(subjects, &results))
}

/// All instructions of a process that was filled and got so many requests.
async fn total(subject: &Subject, fleet: &Arc<Fleet>, load: Load, requests: usize) -> Result<f64> {
    let dir = tempfile::tempdir()?;
    let out = dir.path().join("callgrind");
    let mut command = vec!["valgrind".to_owned(), "--tool=callgrind".to_owned()];
    command.push(format!("--callgrind-out-file={}", out.display()));
    command.extend(subject.command.iter().cloned());
    let process = Subject { command, ..subject.clone() }.start()?;
    let target = Target { at: process.at, fleet: Arc::clone(fleet) };
    target.each(Load::Everybody, fleet.instances, 1).await?;
    target.each(load, requests, 1).await.with_context(|| subject.name.clone())?;
    process.finish()?;
    let counted = std::fs::read_to_string(&out).context("what callgrind counted")?;
    let line = counted.lines().find_map(|line| line.strip_prefix("totals:"));
    Ok(line.context("callgrind gave no totals")?.trim().parse()?)
}
