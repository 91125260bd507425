//! A text as tokens, read strictly: no comments, no bare words, no single quotes.
//!
//! Two things that Java does and `serde_json` does not: a number keeps its literal to the letter (`1.0E5` in
//! metadata is shown as `1.0E5`), and half a surrogate pair is no error.

use std::borrow::Cow;
use std::fmt::Display;

use super::body::Body;
use crate::codec::ReadError;

/// A text and how far it has been read.
pub(super) struct Tokens<'a> {
    text: &'a str,
    /// Whether the body ends with the text; else something follows that is no text.
    complete: bool,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(body: &'a Body<'_>) -> Self {
        let (text, complete) = body.text();
        Self { text, complete, at: 0 }
    }

    /// How many bytes have been read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Goes back to where it was.
    pub(super) fn rewind(&mut self, at: usize) {
        self.at = at;
    }

    /// Moves over this word, if it follows.
    pub(super) fn word(&mut self, word: &str) -> bool {
        let follows = self.rest().starts_with(word);
        self.at += if follows { word.len() } else { 0 };
        follows
    }

    /// Nothing but blanks may follow.
    pub(super) fn end(&mut self) -> Result<(), ReadError> {
        if self.visible().is_none() && self.complete { Ok(()) } else { Err(self.expected("nothing more")) }
    }

    /// A text; its first quote follows.
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, ReadError> {
        self.at += 1;
        let first = self.run();
        if self.skips(b'"') {
            return Ok(Cow::Borrowed(first));
        }
        let mut text = first.to_owned();
        loop {
            if !self.skips(b'\\') {
                return Err(self.expected("an escape in the place of a control character"));
            }
            text.push(self.escape()?);
            text.push_str(self.run());
            if self.skips(b'"') {
                return Ok(Cow::Owned(text));
            }
        }
    }

    /// Moves over what stands for itself in a text.
    fn run(&mut self) -> &'a str {
        let start = self.at;
        while let Some(byte) = self.text.as_bytes().get(self.at)
            && !ENDS_RUN[usize::from(*byte)]
        {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn escape(&mut self) -> Result<char, ReadError> {
        const SHORT: [(u8, char); 8] = [
            (b'"', '"'),
            (b'\\', '\\'),
            (b'/', '/'),
            (b'b', '\u{8}'),
            (b'f', '\u{C}'),
            (b'n', '\n'),
            (b'r', '\r'),
            (b't', '\t'),
        ];
        if let Some((_, character)) = SHORT.into_iter().find(|(byte, _)| self.skips(*byte)) {
            return Ok(character);
        }
        let Some(first) = unit(self.rest()) else {
            return Err(self.expected("an escape such as \\n or \\u00E9"));
        };
        self.at += 5;
        let second =
            if matches!(first, 0xD800..=0xDBFF) { self.rest().strip_prefix('\\').and_then(unit) } else { None }
                .filter(|second| matches!(second, 0xDC00..=0xDFFF));
        if second.is_some() {
            self.at += 6;
        }
        let character = char::decode_utf16([first].into_iter().chain(second)).next();
        // Java keeps half a pair, and shows `?` for it in lists. There is no such character here.
        Ok(character.and_then(Result::ok).unwrap_or('?'))
    }

    /// A number's literal.
    pub(super) fn number(&mut self) -> Result<&'a str, ReadError> {
        let start = self.at;
        self.skips(b'-');
        if !self.skips(b'0') {
            self.digits()?;
        }
        if self.skips(b'.') {
            self.digits()?;
        }
        if self.skips(b'e') || self.skips(b'E') {
            let _sign = self.skips(b'+') || self.skips(b'-');
            self.digits()?;
        }
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    fn digits(&mut self) -> Result<(), ReadError> {
        let start = self.at;
        while self.text.as_bytes().get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(self.expected("a digit")) }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Moves over blanks and looks at what follows.
    pub(super) fn visible(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                ahead => return ahead.copied(),
            }
        }
    }

    /// Moves over this byte, if it follows after blanks.
    pub(super) fn takes(&mut self, byte: u8) -> bool {
        self.visible();
        self.skips(byte)
    }

    /// Moves over this byte, if it follows.
    fn skips(&mut self, byte: u8) -> bool {
        let follows = self.text.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(follows);
        follows
    }

    /// The error that something else stands here.
    pub(super) fn expected(&self, what: impl Display) -> ReadError {
        let place = self.place();
        ReadError::Syntax(match (self.rest().is_empty(), self.complete) {
            (false, _) => format!("expected {what}{place}"),
            (true, true) => format!("unexpected end{place}"),
            (true, false) => format!("neither UTF-8 nor UTF-16 nor UTF-32{place}"),
        })
    }

    /// Where this is, for an error.
    pub(super) fn place(&self) -> String {
        let before = self.text.get(..self.at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        format!(" at line {} column {}", before.matches('\n').count() + 1, line.chars().count() + 1)
    }
}

/// Of each byte whether it is a quote, a backslash or a control character. Most bytes of a body are looked
/// up here.
static ENDS_RUN: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0;
    while byte < b' ' as usize {
        ends[byte] = true;
        byte += 1;
    }
    ends[b'"' as usize] = true;
    ends[b'\\' as usize] = true;
    ends
};

/// The UTF-16 unit of `uXXXX`, the rest of an escape.
fn unit(escape: &str) -> Option<u16> {
    let digits = escape.strip_prefix('u')?.get(..4)?.chars();
    let digits = digits.map(|digit| digit.to_digit(16).and_then(|digit| u16::try_from(digit).ok()));
    digits.into_iter().try_fold(0, |unit, digit| Some(unit << 4 | digit?))
}
