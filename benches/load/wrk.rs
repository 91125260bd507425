//! The generator beside wrk, with one and the same heartbeat to the floor: were it slower, it would measure
//! itself.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::fleet::Load;
use super::options::Options;
use super::report::number;
use super::session::Player;
use super::subject::Kind;
use super::{machine, tell};

/// Says what both reach.
pub(crate) async fn check(players: &[Player], options: &Options) -> Result<String> {
    let floor = players.iter().find(|player| player.kind == Kind::Floor).context("no floor")?;
    if machine::version("wrk", "--version").is_none() {
        return Ok("The generator was not checked: wrk is not installed.".to_owned());
    }
    tell("the generator, and wrk");
    let seconds = options.length().as_secs().max(1);
    let (mut own, mut theirs) = (Vec::new(), Vec::new());
    // In turn, twice: the first of each warms up.
    for _ in 0..2 {
        let closed = floor.target.closed(Load::OneHeartbeat, options.connections, options.length()).await?;
        own.push(closed.rate);
        theirs.push(wrk(floor, options.connections, seconds)?);
    }
    let best = |rates: Vec<f64>| rates.into_iter().fold(0.0, f64::max);
    let (own, theirs) = (best(own), best(theirs));
    Ok(format!(
        "One heartbeat to the floor, again and again: {}/s from this generator, {}/s from wrk on one thread, ratio {}.",
        number(own),
        number(theirs),
        number(own / theirs)
    ))
}

fn wrk(floor: &Player, connections: usize, seconds: u64) -> Result<f64> {
    let dir = tempfile::tempdir()?;
    let script = dir.path().join("heartbeat.lua");
    let request = floor.target.fleet.request(Load::OneHeartbeat, 0);
    let text = String::from_utf8_lossy(&request.bytes).into_owned();
    // Lua reads line ends of a long string as \n; HTTP wants both bytes.
    let lua = format!(
        "local text = [==[{}]==]\ntext = text:gsub('\\n', '\\r\\n')\nrequest = function() return text end\n",
        text.replace("\r\n", "\n")
    );
    std::fs::write(&script, lua)?;
    let output = Command::new("wrk")
        .args(["-t1", &format!("-c{connections}"), &format!("-d{seconds}s"), "-s"])
        .arg(&script)
        .arg(format!("http://{}/", floor.target.at))
        .output()
        .context("wrk")?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(!said.contains("Non-2xx"), "wrk got bad answers:\n{said}");
    let rate = said.lines().find_map(|line| line.trim().strip_prefix("Requests/sec:"));
    Ok(rate.with_context(|| format!("wrk said:\n{said}"))?.trim().parse()?)
}
