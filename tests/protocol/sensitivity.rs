//! That the comparisons see what they have to see, and nothing else.

use super::equality::Comparable;
use super::exchange::Answer;
use super::{byte_equality, placeholders, xml_form};

const NOW: i64 = 1_800_000_000_000;

fn difference(media_type: &str, want: &str, got: &str) -> Option<String> {
    let [want, got] = [want, got].map(|text| {
        let headers = vec![("Content-Type".to_owned(), media_type.to_owned())];
        Comparable::of(&Answer { status: 200, headers, body: text.as_bytes().to_vec() }, NOW)
    });
    want.first_difference(&got).or_else(|| want.first_key_order_difference(&got))
}

#[test]
fn json_differs_in_types_texts_keys_and_their_order() {
    let json = |want: &str, got: &str| difference("application/json", want, got);
    assert_eq!(json(r#"{"a":1,"b":"x"}"#, r#"{"a":1,"b":"x"}"#), None);
    assert_eq!(json(r#"{"port":{"$":1}}"#, r#"{"port":{"$":"1"}}"#).unwrap(), r#"/port/$: "1", was 1"#);
    assert_eq!(json(r#"{"n":5.50}"#, r#"{"n":5.5}"#).unwrap(), "/n: 5.5, was 5.50");
    assert_eq!(json(r#"{"a":1}"#, "{}").unwrap(), "/a: absent, was 1");
    assert_eq!(json("{}", r#"{"a":1}"#).unwrap(), "/a: 1, was absent");
    assert_eq!(json(r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#).unwrap(), ": key order b a, was a b");
    assert_eq!(json(r#"{"metadata":{"a":1,"b":2}}"#, r#"{"metadata":{"b":2,"a":1}}"#), None);
    assert_eq!(json("[]", "").unwrap(), "type none, was application/json");
    assert!(json("{}", "{").unwrap().contains("BAD JSON"));
}

#[test]
fn times_versions_and_the_order_of_instances_are_free() {
    let json = |want: &str, got: &str| difference("application/json", want, got);
    assert_eq!(json(r#"{"registrationTimestamp":5}"#, r#"{"registrationTimestamp":7}"#), None);
    assert_eq!(
        json(r#"{"serviceUpTimestamp":5}"#, r#"{"serviceUpTimestamp":0}"#).unwrap(),
        r#"/serviceUpTimestamp: "0", was "T""#
    );
    assert_eq!(json(r#"{"lastDirtyTimestamp":"1800000000001"}"#, r#"{"lastDirtyTimestamp":"1799999999999"}"#), None);
    assert!(json(r#"{"lastDirtyTimestamp":"1760000000000"}"#, r#"{"lastDirtyTimestamp":"1800000000001"}"#).is_some());
    assert_eq!(json(r#"{"versions__delta":"1"}"#, r#"{"versions__delta":"9"}"#), None);
    let two = |first: &str, second: &str| {
        format!(r#"{{"instance":[{{"instanceId":"{first}"}},{{"hostName":"{second}","instanceId":""}}]}}"#)
    };
    assert_eq!(json(&two("a", "b"), r#"{"instance":[{"hostName":"b","instanceId":""},{"instanceId":"a"}]}"#), None);
    assert_eq!(json(r#"{"instance":[]}"#, &two("a", "b")).unwrap(), "/instance: 2 items (a, b), was 0 items ()");
}

#[test]
fn xml_differs_in_elements_attributes_and_texts() {
    let xml = |want: &str, got: &str| difference("application/xml", want, got);
    assert_eq!(xml("<a>\n  <b>1</b>\n</a>", "<a><b>1</b></a>"), None);
    assert_eq!(xml("<a> x</a>", "<a>x</a>").unwrap(), r#"/a: <a>"x", was <a>" x""#);
    assert_eq!(xml(r#"<p enabled="true">1</p>"#, "<p>1</p>").unwrap(), r#"/p: <p>"1", was <p enabled="true">"1""#);
    assert_eq!(
        xml("<a><b/><c/></a>", "<a><c/><b/></a>").unwrap(),
        "/a: children added (), lacking (), or in another order"
    );
    assert_eq!(xml("<metadata><b/><c/></metadata>", "<metadata><c/><b/></metadata>"), None);
    assert_eq!(xml("<application><i>1</i><i>2</i></application>", "<application><i>2</i><i>1</i></application>"), None);
    assert!(xml("<application><i>1</i></application>", "<application><i>2</i></application>").is_some());
}

#[test]
fn xml_that_a_strict_reader_refuses_is_refused() {
    let refused =
        ["", "<a>", "<a></b>", "<a/><b/>", "<a/>x", "<>x</>", "<1/>", "<a>&#x1;</a>", "<a>\u{1}</a>", "<a>&x;</a>"];
    for text in refused {
        assert!(xml_form::parse(text).is_err(), "{text:?}");
    }
    let root = xml_form::parse("<?xml version=\"1.0\"?><é.b a=\"&lt;\">x&amp;&#xd;<![CDATA[<]]><c/>y</é.b>").unwrap();
    assert_eq!((root.name.as_str(), root.text.as_str()), ("é.b", "x&\r<"));
    assert_eq!(root.attribute("a"), Some("<"));
}

#[test]
fn bytes_count_where_the_order_is_fixed() {
    assert_eq!(
        byte_equality::first_difference("{\"a\":\"/\"}", "{\"a\":\"\\/\"}").unwrap(),
        r#"bytes from 6: "\\/\"}", was "/\"}""#
    );
    assert_eq!(byte_equality::first_difference("<versions__delta>1<", "<versions__delta>12<"), None);
    assert_eq!(byte_equality::first_difference("<a>&#x378;</a>", "<a>\u{378}</a>"), None);
    assert!(byte_equality::first_difference("<a>&#xd;</a>", "<a>\r</a>").is_some());
    let two = r#"[{"hostName":"a"},{"hostName":"b"}]"#;
    assert_eq!(byte_equality::first_difference(two, ""), None);
    assert!(byte_equality::first_difference("ab", "abc").is_some());
}

#[test]
fn placeholders_match_what_they_stand_for() {
    assert!(placeholders::matches("a{{ip}}b{{port}}", "a1.2b80"));
    assert!(placeholders::matches("{{mb}}aa", "aaa"));
    assert!(!placeholders::matches("a{{ip}}b", "a1.2bc"));
    assert!(!placeholders::matches("a{{ip}}b", "xa1.2b"));
    assert_eq!(placeholders::filled("{{time}}/{{portA}}/{{mb}}", 7), "7/1/{{mb}}");
    assert_eq!(
        placeholders::times_to_one("1800000000001 1760000000000 18000000000011", NOW),
        "1 1760000000000 18000000000011"
    );
}
