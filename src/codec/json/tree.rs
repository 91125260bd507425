//! A body as a tree, read strictly: no comments, no trailing commas, no bare words.
//!
//! Three things that Java does and `serde_json` does not make this a reader of its own: a number
//! keeps its literal to the letter (`1.0E5` in metadata is shown as `1.0E5`), half a surrogate
//! pair is no error, and equal names in one object come one after the other. Nesting is bounded,
//! so no body can overflow the stack.

use std::borrow::Cow;
use std::fmt::Display;

use super::body::Body;
use crate::codec::wanted::{SCALAR, Wanted};
use crate::codec::{Limits, ReadError};

/// No setting allows a deeper body than this.
const DEEPEST: usize = 250;

/// A value, borrowed from the body where it can be.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree<'a> {
    Null,
    Bool(bool),
    /// The literal.
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Tree<'a>>),
    Object(Object<'a>),
}

impl Tree<'_> {
    /// What kind of value it is, without what is in it.
    fn shape(self) -> Self {
        match self {
            Self::Bool(_) | Self::Number(_) | Self::Text(_) => Self::Bool(false),
            other => other,
        }
    }

    /// The member of that name, if this is an object that has one.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        if let Self::Object(members) = self { members.get(name) } else { None }
    }
}

/// The members of an object in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Object<'a>(Vec<(Cow<'a, str>, Tree<'a>)>);

impl<'a> Object<'a> {
    /// The last member of that name; null counts as none.
    pub(super) fn get(&self, name: &str) -> Option<&Tree<'a>> {
        let mut named = self.iter().filter(|(each, value)| *each == name && **value != Tree::Null);
        named.next_back().map(|(_, value)| value)
    }

    /// All members.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Tree<'a>)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }
}

