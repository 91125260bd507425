//! The stream of changes, a line each. A connection that breaks is made again, and goes on where it broke.

use std::io::{self, Write};
use std::time::Duration;

use http::Method;
use http::header::ACCEPT;
use serde_json::Value;

use super::server::Server;
use super::table::{moment, text};
use super::{Stopped, UNREACHABLE};
use crate::cli::printable;

/// Between two tries to connect.
const AGAIN: Duration = Duration::from_secs(1);
/// No event is longer.
const LONGEST: usize = 4 << 20;

/// `watch`: until it is interrupted, nobody reads any more, or the server refuses.
pub(super) async fn watch(
    server: &Server,
    out: &mut impl Write,
    query: &[(&str, String)],
    snapshot: bool,
    since: Option<String>,
    json: bool,
) -> Result<u8, Stopped> {
    let mut query: Vec<_> =
        query.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| (*name, value.as_str())).collect();
    let (mut events, mut connected) = (Events { last: since, ..Events::default() }, false);
    if snapshot {
        query.push(("snapshot", "true"));
    }
    loop {
        let mut request = server.request(Method::GET, &["events"], &query).header(ACCEPT, "text/event-stream");
        if let Some(last) = &events.last {
            request = request.header("Last-Event-ID", last);
        }
        match server.send(request).await {
            Ok(response) if response.status().is_success() => {
                connected = true;
                // What was cut off comes again.
                (events.rest, events.coming, events.event) = Default::default();
                // From now on it goes on where it was.
                query.retain(|(name, _)| *name != "snapshot" || events.last.is_none());
                follow(response, &mut events, out, json).await?;
            }
            Ok(response) => {
                let refusal = server.refusal(response.status(), None);
                if !connected || refusal.code != UNREACHABLE {
                    return Err(refusal);
                }
            }
            Err(unreachable) if !connected => return Err(unreachable),
            Err(_) => {}
        }
        writeln!(io::stderr(), "eurekad: the stream ended, it is opened again")?;
        tokio::time::sleep(AGAIN).await;
    }
}

/// Writes what comes until the connection ends.
async fn follow(
    mut response: reqwest::Response,
    events: &mut Events,
    out: &mut impl Write,
    json: bool,
) -> Result<(), Stopped> {
    while let Ok(Some(chunk)) = response.chunk().await {
        for event in events.take(&chunk) {
            if json {
                writeln!(out, "{}", event.data)?;
            } else {
                writeln!(out, "{}", line(&event))?;
            }
        }
        out.flush()?;
        if events.rest.len() > LONGEST {
            return Ok(());
        }
    }
    Ok(())
}

/// One event.
#[derive(Debug, Default, PartialEq, Eq)]
struct Event {
    kind: String,
    data: String,
}

/// A stream of events, read as it comes (`text/event-stream`).
#[derive(Debug, Default)]
struct Events {
    /// The id of the last event that was whole.
    last: Option<String>,
    /// That of the one that is coming.
    coming: Option<String>,
    /// The beginning of a line.
    rest: Vec<u8>,
    event: Event,
}

impl Events {
    /// The events that are whole now.
    fn take(&mut self, chunk: &[u8]) -> Vec<Event> {
        self.rest.extend_from_slice(chunk);
        let mut whole = Vec::new();
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\n', '\r']);
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name {
                "" if line.is_empty() => {
                    let event = std::mem::take(&mut self.event);
                    self.last = self.coming.take().or(self.last.take());
                    whole.extend(Some(event).filter(|event| !event.data.is_empty()));
                }
                "id" => self.coming = Some(value.to_owned()),
                "event" => value.clone_into(&mut self.event.kind),
                "data" => self.event.data.push_str(value),
                _ => {}
            }
        }
        whole
    }
}

fn line(event: &Event) -> String {
    let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
    let mut words = vec![moment(&data, "at"), format!("{:12}", event.kind)];
    if data["app"].is_string() {
        words.push(format!("{}/{}", text(&data, "app"), text(&data, "instance")));
    }
    match (data["before"].as_str(), data["status"].as_str()) {
        (Some(before), Some(status)) if before != status => words.push(format!("{before} -> {status}")),
        (_, Some(status)) => words.push(status.to_owned()),
        (_, None) => {}
    }
    for name in ["cause", "origin"] {
        words.extend(data[name].as_str().map(|word| format!("{name}={}", word.replace(' ', "-"))));
    }
    printable(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_read_whatever_the_pieces_it_comes_in() {
        let stream = ": hello\n\nid: 7-2\nevent: status\ndata: {\"app\":\"A\",\"instance\":\"1\",\"before\":\"UP\",\
                      \"status\":\"DOWN\",\"cause\":\"status set\",\"at\":1764500400000}\n\nid: 7-3\r\nevent: ready\r\n\
                      data: {}\r\n\r\nevent: x\ndata: {";
        for size in 1..40 {
            let mut events = Events::default();
            let found: Vec<_> = stream.as_bytes().chunks(size).flat_map(|chunk| events.take(chunk)).collect();
            assert_eq!(found.len(), 2, "{found:?}");
            assert_eq!(found.iter().map(|event| &*event.kind).collect::<Vec<_>>(), ["status", "ready"]);
            assert_eq!(events.last.as_deref(), Some("7-3"));
            assert_eq!(
                found.first().map(line).as_deref(),
                Some("2025-11-30T11:00:00Z status       A/1 UP -> DOWN cause=status-set")
            );
        }
    }
}
