//! YAML, flattened to property names as Spring's `YamlPropertySourceLoader` does it.
//!
//! Nesting becomes dots, sequences become `[0]`, and a scalar becomes the text of what it is in
//! YAML 1.1, as Spring sees it: `yes` is `true`, `1.10` is `1.1`, nothing is an empty text.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::options::NonFiniteFloatPolicy;
use serde_saphyr::{Spanned, UserMessageFormatter};

use super::document::{Broken, Document, Entry};

/// The documents of a file, in order; empty ones are left out.
pub(super) fn read(text: &str) -> Result<Vec<Document>, Broken> {
    let options = serde_saphyr::options! {
        with_snippet: false,
        leading_zero_numbers_as_strings: true,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        reject_unsupported_tags: true,
    };
    let documents: Vec<Spanned<Node>> =
        serde_saphyr::from_multiple_with_options(text, options).map_err(|error| Broken {
            line: error.location().map(|location| location.line()),
            problem: with_remedy(&error.render_with_formatter(&UserMessageFormatter)),
        })?;
    documents
        .into_iter()
        .map(|document| {
            let line = document.referenced.line();
            if matches!(document.value, Node::Mapping(_)) {
                let mut entries = Document::new();
                flatten(String::new(), document, &mut entries);
                Ok(entries)
            } else {
                Err(Broken { line: Some(line), problem: "not a mapping of names to values".to_owned() })
            }
        })
        .collect()
}

/// What the parser says when somebody makes a typical mistake, and what to do about it.
const REMEDIES: [(&str, &str); 6] = [
    ("unsupported tag", "put a value that begins with ! in quotes"),
    ("tabs disallowed", "indent with blanks"),
    ("unexpected character", "put the value in quotes"),
    ("mapping values are not allowed", "indent this line like the one before, or put its value in quotes"),
    ("duplicate mapping key", "write what is below both under one of them"),
    ("unclosed quote", "end the value with the quote that it begins with"),
];

fn with_remedy(problem: &str) -> String {
    let remedy = REMEDIES.iter().find(|(mistake, _)| problem.contains(mistake));
    remedy.map_or_else(|| problem.to_owned(), |(_, remedy)| format!("{problem}: {remedy}"))
}

fn flatten(name: String, node: Spanned<Node>, entries: &mut Document) {
    match node.value {
        Node::Scalar(value) => entries.push(Entry { name, value, line: node.referenced.line() }),
        // As `YamlProcessor` has it.
        Node::Sequence(items) if items.is_empty() => {
            entries.push(Entry { name, value: String::new(), line: node.referenced.line() });
        }
        Node::Sequence(items) => {
            for (index, item) in items.into_iter().enumerate() {
                flatten(format!("{name}[{index}]"), item, entries);
            }
        }
        // Java has nothing for it, so that an empty restriction would be none.
        Node::Mapping(members) if members.is_empty() && !name.is_empty() => {
            entries.push(Entry { name, value: String::new(), line: node.referenced.line() });
        }
        Node::Mapping(members) => {
            for (key, member) in members {
                let bare = name.is_empty() || key.starts_with('[');
                flatten(format!("{name}{}{key}", if bare { "" } else { "." }), member, entries);
            }
        }
    }
}

/// A document as it is written: order, nesting and the letter case of keys survive.
#[derive(Debug)]
enum Node {
    Scalar(String),
    Sequence(Vec<Spanned<Node>>),
    Mapping(Vec<(String, Spanned<Node>)>),
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

macro_rules! scalar {
    ($($visit:ident: $type:ty, $format:literal;)*) => {
        $(fn $visit<E>(self, value: $type) -> Result<Node, E> {
            Ok(Node::Scalar(format!($format, value)))
        })*
    };
}

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a scalar, a sequence or a mapping")
    }

    scalar! {
        visit_bool: bool, "{}";
        visit_i64: i64, "{}";
        visit_u64: u64, "{}";
        visit_str: &str, "{}";
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Scalar(java_double(value)))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(String::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut sequence = Vec::new();
        while let Some(item) = items.next_element()? {
            sequence.push(item);
        }
        Ok(Node::Sequence(sequence))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Node, A::Error> {
        let mut mapping = Vec::new();
        while let Some(member) = members.next_entry()? {
            mapping.push(member);
        }
        Ok(Node::Mapping(mapping))
    }
}

