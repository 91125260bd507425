//! Text from outside, made harmless.
//!
//! Ids, names and headers come from anybody. A line end in one would forge a line of the log, an
//! escape sequence would repaint the terminal of whoever reads it, a mark that turns the direction of
//! writing would show another text than is there. All these are written as escapes, everywhere.

use std::fmt::Write as _;

/// A text as [`push_quotable`] has it.
pub(super) fn quotable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_quotable(&mut out, text);
    out
}

/// Adds a text with `"`, `\` and what is dangerous escaped as JSON has it.
pub(super) fn push_quotable(out: &mut String, text: &str) {
    push(out, text, |c| matches!(c, '"' | '\\') || is_dangerous(c));
}

/// Adds a text that stands alone: only what is dangerous is escaped.
pub(super) fn push_plain(out: &mut String, text: &str) {
    push(out, text, is_dangerous);
}

fn push(out: &mut String, text: &str, escaped: impl Fn(char) -> bool) {
    let mut rest = text;
    while let Some((run, special)) = rest.find(&escaped).and_then(|at| rest.split_at_checked(at)) {
        out.push_str(run);
        let mut characters = special.chars();
        match characters.next() {
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(character @ ('"' | '\\')) => {
                out.push('\\');
                out.push(character);
            }
            Some(character) => {
                // Writing into a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            None => {}
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
}

/// Controls, line and paragraph separators, marks for the direction of writing, and what takes no room at all, by
/// which two names look alike. All lie below U+FFFF, so that four digits name them.
pub(super) fn is_dangerous(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_dangerous_is_left() {
        assert_eq!(quotable("a\n\r\t\u{1b}[31m\u{9b}\u{7f}\u{0}"), r"a\n\r\t\u001b[31m\u009b\u007f\u0000");
        assert_eq!(quotable("\u{2028}\u{202e}\u{2066}\u{feff}"), r"\u2028\u202e\u2066\ufeff");
        assert_eq!(quotable("a\u{200b}\u{61c}\u{2060}b"), r"a\u200b\u061c\u2060b");
        assert_eq!(quotable("می\u{200c}خواهم"), "می\u{200c}خواهم", "words are written with it");
        assert_eq!(quotable(r#"C:\"x""#), r#"C:\\\"x\""#);
        assert_eq!(quotable("Zoë 中 🏺"), "Zoë 中 🏺");
        let mut out = String::new();
        push_plain(&mut out, "he said \"no\\\"\n");
        assert_eq!(out, r#"he said "no\"\n"#);
    }

    #[test]
    fn every_escape_is_json() {
        let all: String = (0..=u32::from(u16::MAX)).filter_map(char::from_u32).collect();
        let quoted = format!("\"{}\"", quotable(&all));
        assert_eq!(serde_json::from_str::<String>(&quoted).ok(), Some(all));
        assert!(!quoted.contains(is_dangerous));
    }
}
