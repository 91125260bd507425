//! Reading a request body within limits.
//!
//! A large or compressed body is read off the runtime's workers, and all large bodies together take
//! only so much memory: who comes when there is no room waits. Small ones, which is what clients send,
//! wait for nobody. (Java reads every body on its request's own thread, without limits.)

use std::error::Error;
use std::io::{self, Read};
use std::sync::Arc;

use axum::body::Body;
use flate2::read::MultiGzDecoder;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use http_body::Body as _;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::blocking::off_the_workers;

use super::BodyLimits;
use super::error::ApiError;

/// Bodies up to this many bytes are read at once: some 0.5 ms of work.
const SMALL: usize = 64 * 1024;

/// Room for large bodies (`eurekad.limits.bodies-in-flight`).
#[derive(Clone, Debug)]
pub struct BodiesInFlight {
    /// In KB.
    room: Arc<Semaphore>,
    all: u32,
}

/// A part of that room. It is given back when this is dropped; a small body has none.
#[derive(Debug, Default)]
pub(super) struct Room(Option<OwnedSemaphorePermit>);

impl BodiesInFlight {
    /// Room for so many bytes.
    pub fn new(bytes: usize) -> Self {
        let all = kilobytes(bytes);
        let permits = usize::try_from(all).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        Self { room: Arc::new(Semaphore::new(permits)), all }
    }

    /// Waits until there is room for so many bytes; a body that is larger than all of it goes alone.
    async fn take(&self, bytes: usize) -> Room {
        Room(Arc::clone(&self.room).acquire_many_owned(kilobytes(bytes).min(self.all)).await.ok())
    }
}

fn kilobytes(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX)
}

/// Takes a body in whole, unpacks it if it says that it is packed (Java's Spring server takes plain
/// bodies only), and makes of it what `interpret` does. The room belongs to what comes out as well.
pub(super) async fn read<T: Send + 'static>(
    headers: &HeaderMap,
    body: Body,
    limits: BodyLimits,
    in_flight: &BodiesInFlight,
    interpret: impl FnOnce(&[u8]) -> Result<T, ApiError> + Send + 'static,
) -> Result<(T, Room), ApiError> {
    let packed = is_packed(headers)?;
    let arrived = tokio::time::timeout(limits.time, collect(body, limits, packed, in_flight)).await;
    let (bytes, room) = arrived.map_err(|_elapsed| ApiError::TimedOut)??;
    if !packed && bytes.len() <= SMALL {
        return Ok((interpret(&bytes)?, room));
    }
    let work = move || {
        let bytes = if packed { unpack(&bytes, limits)? } else { bytes };
        Ok((interpret(&bytes)?, room))
    };
    off_the_workers(work).await
}

/// The bytes as they came. Room is taken at once for all that may come, so that bodies that have arrived
/// in part never wait for each other.
async fn collect(
    body: Body,
    limits: BodyLimits,
    packed: bool,
    in_flight: &BodiesInFlight,
) -> Result<(Vec<u8>, Room), ApiError> {
    let limit = limits.bytes;
    let announced = body.size_hint().upper().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(limit).min(limit);
    let needed = if packed { announced.saturating_add(limit) } else { announced };
    let mut room = Room::default();
    let mut bytes = Vec::new();
    let mut body = Limited::new(body, limit);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| match error.downcast_ref::<LengthLimitError>() {
            Some(_) => limits.too_large(),
            None if is_late(&*error) => ApiError::TimedOut,
            None => ApiError::BadRequest(format!("the request body broke off: {error}")),
        })?;
        let Ok(data) = frame.into_data() else { continue };
        if room.0.is_none() && (packed || bytes.len() + data.len() > SMALL) {
            room = in_flight.take(needed).await;
        }
        bytes.extend_from_slice(&data);
    }
    Ok((bytes, room))
}

/// Whether a body broke off since its time was over (`eurekad.http.request-timeout`): a 408.
pub fn is_late(error: &(dyn Error + 'static)) -> bool {
    let causes = std::iter::successors(Some(error), |error| (*error).source());
    causes.filter_map(|cause| cause.downcast_ref::<io::Error>()).any(|cause| cause.kind() == io::ErrorKind::TimedOut)
}

impl BodyLimits {
    fn too_large(self) -> ApiError {
        ApiError::TooLarge { limit: self.bytes, setting: self.setting }
    }
}

fn is_packed(headers: &HeaderMap) -> Result<bool, ApiError> {
    match headers.get(CONTENT_ENCODING).map(|coding| coding.as_bytes().to_ascii_lowercase()).as_deref() {
        None | Some(b"identity" | b"") => Ok(false),
        Some(b"gzip" | b"x-gzip") => Ok(true),
        Some(_) => Err(ApiError::BadRequest("cannot read the body: its Content-Encoding is not gzip".into())),
    }
}

fn unpack(packed: &[u8], limits: BodyLimits) -> Result<Vec<u8>, ApiError> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limits.bytes).unwrap_or(u64::MAX).saturating_add(1);
    MultiGzDecoder::new(packed).take(most).read_to_end(&mut bytes).map_err(|error| {
        ApiError::BadRequest(format!("cannot read the body: its Content-Encoding is gzip, but it is not: {error}"))
    })?;
    if bytes.len() > limits.bytes {
        return Err(limits.too_large());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use std::io::Write as _;
    use std::time::Duration;

    use super::*;
    use crate::codec::Limits;

    #[tokio::test(start_paused = true)]
    async fn large_bodies_wait_for_room_and_small_ones_do_not() {
        let limits =
            BodyLimits { bytes: 1 << 20, setting: "", time: Duration::from_secs(30), content: Limits::default() };
        let in_flight = BodiesInFlight::new(1 << 20);
        let plain = HeaderMap::new();
        let gzip = [(CONTENT_ENCODING, http::HeaderValue::from_static("gzip"))].into_iter().collect();
        let length = async |headers: &HeaderMap, body: &[u8]| {
            read(headers, Body::from(body.to_vec()), limits, &in_flight, |bytes| Ok(bytes.len())).await
        };
        let (small, large) = (vec![b' '; SMALL], vec![b' '; SMALL + 1]);
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&small).unwrap();
        let packed = encoder.finish().unwrap();

        let (read, first) = length(&plain, &large).await.unwrap();
        assert_eq!((read, in_flight.room.available_permits()), (SMALL + 1, 1024 - 65));
        drop(first);
        let all = in_flight.take(usize::MAX).await;
        assert_eq!(length(&plain, &small).await.unwrap().0, SMALL);
        for (headers, body) in [(&plain, &large), (&gzip, &packed)] {
            assert!(matches!(length(headers, body).await, Err(ApiError::TimedOut)));
        }
        drop(all);
        let (read, last) = length(&gzip, &packed).await.unwrap();
        assert_eq!((read, in_flight.room.available_permits()), (SMALL, 0));
        drop(last);
        assert_eq!(in_flight.room.available_permits(), 1024);
    }
}
