//! The protocol, held against recordings.
//!
//! | module | what is replayed | what an answer is held against |
//! | --- | --- | --- |
//! | `golden` | one recording of a Java server per topic | that server's answer |
//! | `differential` | random requests, some thousands | that server's answer, key order too |
//! | `captures` | what real clients sent | what those clients need |
//! | `registration_bodies` | registrations, odd ones too | what Java's decoders made of them |
//!
//! `equality` says what "the same answer" means, `deviations` which answers differ on purpose.
//!
//! With `EUREKA_SERVER=127.0.0.1:8761` the requests go to that server over sockets instead of to
//! the router, and no deviation is granted. That is the control of these tests: in `golden` and
//! `differential` a Java server shows no difference but its HTML error pages, in `captures` only its
//! known faults (no type on an empty answer, a body on a 404). The server has to be fresh for each
//! test, so name one: `EUREKA_SERVER=… cargo test golden::errors`.

use std::io::Write as _;

mod byte_equality;
mod captures;
mod client_needs;
mod deviations;
mod differential;
mod equality;
mod exchange;
mod golden;
mod json_form;
mod placeholders;
mod raw_http;
mod recording;
mod registration_bodies;
mod sensitivity;
mod strict_json;
mod strict_xml;
mod xml_form;

/// Prints what a test counted, past the harness, which shows only what failing tests print.
fn announce(counts: &str) {
    writeln!(std::io::stdout().lock(), "{counts}").expect("standard output");
}
