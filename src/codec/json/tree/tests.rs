#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::codec::wanted::EVERYTHING;

/// The same tree as `serde_json` would have it.
fn value(tree: &Tree<'_>) -> Value {
    match tree {
        Tree::Null => Value::Null,
        Tree::Bool(flag) => Value::Bool(*flag),
        Tree::Number(literal) => serde_json::from_str(literal).unwrap(),
        Tree::Text(text) => Value::String(text.clone().into_owned()),
        Tree::List(items) => items.iter().map(value).collect(),
        Tree::Object(members) => members.iter().map(|(name, member)| (name.to_owned(), value(member))).collect(),
    }
}

fn parsed(body: &[u8]) -> Result<Value, String> {
    read(body, &Limits::default(), &EVERYTHING, |tree| Ok(value(&tree))).map_err(|error| error.to_string())
}

#[test]
fn bytes_behind_the_end_are_not_looked_at() {
    assert_eq!(parsed(b" {\"a\" : [ 1 , true ] } \xFF}]{[[["), Ok(json!({"a": [1, true]})));
}

#[test]
fn half_a_surrogate_pair_becomes_a_question_mark() {
    let body = br#"{"a":"x\ud800y\udfff\ud83c\udffa\\ud800","\uDC00":"\u00e9\ud800\ud83c\uDFFA\ud800\n"}"#;
    assert_eq!(parsed(body), Ok(json!({"a": "x?y?🏺\\ud800", "?": "é?🏺?\n"})));
}

#[test]
fn the_literal_of_a_number_stays() {
    for literal in ["5.50", "-0", "1e3", "1.0E5", "1E+05", "123456789012345678901234567890", "0.10"] {
        let kept = read(literal.as_bytes(), &Limits::default(), &EVERYTHING, |tree| Ok(tree == Tree::Number(literal)));
        assert_eq!(kept, Ok(true), "{literal}");
    }
}

#[test]
fn of_equal_names_the_last_counts_that_is_not_null() {
    let body = br#"{"a":1,"b":2,"a":3,"a":null,"b":"x"}"#;
    let found = |name| read(body, &Limits::default(), &EVERYTHING, |tree| Ok(tree.get(name).map(value))).unwrap();
    assert_eq!((found("a"), found("b"), found("c")), (Some(json!(3)), Some(json!("x")), None));
}