/// A number as `Double.toString` writes it: `5.0`, `1.0E10`.
fn java_double(value: f64) -> String {
    if value == 0.0 || (1e-3..1e7).contains(&value.abs()) {
        return format!("{value:?}");
    }
    let text = format!("{value:E}");
    match text.split_once('E') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0E{exponent}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use proptest::prelude::*;

    use super::*;

    fn lines(text: &str) -> Vec<String> {
        read(text).unwrap().concat().iter().map(|e| format!("{} {}={}", e.line, e.name, e.value)).collect()
    }

    #[test]
    fn nesting_becomes_dots_and_keeps_case_and_lines() {
        let text = "
eureka:
  client:
    serviceUrl:
      defaultZone: http://a:8761/eureka/,http://b:8761/eureka/
  instance.metadata-map:
    rackId: r1
    '[my.key]': v
server: {port: 8762}
list: [a, {b: c}]
";
        assert_eq!(
            lines(text),
            [
                "5 eureka.client.serviceUrl.defaultZone=http://a:8761/eureka/,http://b:8761/eureka/",
                "7 eureka.instance.metadata-map.rackId=r1",
                "8 eureka.instance.metadata-map[my.key]=v",
                "9 server.port=8762",
                "10 list[0]=a",
                "10 list[1].b=c",
            ]
        );
    }

    #[test]
    fn scalars_become_text_as_in_java() {
        let text = "a: yes\nb: off\nc: 1.10\nd: 5.0\ne: -3\nf: '007'\ng:\nh: ~\ni: 2026-01-02\nj: ${x:1}\nk: 30s\n1: 2\n\
             l: 0815\nm: 1e10\nn: -0.0001\no: .inf\np: 12345678.9\n";
        assert_eq!(
            lines(text),
            [
                "1 a=true",
                "2 b=false",
                "3 c=1.1",
                "4 d=5.0",
                "5 e=-3",
                "6 f=007",
                "7 g=",
                "8 h=",
                "9 i=2026-01-02",
                "10 j=${x:1}",
                "11 k=30s",
                "12 1=2",
                "13 l=0815",
                "14 m=1.0E10",
                "15 n=-1.0E-4",
                "16 o=.inf",
                "17 p=1.23456789E7"
            ]
        );
    }

    #[test]
    fn anchors_merges_and_documents_are_followed() {
        assert_eq!(lines("a: &x {b: 1}\nc: *x\n"), ["1 a.b=1", "2 c.b=1"]);
        assert_eq!(lines("a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n").len(), 3);
        assert_eq!(read("a: 1\n---\n# nothing\n---\nb: 2\n").unwrap().len(), 2);
        assert_eq!(read("").unwrap(), Vec::<Document>::new());
        assert_eq!(read("# only a comment\n").unwrap(), Vec::<Document>::new());
    }

    #[test]
    fn typical_mistakes_come_with_a_remedy() {
        for (text, remedy) in [
            ("a:\n\tb: 1", "indent with blanks"),
            ("a: @b@", "put the value in quotes"),
            ("a: !b", "put a value that begins with ! in quotes"),
            ("a:\n b: 1\n  c: 2", "indent this line like the one before, or put its value in quotes"),
            ("a: 1\na: 2", "write what is below both under one of them"),
            ("a: \"b\n", "end the value with the quote that it begins with"),
        ] {
            let problem = read(text).unwrap_err().problem;
            assert!(problem.ends_with(&format!(": {remedy}")), "{text:?}: {problem}");
        }
    }

    #[test]
    fn what_is_broken_is_named_by_line() {
        assert_eq!(read("a:\n\tb: 2\n").unwrap_err().line, Some(2));
        let Broken { line, problem } = read("a: 1\na: 2\n").unwrap_err();
        assert_eq!(line, Some(2));
        assert!(problem.starts_with("duplicate mapping key `a` is not allowed here"), "{problem}");
        assert_eq!(read("- a\n").unwrap_err().problem, "not a mapping of names to values");
        assert!(read(&format!("a: {}", "[".repeat(100_000))).is_err());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[ab:\\-\\[\\]{}&*<'\"|>#!%\n \té0]*") {
            let _ = read(&text);
        }
    }
}
