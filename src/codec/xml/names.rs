//! Names of elements: which there may be, and how any text becomes one.
//!
//! A metadata key is an element's name in XML, so a key that is no XML name is escaped, as `XStream`
//! does it (`XmlFriendlyNameCoder`, with `_-` for `$` and `__` for `_`): `_` is doubled, `$` becomes
//! `_-`, and a character that may not stand at its place becomes `_.` and the four hex digits of
//! each of its UTF-16 units. Every key but the empty one comes back unchanged.
//!
//! `XStream` goes by the fifth edition of XML 1.0 and knows no namespaces. Java's own parser and
//! expat go by the fourth and refuse the whole document for a letter that it lacks; parsers that
//! know namespaces do so for a prefix that nobody declared. So `:` is escaped here too, and a letter
//! stands as it is only where all editions have it; a reader that un-escapes sees no difference.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A key as the name of an element. An empty key gives nothing, which is no name.
pub(super) fn escape(key: &str) -> Cow<'_, str> {
    let stands = |at, c| is_safe_start(c) || (at > 0 && is_safe_part(c));
    if key.char_indices().all(|(at, c)| stands(at, c)) {
        return Cow::Borrowed(key);
    }
    let mut name = String::with_capacity(key.len() + 8);
    for (at, c) in key.char_indices() {
        match c {
            '_' => name.push_str("__"),
            '$' => name.push_str("_-"),
            _ if stands(at, c) => name.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing into memory cannot fail.
                    let _ = write!(name, "_.{unit:04x}");
                }
            }
        }
    }
    Cow::Owned(name)
}

/// The key that an element's name stands for. What looks like an escape and is none stays as it is
/// (Java's reader fails on `_.` without four hex digits); half a surrogate pair becomes U+FFFD.
pub(super) fn unescape(name: &str) -> Cow<'_, str> {
    if !name.contains('_') {
        return Cow::Borrowed(name);
    }
    let mut units = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        if let Some((unit, after)) = escape_at(rest) {
            units.push(unit);
            rest = after;
        } else {
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    Cow::Owned(String::from_utf16_lossy(&units))
}

/// The UTF-16 unit of an escape that the text begins with, and what follows it.
fn escape_at(text: &str) -> Option<(u16, &str)> {
    let escaped = text.strip_prefix('_')?;
    if let Some(rest) = escaped.strip_prefix('_') {
        return Some((u16::from(b'_'), rest));
    }
    if let Some(rest) = escaped.strip_prefix('-') {
        return Some((u16::from(b'$'), rest));
    }
    let (digits, rest) = escaped.strip_prefix('.')?.split_at_checked(4)?;
    let hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
    hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten().map(|unit| (unit, rest))
}

/// Letters that begin a name in every edition of XML 1.0: not all there are, but those of most who
/// would write a key in their own script.
fn is_safe_start(c: char) -> bool {
    matches!(c,
        'A'..='Z' | 'a'..='z'
        // Latin, without the ligatures of the fifth edition
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{131}' | '\u{134}'..='\u{13E}'
        | '\u{141}'..='\u{148}' | '\u{14A}'..='\u{17E}' | '\u{1E00}'..='\u{1E9B}' | '\u{1EA0}'..='\u{1EF9}'
        // Greek, Cyrillic, Hebrew, Arabic
        | '\u{388}'..='\u{38A}' | '\u{38E}'..='\u{3A1}' | '\u{3A3}'..='\u{3CE}'
        | '\u{401}'..='\u{40C}' | '\u{40E}'..='\u{44F}' | '\u{451}'..='\u{45C}' | '\u{45E}'..='\u{481}'
        | '\u{5D0}'..='\u{5EA}' | '\u{621}'..='\u{63A}' | '\u{641}'..='\u{64A}'
        // Devanagari, Thai, kana, ideographs, Hangul
        | '\u{905}'..='\u{939}' | '\u{E01}'..='\u{E2E}' | '\u{3041}'..='\u{3094}' | '\u{30A1}'..='\u{30FA}'
        | '\u{4E00}'..='\u{9FA5}' | '\u{AC00}'..='\u{D7A3}')
}

/// What may follow in a name, likewise.
fn is_safe_part(c: char) -> bool {
    matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{345}' | '\u{30FC}'..='\u{30FE}')
}

/// Whether a text is a `Name` of XML 1.0 (fifth edition) and 1.1.
pub(super) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(is_name_start) && chars.all(|c| is_name_start(c) || is_name_part(c))
}

/// `NameStartChar`.
fn is_name_start(c: char) -> bool {
    matches!(c,
        ':' | 'A'..='Z' | '_' | 'a'..='z'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}'
        | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}'
        | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// What `NameChar` has beside [`is_name_start`].
fn is_name_part(c: char) -> bool {
    matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_are_escaped_so_that_every_parser_takes_them() {
        for (key, name) in [
            ("management.port", "management.port"),
            ("with_under", "with__under"),
            ("dol$lar", "dol_-lar"),
            ("sp ace", "sp_.0020ace"),
            ("1digit", "_.0031digit"),
            ("-dash", "_.002ddash"),
            (".a", "_.002ea"),
            ("a/b", "a_.002fb"),
            ("a:b", "a_.003ab"),
            (":a", "_.003aa"),
            ("é", "é"),
            ("Ключ_ключ", "Ключ__ключ"),
            ("\u{a640}", "_.a640"),
            ("中", "中"),
            ("a·b", "a·b"),
            ("e\u{301}", "e\u{301}"),
            ("\u{301}e", "_.0301e"),
            ("🏺", "_.d83c_.dffa"),
            ("_", "__"),
            ("__", "____"),
            ("$", "_-"),
            ("x_-y", "x__-y"),
            ("xml", "xml"),
            ("a<b", "a_.003cb"),
            ("q\"t", "q_.0022t"),
            ("tab\tk", "tab_.0009k"),
            ("@class", "_.0040class"),
            ("&=", "_.0026_.003d"),
        ] {
            assert_eq!(escape(key), name, "escaped {key:?}");
            assert_eq!(unescape(name), key, "unescaped {name:?}");
        }
    }

    #[test]
    fn what_is_no_escape_stays() {
        for name in ["a_b", "_", "_a", "a_", "_.", "_.00", "_.00g0", "_.+020", "_.00é", "a_.é"] {
            assert_eq!(unescape(name), name);
        }
        assert_eq!(unescape("a___b"), "a__b");
        assert_eq!(unescape("a_.d800b"), "a\u{FFFD}b");
        assert_eq!(unescape("_.D83C_.DFFA"), "🏺");
    }

    proptest! {
        #[test]
        fn any_key_becomes_a_name_and_comes_back(key in any::<String>().prop_filter("empty", |k| !k.is_empty())) {
            let name = escape(&key);
            prop_assert!(is_name(&name) && !name.contains(':'), "{name:?}");
            prop_assert_eq!(unescape(&name), &*key);
        }
    }
}
