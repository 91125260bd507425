//! Reading a request body within limits.

use std::io::Read;

use axum::body::Body;
use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::BodyLimits;
use super::error::ApiError;

/// Takes a body in whole and unpacks it if it says that it is packed. (Java's Spring server takes
/// plain bodies only.)
pub(super) async fn read(headers: &HeaderMap, body: Body, limits: BodyLimits) -> Result<Bytes, ApiError> {
    let limit = limits.bytes;
    let collected = tokio::time::timeout(limits.time, Limited::new(body, limit).collect()).await;
    let bytes = match collected {
        Err(_elapsed) => return Err(ApiError::TimedOut),
        Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(ApiError::TooLarge { limit }),
        Ok(Err(error)) => return Err(ApiError::BadRequest(format!("the request body broke off: {error}"))),
        Ok(Ok(collected)) => collected.to_bytes(),
    };
    match headers.get(CONTENT_ENCODING).map(|coding| coding.as_bytes().to_ascii_lowercase()).as_deref() {
        None | Some(b"identity" | b"") => Ok(bytes),
        Some(b"gzip" | b"x-gzip") => unpack(&bytes, limit),
        Some(_) => Err(ApiError::BadRequest("cannot read the body: its Content-Encoding is not gzip".into())),
    }
}

fn unpack(packed: &[u8], limit: usize) -> Result<Bytes, ApiError> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    MultiGzDecoder::new(packed).take(most).read_to_end(&mut bytes).map_err(|error| {
        ApiError::BadRequest(format!("cannot read the body: its Content-Encoding is gzip, but it is not: {error}"))
    })?;
    if bytes.len() > limit {
        return Err(ApiError::TooLarge { limit });
    }
    Ok(bytes.into())
}
