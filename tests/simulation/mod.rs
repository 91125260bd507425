//! A cluster in one thread: real registries, outboxes, receivers and bodies; time, network, clients and
//! faults are simulated and follow from a seed alone.
//!
//! | file | what |
//! | --- | --- |
//! | `event` | what can happen |
//! | `world` | the agenda of what happens when, and the run from start to end |
//! | `node` | one server without HTTP, its lives and pauses |
//! | `exchange` | batches and answers as bytes between nodes |
//! | `repair` | comparisons by digest between nodes |
//! | `first_copy` | what a node copies before it opens |
//! | `java` | what a Java server among the nodes does otherwise |
//! | `network` | what is lost, late, doubled, cut off |
//! | `client` | instances and operators, and what they call |
//! | `faults` | what goes wrong when |
//! | `scale` | how much nodes tell each other without faults |
//! | `checks` | what must hold, during a run and after it |
//! | `report` | what runs came to |
//! | `trace` | what happened, as a hash and as lines |
//!
//! A run has three parts. At first all is well, clients come and operators set overrides. Then nodes are
//! killed, restarted and paused, the network fails, clients come, go and change. Then all is well again
//! for about one lease, and the nodes must agree. In some clusters a part of the nodes are Java servers, of
//! which some come back as nodes of this program when they are restarted.
//!
//! `EUREKAD_SIM_SEEDS=n` runs so many seeds. `EUREKAD_SIM_SEED=n` runs that one alone and shows its trace
//! when it fails.

mod checks;
mod client;
mod event;
mod exchange;
mod faults;
mod first_copy;
mod java;
mod network;
mod node;
mod repair;
mod report;
mod scale;
mod trace;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use report::Report;
use world::World;

/// Seeds of a plain `cargo test`.
const SEEDS: u64 = 60;

/// How nodes find what lost tasks left different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repair {
    /// Not at all: heartbeats and the ends of leases must do, as between Java's servers. See `checks` for
    /// what that guarantees.
    Off,
    /// By comparing digests, as between nodes of this program.
    Digest,
    /// By comparing digests, of those nodes that are of this program; the others are Java servers.
    Mixed,
}

fn run(seed: u64, repair: Repair, shows: bool) -> Report {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async move { World::new(seed, repair, shows).run().await })
}

/// Of eight seeds five run with repair, and two are of mixed clusters.
fn repair_of(seed: u64) -> Repair {
    match seed % 8 {
        0 => Repair::Off,
        3 | 6 => Repair::Mixed,
        _ => Repair::Digest,
    }
}

fn wanted(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

#[test]
#[expect(clippy::print_stdout, reason = "CI shows how much was run")]
fn nodes_agree_after_any_faults() {
    if let Some(seed) = wanted("EUREKAD_SIM_SEED") {
        run(seed, repair_of(seed), true);
        return;
    }
    let seeds = wanted("EUREKAD_SIM_SEEDS").unwrap_or(SEEDS);
    let (next, total, failed) = (AtomicU64::new(0), Mutex::new(Report::default()), Mutex::new(Vec::new()));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|threads| {
        for _ in 0..workers {
            threads.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds {
                        return;
                    }
                    match catch_unwind(AssertUnwindSafe(|| run(seed, repair_of(seed), false))) {
                        Ok(report) => total.lock().add(&report),
                        Err(_) => failed.lock().push(seed),
                    }
                }
            });
        }
    });
    println!("{seeds} seeds ran: {:?}", total.lock());
    let failed = failed.into_inner();
    assert!(
        failed.is_empty(),
        "{} of {seeds} seeds failed: {failed:?}; one alone: \
         EUREKAD_SIM_SEED={} cargo test --test integration nodes_agree_after_any_faults",
        failed.len(),
        failed[0]
    );
}

#[test]
fn the_same_seed_is_the_same_run() {
    for seed in 1..=4 {
        let (first, second) = (run(seed, repair_of(seed), false), run(seed, repair_of(seed), false));
        assert_eq!(first, second, "seed {seed}");
        assert_ne!(first.trace, run(seed + 100, repair_of(seed), false).trace);
    }
}
