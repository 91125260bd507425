//! A run: all subjects at once, and each measure at one after the other, round after round. So whatever
//! else the machine does falls on all of them.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::fleet::{Fleet, Form, Load};
use super::generator::Target;
use super::measure::{self, MILLIS, Measure, Row};
use super::options::Options;
use super::results::Results;
use super::subject::{Kind, Running, Subject};
use super::tell;

/// A subject that runs, filled with the fleet.
#[derive(Debug)]
pub(crate) struct Player {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) target: Target,
    pub(crate) process: Running,
}

/// Starts all and fills them; the floor learns the lists of ours. Gives the lengths of these, too.
pub(crate) async fn gather(
    subjects: &[Subject],
    fleet: &Arc<Fleet>,
    options: &Options,
) -> Result<(Vec<Player>, Vec<usize>)> {
    let mut players = Vec::new();
    for subject in subjects {
        let process = subject.start()?;
        let target = Target { at: process.at, fleet: Arc::clone(fleet) };
        target.each(Load::Everybody, fleet.instances, options.fetchers).await.context(subject.name.clone())?;
        players.push(Player { kind: subject.kind, name: subject.name.clone(), target, process });
    }
    let lengths = teach(&players, &Form::ALL.map(Load::Fetch)).await?;
    Ok((players, lengths))
}

/// Shows the floor what ours answers now.
async fn teach(players: &[Player], loads: &[Load]) -> Result<Vec<usize>> {
    let find = |kind| players.iter().find(|player| player.kind == kind);
    match (find(Kind::Floor), find(Kind::Ours)) {
        (Some(floor), Some(ours)) => measure::teach(&floor.target, &ours.target, loads).await,
        _ => Ok(Vec::new()),
    }
}

/// Takes these measures in all rounds.
pub(crate) async fn rounds(
    players: &[Player],
    measures: &[Measure],
    options: &Options,
    results: &mut Results,
) -> Result<()> {
    for round in 0..=options.rounds {
        for measure in measures {
            tell(&format!("round {round} of {}: {measure:?}", options.rounds));
            if matches!(measure, Measure::Delta) {
                // Until all changes so far are too old for a delta, whenever the server looks. To ask would not do:
                // Java drops them and keeps its answer until the next change.
                tokio::time::sleep(options.window() + Duration::from_secs(2)).await;
            }
            for (place, player) in turns(players, round) {
                let figures = measure.take(&player.target, player.kind, options).await;
                let figures = figures.with_context(|| format!("{}: {measure:?}", player.name))?;
                if round > 0 {
                    results.add(place, figures);
                } else if matches!(measure, Measure::Delta) && player.kind == Kind::Ours {
                    // While the changes are there.
                    teach(players, &[Load::Delta(Form::JSON_GZIP)]).await?;
                }
            }
        }
    }
    Ok(())
}

/// In turn, every other round from the end.
fn turns(players: &[Player], round: usize) -> Vec<(usize, &Player)> {
    let mut turns: Vec<_> = players.iter().enumerate().collect();
    if round % 2 == 1 {
        turns.reverse();
    }
    turns
}

/// Times how long each needs until its first good answer.
pub(crate) fn starts(subjects: &[Subject], options: &Options, results: &mut Results) -> Result<()> {
    for round in 0..options.starts {
        tell(&format!("start {} of {}", round + 1, options.starts));
        for (place, subject) in subjects.iter().enumerate() {
            let ready = subject.start()?.ready.as_secs_f64() * 1e3;
            results.add(place, [(Row { name: "from start to first good answer".into(), unit: MILLIS }, ready)]);
        }
    }
    Ok(())
}