#[test]
fn case_009_a_syntax_error_is_one_line_with_its_place() {
    for (body, expected) in [
        (r#"{"instance":{"app":"ORDERS""#, "unexpected end at line 1 column 28"),
        ("", "unexpected end at line 1 column 1"),
        ("{\n\"é\":\"x", "unexpected end at line 2 column 7"),
        (r#"{"a":"\u00"#, "expected an escape such as \\n or \\u00E9 at line 1 column 8"),
        ("{\"a\" 1}", "expected `:` at line 1 column 6"),
        ("{\"a\":1 \"b\"}", "expected `,` or `}` at line 1 column 8"),
        ("[1 2]", "expected `,` or `]` at line 1 column 4"),
        ("[01]", "expected `,` or `]` at line 1 column 3"),
        ("[1.]", "expected a digit at line 1 column 4"),
        ("<instance>", "expected a value at line 1 column 1"),
        ("{'a':1}", "expected a name in quotes at line 1 column 2"),
        ("{\"a\":1,}", "expected a name in quotes at line 1 column 8"),
        ("\"a\tb\"", "expected an escape in the place of a control character at line 1 column 3"),
    ] {
        assert_eq!(parsed(body.as_bytes()), Err(format!("cannot parse request body: {expected}")), "{body}");
    }
    assert_eq!(
        parsed(b"{\"a\":\"Zo\xEB\"}").unwrap_err(),
        "cannot parse request body: neither UTF-8 nor UTF-16 nor UTF-32 at line 1 column 9"
    );
}

#[test]
fn no_nesting_is_too_deep_to_be_refused() {
    let read = |body: &str, nesting_depth| {
        read(body.as_bytes(), &Limits { nesting_depth, ..Limits::default() }, &EVERYTHING, |_| Ok(()))
    };
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(read(&nested(32), 32), Ok(()));
    assert_eq!(
        read(&nested(33), 32).unwrap_err().to_string(),
        "body at line 1 column 33 is over the limit: at most 32 objects and lists in one another \
         (eurekad.limits.nesting-depth)"
    );
    assert_eq!(read(&nested(DEEPEST), usize::MAX), Ok(()));
    for deep in [nested(DEEPEST + 1), "[".repeat(1_000_000), "{\"a\":".repeat(1_000_000)] {
        assert!(matches!(read(&deep, usize::MAX), Err(ReadError::Limit { .. })));
    }
    let flat = format!("[{}1]", "[],{\"[{\":1},".repeat(1000));
    assert_eq!(read(&flat, 2), Ok(()));
}

#[test]
fn what_nobody_asks_for_is_checked_and_not_kept() {
    static WANTED: Wanted = Wanted { member: |name| (name == "a").then_some(&SCALAR), items: None, gaps: true };
    let kept = |body: &str, body_values| {
        read(body.as_bytes(), &Limits { body_values, ..Limits::default() }, &WANTED, |tree| Ok(value(&tree)))
    };
    let many = |member: &str| member.repeat(1000);
    let body =
        format!(r#"{{{}"a":{{"b":[1]}},"n":null,"t":"x",{}"a":2}}"#, many(r#""x":[1,{"a":2}],"#), many(r#""y":1,"#));
    // `serde_json` keeps one of equal names, in the place of the first.
    assert_eq!(kept(&body, 4), Ok(json!({"x": [], "a": 2, "t": false})));
    assert!(kept(&body, 3).unwrap_err().to_string().contains("eurekad.limits.body-values"));
    assert!(kept(r#"{"x":[1,}]}"#, 9).is_err());
    assert!(kept(&format!(r#"{{"x":{}}}"#, "[".repeat(40)), 9).unwrap_err().to_string().contains("nesting-depth"));
}

/// Texts made of what JSON is made of: many of them are valid.
fn json_like() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"\\n\\u00e9\"",
        "\"\\ud83c\\udffa\"",
        "\"",
        "\\",
        "null",
        "true",
        "false",
        "0",
        "-1",
        "1.5",
        "2e3",
        " ",
        "\n",
        "é",
        "{\"b\":1}",
        "[2]",
        "\"c\":",
        "\u{1}",
    ]);
    prop::collection::vec(token, 0..12).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_valid_and_what_it_means_is_as_in_serde_json(text in json_like()) {
        // Bytes behind the end are an error there, so the end is put where this reader found it.
        let (tree, end) = {
            let body = Body::new(text.as_bytes());
            let mut parser = Parser::new(&body, &Limits { nesting_depth: DEEPEST, ..Limits::default() });
            let tree = parser.value(&EVERYTHING).map(|tree| value(&tree));
            (tree, parser.tokens.at())
        };
        match (tree, serde_json::from_str::<Value>(text.get(..end).unwrap_or(&text))) {
            (Ok(tree), Ok(expected)) => prop_assert_eq!(tree, expected),
            (Err(_), Err(_)) => {}
            (ours, theirs) => prop_assert!(false, "{:?}: {:?} but {:?}", text, ours, theirs),
        }
    }

    #[test]
    fn any_tree_is_read_as_serde_json_wrote_it(
        texts in prop::collection::vec(any::<(String, String)>(), 0..5),
        number: f64,
        whole: i64,
    ) {
        let tree = json!({"texts": texts, "numbers": [number, whole], "more": {"null": null, "bool": [true, false]}});
        prop_assert_eq!(parsed(tree.to_string().as_bytes()), Ok(tree.clone()));
        prop_assert_eq!(parsed(format!("{tree:#}").as_bytes()), Ok(tree));
    }
}
