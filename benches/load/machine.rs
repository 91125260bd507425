//! Where and with what a run was made.

use std::process::Command;

/// The machine in a line.
pub(crate) fn machine() -> String {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let model = read("/proc/cpuinfo");
    let model = model.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown processor");
    let model = model.trim_start_matches(['\t', ' ', ':']);
    let load = read("/proc/loadavg");
    let load = load.split(' ').next().unwrap_or("?");
    let kernel = read("/proc/sys/kernel/osrelease");
    format!("{cores} cores of {model}, Linux {}, load {load} at the end", kernel.trim())
}

/// The first line that a program says about its version; none if it is not there.
pub(crate) fn version(program: &str, argument: &str) -> Option<String> {
    let output = Command::new(program).arg(argument).output().ok()?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    said.lines().find(|line| !line.trim().is_empty()).map(|line| line.trim().to_owned())
}

/// What was called, without what cargo adds.
pub(crate) fn command() -> String {
    let words = std::env::args().skip(1).filter(|word| word != "--bench");
    let words: Vec<_> = words.collect();
    format!("cargo bench -p eurekad-benches --bench load -- {}", words.join(" "))
        .trim_end_matches([' ', '-'])
        .to_owned()
}
