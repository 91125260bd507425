//! Objects and escapes, as Jackson writes them.
//!
//! Names of members are Eureka's own and need no escape; everything from outside goes through
//! [`string`].

use std::io::Write as _;

/// How characters beyond U+FFFF are written. Java has two writers that differ in nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supplementary {
    /// As they are: in lists, which Java encodes to a text first.
    Raw,
    /// As `\uD83C\uDFFA`: in what Java writes straight to the connection.
    Escaped,
}

/// One object, `{` to `}`.
pub(crate) fn object(out: &mut Vec<u8>, supplementary: Supplementary, fill: impl FnOnce(&mut Members<'_>)) {
    out.push(b'{');
    fill(&mut Members { out, supplementary, empty: true });
    out.push(b'}');
}

/// The members of an object that is being written.
pub(crate) struct Members<'a> {
    out: &'a mut Vec<u8>,
    supplementary: Supplementary,
    empty: bool,
}

impl Members<'_> {
    /// Bytes of the whole document so far.
    pub(super) fn written(&self) -> usize {
        self.out.len()
    }

    /// A member whose value is written by the caller.
    pub(crate) fn value(&mut self, name: &str) -> &mut Vec<u8> {
        self.comma();
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    /// A text.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        let supplementary = self.supplementary;
        string(self.value(name), text, supplementary);
    }

    /// A text, if there is one.
    pub(crate) fn optional(&mut self, name: &str, text: Option<&(impl AsRef<str> + ?Sized)>) {
        if let Some(text) = text {
            self.text(name, text.as_ref());
        }
    }

    /// A text under a name from outside.
    pub(crate) fn entry(&mut self, name: &str, text: &str) {
        self.comma();
        string(self.out, name, self.supplementary);
        self.out.push(b':');
        string(self.out, text, self.supplementary);
    }

    /// A number.
    pub(crate) fn number(&mut self, name: &str, number: impl Into<i64>) {
        digits(self.value(name), number.into());
    }

    /// A number as a text.
    pub(crate) fn quoted_number(&mut self, name: &str, number: i64) {
        let out = self.value(name);
        out.push(b'"');
        digits(out, number);
        out.push(b'"');
    }

    /// An object.
    pub(crate) fn object(&mut self, name: &str, fill: impl FnOnce(&mut Members<'_>)) {
        let supplementary = self.supplementary;
        object(self.value(name), supplementary, fill);
    }

    /// A list; with none or one item too.
    pub(crate) fn list<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        mut item: impl FnMut(&mut Vec<u8>, T),
    ) {
        let out = self.value(name);
        out.push(b'[');
        for (at, each) in items.into_iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            item(out, each);
        }
        out.push(b']');
    }

    fn comma(&mut self) {
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
    }
}

/// A text in quotes: escaped are `"`, `\`, control characters below U+0020, and nothing else but
/// what `supplementary` says.
pub(crate) fn string(out: &mut Vec<u8>, text: &str, supplementary: Supplementary) {
    // Characters beyond U+FFFF, and only those, have a first byte of 0xF0 or more.
    let highest = if supplementary == Supplementary::Raw { u8::MAX } else { 0xEF };
    let plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\' && byte <= highest;
    out.push(b'"');
    // Hardly any text has something to escape. Without an early end this is done many bytes at a time.
    if text.bytes().fold(true, |all, byte| all & plain(byte)) {
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
        return;
    }
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| !plain(byte)) {
        let (run, special) = rest.split_at(at);
        out.extend_from_slice(run.as_bytes());
        let mut characters = special.chars();
        if let Some(character) = characters.next() {
            escape(out, character);
        }
        rest = characters.as_str();
    }
    out.extend_from_slice(rest.as_bytes());
    out.push(b'"');
}

/// A number in decimal.
fn digits(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

fn escape(out: &mut Vec<u8>, character: char) {
    let short: &[u8] = match character {
        '"' => b"\\\"",
        '\\' => b"\\\\",
        '\u{8}' => b"\\b",
        '\t' => b"\\t",
        '\n' => b"\\n",
        '\u{C}' => b"\\f",
        '\r' => b"\\r",
        _ => {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing into a Vec cannot fail.
                let _ = write!(out, "\\u{unit:04X}");
            }
            return;
        }
    };
    out.extend_from_slice(short);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, supplementary: Supplementary) -> String {
        let mut out = Vec::new();
        string(&mut out, text, supplementary);
        String::from_utf8(out).unwrap_or_default()
    }

    #[test]
    fn escapes_only_quotes_backslashes_and_control_characters() {
        let text = "a\"b\\c/d\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F} <&>' \u{7F}\u{85}\u{2028}\u{FFFE}";
        let expected = "\"a\\\"b\\\\c/d\\u0001\\b\\t\\n\\u000B\\f\\r\\u001F <&>' \u{7F}\u{85}\u{2028}\u{FFFE}\"";
        assert_eq!(written(text, Supplementary::Raw), expected);
        assert_eq!(written(text, Supplementary::Escaped), expected);
    }

    #[test]
    fn numbers_are_written_as_the_formatter_does() {
        let powers = (0..19).map(|exponent| 10_i64.pow(exponent));
        let around = powers.flat_map(|power| [power - 1, power, power + 1]).chain([i64::MAX, 1_760_000_000_000]);
        for number in around.flat_map(|number| [number, -number]).chain([0, i64::MIN]) {
            let mut out = Vec::new();
            digits(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap_or_default(), number.to_string());
        }
    }

    #[test]
    fn the_two_writers_differ_beyond_the_basic_plane() {
        assert_eq!(written("Zoë 🏺中", Supplementary::Raw), "\"Zoë 🏺中\"");
        assert_eq!(written("Zoë 🏺中", Supplementary::Escaped), "\"Zoë \\uD83C\\uDFFA中\"");
    }
}
