//! The language of access log patterns (`AbstractAccessLogValve`).

use http::HeaderName;

/// A piece of an access log's line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessPart {
    /// Text as it is.
    Literal(String),
    /// `%h`, `%a`: the client's IP address.
    Client,
    /// `%r`: method, target and protocol.
    RequestLine,
    /// `%m`.
    Method,
    /// `%U`: the path, as it was sent.
    Path,
    /// `%q`: the query with its `?`, or nothing.
    Query,
    /// `%H`: as in `HTTP/1.1`.
    Protocol,
    /// `%t`, `%{yyyy-MM-dd}t`: when the answer was out, local time, as `strftime` writes it.
    Time(String),
    /// `%s`.
    Status,
    /// `%B`: bytes of the answer's body. `%b`: the same, but `-` for none.
    Bytes {
        /// What is written for none.
        none: &'static str,
    },
    /// `%D`, `%T`, `%{ms}T`: from the head of the request to the end of the answer.
    Taken(TimeUnit),
    /// `%{name}i`: a header of the request.
    RequestHeader(HeaderName),
    /// `%{name}o`: a header of the answer.
    AnswerHeader(HeaderName),
    /// `%u`: whose login it was.
    User,
    /// `%l`, and what has no counterpart here (sessions, threads, cookies): always `-`.
    Nothing,
}

/// In which whole units a time is written. (Before Tomcat 10 `%D` was milliseconds.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// `%D`, `%{us}T`.
    Micros,
    /// `%{ms}T`.
    Millis,
    /// `%T`, `%{s}T`.
    Seconds,
}

const COMMON: &str = "%h %l %u %t \"%r\" %s %b";
const COMBINED: &str = "%h %l %u %t \"%r\" %s %b \"%{Referer}i\" \"%{User-Agent}i\"";
/// `%t`.
const COMMON_TIME: &str = "[%d/%b/%Y:%H:%M:%S %z]";

/// `common`, the default.
pub(super) fn common() -> Vec<AccessPart> {
    parse(COMMON).unwrap_or_default()
}

/// Reads a pattern. The error ends the sentence "must be …".
pub(super) fn parse(text: &str) -> Result<Vec<AccessPart>, String> {
    let text = match text {
        "common" => COMMON,
        "combined" => COMBINED,
        text => text,
    };
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((literal, directive)) = rest.split_once('%') {
        push_literal(&mut parts, literal);
        let (name, after) = match directive.strip_prefix('{') {
            Some(named) => {
                named.split_once('}').map(|(name, after)| (Some(name), after)).ok_or_else(|| expected("{"))?
            }
            None => (None, directive),
        };
        let mut letters = after.chars();
        let letter = letters.next();
        match (name, letter) {
            (None, Some('%')) => push_literal(&mut parts, "%"),
            _ => parts.push(part(name, letter)?),
        }
        rest = letters.as_str();
    }
    push_literal(&mut parts, rest);
    Ok(parts)
}

fn push_literal(parts: &mut Vec<AccessPart>, text: &str) {
    match parts.last_mut() {
        _ if text.is_empty() => {}
        Some(AccessPart::Literal(before)) => before.push_str(text),
        _ => parts.push(AccessPart::Literal(text.to_owned())),
    }
}

fn part(name: Option<&str>, letter: Option<char>) -> Result<AccessPart, String> {
    let header = |name: &str| HeaderName::try_from(name).map_err(|_| expected(&format!("{{{name}}}")));
    Ok(match (name, letter) {
        (None, Some('h' | 'a')) => AccessPart::Client,
        (None, Some('r')) => AccessPart::RequestLine,
        (None, Some('m')) => AccessPart::Method,
        (None, Some('U')) => AccessPart::Path,
        (None, Some('q')) => AccessPart::Query,
        (None, Some('H')) => AccessPart::Protocol,
        (None, Some('t')) => AccessPart::Time(COMMON_TIME.to_owned()),
        (Some(name), Some('t')) => AccessPart::Time(strftime(name).ok_or_else(|| expected(&format!("{{{name}}}t")))?),
        (None, Some('s')) => AccessPart::Status,
        (None, Some('u')) => AccessPart::User,
        (None, Some('b')) => AccessPart::Bytes { none: "-" },
        (None, Some('B')) => AccessPart::Bytes { none: "0" },
        (None, Some('D')) | (Some("us"), Some('T')) => AccessPart::Taken(TimeUnit::Micros),
        (Some("ms"), Some('T')) => AccessPart::Taken(TimeUnit::Millis),
        (None | Some("s"), Some('T')) => AccessPart::Taken(TimeUnit::Seconds),
        (Some(name), Some('i')) => AccessPart::RequestHeader(header(name)?),
        (Some(name), Some('o')) => AccessPart::AnswerHeader(header(name)?),
        (None, Some('l' | 'A' | 'p' | 'v' | 'F' | 'I' | 'S' | 'X'))
        | (Some(_), Some('a' | 'c' | 'L' | 'p' | 'P' | 'r' | 's')) => AccessPart::Nothing,
        (name, letter) => {
            let name = name.map(|name| format!("{{{name}}}")).unwrap_or_default();
            return Err(expected(&format!("{name}{}", letter.map(String::from).unwrap_or_default())));
        }
    })
}

