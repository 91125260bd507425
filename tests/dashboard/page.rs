//! A page, read as a program reads it. The pages are well-formed XML, so that nothing that a client registered can have
//! made markup of its own.

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::{Value, json};

use crate::server::{Reply, Server, xml};

/// A page and what is on it, in its order.
pub(super) struct Page {
    pub(super) reply: Reply,
    pub(super) html: String,
    pub(super) elements: Vec<Element>,
}

/// An element with all text in it, blanks made one.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) text: String,
    /// Where it stands: how many elements begin before it, and before its end.
    span: (usize, usize),
}

impl Element {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

impl Page {
    pub(super) async fn get(server: &Server, target: &str, headers: &[(&str, &str)]) -> Self {
        let reply = server.get(target, headers).await;
        assert_eq!(reply.header("content-type"), Some("text/html;charset=UTF-8"), "{target}: {}", reply.status);
        let html = reply.text();
        let document = html.strip_prefix("<!DOCTYPE html>").expect("a doctype").trim_start();
        xml::parse(document).unwrap_or_else(|error| panic!("{target}: {error}\n{html}"));
        let elements = elements(document);
        Self { reply, html, elements }
    }

    pub(super) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.elements.iter().filter(move |element| element.name == name)
    }

    pub(super) fn all_by_id<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a Element> {
        self.elements.iter().filter(move |element| element.attribute("id") == Some(id))
    }

    pub(super) fn by_id(&self, id: &str) -> &Element {
        let mut found = self.elements.iter().filter(|element| element.attribute("id") == Some(id));
        found.next().unwrap_or_else(|| panic!("nothing has the id {id}"))
    }

    fn within<'a>(&'a self, outer: &'a Element) -> impl Iterator<Item = &'a Element> {
        self.elements.iter().filter(|inner| inner.span.0 > outer.span.0 && inner.span.0 < outer.span.1)
    }

    /// The texts of a table's cells.
    pub(super) fn rows(&self, table: &Element) -> Vec<Vec<String>> {
        let rows = self.within(table).filter(|element| element.name == "tr");
        let cells = |row| self.within(row).filter(|cell| ["td", "th"].contains(&cell.name.as_str()));
        rows.map(|row| cells(row).map(|cell| cell.text.clone()).collect()).collect()
    }

    /// What stands beside a label.
    pub(super) fn value(&self, label: &str) -> String {
        let tables = self.named("table").flat_map(|table| self.rows(table));
        let row = tables.into_iter().find(|row| row.first().is_some_and(|first| first == label));
        row.unwrap_or_else(|| panic!("no {label}")).remove(1)
    }

    /// The same in the form of the recordings.
    pub(super) fn extract(&self) -> Value {
        let tables = self.named("table").filter_map(|table| Some((table.attribute("id")?, self.rows(table))));
        let tables: Vec<_> = tables.map(|(id, rows)| json!({"id": id, "rows": rows})).collect();
        let headings: Vec<_> = self.named("h2").map(|heading| &heading.text).collect();
        json!({"title": self.named("title").next().expect("a title").text, "headings": headings, "tables": tables})
    }
}

fn elements(document: &str) -> Vec<Element> {
    let mut reader = Reader::from_str(document);
    let (mut all, mut open): (Vec<Element>, Vec<usize>) = (Vec::new(), Vec::new());
    let text_into = |all: &mut Vec<Element>, open: &[usize], text: &str| {
        for at in open {
            all[*at].text.push_str(text);
        }
    };
    loop {
        let event = reader.read_event().expect("well-formed");
        match event {
            Event::Start(ref tag) | Event::Empty(ref tag) => {
                let attributes = tag.attributes().map(|attribute| {
                    let attribute = attribute.expect("an attribute");
                    let value = quick_xml::escape::unescape(&attribute.value).expect("text").into_owned();
                    (attribute.key.0.to_owned(), value)
                });
                let name = tag.name().0.to_owned();
                let at = all.len();
                // Cells and blocks stand apart.
                if ["td", "th", "tr", "div", "p", "li"].contains(&name.as_str()) {
                    text_into(&mut all, &open, " ");
                }
                all.push(Element { name, attributes: attributes.collect(), text: String::new(), span: (at, at) });
                if matches!(event, Event::Start(_)) {
                    open.push(at);
                }
            }
            Event::End(_) => {
                let at = open.pop().expect("a beginning");
                all[at].span.1 = all.len();
            }
            Event::Text(text) => text_into(&mut all, &open, &text),
            Event::GeneralRef(name) => {
                let text = format!("&{};", &*name);
                text_into(&mut all, &open, &quick_xml::escape::unescape(&text).expect("a reference"));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    for element in &mut all {
        element.text = element.text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    all
}
