//! A body as a tree, or walked value by value where a tree of all of it would be too large.
//!
//! Besides what is in `tokens`, one thing that Java does and `serde_json` does not makes this a reader of its
//! own: equal names in one object come one after the other. No trailing commas. Nesting is bounded, so no
//! body can overflow the stack.

use std::borrow::Cow;

use super::body::Body;
use super::tokens::Tokens;
use crate::codec::limits::over;
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

/// Reads a body and hands its tree over: what is wanted of it. What follows the tree is not looked at.
pub(super) fn read<T>(
    body: &[u8],
    limits: &Limits,
    wanted: &Wanted,
    interpret: impl FnOnce(Tree<'_>) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    let body = Body::new(body);
    let mut parser = Parser::new(&body, limits);
    let tree = parser.value(wanted).map_err(|error| parser.placed(error))?;
    interpret(tree)
}

/// Reads a body too large for one tree: `walk` goes through it and takes trees of its parts. Nothing may
/// follow the outermost value.
pub(super) fn walk(
    body: &[u8],
    limits: &Limits,
    walk: impl FnOnce(&mut Parser<'_>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let body = Body::new(body);
    let mut parser = Parser { allowed: DEEPEST, ..Parser::new(&body, limits) };
    walk(&mut parser).and_then(|()| parser.tokens.end()).map_err(|error| parser.placed(error))
}

/// Where the reading of a body is.
pub(super) struct Parser<'a> {
    tokens: Tokens<'a>,
    limits: Limits,
    depth: usize,
    allowed: usize,
    /// How many more members and items may be kept.
    room: usize,
}

impl<'a> Parser<'a> {
    fn new(body: &'a Body<'_>, limits: &Limits) -> Self {
        let allowed = limits.nesting_depth.min(DEEPEST);
        Self { tokens: Tokens::new(body), limits: *limits, depth: 0, allowed, room: limits.body_values }
    }

    /// The first byte of the value that follows.
    pub(super) fn ahead(&mut self) -> Option<u8> {
        self.tokens.visible()
    }

    /// Reads what is wanted of the value that follows.
    pub(super) fn value(&mut self, wanted: &Wanted) -> Result<Tree<'a>, ReadError> {
        match self.tokens.visible() {
            Some(b'{') => self.object(wanted),
            Some(b'[') => self.list(wanted),
            Some(b'"') => Ok(Tree::Text(self.tokens.string()?)),
            Some(b'-' | b'0'..=b'9') => Ok(Tree::Number(self.tokens.number()?)),
            _ => {
                let words = [("null", Tree::Null), ("true", Tree::Bool(true)), ("false", Tree::Bool(false))];
                let value = words.into_iter().find(|(word, _)| self.tokens.word(word)).map(|(_, value)| value);
                value.ok_or_else(|| self.tokens.expected("a value"))
            }
        }
    }

    /// Reads a value as if it were a body of its own: the limits count from here. One that is over a limit
    /// is moved over, and its error returned within.
    pub(super) fn apart(&mut self, wanted: &Wanted) -> Result<Result<Tree<'a>, ReadError>, ReadError> {
        let (start, depth, allowed) = (self.tokens.at(), self.depth, self.allowed);
        (self.depth, self.room) = (0, self.limits.body_values);
        self.allowed = self.limits.nesting_depth.min(DEEPEST);
        let value = self.value(wanted);
        (self.depth, self.allowed) = (depth, allowed);
        match value {
            Err(error @ ReadError::Limit { .. }) => {
                self.tokens.rewind(start);
                self.skip()?;
                Ok(Err(error))
            }
            other => other.map(Ok),
        }
    }

    /// Moves over the value that follows.
    pub(super) fn skip(&mut self) -> Result<(), ReadError> {
        self.value(&SCALAR).map(|_| ())
    }

    /// Goes through the object that follows; `member` has to read or skip each value.
    pub(super) fn members(
        &mut self,
        mut member: impl FnMut(&mut Self, Cow<'a, str>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.enter(b'{')?;
        if !self.tokens.takes(b'}') {
            loop {
                if self.tokens.visible() != Some(b'"') {
                    return Err(self.tokens.expected("a name in quotes"));
                }
                let name = self.tokens.string()?;
                if !self.tokens.takes(b':') {
                    return Err(self.tokens.expected("`:`"));
                }
                member(self, name)?;
                if self.tokens.takes(b'}') {
                    break;
                }
                if !self.tokens.takes(b',') {
                    return Err(self.tokens.expected("`,` or `}`"));
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Goes through the list that follows; `item` has to read or skip each value.
    pub(super) fn items(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), ReadError>) -> Result<(), ReadError> {
        self.enter(b'[')?;
        if !self.tokens.takes(b']') {
            loop {
                item(self)?;
                if self.tokens.takes(b']') {
                    break;
                }
                if !self.tokens.takes(b',') {
                    return Err(self.tokens.expected("`,` or `]`"));
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn enter(&mut self, bracket: u8) -> Result<(), ReadError> {
        if self.tokens.visible() != Some(bracket) {
            return Err(self.tokens.expected(format_args!("`{}`", char::from(bracket))));
        }
        if self.depth == self.allowed {
            let allowed = self.allowed;
            return Err(over(format!(
                "at most {allowed} objects and lists in one another (eurekad.limits.nesting-depth)"
            )));
        }
        self.depth += 1;
        self.tokens.takes(bracket);
        Ok(())
    }

    fn object(&mut self, wanted: &Wanted) -> Result<Tree<'a>, ReadError> {
        let mut members = Vec::new();
        let mut skipped_before = false;
        self.members(|parser, name| {
            let inner = (wanted.member)(&name);
            let value = parser.value(inner.unwrap_or(&SCALAR))?;
            if inner.is_some() {
                members.push((name, parser.kept(value)?));
                skipped_before = false;
            } else if wanted.gaps && !skipped_before && value != Tree::Null {
                members.push((name, parser.kept(value.shape())?));
                skipped_before = true;
            }
            Ok(())
        })?;
        Ok(Tree::Object(Object(members)))
    }

    fn list(&mut self, wanted: &Wanted) -> Result<Tree<'a>, ReadError> {
        let mut items = Vec::new();
        self.items(|parser| {
            let item = parser.value(wanted.items.unwrap_or(&SCALAR))?;
            if wanted.items.is_some() {
                items.push(parser.kept(item)?);
            }
            Ok(())
        })?;
        Ok(Tree::List(items))
    }

    /// Counts a value that becomes a part of the tree.
    fn kept(&mut self, value: Tree<'a>) -> Result<Tree<'a>, ReadError> {
        let Some(room) = self.room.checked_sub(1) else {
            return Err(over(format!("at most {} values (eurekad.limits.body-values)", self.limits.body_values)));
        };
        self.room = room;
        Ok(value)
    }

    /// Adds the place to the error that the reading ended with.
    fn placed(&self, error: ReadError) -> ReadError {
        match error {
            ReadError::Limit { path, problem } if path.is_empty() => {
                ReadError::Limit { path: format!("body{}", self.tokens.place()), problem }
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests;
