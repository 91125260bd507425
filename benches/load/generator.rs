//! Load of two kinds. A closed loop sends the next request when the answer is there: what a server can do
//! at most. An open loop sends at planned moments, however long answers take, and counts latency from the
//! planned moment: what clients see that do not wait for each other.
//!
//! All connections live on one thread.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::fleet::{Fleet, Load};
use super::latency::Latencies;
use super::wire::Line;

/// A server under load, and the clients that it has.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) at: SocketAddr,
    pub(crate) fleet: Arc<Fleet>,
}

/// What a closed loop did.
#[derive(Debug)]
pub(crate) struct Closed {
    /// Answers a second.
    pub(crate) rate: f64,
    pub(crate) latencies: Latencies,
}

impl Target {
    async fn lines(&self, number: usize) -> Result<Vec<Line>> {
        let mut lines = Vec::with_capacity(number);
        for _ in 0..number {
            lines.push(Line::open(self.at).await?);
        }
        Ok(lines)
    }

    /// A closed loop on so many connections for so long.
    pub(crate) async fn closed(&self, load: Load, lines: usize, length: Duration) -> Result<Closed> {
        let mut tasks = JoinSet::new();
        let lines = self.lines(lines).await?;
        let start = Instant::now();
        for mut line in lines {
            let fleet = Arc::clone(&self.fleet);
            tasks.spawn(async move {
                let (mut latencies, mut began) = (Latencies::default(), start);
                while began.duration_since(start) < length {
                    line.expect(&fleet.request(load, fleet.next())).await?;
                    let now = Instant::now();
                    latencies.add(now.duration_since(began));
                    began = now;
                }
                anyhow::Ok(latencies)
            });
        }
        let latencies = all(tasks).await.with_context(|| format!("{load:?} in a closed loop"))?;
        Ok(Closed { rate: latencies.per_second(start.elapsed()), latencies })
    }

    /// Sends the first so many requests of a load, once each, as fast as it can; gives how long it took.
    pub(crate) async fn each(&self, load: Load, number: usize, lines: usize) -> Result<Duration> {
        let (mut tasks, next) = (JoinSet::new(), Arc::new(AtomicU32::new(0)));
        let start = Instant::now();
        for mut line in self.lines(lines).await? {
            let (fleet, next) = (Arc::clone(&self.fleet), Arc::clone(&next));
            tasks.spawn(async move {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed) as usize;
                    if n >= number {
                        return anyhow::Ok(Latencies::default());
                    }
                    line.expect(&fleet.request(load, n)).await?;
                }
            });
        }
        all(tasks).await.with_context(|| format!("{load:?}, once each"))?;
        Ok(start.elapsed())
    }

    /// An open loop: so many a second for so long. A request whose moment comes while all connections wait
    /// for answers is late, and that counts.
    pub(crate) async fn open(&self, load: Load, rate: f64, lines: usize, length: Duration) -> Result<Latencies> {
        /// A server that cannot keep up makes a run longer, up to this.
        const MOST: u32 = 10;
        let between = Duration::from_secs_f64(1.0 / rate);
        let count = u32::try_from(length.as_nanos() / between.as_nanos().max(1)).unwrap_or(u32::MAX).max(1);
        let lines = self.lines(lines).await?;
        let (due, next) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicU32::new(0)));
        let start = Instant::now();
        let pacer = pace(Arc::clone(&due), Plan { start, between, count, ends: lines.len() });
        let mut tasks = JoinSet::new();
        for mut line in lines {
            let (fleet, due, next) = (Arc::clone(&self.fleet), Arc::clone(&due), Arc::clone(&next));
            tasks.spawn(async move {
                let mut latencies = Latencies::default();
                loop {
                    due.acquire().await?.forget();
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= count {
                        return anyhow::Ok(latencies);
                    }
                    line.expect(&fleet.request(load, fleet.next())).await?;
                    latencies.add(start.elapsed().saturating_sub(between * n));
                }
            });
        }
        let most = length * MOST + Duration::from_secs(10);
        let latencies = tokio::time::timeout(most, all(tasks)).await;
        let latencies = latencies.with_context(|| format!("{load:?} at {rate:.0}/s: far behind"))??;
        drop(pacer.join());
        Ok(latencies)
    }

    /// A change, then a fetch, one after the other on one connection: the latencies of the fetches.
    pub(crate) async fn change_then(&self, fetch: Load, length: Duration) -> Result<Latencies> {
        const LEAST: usize = 5;
        let mut line = Line::open(self.at).await?;
        let (mut latencies, start) = (Latencies::default(), Instant::now());
        while latencies.len() < LEAST || start.elapsed() < length {
            line.expect(&self.fleet.request(Load::Changes, self.fleet.next())).await?;
            let began = Instant::now();
            line.expect(&self.fleet.request(fetch, 0)).await?;
            latencies.add(began.elapsed());
        }
        Ok(latencies)
    }
}

async fn all(mut tasks: JoinSet<Result<Latencies>>) -> Result<Latencies> {
    let mut latencies = Latencies::default();
    while let Some(done) = tasks.join_next().await {
        latencies.append(done??);
    }
    Ok(latencies)
}

#[derive(Clone, Copy)]
struct Plan {
    start: Instant,
    between: Duration,
    count: u32,
    /// Permits after the last, for those who wait in vain.
    ends: usize,
}

/// Gives a permit at each planned moment. A thread of its own sleeps more exactly than tokio's timer,
/// which counts in milliseconds.
fn pace(due: Arc<Semaphore>, plan: Plan) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        for n in 0..plan.count {
            let early = (plan.between * n).saturating_sub(plan.start.elapsed());
            if !early.is_zero() {
                std::thread::sleep(early);
            }
            due.add_permits(1);
        }
        due.add_permits(plan.ends);
    })
}
