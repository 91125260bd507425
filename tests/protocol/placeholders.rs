//! The placeholders of the golden recordings (`{{time}}`, `{{port}}` …): put in, and matched.

use super::json_form::is_about;

/// A request's text: this wall time (milliseconds) for `{{time}}`, 1 for ports and addresses.
pub(crate) fn filled(text: &str, now: i64) -> String {
    pieces(text).fold(String::new(), |mut filled, piece| {
        match piece {
            Piece::Text(text) => filled.push_str(text),
            Piece::Placeholder("time") => filled.push_str(&now.to_string()),
            Piece::Placeholder(name) if name.starts_with("port") || name.starts_with("ip") => filled.push('1'),
            Piece::Placeholder(other) => filled.extend(["{{", other, "}}"]),
        }
        filled
    })
}

/// A recorded text with 1 for each `{{time}}`.
pub(crate) fn with_times_as_one(recorded: &str) -> String {
    recorded.replace("{{time}}", "1")
}

/// An answer's text with 1 for each number that is a time of about now, as the recorder had it.
pub(crate) fn times_to_one(text: &str, now: i64) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|character: char| character.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let length = from.find(|character: char| !character.is_ascii_digit()).unwrap_or(from.len());
        let (digits, after) = from.split_at(length);
        replaced.push_str(before);
        replaced.push_str(if digits.len() == 13 && is_about(digits, now) { "1" } else { digits });
        rest = after;
    }
    replaced + rest
}

/// Whether a text stands for a body that was left out of the recording.
pub(crate) fn stands_for_left_out(recorded: &str) -> bool {
    ["{{html}}", "{{static}}", "{{wadl}}", "{{tomcat-error-page}}"].iter().any(|name| recorded.contains(name))
}

/// Whether a recorded text has a placeholder left.
pub(crate) fn has_any(recorded: &str) -> bool {
    pieces(recorded).any(|piece| matches!(piece, Piece::Placeholder(_)))
}

/// Whether a text is the recorded one, each placeholder standing for anything.
pub(crate) fn matches(recorded: &str, text: &str) -> bool {
    let mut rest = text;
    let mut anything = false;
    let mut pieces = pieces(recorded).peekable();
    while let Some(piece) = pieces.next() {
        let Piece::Text(piece) = piece else {
            anything = true;
            continue;
        };
        if anything && pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let found = if anything { rest.find(piece) } else { rest.starts_with(piece).then_some(0) };
        let Some(at) = found else { return false };
        rest = &rest[at + piece.len()..];
        anything = false;
    }
    rest.is_empty() || anything
}

enum Piece<'t> {
    Text(&'t str),
    Placeholder(&'t str),
}

fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let start = rest.find("{{").unwrap_or(rest.len());
        if start > 0 {
            let (piece, after) = rest.split_at(start);
            rest = after;
            return Some(Piece::Text(piece));
        }
        let Some((name, after)) = rest[2..].split_once("}}") else {
            return Some(Piece::Text(std::mem::take(&mut rest)));
        };
        rest = after;
        Some(Piece::Placeholder(name))
    })
}
