//! The golden recordings' format: a JSON list of requests and answers in order.
//!
//! `tests/fixtures/README.md` describes it.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use super::exchange::{Ask, fixture};
use super::placeholders;

/// One exchange of a recording.
pub(crate) struct Entry {
    pub(crate) name: String,
    request: Value,
    pub(crate) answer: Recorded,
}

/// An answer as it was recorded.
pub(crate) struct Recorded {
    /// 0: the connection was closed without one.
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: RecordedBody,
}

/// A recorded body.
pub(crate) enum RecordedBody {
    /// With placeholders in it.
    Text(String),
    /// Kept only as a hash, or in another charset: all that is known is that there was one.
    Untold,
}

impl Recorded {
    /// The value of the last header of this name, empty if there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        let named = self.headers.iter().rev().find(|(header, _)| header.eq_ignore_ascii_case(name));
        named.map_or("", |(_, value)| value)
    }

    /// The recorded text, empty if it is not told.
    pub(crate) fn text(&self) -> &str {
        match &self.body {
            RecordedBody::Text(text) => text,
            RecordedBody::Untold => "",
        }
    }
}

impl Entry {
    /// The request, with this wall time (milliseconds) for each `{{time}}`.
    pub(crate) fn ask(&self, now: i64) -> Ask {
        let text = |name: &str| self.request[name].as_str().unwrap_or_default();
        let body = match self.request["body_base64"].as_str() {
            Some(encoded) => from_base64(encoded),
            None => placeholders::filled(text("body"), now).into_bytes(),
        };
        let body = if text("body_encoding") == "gzip" { compressed(&body) } else { body };
        let target = placeholders::filled(text("path"), now);
        Ask { method: text("method").to_owned(), target, headers: headers(&self.request), body }
    }
}

/// The entries of `tests/fixtures/golden/<file>`.
pub(crate) fn load(file: &str) -> Vec<Entry> {
    let text = std::fs::read(fixture("golden").join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let entries: Vec<Value> = serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    entries.into_iter().map(entry).collect()
}

fn entry(mut entry: Value) -> Entry {
    let response = &entry["response"];
    let status = response["status"].as_u64().and_then(|status| status.try_into().ok()).expect("a status");
    let untold = response.get("body_sha256").or(response.get("body_base64")).is_some();
    let text = response["body"].as_str().unwrap_or_default().to_owned();
    let body = if untold { RecordedBody::Untold } else { RecordedBody::Text(text) };
    let answer = Recorded { status, headers: headers(response), body };
    Entry { name: entry["name"].as_str().expect("a name").to_owned(), request: entry["request"].take(), answer }
}

fn headers(side: &Value) -> Vec<(String, String)> {
    let headers = side["headers"].as_array().expect("a list of headers");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    headers.iter().map(|header| (text(&header[0]), text(&header[1]))).collect()
}

fn compressed(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).and_then(|()| encoder.finish()).expect("memory")
}

/// Decodes base64 (RFC 4648); a crate for these five bodies would be too much.
fn from_base64(encoded: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0_u32);
    for digit in encoded.bytes().filter(|digit| *digit != b'=') {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => panic!("{encoded:?} is no base64"),
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xFF).expect("eight bits"));
            bits &= (1 << held) - 1;
        }
    }
    bytes
}
