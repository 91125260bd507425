//! What is measured at one server, and how.

use anyhow::{Result, ensure};

use super::fleet::{Form, Load};
use super::floor;
use super::generator::Target;
use super::options::Options;
use super::subject::Kind;
use super::wire::Line;

/// A figure's name and unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
}

/// A figure.
pub(crate) type Figure = (Row, f64);

/// Per second.
pub(crate) const PER_SECOND: &str = "/s";
/// Milliseconds.
pub(crate) const MILLIS: &str = "ms";

/// The measures, in their order.
pub(crate) const ALL: [Measure; 10] = [
    Measure::Delta,
    Measure::Heartbeats,
    Measure::Fetch(Form::ALL[0]),
    Measure::Fetch(Form::ALL[1]),
    Measure::Fetch(Form::ALL[2]),
    Measure::Fetch(Form::ALL[3]),
    Measure::ChangeThenFetch,
    Measure::Mixed,
    Measure::HeartbeatsBesides,
    Measure::Registrations,
];

/// One measure; it gives one figure or more.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Measure {
    /// Heartbeats as fast as can be.
    Heartbeats,
    /// Registrations of known instances with the body that they had, as fast as can be.
    Registrations,
    /// Full lists as fast as can be.
    Fetch(Form),
    /// Deltas as fast as can be, with a number of changes in them. Nothing has changed for the time that a
    /// delta shows.
    Delta,
    /// How long a fetch takes after a change.
    ChangeThenFetch,
    /// A fleet at a fixed rate.
    Mixed,
    /// Heartbeats as fast as can be while others change and fetch at a fixed rate.
    HeartbeatsBesides,
}

/// Changes and fetches a second beside heartbeats.
const BESIDES: f64 = 100.0;

impl Measure {
    /// Takes it once.
    pub(crate) async fn take(self, target: &Target, kind: Kind, options: &Options) -> Result<Vec<Figure>> {
        let (length, many, few) = (options.length(), options.connections, options.fetchers);
        Ok(match self {
            Self::Heartbeats => closed("heartbeats", target.closed(Load::Heartbeats, many, length).await?),
            Self::Registrations => closed("registrations", target.closed(Load::Registrations, many, length).await?),
            Self::Fetch(form) => {
                let name = format!("full fetches, {}", form.name());
                closed(&name, target.closed(Load::Fetch(form), few, length).await?)
            }
            Self::Delta => {
                let changes = options.changes();
                if kind != Kind::Floor {
                    fill_delta(target, changes, few).await?;
                }
                let name = format!("delta fetches, JSON gzip, {changes} changes");
                closed(&name, target.closed(Load::Delta(Form::JSON_GZIP), few, length).await?)
            }
            Self::ChangeThenFetch => {
                let latencies = target.change_then(Load::Fetch(Form::JSON_GZIP), length).await?;
                percentiles("a change, then a full fetch, JSON gzip", latencies, &[500, 990])
            }
            Self::Mixed => {
                let rate = options.mixed_rate();
                let latencies = target.open(Load::Mixed, rate, many, length).await?;
                percentiles(&format!("mixed fleet at {rate:.0} requests/s"), latencies, &[500, 990, 999])
            }
            Self::HeartbeatsBesides => {
                let (beats, changes, fetches) = tokio::join!(
                    target.closed(Load::Heartbeats, many, length),
                    target.open(Load::Changes, BESIDES, few, length),
                    target.open(Load::Fetch(Form::JSON_GZIP), BESIDES, few, length),
                );
                let mut figures = closed("heartbeats beside 100 changes/s and 100 full fetches/s", beats?);
                figures.extend(percentiles("changes beside them", changes?, &[990]));
                figures.extend(percentiles("full fetches beside them", fetches?, &[990]));
                figures
            }
        })
    }
}

fn closed(name: &str, mut closed: super::generator::Closed) -> Vec<Figure> {
    let rate = (Row { name: name.to_owned(), unit: PER_SECOND }, closed.rate);
    let longest = Row { name: format!("{name}, p99"), unit: MILLIS };
    vec![rate, (longest, closed.latencies.millis(990))]
}

fn percentiles(name: &str, mut latencies: super::latency::Latencies, per_mille: &[usize]) -> Vec<Figure> {
    let name_of = |per_mille: usize| match per_mille {
        500 => "p50",
        990 => "p99",
        _ => "p99.9",
    };
    let figure = |per_mille: &usize| {
        let row = Row { name: format!("{name}, {}", name_of(*per_mille)), unit: MILLIS };
        (row, latencies.millis(*per_mille))
    };
    per_mille.iter().map(figure).collect()
}

/// Makes so many changes, and sees that the delta shows these and no others.
async fn fill_delta(target: &Target, changes: usize, lines: usize) -> Result<()> {
    target.each(Load::Changes, changes, lines).await?;
    let request = target.fleet.request(Load::Delta(Form::JSON), 0);
    let delta = Line::open(target.at).await?.ask(&request.bytes, true).await?;
    let shown = String::from_utf8_lossy(&delta.body).matches("\"instanceId\"").count();
    ensure!(shown == changes, "the delta shows {shown} instances after {changes} changes");
    Ok(())
}

/// Shows the floor what to answer to these: what the other server answers now. Gives the lengths.
pub(crate) async fn teach(floor: &Target, ours: &Target, loads: &[Load]) -> Result<Vec<usize>> {
    let (mut pupil, mut teacher) = (Line::open(floor.at).await?, Line::open(ours.at).await?);
    let mut lengths = Vec::new();
    for load in loads {
        let answer = teacher.ask(&ours.fleet.request(*load, 0).bytes, true).await?;
        if let Some(lesson) = floor::lesson(*load, &answer) {
            let status = pupil.ask(&lesson, false).await?.status;
            ensure!(status == 204, "the floor does not learn: {status}");
        }
        lengths.push(answer.length);
    }
    Ok(lengths)
}
