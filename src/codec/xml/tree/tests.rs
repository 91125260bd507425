//! What is well-formed and what is not.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::codec::wanted::{EVERYTHING, SCALAR};

fn root(text: &str) -> Element {
    parse(Source(text), &Limits::default(), &EVERYTHING).unwrap()
}

fn refusal(text: &str) -> String {
    let Err(error) = parse(Source(text), &Limits::default(), &EVERYTHING) else { panic!("{text:?} was taken") };
    error.to_string()
}

#[test]
fn what_is_well_formed_is_taken() {
    for text in [
        "<a>x</a>",
        "<?xml version=\"1.0\"?>\n<a>x</a>\n",
        "<?xml version='1.1' encoding='UTF-8' standalone='yes'?><a>x</a>",
        " \n<a>x</a>\t",
        "<!-- - --><?pi ?><a>x</a><!----><?pi?>",
        "<a xmlns=\"urn:x\" b='1'>x</a >",
        "<a><!-- c -->x<?pi?></a>",
        "<a>&#x78;</a>",
        "<a><![CDATA[x]]></a>",
    ] {
        assert_eq!(root(text).text, "x", "{text}");
    }
}

#[test]
fn text_is_what_stands_directly_in_an_element() {
    assert_eq!(root("<a>x<b>y<c>v</c></b>z</a>").text, "xz");
    assert_eq!(root("<a> x\r\ny\rz&#xd; </a>").text, " x\ny\nz\r ");
    assert_eq!(
        root("<a>1 &lt; 2 &amp;&amp; <![CDATA[<b>&amp;\r\n]]>&quot;&apos;&gt;]]&gt;</a>").text,
        "1 < 2 && <b>&amp;\n\"'>]]>"
    );
    assert_eq!(root("<a>é🏺&#233;&#x1F3FA;</a>").text, "é🏺é🏺");
    assert_eq!(root("<?xml version='1.1'?><a>&#x1;\u{85}</a>").text, "\u{1}\n");
    assert_eq!(root("<a/>").text, "");
}

#[test]
fn names_and_attributes_are_given() {
    let tree = root("<r x_y='1' z=\"&lt;&#10;\n\"><home__page>1</home__page><home__page>2</home__page></r>");
    assert_eq!(tree.attribute("x_y"), Some("1"), "not un-escaped");
    assert_eq!(tree.attribute("z"), Some("<\n "));
    assert_eq!(tree.attribute("y"), None);
    assert_eq!(tree.last("home_page").unwrap().text, "2");
    assert_eq!(tree.children[0].at, 26);
}

#[test]
fn what_is_not_well_formed_is_refused() {
    for text in [
        "",
        "  ",
        "<",
        "<a",
        "<a>",
        "<a><b></a>",
        "<a></b>",
        "</a>",
        "<a/><b/>",
        "<a/>x",
        "x<a/>",
        "<![CDATA[]]><a/>",
        "&#32;<a/>",
        "<a/>&#32;",
        "<>x</>",
        "<1a/>",
        "<a b/>",
        "<a b=1/>",
        "<a b='1' b='2'/>",
        "<a b='<'/>",
        "<a b='&x;'/>",
        "<a b='&#0;'/>",
        "<a b='&#1;'/>",
        "<a 1='1'/>",
        "<a>&</a>",
        "<a>&amp</a>",
        "<a>&nbsp;</a>",
        "<a>&#0;</a>",
        "<a>&#x1;</a>",
        "<a>&#xD800;</a>",
        "<a>&#xFFFF;</a>",
        "<a>&#;</a>",
        "<a>&#99999999999;</a>",
        "<a>\u{1}</a>",
        "<a>\0</a>",
        "<a>\u{ffff}</a>",
        "<a>]]></a>",
        "<a><!-- -- --></a>",
        "<a><!-- </a>",
        "<a><![CDATA[</a>",
        "<?xml version='1.2'?><a/>",
        "<?xml?><a/>",
        " <?xml version='1.0'?><a/>",
        "<a><?xml version='1.0'?></a>",
        "<?xml version='1.1'?><a>&#0;</a>",
        "{\"instance\":{}}",
    ] {
        assert!(refusal(text).starts_with("cannot parse request body: "), "{text}");
    }
}

#[test]
fn a_document_type_and_its_entities_are_refused() {
    let laughs = "<!DOCTYPE a [<!ENTITY b \"&c;&c;\"><!ENTITY c \"ha\">]><a>&b;</a>";
    assert_eq!(refusal(laughs), "cannot parse request body: a DOCTYPE is not allowed (line 1, column 1)");
    assert!(refusal("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>").contains("DOCTYPE"));
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    assert_eq!(
        refusal("<instance>\n <app>x"),
        "cannot parse request body: the body ends unexpectedly, within the element \"app\" (line 2, column 8)"
    );
    assert_eq!(
        refusal("<a>\n<b></c></a>"),
        "cannot parse request body: ill-formed document: expected `</b>`, but `</c>` was found (line 2, column 4)"
    );
    assert_eq!(
        refusal("<a>é&eacute;</a>"),
        "cannot parse request body: \"&eacute;\" is no reference to anything in XML (line 1, column 5)"
    );
    let long = refusal(&format!("<a></{}>", "x".repeat(10_000)));
    assert!(long.len() < 300, "{long}");
}

#[test]
fn nesting_is_bounded_and_deep_elements_are_not_kept() {
    let nested = |depth: usize| "<a>".repeat(depth) + "x" + &"</a>".repeat(depth);
    let mut element = &root(&nested(32));
    let mut kept = 1;
    while let Some(child) = element.children.first() {
        element = child;
        kept += 1;
    }
    assert_eq!((kept, element.text.as_str()), (DEEPEST, ""));
    assert_eq!(
        refusal(&nested(33)),
        "a.a.a.a is over the limit: more than 32 elements within one another (line 1, column 97); the setting \
         eurekad.limits.nesting-depth allows more"
    );
    let limits = Limits { nesting_depth: 200_000, ..Limits::default() };
    assert!(parse(Source(&nested(200_000)), &limits, &EVERYTHING).is_ok());
}

#[test]
fn what_nobody_asks_for_is_checked_and_not_kept() {
    static WANTED: Wanted = Wanted { member: |name| (name == "a").then_some(&SCALAR), items: None, gaps: false };
    let kept = |text: &str, body_values| parse(Source(text), &Limits { body_values, ..Limits::default() }, &WANTED);
    let many = |element: &str| element.repeat(1000);
    let body = format!("<r b='1'>{}<a c='2'>x<a/>{}</a></r>", many("<x><a>1</a></x>"), many("<y d='3'/>"));
    let root = kept(&body, 4).unwrap();
    assert_eq!((root.children.len(), root.children[0].text.as_str(), root.children[0].children.len()), (1, "x", 0));
    assert!(kept(&body, 3).map(|_| ()).unwrap_err().to_string().contains("eurekad.limits.body-values"));
    assert!(kept("<r><x><y></x></r>", 9).is_err());
    assert!(
        kept(&format!("<r>{}", "<x>".repeat(40)), 9).map(|_| ()).unwrap_err().to_string().contains("nesting-depth")
    );
}

#[test]
fn an_element_has_only_so_many_attributes() {
    let element = |count: usize| {
        let attributes: Vec<_> = (0..count).map(|n| format!("a{n}=''")).collect();
        format!("<r><x {}/></r>", attributes.join(" "))
    };
    assert_eq!(root(&element(100)).children[0].attributes.len(), 100);
    assert!(refusal(&element(101)).contains("more than 100 attributes"));
}
