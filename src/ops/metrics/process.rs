//! Figures of the process, by the names that all of Prometheus' libraries use, and of its runtime.
//!
//! What the system does not tell is not shown.

use std::fs;

use prometheus_client::registry::Unit;
use rlimit::Resource;
use tokio::runtime::Handle;

use crate::ops::{Context, figures};

use super::family::Family;

/// The kernel counts processor time in hundredths of a second, whatever its own clock (`USER_HZ`).
const TICKS: f64 = 100.0;

pub(super) fn families(context: &Context) -> Vec<Family> {
    let now = context.clock.now();
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of centuries fit")]
    let started = now.wall as f64 / 1_000.0 - now.mono.since(context.started).as_secs_f64();
    let mut families = vec![
        Family::gauge("process_start_time", "When the process began, in seconds since 1970.")
            .in_unit(Unit::Seconds)
            .of(started),
    ];
    if let Some(Stat { processor, virtual_memory }) = stat() {
        let cpu = Family::counter("process_cpu", "Processor time of the process.");
        families.push(cpu.in_unit(Unit::Seconds).of(processor));
        let memory = Family::gauge("process_virtual_memory", "Address space of the process.");
        families.push(memory.in_unit(Unit::Bytes).of(virtual_memory));
    }
    if let Some(bytes) = figures::resident_memory() {
        let memory = Family::gauge("process_resident_memory", "Memory that the process really takes.");
        families.push(memory.in_unit(Unit::Bytes).of(bytes));
    }
    if let Ok(files) = fs::read_dir("/proc/self/fd") {
        // One of them is the folder itself.
        let open = files.count().saturating_sub(1);
        families.push(Family::gauge("process_open_fds", "Files and sockets that the process has open.").of(open));
    }
    if let Ok((most, _)) = Resource::NOFILE.get() {
        families.push(Family::gauge("process_max_fds", "Files and sockets that it may have open.").of(most));
    }
    let runtime = Handle::current().metrics();
    families.extend([
        Family::gauge("eurekad_runtime_workers", "Threads that answer requests.").of(runtime.num_workers()),
        Family::gauge("eurekad_runtime_tasks", "Tasks: connections, timers, peers.").of(runtime.num_alive_tasks()),
        Family::gauge(
            "eurekad_runtime_queued_tasks",
            "Tasks that wait for a thread in the queue that all threads share.",
        )
        .of(runtime.global_queue_depth()),
        Family::info("eurekad_build", "Which eurekad this is.")
            .with(vec![("version", env!("CARGO_PKG_VERSION").into())], 1_u64),
    ]);
    families
}

struct Stat {
    /// In seconds.
    processor: f64,
    /// In bytes.
    virtual_memory: u64,
}

fn stat() -> Option<Stat> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is a name in brackets, and may have anything in it.
    let (_, fields) = text.rsplit_once(')')?;
    let fields: Vec<u64> = fields.split_whitespace().map(|field| field.parse().unwrap_or_default()).collect();
    let ticks = fields.get(11)?.saturating_add(*fields.get(12)?);
    #[expect(clippy::cast_precision_loss, reason = "processor time of millions of years fits")]
    let processor = ticks as f64 / TICKS;
    Some(Stat { processor, virtual_memory: *fields.get(20)? })
}
