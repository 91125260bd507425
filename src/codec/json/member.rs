//! What a single member of an object may look like, and how it is named when it is wrong.
//!
//! Java asks its parser for "the value as a text" or "as a number" and takes whatever comes; so
//! numbers and texts stand for each other here too. A list or an object in the place of a scalar,
//! on which Java's reader loses its place, is refused.

use std::borrow::Cow;

use super::tree::Tree;
use crate::codec::ReadError;
pub(super) use crate::codec::limits::{Under, over, quoted, shortened, wrong};

/// A scalar as a text: numbers by their literal, null as nothing.
pub(super) fn text<'a>(value: &'a Tree<'_>) -> Result<Option<Cow<'a, str>>, ReadError> {
    Ok(Some(Cow::Borrowed(match value {
        Tree::Null => return Ok(None),
        Tree::Bool(true) => "true",
        Tree::Bool(false) => "false",
        Tree::Number(literal) => literal,
        Tree::Text(text) => text,
        Tree::List(_) | Tree::Object(_) => return Err(wrong("must be a text, not a list or an object")),
    })))
}

/// A scalar as a whole number: a fraction is cut off, true is 1. A text that is none is nothing.
pub(super) fn whole<T: TryFrom<i64>>(value: &Tree<'_>) -> Result<Option<T>, ReadError> {
    let fitting = |literal: &str| truncated(literal).and_then(|number| T::try_from(number).ok());
    match value {
        Tree::Null => Ok(None),
        Tree::Bool(flag) => Ok(T::try_from(i64::from(*flag)).ok()),
        Tree::Number(literal) => {
            fitting(literal).map(Some).ok_or_else(|| wrong(format!("{} is out of range", shortened(literal))))
        }
        Tree::Text(text) => Ok(fitting(text.trim())),
        Tree::List(_) | Tree::Object(_) => Err(wrong("must be a number, not a list or an object")),
    }
}

fn truncated(literal: &str) -> Option<i64> {
    const RANGE: std::ops::Range<f64> = -9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0;
    let literal = literal.strip_prefix('+').unwrap_or(literal);
    literal.parse().ok().or_else(|| {
        let number = literal.parse::<f64>().ok().filter(|number| RANGE.contains(number))?;
        #[expect(clippy::cast_possible_truncation, reason = "the range was checked; the fraction is to go")]
        Some(number as i64)
    })
}

/// A scalar as a switch: true are `true`, that word, and every whole number but 0.
pub(super) fn switch(value: &Tree<'_>) -> Result<bool, ReadError> {
    match value {
        Tree::Null => Ok(false),
        Tree::Bool(on) => Ok(*on),
        Tree::Number(literal) => Ok(literal.parse::<i64>().is_ok_and(|number| number != 0)),
        Tree::Text(text) => Ok(text.trim() == "true"),
        Tree::List(_) | Tree::Object(_) => Err(wrong("must be true or false, not a list or an object")),
    }
}
