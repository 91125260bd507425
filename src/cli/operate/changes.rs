//! What changes something: shown first, and done when somebody agrees.

use std::io::{self, BufRead as _, Write};

use serde_json::{Map, Value, json};

use super::arguments::{Change, Select};
use super::server::{Answer, Server};
use super::table::{list, moment, table, text};
use super::{REFUSED, Stopped, Terminal, USAGE};
use crate::cli::printable;

/// A request to the operations API that changes something.
struct Wanted<'a> {
    path: &'a [&'a str],
    body: Value,
    change: &'a Change,
    json: bool,
    /// Whether somebody is to agree first.
    asks: bool,
}

/// `drain`.
pub(super) async fn drain(
    server: &Server,
    terminal: &mut Terminal<'_, impl Write>,
    select: &Select,
    texts: [(&str, &Option<String>); 4],
    change: &Change,
    json: bool,
) -> Result<u8, Stopped> {
    let mut body = body(change);
    body["select"] = selected(select)?;
    for (name, value) in texts {
        if let Some(value) = value {
            body[name] = value.as_str().into();
        }
    }
    let path = ["operations", "drain"];
    Wanted { path: &path, body, change, json, asks: true }.done(server, terminal).await
}

/// `resume`.
pub(super) async fn resume(
    server: &Server,
    terminal: &mut Terminal<'_, impl Write>,
    select: &Select,
    operation: Option<&str>,
    change: &Change,
    json: bool,
) -> Result<u8, Stopped> {
    let mut body = body(change);
    match operation {
        Some(operation) if *select == Select::default() => body["operation"] = operation.into(),
        Some(_) => return Err(Stopped::new(USAGE, "--operation says already which instances are meant")),
        None => body["select"] = selected(select)?,
    }
    let path = ["operations", "resume"];
    Wanted { path: &path, body, change, json, asks: false }.done(server, terminal).await
}

/// `evict`.
pub(super) async fn evict(
    server: &Server,
    terminal: &mut Terminal<'_, impl Write>,
    select: &Select,
    change: &Change,
    json: bool,
) -> Result<u8, Stopped> {
    let mut body = body(change);
    body["select"] = selected(select)?;
    let path = ["operations", "evict"];
    Wanted { path: &path, body, change, json, asks: true }.done(server, terminal).await
}

/// `accept`. The server has no trial of it: who is silent is asked for.
pub(super) async fn accept(
    server: &Server,
    terminal: &mut Terminal<'_, impl Write>,
    change: &Change,
    json: bool,
) -> Result<u8, Stopped> {
    if change.dry_run || !change.yes {
        is_attended(terminal, change)?;
        let found = server.get(&["operations", "preservation"], &[]).await?;
        let none = found.json["silent"] == 0;
        if change.dry_run && json {
            writeln!(terminal.out, "{}", found.text)?;
        } else if change.dry_run || none {
            silent(terminal.out, &found.json)?;
        } else {
            silent(&mut io::stderr(), &found.json)?;
        }
        if none {
            return Ok(REFUSED);
        }
        if change.dry_run {
            return Ok(0);
        }
        agreed()?;
    }
    let mut body = json!({});
    if let Some(reason) = &change.reason {
        body["reason"] = reason.as_str().into();
    }
    let answer = server.post(&["operations", "accept"], &body).await?;
    if json {
        writeln!(terminal.out, "{}", answer.text)?;
    } else {
        writeln!(terminal.out, "{} leases ended.", text(&answer.json, "accepted"))?;
    }
    Ok(if answer.json["accepted"] == 0 { REFUSED } else { 0 })
}

/// Who would be taken for lost.
fn silent(out: &mut impl Write, found: &Value) -> io::Result<()> {
    let of_app = |app: &&Value| app["silent"] != 0;
    let row = |app: &Value| [text(app, "app"), text(app, "leases"), text(app, "silent")];
    let rows: Vec<_> = list(found, "apps").iter().filter(of_app).map(row).collect();
    if !rows.is_empty() {
        table(out, ["APP", "LEASES", "SILENT"], &rows)?;
        writeln!(out)?;
    }
    writeln!(out, "{} of {} leases would end.", text(found, "silent"), text(found, "leases"))
}

/// `overrides --clear`.
pub(super) async fn clear(
    server: &Server,
    terminal: &mut Terminal<'_, impl Write>,
    select: &Select,
    all: bool,
    change: &Change,
    json: bool,
) -> Result<u8, Stopped> {
    let mut body = body(change);
    if !all {
        body["select"] = selected(select)?;
    } else if *select == Select::default() {
        body["all"] = true.into();
    } else {
        return Err(Stopped::new(USAGE, "--all says already which instances are meant"));
    }
    let path = ["operations", "overrides", "clear"];
    Wanted { path: &path, body, change, json, asks: all }.done(server, terminal).await
}

