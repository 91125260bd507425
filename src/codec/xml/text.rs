//! Characters: which an XML document can carry, and how they stand in the text of an element.
//!
//! Java's writers pass on what XML 1.0 forbids (`&#x1;`), and then its own readers refuse the whole
//! registry. Here such a character is shown as U+FFFD; the registry itself keeps it, and JSON shows
//! it. Otherwise the escapes are Java's.

use std::io::Write as _;

/// What Java's two XML writers do with a character that XML can carry.
enum Written {
    Raw,
    Entity(&'static str),
    /// `&#x85;`: hex digits, lower case, no padding.
    Reference,
}

/// Whether XML 1.0 can carry a character (`Char`).
pub(super) fn is_xml_char(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// A text, or a document, without what XML cannot carry.
pub fn carried(text: String) -> String {
    if text.chars().all(is_xml_char) { text } else { text.replace(|c| !is_xml_char(c), "\u{FFFD}") }
}

/// Appends a text as `XStream`'s `PrettyPrintWriter` writes it. Java also escapes code points that
/// its version of Unicode has not assigned; of these only the noncharacters U+FDD0 to U+FDEF are
/// escaped here, which is the same to every reader.
pub(super) fn push_full(out: &mut Vec<u8>, text: &str) {
    push(out, text, |_, c| match c {
        '&' => Written::Entity("&amp;"),
        '<' => Written::Entity("&lt;"),
        '>' => Written::Entity("&gt;"),
        '"' => Written::Entity("&quot;"),
        '\'' => Written::Entity("&apos;"),
        '\r' | '\u{7F}'..='\u{9F}' | '\u{FDD0}'..='\u{FDEF}' => Written::Reference,
        _ => Written::Raw,
    });
}

/// Appends a text as Woodstox writes it under Jackson: `>` is escaped only where it would end a
/// CDATA section, and quotes are not.
pub(super) fn push_compact(out: &mut Vec<u8>, text: &str) {
    push(out, text, |before, c| match c {
        '&' => Written::Entity("&amp;"),
        '<' => Written::Entity("&lt;"),
        '>' if before.ends_with("]]") => Written::Entity("&gt;"),
        '\r' | '\u{7F}'..='\u{9F}' => Written::Reference,
        _ => Written::Raw,
    });
}

/// `written` gets what stands before a character in the text, and the character.
fn push(out: &mut Vec<u8>, text: &str, written: impl Fn(&str, char) -> Written) {
    let mut copied = 0;
    for (at, c) in text.char_indices() {
        let written =
            if is_xml_char(c) { written(text.get(..at).unwrap_or_default(), c) } else { Written::Entity("\u{FFFD}") };
        if matches!(written, Written::Raw) {
            continue;
        }
        out.extend_from_slice(text.get(copied..at).unwrap_or_default().as_bytes());
        copied = at + c.len_utf8();
        match written {
            Written::Raw => {}
            Written::Entity(entity) => out.extend_from_slice(entity.as_bytes()),
            Written::Reference => {
                // Writing into memory cannot fail.
                let _ = write!(out, "&#x{:x};", u32::from(c));
            }
        }
    }
    out.extend_from_slice(text.get(copied..).unwrap_or_default().as_bytes());
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn written(push: fn(&mut Vec<u8>, &str), text: &str) -> String {
        let mut out = Vec::new();
        push(&mut out, text);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn full_text_is_escaped_as_recorded_from_java() {
        for (text, expected) in [
            ("Zoë 中文 ₤ 🏺𝒳", "Zoë 中文 ₤ 🏺𝒳"),
            ("<a href='x'>&amp;</a> ]]>\"", "&lt;a href=&apos;x&apos;&gt;&amp;amp;&lt;/a&gt; ]]&gt;&quot;"),
            ("a\tb\nc", "a\tb\nc"),
            ("a\r\nb", "a&#xd;\nb"),
            ("a\u{7f}b\u{85}c\u{9f}d\u{a0}e", "a&#x7f;b&#x85;c&#x9f;d\u{a0}e"),
            ("a\u{2028}b\u{feff}c\u{fffd}", "a\u{2028}b\u{feff}c\u{fffd}"),
            ("a\u{fdd0}b\u{fdef}c", "a&#xfdd0;b&#xfdef;c"),
            ("  a  ", "  a  "),
            ("", ""),
        ] {
            assert_eq!(written(push_full, text), expected);
        }
    }

    #[test]
    fn compact_text_is_escaped_as_recorded_from_java() {
        for (text, expected) in [
            ("pottery,pots & <pans>", "pottery,pots &amp; &lt;pans>"),
            ("'\"]]>]>", "'\"]]&gt;]>"),
            ("a\r\nb\tc", "a&#xd;\nb\tc"),
            ("a\u{7f}b\u{85}c\u{9f}d", "a&#x7f;b&#x85;c&#x9f;d"),
            ("a\u{378}b\u{2028}", "a\u{378}b\u{2028}"),
        ] {
            assert_eq!(written(push_compact, text), expected);
        }
    }

    #[test]
    fn what_xml_cannot_carry_is_shown_as_the_replacement_character() {
        for push in [push_full, push_compact] {
            assert_eq!(written(push, "a\0b\u{1}c\u{b}\u{fffe}\u{ffff}"), "a\u{fffd}b\u{fffd}c\u{fffd}\u{fffd}\u{fffd}");
        }
    }
}
