//! Long answers are compressed for whoever takes that.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use http::HeaderMap;
use http::header::ACCEPT_ENCODING;

/// In gzip's form. It does not fail in memory.
pub(super) fn packed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 8), Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Whether that form is welcome.
pub(super) fn takes_gzip(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    codings.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.trim().parse::<f32>().is_ok_and(|q| q <= 0.0));
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}
