//! Patterns of subjects of certificates: as RFC 4514 writes a name, with `*` in values.
//!
//! A subject is compared part by part, never as one text: an authority lets its clients choose some of the parts,
//! and what they write there must not end up as another part.

use super::Pattern;

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubjectPattern {
    /// `*`.
    Any,
    /// One for each part, in the order of RFC 4514.
    Parts(Vec<PartPattern>),
}

/// A relative distinguished name: the types of its attributes, in upper case and sorted, and their values.
type PartPattern = Vec<(String, Pattern)>;

/// The same of a name, or of a pattern: the value is what is between its stars.
type Part = Vec<(String, Vec<String>)>;

const EXPECTED: &str = "*, or a subject as RFC 4514 writes it, with * in values only (CN=node-*,O=Example)";

impl SubjectPattern {
    /// Reads one.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text == "*" {
            return Ok(Self::Any);
        }
        let parts = parts(text).ok_or(EXPECTED)?;
        let pattern = |(of, pieces)| (of, Pattern::of_pieces(pieces));
        Ok(Self::Parts(parts.into_iter().map(|part| part.into_iter().map(pattern).collect()).collect()))
    }

    /// Whether a subject, as RFC 4514 writes it, is one of those it stands for.
    pub fn matches(&self, subject: &str) -> bool {
        let Self::Parts(patterns) = self else { return true };
        parts(subject).is_some_and(|parts| {
            parts.len() == patterns.len() && parts.iter().zip(patterns).all(|(part, pattern)| fits(part, pattern))
        })
    }
}

fn fits(part: &Part, pattern: &PartPattern) -> bool {
    let fits = |((of, value), (wanted, pattern)): (&(String, Vec<String>), &(String, Pattern))| {
        of == wanted && pattern.matches(&value.join("*"))
    };
    part.len() == pattern.len() && part.iter().zip(pattern).all(fits)
}

/// The parts of a name; none if it is not written as RFC 4514 has it.
fn parts(name: &str) -> Option<Vec<Part>> {
    let attributes = |part| {
        let mut attributes = split(part, '+').into_iter().map(attribute).collect::<Option<Part>>()?;
        attributes.sort_by(|(one, _), (other, _)| one.cmp(other));
        Some(attributes)
    };
    split(name, ',').into_iter().map(attributes).collect()
}

/// Parts at each mark that no backslash is before.
fn split(text: &str, mark: char) -> Vec<&str> {
    let mut escaped = false;
    let is_mark = |c| {
        let is_plain = !escaped;
        escaped = is_plain && c == '\\';
        is_plain && c == mark
    };
    text.split(is_mark).collect()
}

fn attribute(text: &str) -> Option<(String, Vec<String>)> {
    let (of, value) = text.split_once('=')?;
    let of = of.trim_matches(' ');
    let is_type = !of.is_empty() && of.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
    is_type.then_some(())?;
    Some((of.to_ascii_uppercase(), pieces(value)?))
}

/// What is between the stars of a value, with what its backslashes stand for.
fn pieces(value: &str) -> Option<Vec<String>> {
    let mut pieces = vec![Vec::new()];
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'*' {
            pieces.push(Vec::new());
            continue;
        }
        let meant = if byte == b'\\' { escaped(&mut rest)? } else { byte };
        pieces.last_mut()?.push(meant);
    }
    pieces.into_iter().map(|piece| String::from_utf8(piece).ok()).collect()
}

/// What follows a backslash: two hexadecimal digits, or a mark.
fn escaped(rest: &mut std::str::Bytes<'_>) -> Option<u8> {
    let first = rest.next()?;
    let Some(high) = char::from(first).to_digit(16) else { return Some(first) };
    let low = char::from(rest.next()?).to_digit(16)?;
    u8::try_from(high << 4 | low).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, subject: &str) -> bool {
        SubjectPattern::parse(pattern).unwrap().matches(subject)
    }

    #[test]
    fn a_star_of_a_subject_ends_where_its_part_ends() {
        let pattern = "CN=shop-*,O=Example";
        for subject in ["CN=shop-1,O=Example", "CN=shop-,O=Example", r"CN=shop-a\,b\+c,O=Example"] {
            assert!(matches(pattern, subject), "{subject}");
        }
        for subject in [
            r"CN=shop-1\,O=Example",
            r"CN=shop-1\\\,O=Example",
            "CN=shop-1,O=Evil,O=Example",
            "CN=shop-1,OU=x,O=Example",
            "CN=shop-1+OU=x,O=Example",
            r"CN=shop-1\+O=x,O=Example",
            "O=Example,CN=shop-1",
            "CN=shop-1,O=Example,C=DE",
            "CN=shop-1,O=example",
            "OU=shop-1,O=Example",
            "CN=shop-1",
            "",
        ] {
            let is_right = subject == r"CN=shop-1\+O=x,O=Example";
            assert_eq!(matches(pattern, subject), is_right, "{subject}");
        }
    }

    #[test]
    fn escapes_types_and_blanks_are_read_as_the_rfc_has_them() {
        for (pattern, subject) in [
            ("*", ""),
            ("*", "CN=a,O=b"),
            ("cn=a, o=b", "CN=a,O=b"),
            (r"CN=a\2Cb", r"CN=a\,b"),
            (r"CN=L\C3\BCbeck", "CN=Lübeck"),
            (r"CN=a\*", "CN=a*"),
            ("CN=a+UID=1", "UID=1+CN=a"),
            ("CN=*", "CN=a*b"),
            (r"CN=a\5c", r"CN=a\\"),
        ] {
            assert!(matches(pattern, subject), "{pattern} {subject}");
        }
        assert!(!matches(r"CN=a\*", "CN=ab"));
        assert!(!matches("CN=*", ""));
        for pattern in ["node-1", "*,O=Example", "CN=a,", "CN=a+", "*=a", r"CN=a\", r"CN=a\2", r"CN=\ff"] {
            assert!(SubjectPattern::parse(pattern).is_err(), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_none_fits_one_more_part(text in r"[CNO=,+*a\\]{0,12}") {
            if let Ok(pattern @ SubjectPattern::Parts(_)) = SubjectPattern::parse(&text) {
                prop_assert!(pattern.matches(&text));
                let longer = format!("{text},O=x");
                prop_assert!(!pattern.matches(&longer));
            }
        }
    }
}
