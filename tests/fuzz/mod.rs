//! What holds for any bytes at all: one function a target, each of which panics where something does not hold.
//!
//! `fuzz/` calls them with what a fuzzer makes up, and `replay` with what lies there: the recordings it starts
//! from, and every input that once found something.
//!
//! | target | input | what holds, beside that nothing panics |
//! | --- | --- | --- |
//! | `json` | an instance, a list of another server | what is written is read as it was; both syntaxes say the same |
//! | `xml` | an instance | the same |
//! | `batch` | what a peer sends, what it answers | an item that is sent on is the item that came |
//! | `digest` | a comparison that a peer asks for, its answers | lists are whole afterwards |
//! | `request` | requests | no 5xx, a refusal is short and says why, lists are whole afterwards |
//! | `gzip` | a packed body | it is answered as the plain one is, or 400, or 413 |
//! | `settings` | files, words, variables | what is found is told in lines; what holds can be written again |
//!
//! `instance` and `lists` are what several of them check.

use std::sync::LazyLock;

use eurekad::clock::Clock;
use eurekad::server::App;
use eurekad::settings::Settings;

use crate::server::{START, Server};

mod batch;
mod digest;
mod gzip;
mod instance;
mod json;
mod lists;
#[cfg(test)]
mod replay;
mod request;
mod settings;
mod xml;

/// A target: it takes any bytes.
pub(crate) type Check = fn(&[u8]);

/// All of them, by the names of their folders.
pub(crate) const TARGETS: [(&str, Check); 7] = [
    ("json", json::check),
    ("xml", xml::check),
    ("batch", batch::check),
    ("digest", digest::check),
    ("request", request::check),
    ("gzip", gzip::check),
    ("settings", settings::check),
];

/// Runs it with time that stands still.
fn held<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(future)
}

/// A server with these words, open for traffic: made for each input, so words are not read each time.
fn server(settings: &LazyLock<Settings>) -> Server {
    let clock = Clock::held(START);
    let app = App::new(settings, clock.clone());
    app.open();
    Server { app, clock }
}

/// What holds when nothing is set.
static DEFAULTS: LazyLock<Settings> = LazyLock::new(Settings::default);

/// An error for a caller or a log: one line that every document can carry.
fn assert_is_a_line(error: &str) {
    assert!(!error.contains(char::is_control), "{error:?}");
    assert!(error.len() < 4096, "{} bytes: {error:.200}…", error.len());
    let json = eurekad::codec::json::error(error);
    assert!(serde_json::from_slice::<serde_json::Value>(&json).is_ok(), "{error:?}");
    let xml = eurekad::codec::xml::error(error);
    if let Err(problem) = crate::server::xml::parse(&String::from_utf8_lossy(&xml)) {
        panic!("{problem}: {error:?}");
    }
}