fn body(change: &Change) -> Value {
    let mut body = json!({"dryRun": change.dry_run});
    if let Some(reason) = &change.reason {
        body["reason"] = reason.as_str().into();
    }
    body
}

/// The member `select`; nobody means everything by leaving something out.
fn selected(select: &Select) -> Result<Value, Stopped> {
    if *select == Select::default() {
        let options = "--app, --instance, --zone, --host, --status, --metadata";
        return Err(Stopped::new(USAGE, format!("say which instances are meant, by one of {options}")));
    }
    let Select { app, instance, zone, host, status, metadata } = select;
    let mut selected = Map::new();
    for (name, words) in [("app", app), ("instance", instance), ("zone", zone), ("host", host), ("status", status)] {
        if !words.is_empty() {
            selected.insert(name.to_owned(), json!(words));
        }
    }
    if !metadata.is_empty() {
        let entries = metadata.iter().map(|(key, value)| (key.clone(), value.as_str().into()));
        selected.insert("metadata".to_owned(), Value::Object(entries.collect()));
    }
    Ok(Value::Object(selected))
}

impl Wanted<'_> {
    async fn done(self, server: &Server, terminal: &mut Terminal<'_, impl Write>) -> Result<u8, Stopped> {
        let asks = self.asks && !self.change.yes && !self.change.dry_run;
        if asks {
            is_attended(terminal, self.change)?;
            let mut trial = self.body.clone();
            trial["dryRun"] = true.into();
            let trial = server.post(self.path, &trial).await?;
            if list(&trial.json, "changed").is_empty() {
                return self.told(terminal.out, &trial);
            }
            shown(&mut io::stderr(), &trial.json, true)?;
            agreed()?;
        }
        let answer = server.post(self.path, &self.body).await?;
        self.told(terminal.out, &answer)
    }

    fn told(&self, out: &mut impl Write, answer: &Answer) -> Result<u8, Stopped> {
        if self.json {
            writeln!(out, "{}", answer.text)?;
        } else {
            shown(out, &answer.json, self.change.dry_run)?;
        }
        Ok(if list(&answer.json, "changed").is_empty() { REFUSED } else { 0 })
    }
}

/// Whether there is somebody to ask, where that is to be.
fn is_attended(terminal: &Terminal<'_, impl Write>, change: &Change) -> Result<(), Stopped> {
    if terminal.is_attended || change.dry_run {
        return Ok(());
    }
    Err(Stopped::new(USAGE, "there is nobody to ask: say --yes, or --dry-run"))
}

fn agreed() -> Result<(), Stopped> {
    let mut err = io::stderr();
    write!(err, "Go on? [y/N] ")?;
    err.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    if ["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()) {
        return Ok(());
    }
    Err(Stopped::new(REFUSED, "nothing was done"))
}

/// What was changed and what was not, or would be.
fn shown(out: &mut impl Write, answer: &Value, is_trial: bool) -> io::Result<()> {
    let (changed, unchanged) = (list(answer, "changed"), list(answer, "unchanged"));
    if !changed.is_empty() {
        let row = |each: &Value| {
            let after = if each["after"].is_null() { "gone".to_owned() } else { text(each, "after") };
            [text(each, "app"), text(each, "instance"), text(each, "before"), after]
        };
        let rows: Vec<_> = changed.iter().map(row).collect();
        table(out, ["APP", "INSTANCE", "BEFORE", "AFTER"], &rows)?;
        writeln!(out)?;
    }
    for each in unchanged {
        let [app, instance, why] = ["app", "instance", "why"].map(|name| printable(&text(each, name)));
        writeln!(out, "{app} {instance} stays as it is: {why}")?;
    }
    let word = if is_trial { "would change" } else { "changed" };
    writeln!(out, "{} of {} {word}.", changed.len(), changed.len() + unchanged.len())?;
    if is_trial {
        return Ok(());
    }
    if !answer["until"].is_null() {
        writeln!(out, "Ends by itself at {}.", moment(answer, "until"))?;
    }
    if !answer["visibleToAllBy"].is_null() && !changed.is_empty() {
        writeln!(out, "No client should go by what was before after {}.", moment(answer, "visibleToAllBy"))?;
    }
    if let Some(operation) = answer["operation"].as_str().filter(|_| answer["visibleToAllBy"].is_i64()) {
        writeln!(out, "Undo: eurekad resume --operation {}", printable(operation))?;
    }
    Ok(())
}
