//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Parser;

/// Measures eurekad under load, beside the floor (a program on the same HTTP stack that does nothing) and other
/// servers, and prints a table. Builds the server first.
#[derive(Clone, Debug, Parser)]
#[command(name = "load")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that users give or not")]
pub(crate) struct Options {
    /// Little of everything, to see that it works: the figures mean nothing.
    #[arg(long)]
    pub(crate) quick: bool,
    /// How many instances are registered.
    #[arg(long, default_value_t = 10_000)]
    pub(crate) instances: usize,
    /// Into how many applications they fall; a twentieth of the instances when it is not said.
    #[arg(long)]
    apps: Option<usize>,
    /// How often each measure is taken; the median counts. One more round before is thrown away.
    #[arg(long, default_value_t = 5)]
    pub(crate) rounds: usize,
    /// How many seconds each measure takes.
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Connections for heartbeats and registrations.
    #[arg(long, default_value_t = 32)]
    pub(crate) connections: usize,
    /// Connections for lists.
    #[arg(long, default_value_t = 8)]
    pub(crate) fetchers: usize,
    /// Changes that the measured delta shows; a tenth of the instances at most.
    #[arg(long, default_value_t = 1_000)]
    changes: usize,
    /// Seconds that a change stays in the delta, in all servers that are measured for speed.
    #[arg(long, default_value_t = 12)]
    window: u64,
    /// Requests a second of the mixed fleet; four a minute and instance when it is not said.
    #[arg(long)]
    mixed_rate: Option<f64>,
    /// How often the start is timed.
    #[arg(long, default_value_t = 5)]
    pub(crate) starts: usize,
    /// How many instances are registered when memory is measured; 0 leaves that out.
    #[arg(long, default_value_t = 50_000)]
    pub(crate) memory_instances: usize,
    /// Seconds that instances come and go before memory is measured for the last time.
    #[arg(long, default_value_t = 60)]
    churn: u64,
    /// A Spring Cloud Eureka server (a jar that can be run) to compare with.
    #[arg(long, value_name = "JAR")]
    pub(crate) java: Option<PathBuf>,
    /// Another server to compare with; may be given more than once. `{spring}` stands for the words that Java's
    /// server and eurekad get, the port among them.
    #[arg(long, value_name = "NAME=COMMAND WITH {port} OR {spring}")]
    pub(crate) also: Vec<String>,
    /// A binary to measure instead of building one.
    #[arg(long, value_name = "FILE")]
    pub(crate) server: Option<PathBuf>,
    /// The profile to build the server with.
    #[arg(long, default_value = "release")]
    pub(crate) profile: String,
    /// Measures how costs grow with the number of instances instead, and draws it below docs/figures.
    #[arg(long)]
    pub(crate) growth: bool,
    /// Counts instructions a heartbeat and a registration with valgrind instead.
    #[arg(long)]
    pub(crate) instructions: bool,
    /// Puts the result into this document, between the marks that are there for it.
    #[arg(long, value_name = "FILE")]
    pub(crate) write: Option<PathBuf>,
    /// Is the floor, on this port.
    #[arg(long, value_name = "PORT", hide = true)]
    pub(crate) floor: Option<u16>,
    /// What cargo says to every benchmark.
    #[arg(long, hide = true)]
    bench: bool,
}

impl Options {
    /// What was said, made consistent.
    pub(crate) fn read() -> Result<Self> {
        let mut options = Self::parse();
        if options.quick {
            options.instances = options.instances.min(500);
            options.rounds = 1;
            options.seconds = 0.2;
            options.window = 1;
            options.mixed_rate = Some(1_000.0);
            options.starts = 1;
            options.memory_instances = options.memory_instances.min(500);
            options.churn = 1;
        }
        ensure!(options.instances >= 20 && options.rounds > 0 && options.seconds > 0.0, "too little to measure");
        ensure!(options.length() < options.window(), "a measure must end before the delta's window does");
        Ok(options)
    }

    /// How long a measure takes.
    pub(crate) fn length(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// How long a change stays in the delta.
    pub(crate) fn window(&self) -> Duration {
        Duration::from_secs(self.window)
    }

    /// How long instances come and go.
    pub(crate) fn churn(&self) -> Duration {
        Duration::from_secs(self.churn)
    }

    /// Changes in the delta that is measured.
    pub(crate) fn changes(&self) -> usize {
        self.changes.min(self.instances / 10)
    }

    /// Applications for so many instances.
    pub(crate) fn apps(&self, instances: usize) -> usize {
        self.apps.unwrap_or(instances / 20).clamp(1, instances)
    }

    /// Requests a second of the mixed fleet.
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^52")]
    pub(crate) fn mixed_rate(&self) -> f64 {
        self.mixed_rate.unwrap_or(self.instances as f64 * 4.0 / 60.0)
    }

    /// The words that give the delta its window.
    pub(crate) fn window_words(&self) -> Vec<String> {
        vec![
            format!("--eureka.server.retention-time-in-m-s-in-delta-queue={}", self.window * 1000),
            "--eureka.server.delta-retention-timer-interval-in-ms=500".to_owned(),
        ]
    }
}
