//! Answers that look at every instance: how many are made at a time, and how much of them may wait for readers.
//!
//! What they cost grows with the registry, and whoever may read may ask for them as often as he likes. So two are made
//! at a time, some more wait, and one beyond is refused (503); so is one that would have more memory taken by long
//! answers that their readers have not taken yet. (Java makes each on the thread of its request.)

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::access::{Limit, OverLimit};
use crate::blocking::off_the_workers;
use crate::http::Overload;

/// So many are made at a time.
const AT_A_TIME: usize = 2;
/// So many may wait for that.
const MOST_WAITING: usize = 64;
/// Long answers that wait for their readers, in KiB: 256 MiB.
const MOST_HELD: u32 = 256 * 1024;
/// Answers shorter than this do not count, bytes.
const LONG: usize = 64 * 1024;

/// See the module. Copies are the same ones.
#[derive(Clone, Debug)]
pub struct Walks {
    /// A permit for everybody who is here.
    places: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    /// A permit a KiB.
    held: Arc<Semaphore>,
    over_limit: Arc<OverLimit>,
    overload: Arc<Overload>,
}

/// There is too much to do: a 503, after which to come again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is too much to do")]
pub(super) struct Busy;

/// The right to be one of those that are made.
#[derive(Debug)]
pub(super) struct Turn {
    _place: OwnedSemaphorePermit,
    _turn: OwnedSemaphorePermit,
}

impl Walks {
    /// What is refused is counted; with too much to do all lists are.
    pub fn new(over_limit: Arc<OverLimit>, overload: Arc<Overload>) -> Self {
        Self {
            places: Arc::new(Semaphore::new(AT_A_TIME + MOST_WAITING)),
            turns: Arc::new(Semaphore::new(AT_A_TIME)),
            held: Arc::new(Semaphore::new(MOST_HELD as usize)),
            over_limit,
            overload,
        }
    }

    /// Makes a list, or part of one, off the workers in its turn.
    pub(super) async fn list<T: Send + 'static>(&self, make: impl FnOnce() -> T + Send + 'static) -> Result<T, Busy> {
        if self.overload.is_shedding() {
            return Err(self.refused());
        }
        self.figures(make).await
    }

    /// The same for figures, which tell why there is too much to do and are not refused for that.
    pub(super) async fn figures<T: Send + 'static>(
        &self,
        make: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Busy> {
        let turn = self.turn().await?;
        // It goes along: who waits here may be gone before it is done.
        Ok(off_the_workers(move || {
            let _turn = turn;
            make()
        })
        .await)
    }

    /// Waits for a turn.
    pub(super) async fn turn(&self) -> Result<Turn, Busy> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| self.refused())?;
        // It is never closed.
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| self.refused())?;
        Ok(Turn { _place: place, _turn: turn })
    }

    /// An answer that counts until its reader has taken it. One that is longer than all that may wait is there alone.
    pub(super) fn held(&self, bytes: Vec<u8>) -> Result<Bytes, Busy> {
        struct Held {
            bytes: Vec<u8>,
            _permit: OwnedSemaphorePermit,
        }
        impl AsRef<[u8]> for Held {
            fn as_ref(&self) -> &[u8] {
                &self.bytes
            }
        }
        if bytes.len() < LONG {
            return Ok(bytes.into());
        }
        let kib = u32::try_from(bytes.capacity().div_ceil(1024)).unwrap_or(u32::MAX).min(MOST_HELD);
        let permit = Arc::clone(&self.held).try_acquire_many_owned(kib).map_err(|_| self.refused())?;
        Ok(Bytes::from_owner(Held { bytes, _permit: permit }))
    }

    fn refused(&self) -> Busy {
        self.over_limit.count(Limit::Overload);
        Busy
    }
}

impl IntoResponse for Busy {
    fn into_response(self) -> Response {
        const SOON: HeaderValue = HeaderValue::from_static("1");
        (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, SOON)]).into_response()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[tokio::test]
    async fn some_wait_and_one_more_is_refused() {
        let over_limit = Arc::new(OverLimit::default());
        let walks = Walks::new(Arc::clone(&over_limit), Arc::default());
        let begun = [walks.turn().await.unwrap(), walks.turn().await.unwrap()];
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..MOST_WAITING {
            let walks = walks.clone();
            waiting.spawn(async move { walks.list(|| ()).await });
        }
        while walks.places.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!((walks.list(|| ()).await, over_limit.of(Limit::Overload)), (Err(Busy), 1));
        drop(begun);
        assert!(waiting.join_all().await.iter().all(Result::is_ok));
        assert_eq!(walks.list(|| ()).await, Ok(()));
    }

    #[test]
    fn long_answers_that_nobody_takes_are_bounded() {
        let walks = Walks::new(Arc::default(), Arc::default());
        let long = || walks.held(vec![0; MOST_HELD as usize * 512]);
        let (first, second) = (long().unwrap(), long().unwrap());
        assert_eq!(long(), Err(Busy));
        assert_eq!(walks.held(vec![0; LONG - 1]).unwrap().len(), LONG - 1, "short ones go on");
        drop(first);
        assert_eq!(long().unwrap().len(), second.len());
    }
}
