//! What a server holds in memory, step by step, each subject alone in a process of its own, with the
//! settings it has by default.

use std::sync::Arc;

use anyhow::{Context as _, Result};

use super::fleet::{Fleet, Form, Load};
use super::generator::Target;
use super::measure::Row;
use super::options::Options;
use super::results::Results;
use super::session::Player;
use super::subject::Subject;
use super::tell;

/// Restless instances that come or go a second.
const CHURN: f64 = 200.0;
/// Full fetches a second meanwhile.
const FETCHES: f64 = 5.0;

/// Measures all of them.
pub(crate) async fn all(subjects: &[Subject], options: &Options, results: &mut Results) -> Result<()> {
    let instances = options.memory_instances;
    let fleet = Arc::new(Fleet::new(instances, options.apps(instances)));
    for (place, subject) in subjects.iter().enumerate() {
        tell(&format!("memory of {}", subject.name));
        let process = subject.start()?;
        let target = Target { at: process.at, fleet: Arc::clone(&fleet) };
        let player = Player { kind: subject.kind, name: subject.name.clone(), target, process };
        one(&player, place, options, results).await.with_context(|| format!("memory of {}", subject.name))?;
    }
    Ok(())
}

async fn one(player: &Player, place: usize, options: &Options, results: &mut Results) -> Result<()> {
    let target = &player.target;
    let (many, few) = (options.connections, options.fetchers);
    let mut note = |step: String| {
        let row = Row { name: format!("memory, {step}"), unit: "MB" };
        player.process.resident().map(|bytes| results.add(place, [(row, megabytes(bytes))]))
    };
    note("idle".into())?;

    target.each(Load::Everybody, target.fleet.instances, few).await?;
    note(format!("{} instances", target.fleet.instances))?;

    target.each(Load::Fetch(Form::JSON_GZIP), few, few).await?;
    target.each(Load::Delta(Form::JSON_GZIP), few, few).await?;
    note("after JSON gzip, full and delta".into())?;

    for form in Form::ALL {
        target.each(Load::Fetch(form), few, few).await?;
        target.each(Load::Delta(form), few, few).await?;
    }
    note("after every form, full and delta".into())?;

    target.closed(Load::Heartbeats, many, options.length()).await?;
    target.closed(Load::Registrations, many, options.length()).await?;
    target.closed(Load::Fetch(Form::JSON_GZIP), few, options.length()).await?;
    note("after load".into())?;

    let churn = options.churn();
    let (coming_and_going, fetches) = tokio::join!(
        target.open(Load::Churn, CHURN, few, churn),
        target.open(Load::Fetch(Form::JSON_GZIP), FETCHES, few, churn),
    );
    coming_and_going?;
    fetches?;
    note(format!("after {} s of instances that come and go", churn.as_secs()))
}

#[expect(clippy::cast_precision_loss, reason = "fewer than 2^52")]
pub(crate) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
