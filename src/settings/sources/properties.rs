//! `.properties`, as `java.util.Properties` and Spring's `OriginTrackedPropertiesLoader` read them.

use super::document::{Broken, Document, Entry};

/// Documents end at a line `#---` or `!---`.
pub(super) fn read(text: &str) -> Result<Vec<Document>, Broken> {
    let mut documents = vec![Document::new()];
    let mut lines = text.lines().zip(1..);
    while let Some((physical, line)) = lines.next() {
        let start = physical.trim_start_matches(is_blank);
        if matches!(start.trim_end(), "#---" | "!---") {
            documents.push(Document::new());
            continue;
        }
        if start.is_empty() || start.starts_with(['#', '!']) {
            continue;
        }
        let mut logical = start.to_owned();
        while ends_in_continuation(&logical) {
            logical.pop();
            let Some((next, _)) = lines.next() else { break };
            logical.push_str(next.trim_start_matches(is_blank));
        }
        let (name, value) = split(&logical).map_err(|problem| Broken { line: Some(line), problem })?;
        if let Some(document) = documents.last_mut() {
            document.push(Entry { name, value, line });
        }
    }
    Ok(documents)
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{c}')
}

/// Whether the last character is a backslash that is not itself escaped.
fn ends_in_continuation(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// A name ends at the first `=`, `:` or blank that is not escaped.
fn split(line: &str) -> Result<(String, String), String> {
    let mut escaped = false;
    let end = line.find(|c: char| {
        let ends = !escaped && (is_blank(c) || matches!(c, '=' | ':'));
        escaped = !escaped && c == '\\';
        ends
    });
    let (name, rest) = line.split_at_checked(end.unwrap_or(line.len())).unwrap_or((line, ""));
    let rest = rest.trim_start_matches(is_blank);
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start_matches(is_blank);
    Ok((unescape(name)?, unescape(value)?))
}

fn unescape(text: &str) -> Result<String, String> {
    // UTF-16 like Java's strings: two escapes in a row may make one character.
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let meant = match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', None) => break,
            ('\\', Some('u')) => {
                let digits: String = chars.by_ref().take(4).collect();
                if digits.len() != 4 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                    return Err(format!("\\u{digits} is no character: write \\u and four hex digits"));
                }
                units.extend(u16::from_str_radix(&digits, 16));
                continue;
            }
            ('\\', Some('t')) => '\t',
            ('\\', Some('n')) => '\n',
            ('\\', Some('r')) => '\r',
            ('\\', Some('f')) => '\u{c}',
            ('\\', Some(itself)) => itself,
            (plain, _) => plain,
        };
        units.extend_from_slice(meant.encode_utf16(&mut [0; 2]));
    }
    Ok(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use proptest::prelude::*;

    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        read(text).unwrap().concat().into_iter().map(|entry| (entry.name, entry.value)).collect()
    }

    fn one(text: &str) -> (String, String) {
        let [pair] = <[_; 1]>::try_from(pairs(text)).unwrap();
        pair
    }

    #[test]
    fn every_separator_parts_name_and_value() {
        for text in ["a.b=c d", "a.b = c d", "a.b:c d", "a.b : c d", "a.b c d", "  a.b\t=\tc d"] {
            assert_eq!(one(text), ("a.b".to_owned(), "c d".to_owned()), "{text:?}");
        }
        assert_eq!(one("a"), ("a".to_owned(), String::new()));
        assert_eq!(one("a="), ("a".to_owned(), String::new()));
        assert_eq!(one("a==b"), ("a".to_owned(), "=b".to_owned()));
        // Blanks at the end belong to the value, as in Java.
        assert_eq!(one("a=b  "), ("a".to_owned(), "b  ".to_owned()));
    }

    #[test]
    fn escapes_are_javas() {
        assert_eq!(
            one(r"a\ b\=\:c=\t\n\r\f\\\q\u00fc\ud83d\ude00"),
            ("a b=:c".to_owned(), "\t\n\r\u{c}\\qü😀".to_owned())
        );
        assert_eq!(read("x=1\na=\\u00g0").unwrap_err().line, Some(2));
        assert!(read("a=\\u+123").is_err());
        assert!(read("a=\\u12").is_err());
    }

    #[test]
    fn lines_go_on_after_a_backslash() {
        let text = "# comment \\\n! another\n\na=b,\\\n    c,\\\n\td\nx=y\\\\\nz=1\\";
        let expected = [("a", "b,c,d"), ("x", "y\\"), ("z", "1")];
        assert_eq!(pairs(text), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let lines: Vec<u64> = read(text).unwrap().concat().iter().map(|entry| entry.line).collect();
        assert_eq!(lines, [4, 7, 8]);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[ab=:\\\\u0\n \t#!é-]*") {
            let _ = read(&text);
        }
    }
}
