//! The targets of tests/fuzz, for the fuzzer: what they check is written there.

#![allow(dead_code, reason = "the tests use all of what they share")]
#![allow(clippy::expect_used, clippy::disallowed_methods, reason = "as in the tests")]

#[path = "../../tests/fuzz/mod.rs"]
mod fuzz;
#[path = "../../tests/server/mod.rs"]
mod server;

/// Checks what must hold of an input of that target.
///
/// # Panics
///
/// If it does not hold, or there is no such target.
pub fn check(target: &str, input: &[u8]) {
    let check = fuzz::TARGETS.iter().find(|(name, _)| *name == target).expect("a target").1;
    check(input);
}