/// Reads a body and hands its tree over: what is wanted of it.
pub(super) fn read<T>(
    body: &[u8],
    limits: &Limits,
    wanted: &Wanted,
    interpret: impl FnOnce(Tree<'_>) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    let body = Body::new(body);
    let (text, complete) = body.text();
    interpret(Parser::new(text, complete, limits).value(wanted)?)
}

struct Parser<'a> {
    text: &'a str,
    /// Whether the body ends with the text; else something follows that is no text.
    complete: bool,
    at: usize,
    depth: usize,
    allowed: usize,
    /// How many more members and items may be kept.
    room: usize,
    values: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, complete: bool, limits: &Limits) -> Self {
        let (allowed, values) = (limits.nesting_depth.min(DEEPEST), limits.body_values);
        Self { text, complete, at: 0, depth: 0, allowed, room: values, values }
    }

    fn value(&mut self, wanted: &Wanted) -> Result<Tree<'a>, ReadError> {
        match self.visible() {
            Some(b'{') => self.nested(wanted, Self::object),
            Some(b'[') => self.nested(wanted, Self::list),
            Some(b'"') => Ok(Tree::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => Ok(Tree::Number(self.number()?)),
            _ => {
                let words = [("null", Tree::Null), ("true", Tree::Bool(true)), ("false", Tree::Bool(false))];
                let Some((word, value)) = words.into_iter().find(|(word, _)| self.rest().starts_with(word)) else {
                    return Err(self.expected("a value"));
                };
                self.at += word.len();
                Ok(value)
            }
        }
    }

    fn nested(
        &mut self,
        wanted: &Wanted,
        content: fn(&mut Self, &Wanted) -> Result<Tree<'a>, ReadError>,
    ) -> Result<Tree<'a>, ReadError> {
        if self.depth == self.allowed {
            let problem =
                format!("at most {} objects and lists in one another (eurekad.limits.nesting-depth)", self.allowed);
            return Err(self.over(problem));
        }
        self.depth += 1;
        self.at += 1;
        let value = content(self, wanted)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self, wanted: &Wanted) -> Result<Tree<'a>, ReadError> {
        let mut members = Vec::new();
        let mut skipped_before = false;
        if self.takes(b'}') {
            return Ok(Tree::Object(Object(members)));
        }
        loop {
            if self.visible() != Some(b'"') {
                return Err(self.expected("a name in quotes"));
            }
            let name = self.string()?;
            if !self.takes(b':') {
                return Err(self.expected("`:`"));
            }
            let inner = (wanted.member)(&name);
            let value = self.value(inner.unwrap_or(&SCALAR))?;
            if inner.is_some() {
                members.push((name, self.kept(value)?));
                skipped_before = false;
            } else if wanted.gaps && !skipped_before && value != Tree::Null {
                members.push((name, self.kept(value.shape())?));
                skipped_before = true;
            }
            if self.takes(b'}') {
                return Ok(Tree::Object(Object(members)));
            }
            if !self.takes(b',') {
                return Err(self.expected("`,` or `}`"));
            }
        }
    }

    fn list(&mut self, wanted: &Wanted) -> Result<Tree<'a>, ReadError> {
        let mut items = Vec::new();
        if self.takes(b']') {
            return Ok(Tree::List(items));
        }
        loop {
            let item = self.value(wanted.items.unwrap_or(&SCALAR))?;
            if wanted.items.is_some() {
                items.push(self.kept(item)?);
            }
            if self.takes(b']') {
                return Ok(Tree::List(items));
            }
            if !self.takes(b',') {
                return Err(self.expected("`,` or `]`"));
            }
        }
    }

    /// Counts a value that becomes a part of the tree.
    fn kept(&mut self, value: Tree<'a>) -> Result<Tree<'a>, ReadError> {
        let Some(room) = self.room.checked_sub(1) else {
            return Err(self.over(format!("at most {} values (eurekad.limits.body-values)", self.values)));
        };
        self.room = room;
        Ok(value)
    }

    fn string(&mut self) -> Result<Cow<'a, str>, ReadError> {
        let mut text = Cow::Borrowed("");
        self.at += 1;
        loop {
            let rest = self.rest();
            let run = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | ..b' ')).unwrap_or(rest.len());
            text += rest.get(..run).unwrap_or_default();
            self.at += run;
            if self.skips(b'"') {
                return Ok(text);
            }
            if !self.skips(b'\\') {
                return Err(self.expected("an escape in the place of a control character"));
            }
            text.to_mut().push(self.escape()?);
        }
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

    fn number(&mut self) -> Result<&'a str, ReadError> {
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
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += digits;
        if digits > 0 { Ok(()) } else { Err(self.expected("a digit")) }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Moves over blanks and looks at what follows.
    fn visible(&mut self) -> Option<u8> {
        let rest = self.rest().as_bytes();
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
        self.at += blanks;
        rest.get(blanks).copied()
    }

    /// Moves over this byte, if it follows after blanks.
    fn takes(&mut self, byte: u8) -> bool {
        self.visible();
        self.skips(byte)
    }

    /// Moves over this byte, if it follows.
    fn skips(&mut self, byte: u8) -> bool {
        let follows = self.text.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(follows);
        follows
    }

    fn expected(&self, what: impl Display) -> ReadError {
        let place = self.place();
        ReadError::Syntax(match (self.rest().is_empty(), self.complete) {
            (false, _) => format!("expected {what}{place}"),
            (true, true) => format!("unexpected end{place}"),
            (true, false) => format!("neither UTF-8 nor UTF-16 nor UTF-32{place}"),
        })
    }

    fn over(&self, problem: String) -> ReadError {
        ReadError::Limit { path: format!("body{}", self.place()), problem }
    }

    fn place(&self) -> String {
        let before = self.text.get(..self.at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        format!(" at line {} column {}", before.matches('\n').count() + 1, line.chars().count() + 1)
    }
}

/// The UTF-16 unit of `uXXXX`, the rest of an escape.
fn unit(escape: &str) -> Option<u16> {
    let digits = escape.strip_prefix('u')?.get(..4)?.chars();
    let digits = digits.map(|digit| digit.to_digit(16).and_then(|digit| u16::try_from(digit).ok()));
    digits.into_iter().try_fold(0, |unit, digit| Some(unit << 4 | digit?))
}

#[cfg(test)]
mod tests;
