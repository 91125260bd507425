//! The text of a body, out of whatever encoding it came in, and what is said about a place in it.
//!
//! Java leaves the encoding to its XML parser: a byte order mark, else the encoding that the XML
//! declaration names, else UTF-8. The `charset` of the request's type says nothing to it.

use std::borrow::Cow;
use std::fmt::Display;

use quick_xml::Reader;
use quick_xml::encoding::{DetectedEncoding, decode, detect_encoding};
use quick_xml::events::Event;

use crate::codec::ReadError;
pub(super) use crate::codec::limits::{quoted, shortened};

/// A body as text.
#[derive(Clone, Copy)]
pub(super) struct Source<'a>(pub(super) &'a str);

impl Source<'_> {
    /// An error about what stands at a byte of the text.
    pub(super) fn syntax(self, at: usize, problem: impl Display) -> ReadError {
        ReadError::Syntax(format!("{problem} ({})", self.place(at)))
    }

    /// An error about a member.
    pub(super) fn field(self, at: usize, path: &str, problem: impl Display) -> ReadError {
        ReadError::Field { path: path.to_owned(), problem: format!("{problem} ({})", self.place(at)) }
    }

    /// An error about a limit and the setting that it comes from.
    pub(super) fn limit(self, at: usize, path: String, problem: impl Display, setting: &str) -> ReadError {
        let problem = format!("{problem} ({}); the setting eurekad.limits.{setting} allows more", self.place(at));
        ReadError::Limit { path, problem }
    }

    fn place(self, at: usize) -> String {
        let before = self.0.get(..at).unwrap_or(self.0);
        let line = before.rsplit('\n').next().unwrap_or_default();
        format!("line {}, column {}", before.matches('\n').count() + 1, line.chars().count() + 1)
    }
}

/// The text of a body. Bytes that its encoding does not have are refused.
pub(super) fn text_of(body: &[u8]) -> Result<Cow<'_, str>, ReadError> {
    match detect_encoding(body) {
        None => utf8(body, 0),
        Some(DetectedEncoding::AsciiCompatible) => as_declared(body),
        Some(mark @ DetectedEncoding::Utf8Bom) => utf8(body, mark.bom_len()),
        Some(wide) => decode(body.get(wide.bom_len()..).unwrap_or_default(), wide.encoding()).map_err(not_encoded),
    }
}

fn utf8(body: &[u8], skipped: usize) -> Result<Cow<'_, str>, ReadError> {
    let text = std::str::from_utf8(body.get(skipped..).unwrap_or_default());
    text.map(Cow::Borrowed)
        .map_err(|error| ReadError::Syntax(format!("it is not UTF-8 at byte {}", skipped + error.valid_up_to())))
}

/// The text in the encoding that the XML declaration names, if it names one.
fn as_declared(body: &[u8]) -> Result<Cow<'_, str>, ReadError> {
    let declaration = body.split_inclusive(|&byte| byte == b'>').next().unwrap_or_default();
    let declaration = utf8(declaration, 0)?;
    let mut reader = Reader::from_str(&declaration);
    let Ok(Event::Decl(declaration)) = reader.read_event() else { return utf8(body, 0) };
    match (declaration.encoding(), declaration.encoder()) {
        (None, _) => utf8(body, 0),
        (Some(_), Some(encoding)) if encoding.name() == "UTF-8" => utf8(body, 0),
        (Some(_), Some(encoding)) if encoding.is_ascii_compatible() => decode(body, encoding).map_err(not_encoded),
        (Some(Ok(named)), _) => {
            Err(ReadError::Syntax(format!("it is not in the encoding {} or that is not known", quoted(&named))))
        }
        (Some(Err(error)), _) => Err(ReadError::Syntax(format!("its XML declaration is ill-formed: {error}"))),
    }
}

fn not_encoded(error: impl Display) -> ReadError {
    ReadError::Syntax(error.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn a_byte_order_mark_decides_then_the_declaration_then_utf_8() {
        assert_eq!(text_of("<a>ë🏺</a>".as_bytes()).unwrap(), "<a>ë🏺</a>");
        assert_eq!(text_of("\u{feff}<a>ë</a>".as_bytes()).unwrap(), "<a>ë</a>");
        let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xeb</a>";
        assert!(text_of(latin).unwrap().ends_with("<a>ë</a>"));
        let marked = "\u{feff}<?xml version='1.0' encoding='UTF-16'?><a>ë🏺</a>";
        for unit in [u16::to_be_bytes, u16::to_le_bytes] {
            assert!(text_of(&utf16(marked, unit)).unwrap().ends_with("<a>ë🏺</a>"));
            assert!(text_of(&utf16(marked.trim_start_matches('\u{feff}'), unit)).unwrap().ends_with("<a>ë🏺</a>"));
        }
        assert_eq!(text_of(b"<?xml version='1.0'?><a/>").unwrap(), "<?xml version='1.0'?><a/>");
    }

    #[test]
    fn bytes_that_the_encoding_lacks_are_refused() {
        let refusal = |body: &[u8]| text_of(body).unwrap_err().to_string();
        assert_eq!(refusal(b"<a>\xeb</a>"), "cannot parse request body: it is not UTF-8 at byte 3");
        assert!(refusal(b"<?xml version='1.0' encoding='klingon'?><a/>").contains("encoding \"klingon\""));
        assert!(refusal(b"<?xml version='1.0' encoding='UTF-16'?><a/>").contains("encoding \"UTF-16\""));
        assert!(refusal(b"\xff\xfe<\0a").contains("UTF-16LE"));
        assert!(refusal(b"<?xml version='1.0' encoding='UTF-8'?><a>\xeb</a>").contains("UTF-8 at byte"));
    }

    #[test]
    fn places_are_counted_from_one_in_characters() {
        let source = Source("a\nbé🏺x");
        assert_eq!(source.place(0), "line 1, column 1");
        assert_eq!(source.place("a\nbé🏺".len()), "line 2, column 4");
        assert_eq!(source.place(usize::MAX), "line 2, column 5");
        assert_eq!(source.place("a\nb".len() + 1), "line 2, column 5", "not at a character: the end");
    }
}
