//! The batches of one sender count in the order in which it sent them.
//!
//! A sender gives a batch up after a time, and sends what was in it again with what came since. The old
//! one may still lie in the socket of a process that was stopped, or with a proxy, and arrive after the
//! later one: an override that was taken back long ago would be set again, and nothing would repair it.
//! So each process numbers its batches. Java's servers do not, and theirs are taken as they come.
//!
//! Whoever could send a number in a peer's name would have all its batches refused from then on. So the
//! numbers belong to a stream whose name only those know that are sent to: unlike a node's identity, no answer
//! shows it.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use parking_lot::Mutex;
use rand::Rng as _;

/// Its value: `<stream>-<number>`, 32 hexadecimal digits and a number.
pub(super) const TURN_HEADER: HeaderName = HeaderName::from_static("eurekad-turn");

/// All batches of one process, whoever they are for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stream(u128);

impl Stream {
    /// One that nobody can guess.
    pub fn random() -> Self {
        let mut random = rand::rng();
        Self(u128::from(random.next_u64()) << 64 | u128::from(random.next_u64()))
    }

    /// One for a process that is played.
    pub const fn of(number: u128) -> Self {
        Self(number)
    }
}

impl fmt::Debug for Stream {
    /// Its name is a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream")
    }
}

/// When a batch was sent, among those of its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Whose it is.
    pub stream: Stream,
    /// Its number; it only grows.
    pub number: u64,
}

impl Turn {
    /// That of a request; none from a Java server.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        headers.get(TURN_HEADER)?.to_str().ok()?.parse().ok()
    }

    /// The header's value. Logs do not show it.
    pub(super) fn header(self) -> HeaderValue {
        let text = format!("{:032x}-{}", self.stream.0, self.number);
        let mut value = HeaderValue::from_maybe_shared(text).unwrap_or(HeaderValue::from_static(""));
        value.set_sensitive(true);
        value
    }
}

impl FromStr for Turn {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (stream, number) = text.split_once('-').filter(|(stream, _)| stream.len() == 32).ok_or(())?;
        let stream = u128::from_str_radix(stream, 16).map(Stream).map_err(|_| ())?;
        number.parse().map(|number| Self { stream, number }).map_err(|_| ())
    }
}

/// So many streams are remembered: each start of a peer is another one.
const MOST: usize = 1000;

/// The number of the last batch of a stream. Held while a piece of a batch is taken, so that no later one
/// comes between the look at the number and what is done by it; the registry's locks are taken under it,
/// never the other way round.
pub(super) type Last = Arc<Mutex<u64>>;

/// The streams.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Held for one look-up.
    streams: Mutex<Streams>,
}

#[derive(Debug, Default)]
struct Streams {
    /// With the number of the look-up at which each was last asked for.
    last: HashMap<Stream, (u64, Last)>,
    asked: u64,
}

impl Turns {
    /// That of a stream. When there are too many, the one that was silent the longest is forgotten, but none of
    /// which a batch is being taken.
    pub(super) fn of(&self, stream: Stream) -> Last {
        let mut streams = self.streams.lock();
        streams.asked += 1;
        let asked = streams.asked;
        if let Some((at, last)) = streams.last.get_mut(&stream) {
            *at = asked;
            return Arc::clone(last);
        }
        let last = Last::default();
        if streams.last.len() >= MOST {
            let idle = streams.last.iter().filter(|(_, (_, last))| Arc::strong_count(last) == 1);
            let Some(oldest) = idle.min_by_key(|(_, (at, _))| *at).map(|(stream, _)| *stream) else { return last };
            streams.last.remove(&oldest);
        }
        streams.last.insert(stream, (asked, Arc::clone(&last)));
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Option<Turn> {
        Turn::of(&HeaderMap::from_iter([(TURN_HEADER, HeaderValue::from_static(text))]))
    }

    #[test]
    fn a_turn_names_its_stream_and_nonsense_is_a_java_server() {
        let turn = Turn { stream: Stream::of(7), number: u64::MAX };
        assert_eq!(turn.header(), "00000000000000000000000000000007-18446744073709551615");
        for turn in [turn, Turn { stream: Stream::random(), number: 1 }] {
            assert_eq!(Turn::of(&HeaderMap::from_iter([(TURN_HEADER, turn.header())])), Some(turn));
        }
        assert!(!format!("{turn:?} {:?}", turn.header()).contains("000007"), "it is a secret");
        let nonsense = ["", "12", "7-12", "00000000000000000000000000000007", "0000000000000000000000000000000x-1"];
        for text in nonsense {
            assert_eq!(read(text), None, "{text:?}");
        }
        assert_eq!(read("00000000000000000000000000000007-x"), None);
        assert_eq!(Turn::of(&HeaderMap::new()), None);
    }

    #[test]
    fn the_streams_that_were_silent_the_longest_are_forgotten_first() {
        let turns = Turns::default();
        *turns.of(Stream::of(0)).lock() = 5;
        *turns.of(Stream::of(1)).lock() = 6;
        let busy = turns.of(Stream::of(2));
        *busy.lock() = 7;
        for stream in 3..5_000 {
            turns.of(Stream::of(stream));
            assert_eq!(*turns.of(Stream::of(0)).lock(), 5, "it is not silent");
        }
        assert_eq!(turns.streams.lock().last.len(), MOST);
        assert_eq!(*turns.of(Stream::of(1)).lock(), 0, "forgotten");
        assert_eq!(*turns.of(Stream::of(2)).lock(), 7, "a batch of it is being taken");
    }
}
