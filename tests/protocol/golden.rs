//! Recordings of a live Java server (Boot 4.0, eureka-core 2.0.6), replayed from their first entry
//! against a fresh server.
//!
//! Not replayed are the dashboard's recording, since its pages are not served yet, and the one
//! between two servers as they start and stop.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::deviations::{Difference, alignments, judge};
use super::equality::Comparable;
use super::exchange::{Answer, Ask, Server, fixture};
use super::recording::{Recorded, RecordedBody, load};
use super::{byte_equality, placeholders};

/// What the recorded server was started with, where it is not the default.
pub(crate) const RECORDED_WITH: [&str; 6] = [
    "--spring.application.name=eureka-server",
    "--eureka.instance.hostname=localhost",
    "--eureka.client.register-with-eureka=false",
    "--eureka.client.fetch-registry=false",
    "--eureka.server.use-read-only-response-cache=false",
    "--eureka.server.wait-time-in-ms-when-sync-empty=0",
];

/// As above, with reads refused until 15 s after the start.
const RECORDED_CLOSED: [&str; 6] = [
    "--spring.application.name=eureka-server",
    "--eureka.client.register-with-eureka=false",
    "--eureka.client.fetch-registry=false",
    "--eureka.server.use-read-only-response-cache=false",
    "--eureka.instance.registry.default-open-for-traffic-count=0",
    "--eureka.server.wait-time-in-ms-when-sync-empty=15000",
];

macro_rules! golden {
    ($($test:ident: $file:literal,)*) => {
        /// The recordings that are replayed.
        pub(crate) const FILES: [&str; [$($file),*].len() + 1] = [$($file,)* "gate.json"];
        $(
            #[tokio::test(start_paused = true)]
            async fn $test() {
                replay($file, &Server::fresh(&RECORDED_WITH)).await;
            }
        )*
    };
}

golden! {
    batch: "batch.json",
    compact: "compact.json",
    encode_failures: "encode-failures.json",
    errors: "errors.json",
    framing: "framing.json",
    instances: "instances.json",
    metadata: "metadata.json",
    negotiation: "negotiation.json",
    paths: "paths.json",
    replication_wire: "replication-wire.json",
    request_bodies: "request-bodies.json",
    statuspage: "statuspage.json",
    unicode: "unicode.json",
}

/// All of this recording was made while the gate was closed; then it opens.
#[tokio::test(start_paused = true)]
async fn gate() {
    let server = Server::fresh(&RECORDED_CLOSED);
    replay("gate.json", &server).await;
    if server.is_control() {
        return;
    }
    let read = Ask::new("GET", "/eureka/apps", &[]);
    tokio::time::advance(Duration::from_millis(14_999)).await;
    assert_eq!(server.send(&read).await.unwrap().status, 403, "just before the end of the wait");
    tokio::time::advance(Duration::from_millis(2)).await;
    assert_eq!(server.send(&read).await.unwrap().status, 200, "after the wait");
}

#[test]
fn every_recording_is_replayed() {
    let names = std::fs::read_dir(fixture("golden")).unwrap().map(|file| PathBuf::from(file.unwrap().file_name()));
    let recordings = names.filter(|name| name.extension().is_some_and(|extension| extension == "json"));
    let forgotten: Vec<_> = recordings.filter(|name| !FILES.iter().any(|file| name == Path::new(file))).collect();
    assert!(forgotten.is_empty(), "not replayed: {forgotten:?}");
}

async fn replay(file: &str, server: &Server) {
    let entries = load(file);
    let mut alignments = if server.is_control() { Vec::new() } else { alignments(file) };
    let mut differences = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let now = server.wall();
        let ask = entry.ask(now);
        let difference = match server.send(&ask).await {
            Some(answer) => first_difference(&entry.answer, &answer, now),
            // A server may close the connection on what is no HTTP.
            None => (!matches!(entry.answer.status, 0 | 400)).then(|| "no answer".to_owned()),
        };
        if let Some(text) = difference {
            differences.push(Difference { index, name: entry.name.clone(), request: ask.line(), text });
        }
        if let Some(at) = alignments.iter().position(|(after, _)| *after == entry.name) {
            let (_, ask) = alignments.swap_remove(at);
            assert_eq!(server.send(&ask).await.map(|answer| answer.status), Some(200), "{file}: {}", ask.line());
        }
    }
    assert!(alignments.is_empty(), "{file} has no {alignments:?}");
    judge(server, file, entries.len(), &differences);
}

/// The first difference between a recorded answer and the one given, in words.
fn first_difference(want: &Recorded, got: &Answer, now: i64) -> Option<String> {
    // Java's 500 is its way to say that it did not understand.
    if want.status == 0 || (want.status >= 500 && got.status == 400) {
        return None;
    }
    if want.status != got.status {
        return Some(format!("status {}, was {}", got.status, want.status));
    }
    if want.status >= 400 {
        return error_difference(want, got);
    }
    let told = !want.text().is_empty();
    let mut headers = ["content-type", "content-encoding", "location"].into_iter();
    let differing = headers
        .find(|name| (told || *name != "content-type") && want.header(name) != got.header(name).unwrap_or_default());
    if let Some(name) = differing {
        return Some(format!("{name} {:?}, was {:?}", got.header(name).unwrap_or_default(), want.header(name)));
    }
    match &want.body {
        RecordedBody::Untold => got.body.is_empty().then(|| "an empty body".to_owned()),
        RecordedBody::Text(text) if placeholders::stands_for_left_out(text) => None,
        RecordedBody::Text(text) => body_difference(want, text, got, now),
    }
}

fn error_difference(want: &Recorded, got: &Answer) -> Option<String> {
    let (want_text, got_text) = (want.text(), got.text());
    if got_text.to_ascii_lowercase().contains("<html") {
        return Some("an HTML error page".to_owned());
    }
    // Java labels its few sentences with the type that the client accepts.
    let is_sentence = want_text.starts_with("Missing ") || want_text.starts_with("Mismatched ");
    let counts = is_sentence || want.header("content-type").starts_with("text/plain");
    (counts && want_text != got_text).then(|| format!("text {got_text:?}, was {want_text:?}"))
}

fn body_difference(want: &Recorded, recorded: &str, got: &Answer, now: i64) -> Option<String> {
    let want_text = placeholders::with_times_as_one(recorded);
    let got_text = placeholders::times_to_one(&got.text(), now);
    if placeholders::has_any(&want_text) {
        let fits = placeholders::matches(&want_text, &got_text);
        return (!fits).then(|| format!("body {got_text:?}, was {want_text:?}"));
    }
    let same_time = |headers: &[(String, String)], text: &str| {
        let answer = Answer { status: 200, headers: headers.to_vec(), body: text.as_bytes().to_vec() };
        Comparable::of(&answer, now)
    };
    let [want_form, got_form] = [same_time(&want.headers, &want_text), same_time(&got.headers, &got_text)];
    want_form
        .first_difference(&got_form)
        .or_else(|| want_form.first_key_order_difference(&got_form))
        .or_else(|| byte_equality::first_difference(&want_text, &got_text))
}
