//! The bytes of a body, until they are a text.
//!
//! The encoding is told by the bytes alone, as in Jackson: UTF-8, or UTF-16 or UTF-32 of either
//! byte order, with or without a mark. What stands behind the end of the outermost value is not
//! looked at, so it may be no text at all.

use std::borrow::Cow;

/// A body as a text, up to the first byte that is none.
pub(super) struct Body<'a> {
    bytes: Cow<'a, [u8]>,
}

impl<'a> Body<'a> {
    /// Tells the encoding; UTF-8 is not copied.
    pub(super) fn new(body: &'a [u8]) -> Self {
        let bytes = match body {
            [0xEF, 0xBB, 0xBF, rest @ ..] => Cow::Borrowed(rest),
            [0, 0, 0xFE, 0xFF, rest @ ..] => utf32(rest, u32::from_be_bytes),
            [0xFF, 0xFE, 0, 0, rest @ ..] => utf32(rest, u32::from_le_bytes),
            [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
            [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
            [0, 0, 0, _, ..] => utf32(body, u32::from_be_bytes),
            [_, 0, 0, 0, ..] => utf32(body, u32::from_le_bytes),
            [0, _, ..] => utf16(body, u16::from_be_bytes),
            [_, 0, ..] => utf16(body, u16::from_le_bytes),
            _ => Cow::Borrowed(body),
        };
        Self { bytes }
    }

    /// The text, and whether it is all there is.
    pub(super) fn text(&self) -> (&str, bool) {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => (text, true),
            Err(_) => (self.bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid()), false),
        }
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'static, [u8]> {
    let (units, _) = bytes.as_chunks();
    let characters = char::decode_utf16(units.iter().map(|bytes| unit(*bytes)));
    Cow::Owned(characters.map(|decoded| decoded.unwrap_or('?')).collect::<String>().into_bytes())
}

fn utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> Cow<'static, [u8]> {
    let (units, _) = bytes.as_chunks();
    let characters = units.iter().map(|bytes| char::from_u32(unit(*bytes)).unwrap_or('?'));
    Cow::Owned(characters.collect::<String>().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unicode_encoding_is_told_by_its_bytes() {
        let text = r#"{"a":"Zoë 🏺"}"#;
        let utf16 = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<_>>();
        let utf32 = |bytes: fn(u32) -> [u8; 4]| text.chars().flat_map(|c| bytes(c.into())).collect::<Vec<_>>();
        for (mark, body) in [
            (&b"\xEF\xBB\xBF"[..], text.as_bytes().to_vec()),
            (b"\xFE\xFF", utf16(u16::to_be_bytes)),
            (b"\xFF\xFE", utf16(u16::to_le_bytes)),
            (b"\0\0\xFE\xFF", utf32(u32::to_be_bytes)),
            (b"\xFF\xFE\0\0", utf32(u32::to_le_bytes)),
        ] {
            assert_eq!(Body::new(&body).text(), (text, true), "without a mark: {mark:?}");
            assert_eq!(Body::new(&[mark, &body].concat()).text(), (text, true), "with the mark {mark:?}");
        }
    }

    #[test]
    fn a_text_ends_where_the_encoding_does() {
        assert_eq!(Body::new(b"").text(), ("", true));
        assert_eq!(Body::new(b"{\"a\":\"Zo\xEB\"}").text(), ("{\"a\":\"Zo", false));
        assert_eq!(Body::new(b"{} \xFF").text(), ("{} ", false));
    }

    #[test]
    fn what_wide_encodings_cannot_mean_becomes_a_question_mark() {
        assert_eq!(Body::new(b"\0\"\xD8\x00\0\"\0").text(), ("\"?\"", true));
        assert_eq!(Body::new(b"\0\0\0\"\0\x11\0\0").text(), ("\"?", true));
    }
}
