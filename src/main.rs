//! The `eurekad` binary: arguments, settings, logging, serve, exit code.

fn main() {}
