//! Compression of answers, in one place.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// The knee of zlib-rs on registry documents: its higher levels take twice the time for no less.
const LEVEL: u32 = 4;

/// One gzip member with all the bytes.
pub(super) fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 16 + 64), Compression::new(LEVEL));
    // Writing to memory does not fail.
    let _written = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