fn expected(found: &str) -> String {
    format!("common, combined, or a text with letters of Tomcat's access log, which has no %{found}")
}

/// A pattern of Java's `SimpleDateFormat` in `strftime`'s words; none where it has no such letters.
fn strftime(pattern: &str) -> Option<String> {
    let mut translated = String::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("''") {
            translated.push('\'');
            rest = after;
            continue;
        }
        if let Some(quoted) = rest.strip_prefix('\'') {
            rest = push_quoted(&mut translated, quoted)?;
            continue;
        }
        let end = rest.find(|c| c != first).unwrap_or(rest.len());
        let (run, after) = rest.split_at_checked(end)?;
        rest = after;
        match (first, run.len()) {
            ('y' | 'u', 2) => translated.push_str("%y"),
            ('y' | 'u', _) => translated.push_str("%Y"),
            ('M', 4..) => translated.push_str("%B"),
            ('M', 3) => translated.push_str("%b"),
            ('M', _) => translated.push_str("%m"),
            ('d', _) => translated.push_str("%d"),
            ('E', 4..) => translated.push_str("%A"),
            ('E', _) => translated.push_str("%a"),
            ('H', _) => translated.push_str("%H"),
            ('h', _) => translated.push_str("%I"),
            ('a', _) => translated.push_str("%p"),
            ('m', _) => translated.push_str("%M"),
            ('s', _) => translated.push_str("%S"),
            ('S', digits @ 1..=9) => translated.extend(["%", &digits.to_string(), "f"]),
            ('Z', _) => translated.push_str("%z"),
            ('X', 3) => translated.push_str("%:z"),
            ('z', _) => translated.push_str("%Z"),
            ('%', length) => translated.push_str(&"%%".repeat(length)),
            (other, _) if !other.is_ascii_alphabetic() => translated.push_str(run),
            _ => return None,
        }
    }
    Some(translated)
}

/// Takes a quoted text, in which a doubled quote is one, and gives what comes after it.
fn push_quoted<'a>(translated: &mut String, quoted: &'a str) -> Option<&'a str> {
    let mut rest = quoted;
    loop {
        let (text, after) = rest.split_once('\'')?;
        translated.push_str(&text.replace('%', "%%"));
        let Some(more) = after.strip_prefix('\'') else { return Some(after) };
        translated.push('\'');
        rest = more;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn literal(text: &str) -> AccessPart {
        AccessPart::Literal(text.to_owned())
    }

    #[test]
    fn letters_and_text_alternate() {
        let user_agent = AccessPart::RequestHeader(HeaderName::from_static("user-agent"));
        let parts =
            [AccessPart::Status, literal(" 5% \""), user_agent, literal("\" "), AccessPart::Taken(TimeUnit::Millis)];
        assert_eq!(parse("%s 5%% \"%{User-Agent}i\" %{ms}T").unwrap(), parts);
        assert_eq!(parse("common"), parse(COMMON));
        assert_eq!(parse("combined").unwrap().len(), common().len() + 5);
        assert_eq!(parse("x").unwrap(), [literal("x")]);
    }

    #[test]
    fn what_java_has_and_this_has_not_is_a_dash() {
        for pattern in ["%l", "%I", "%S", "%{JSESSIONID}c", "%{x}r"] {
            assert_eq!(parse(pattern).unwrap(), [AccessPart::Nothing], "{pattern}");
        }
    }

    #[test]
    fn unknown_letters_are_named() {
        for (pattern, found) in
            [("%y", "%y"), ("%h %", "%"), ("%{x}", "%{x}"), ("%{x", "%{"), ("%{a b}i", "%{a b}"), ("%{q}t", "%{q}t")]
        {
            let error = parse(pattern).unwrap_err();
            assert!(error.ends_with(&format!("which has no {found}")), "{pattern}: {error}");
        }
    }

    #[test]
    fn javas_dates_are_translated() {
        for (java, ours) in [
            ("yyyy-MM-dd HH:mm:ss.SSS", "%Y-%m-%d %H:%M:%S.%3f"),
            ("dd/MMM/yyyy:HH:mm:ss Z", "%d/%b/%Y:%H:%M:%S %z"),
            ("yyyy-MM-dd'T'HH:mm:ssXXX", "%Y-%m-%dT%H:%M:%S%:z"),
            ("h 'o''clock' a %é", "%I o'clock %p %%é"),
        ] {
            assert_eq!(strftime(java).as_deref(), Some(ours), "{java}");
        }
        for none in ["msec", "yyyy 'x", "'''"] {
            assert_eq!(strftime(none), None, "{none}");
        }
    }
}
