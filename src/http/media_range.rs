//! One part of an `Accept` line: which media types it allows, and how much they are wanted.

use std::cmp::Reverse;

use http::HeaderValue;

use crate::codec::Format;

use super::negotiation::{Negotiated, XML, media_type};

/// See the module.
#[derive(Debug)]
pub(super) struct MediaRange<'a> {
    kind: &'a str,
    subtype: &'a str,
    /// What follows the type, without `q`.
    parameters: Vec<&'a str>,
    /// In thousandths. Java picks a type of quality 0 like any other.
    quality: u16,
}

impl<'a> MediaRange<'a> {
    /// A lone word is a type without a subtype and matches nothing; a lone `*` is everything (the
    /// JDK sends it).
    pub(super) fn parse(part: &'a str) -> Option<Self> {
        let mut pieces = unquoted(part, ';').map(str::trim);
        let range = pieces.next()?;
        let (kind, subtype) = match range.split_once('/') {
            Some((kind, subtype)) => (kind.trim(), subtype.trim()),
            None => (range, "*"),
        };
        if kind.is_empty() || subtype.is_empty() {
            return None;
        }
        let (mut parameters, mut quality) = (Vec::new(), 1000);
        for piece in pieces.filter(|piece| !piece.is_empty()) {
            match piece.split_once('=') {
                Some((name, value)) if name.trim().eq_ignore_ascii_case("q") => quality = thousandths(value.trim())?,
                _ => parameters.push(piece),
            }
        }
        Some(Self { kind, subtype, parameters, quality })
    }

    /// Its place among others: what is wanted most comes first, and of that what says most.
    pub(super) fn rank(&self) -> (Reverse<u16>, u8) {
        (Reverse(self.quality), u8::from(self.kind == "*") + u8::from(self.subtype == "*"))
    }

    /// What of it a server has that writes XML and JSON.
    pub(super) fn pick(&self) -> Option<Negotiated> {
        let format = match (self.kind, self.subtype) {
            ("*", "*") => return Some(Negotiated { format: Format::Xml, content_type: XML }),
            (kind, _) if !kind.eq_ignore_ascii_case("application") => return None,
            (_, "*") => return Some(Negotiated { format: Format::Xml, content_type: XML }),
            (_, subtype) if subtype.eq_ignore_ascii_case("json") => Format::Json,
            (_, subtype) if subtype.eq_ignore_ascii_case("xml") => Format::Xml,
            _ => return None,
        };
        // The type goes back as the client wrote it, but the bytes are UTF-8 and nothing else.
        let mut written = format!("{}/{}", self.kind, self.subtype);
        for parameter in self.parameters.iter().filter(|parameter| charset(parameter).is_none_or(is_utf8)) {
            written.push(';');
            written.push_str(parameter);
        }
        let content_type = HeaderValue::from_str(&written).unwrap_or_else(|_| media_type(format));
        Some(Negotiated { format, content_type })
    }
}

/// The pieces between separators that stand in no quoted string (RFC 9110, 5.6.4).
pub(super) fn unquoted(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |c| {
        let plain = !std::mem::take(&mut escaped);
        match c {
            '"' if plain => quoted = !quoted,
            '\\' if plain && quoted => escaped = true,
            _ => {}
        }
        c == separator && !quoted
    })
}

/// The value of a parameter that names a charset.
pub(super) fn charset(parameter: &str) -> Option<&str> {
    let (name, charset) = parameter.split_once('=')?;
    name.trim().eq_ignore_ascii_case("charset").then(|| charset.trim().trim_matches('"'))
}

/// Whether it is the one that answers are written in.
pub(super) fn is_utf8(charset: &str) -> bool {
    charset.eq_ignore_ascii_case("utf-8")
}

fn thousandths(quality: &str) -> Option<u16> {
    let value: f32 = quality.parse().ok()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
    (0.0..=1.0).contains(&value).then_some((value * 1000.0) as u16)
}
