//! Random requests with a fixed seed and a Java server's answers to them, 300 each: registrations
//! good and bad, heartbeats, overrides, metadata, batches, reads in every form. The key order of
//! JSON objects counts.

use flate2::read::GzDecoder;
use serde_json::Value;

use super::deviations::{Difference, judge};
use super::equality::Comparable;
use super::exchange::{Answer, Ask, Server, fixture};
use super::golden::RECORDED_WITH;

macro_rules! differential {
    ($($test:ident: $file:literal,)*) => {
        /// The transcripts that are replayed.
        pub(crate) const FILES: [&str; [$($file),*].len()] = [$($file),*];
        $(
            #[tokio::test(start_paused = true)]
            async fn $test() {
                replay($file).await;
            }
        )*
    };
}

differential! {
    seed_001: "seed-001.json.gz",
    seed_002: "seed-002.json.gz",
    seed_003: "seed-003.json.gz",
    seed_004: "seed-004.json.gz",
    seed_005: "seed-005.json.gz",
    seed_006: "seed-006.json.gz",
    seed_007: "seed-007.json.gz",
    seed_008: "seed-008.json.gz",
}

async fn replay(file: &str) {
    let compressed = std::fs::File::open(fixture("golden/differential").join(file)).unwrap();
    let transcript: Value = serde_json::from_reader(GzDecoder::new(compressed)).unwrap();
    let [steps, answers] = ["steps", "answers"].map(|side| transcript[side].as_array().unwrap());
    assert_eq!(steps.len(), answers.len(), "{file}: a step without an answer");

    let server = Server::fresh(&RECORDED_WITH);
    let mut differences = Vec::new();
    for (index, (step, answer)) in steps.iter().zip(answers).enumerate() {
        let ask = ask(step);
        let difference = match server.send(&ask).await {
            Some(got) => first_difference(&recorded(answer), &got, server.wall()),
            None => Some("no answer".to_owned()),
        };
        if let Some(text) = difference {
            differences.push(Difference { index, name: format!("step {index}"), request: ask.line(), text });
        }
    }
    judge(&server, file, steps.len(), &differences);
}

fn first_difference(want: &Answer, got: &Answer, now: i64) -> Option<String> {
    // Java's 500 is its way to say that it did not understand.
    if want.status >= 500 && got.status == 400 {
        return None;
    }
    let [want, got] = [want, got].map(|answer| Comparable::of(answer, now));
    want.first_difference(&got).or_else(|| want.first_key_order_difference(&got))
}

fn ask(step: &Value) -> Ask {
    let text = |name: &str| step[name].as_str().unwrap_or_default();
    Ask {
        method: text("method").to_owned(),
        target: text("path").to_owned(),
        headers: headers(step),
        body: text("body").as_bytes().to_vec(),
    }
}

fn recorded(answer: &Value) -> Answer {
    Answer {
        status: answer["status"].as_u64().and_then(|status| status.try_into().ok()).unwrap(),
        headers: headers(answer),
        body: answer["body"].as_str().unwrap().as_bytes().to_vec(),
    }
}

fn headers(side: &Value) -> Vec<(String, String)> {
    let headers = side["headers"].as_object().unwrap();
    headers.iter().map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect()
}
