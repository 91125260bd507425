//! What is asked and changes nothing.

use std::io::Write;

use serde_json::Value;

use super::arguments::Select;
use super::server::{Answer, Server};
use super::table::{list as members, moment, table, text};
use super::{REFUSED, Stopped};
use crate::cli::printable;

/// `ls`.
pub(super) async fn list(
    server: &Server,
    out: &mut impl Write,
    select: &Select,
    q: Option<&str>,
    json: bool,
) -> Result<u8, Stopped> {
    let Select { app, instance, zone, host, status, metadata } = select;
    let mut query = Vec::new();
    for (name, values) in [("app", app), ("instance", instance), ("zone", zone), ("host", host), ("status", status)] {
        query.extend(values.iter().map(|value| (name.to_owned(), value.as_str())));
    }
    query.extend(metadata.iter().map(|(key, value)| (format!("metadata.{key}"), value.as_str())));
    query.extend(q.map(|q| ("q".to_owned(), q)));
    let query: Vec<_> = query.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let answer = server.get(&["operations", "instances"], &query).await?;
    instances(out, &answer, json)
}

/// `show APP`.
pub(super) async fn application(server: &Server, out: &mut impl Write, app: &str, json: bool) -> Result<u8, Stopped> {
    let answer = server.get(&["operations", "instances"], &[("app", app)]).await?;
    instances(out, &answer, json)
}

fn instances(out: &mut impl Write, answer: &Answer, json: bool) -> Result<u8, Stopped> {
    let found = members(&answer.json, "instances");
    if json {
        writeln!(out, "{}", answer.text)?;
    } else if !found.is_empty() {
        let row = |each: &Value| {
            let place = format!("{}:{}", text(each, "ip"), text(each, "port"));
            let set = if each["override"].is_null() { "-".to_owned() } else { set_by(&each["override"]) };
            let unconfirmed = if each["unconfirmed"] == true { ", unconfirmed" } else { "" };
            let status = text(each, "status") + unconfirmed;
            [text(each, "app"), text(each, "instance"), status, place, text(each, "zone"), set]
        };
        let rows: Vec<_> = found.iter().map(row).collect();
        table(out, ["APP", "INSTANCE", "STATUS", "ADDRESS", "ZONE", "SET FROM OUTSIDE"], &rows)?;
    }
    Ok(if found.is_empty() { REFUSED } else { 0 })
}

/// An override in a few words.
fn set_by(set: &Value) -> String {
    let mut words = vec![text(set, "status")];
    for (name, before) in [("owner", "by "), ("reason", "")] {
        words.extend(set[name].as_str().map(|word| format!("{before}{word}")));
    }
    if !set["until"].is_null() {
        words.push(format!("until {}", moment(set, "until")));
    }
    words.join(", ")
}

/// `show APP INSTANCE`: a line a field.
pub(super) async fn instance(
    server: &Server,
    out: &mut impl Write,
    (app, id): (&str, &str),
    json: bool,
) -> Result<u8, Stopped> {
    let answer = server.get(&["apps", app, id], &[]).await?;
    if json {
        writeln!(out, "{}", answer.text)?;
    } else {
        fields(out, "", &answer.json["instance"])?;
        // The protocol has no word for it. Whoever may not ask, and a Java server, leave it out.
        let told = server.get(&["operations", "explain", app, id], &[]).await;
        if told.is_ok_and(|told| told.json["unconfirmed"] == true) {
            writeln!(out, "unconfirmed: true")?;
        }
    }
    Ok(0)
}

fn fields(out: &mut impl Write, name: &str, value: &Value) -> std::io::Result<()> {
    match value {
        Value::Object(members) => members.iter().try_for_each(|(member, value)| {
            let name = if name.is_empty() { member.clone() } else { format!("{name}.{member}") };
            fields(out, &name, value)
        }),
        Value::String(text) => writeln!(out, "{}: {}", printable(name), printable(text)),
        other => writeln!(out, "{}: {}", printable(name), printable(&other.to_string())),
    }
}

/// `overrides`.
pub(super) async fn overrides(server: &Server, out: &mut impl Write, json: bool) -> Result<u8, Stopped> {
    let answer = server.get(&["operations", "overrides"], &[]).await?;
    let found = members(&answer.json, "overrides");
    if json {
        writeln!(out, "{}", answer.text)?;
    } else if !found.is_empty() {
        let row = |each: &Value| {
            let [since, until] = ["since", "until"].map(|name| moment(each, name));
            let [app, instance, status, owner, reason] =
                ["app", "instance", "status", "owner", "reason"].map(|name| text(each, name));
            [app, instance, status, owner, reason, since, until]
        };
        let rows: Vec<_> = found.iter().map(row).collect();
        table(out, ["APP", "INSTANCE", "STATUS", "OWNER", "REASON", "SINCE", "UNTIL"], &rows)?;
    }
    Ok(if found.is_empty() { REFUSED } else { 0 })
}

/// `explain`.
pub(super) async fn explain(
    server: &Server,
    out: &mut impl Write,
    (app, id): (&str, &str),
    json: bool,
) -> Result<u8, Stopped> {
    let answer = server.get(&["operations", "explain", app, id], &[]).await?;
    if json {
        writeln!(out, "{}", answer.text)?;
        return Ok(0);
    }
    let told = &answer.json;
    writeln!(out, "{}", printable(&text(told, "sentence")))?;
    writeln!(out, "\nStatus: {}", printable(&text(told, "status")))?;
    if !told["override"].is_null() {
        writeln!(out, "Set from outside: {}", printable(&set_by(&told["override"])))?;
    }
    writeln!(out, "Lease ends: {}\n", moment(told, "leaseEnds"))?;
    let row = |change: &Value| {
        [
            moment(change, "at"),
            text(change, "cause"),
            text(change, "origin"),
            text(change, "before"),
            text(change, "status"),
        ]
    };
    let rows: Vec<_> = members(told, "history").iter().map(row).collect();
    table(out, ["AT", "CAUSE", "ORIGIN", "BEFORE", "AFTER"], &rows)?;
    Ok(0)
}
