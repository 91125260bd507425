//! Events as `CloudEvents` 1.0, in structured mode.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::WallMillis;
use crate::ops::events::{Event, EventId};

use super::queue::Batch;

/// The type of a body with one event.
const ONE: &str = "application/cloudevents+json";
/// The type of a body with a list of them.
const SEVERAL: &str = "application/cloudevents-batch+json";

#[derive(Serialize)]
struct Head<'a> {
    specversion: &'static str,
    id: &'a str,
    source: &'a str,
    r#type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    time: String,
    datacontenttype: &'static str,
}

/// The body of a request and its type. `now` is when a gap is told.
pub(super) fn body(batch: &Batch, epoch: impl std::fmt::Display, now: WallMillis) -> (&'static str, Vec<u8>) {
    let source = format!("urn:eurekad:{epoch}");
    let mut all = Vec::with_capacity(batch.events.len() + 1);
    if let Some((dropped, last)) = batch.gap {
        all.push(gap(dropped, last, &source, now));
    }
    all.extend(batch.events.iter().map(|event| of(event, &source)));
    if let [one] = &mut all[..] {
        return (ONE, std::mem::take(one));
    }
    let mut body = vec![b'['];
    body.extend_from_slice(&all.join(&b','));
    body.push(b']');
    (SEVERAL, body)
}

fn of(event: &Event, source: &str) -> Vec<u8> {
    let subject = event.about.as_ref().map(|(app, id)| format!("{app}/{id}"));
    written(&event.id.to_string(), event.kind.as_str(), subject, event.at, source, &event.json())
}

/// So many events were dropped, the last of them this one.
fn gap(dropped: u64, last: EventId, source: &str, now: WallMillis) -> Vec<u8> {
    let data = format!(r#"{{"kind":"gap","dropped":{dropped},"at":{now}}}"#);
    written(&format!("{last}-gap"), "gap", None, now, source, data.as_bytes())
}

fn written(id: &str, kind: &str, subject: Option<String>, at: WallMillis, source: &str, data: &[u8]) -> Vec<u8> {
    let head = Head {
        specversion: "1.0",
        id,
        source,
        r#type: format!("eurekad.{kind}"),
        subject,
        time: Timestamp::from_millisecond(at).unwrap_or_default().to_string(),
        datacontenttype: "application/json",
    };
    // Writing into memory does not fail.
    let mut json = serde_json::to_vec(&head).unwrap_or_default();
    json.pop();
    json.extend_from_slice(b",\"data\":");
    json.extend_from_slice(data);
    json.push(b'}');
    json
}
