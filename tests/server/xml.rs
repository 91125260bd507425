//! XML, read as strictly as the strictest client does: what is not well-formed XML 1.0, or needs a
//! namespace or an entity that nobody declared, is an error.

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

/// An element with everything in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) text: String,
    pub(crate) children: Vec<Element>,
}

impl Element {
    /// The first child of a name.
    pub(crate) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The text of a child.
    pub(crate) fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.as_str())
    }

    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// Reads a document.
pub(crate) fn parse(document: &str) -> Result<Element, String> {
    legal(document)?;
    let mut reader = Reader::from_str(document);
    reader.config_mut().enable_all_checks(true);
    let mut open = vec![Element::default()];
    loop {
        let event = reader.read_event().map_err(|error| error.to_string())?;
        match event {
            Event::Start(tag) => open.push(element(&tag)?),
            Event::Empty(tag) => into(&mut open, element(&tag)?),
            Event::End(_) => {
                let ended = open.pop().ok_or("an end without a beginning")?;
                into(&mut open, ended);
            }
            Event::Text(text) => text_into(&mut open, &text)?,
            Event::GeneralRef(name) => text_into(&mut open, &format!("&{};", &*name))?,
            Event::Eof => break,
            other => return Err(format!("unexpected {other:?}")),
        }
    }
    match <[Element; 1]>::try_from(open) {
        Ok([Element { mut children, text, .. }]) if children.len() == 1 && text.trim().is_empty() => {
            Ok(children.remove(0))
        }
        _ => Err("not exactly one root element".into()),
    }
}

fn element(tag: &BytesStart<'_>) -> Result<Element, String> {
    let name = tag.name().0.to_owned();
    let mut rest = name.chars();
    let begins = |c: char| c.is_alphabetic() || c == '_';
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\u{B7}' | '\u{300}'..='\u{345}');
    if !rest.next().is_some_and(begins) || !rest.all(goes_on) {
        return Err(format!("no name of an element: {name:?}"));
    }
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        attributes.push((attribute.key.0.to_owned(), resolved(&attribute.value)?));
    }
    Ok(Element { name, attributes, ..Element::default() })
}

fn into(open: &mut [Element], child: Element) {
    if let Some(parent) = open.last_mut() {
        parent.children.push(child);
    }
}

fn text_into(open: &mut [Element], text: &str) -> Result<(), String> {
    if text.contains("]]>") {
        return Err("]]> in a text".into());
    }
    let text = resolved(text)?;
    if let Some(parent) = open.last_mut() {
        parent.text.push_str(&text);
    }
    Ok(())
}

/// A text with its references resolved; what they stand for must be legal as well.
fn resolved(text: &str) -> Result<String, String> {
    let text = unescape(text).map_err(|error| error.to_string())?;
    legal(&text)?;
    Ok(text.into_owned())
}

fn legal(text: &str) -> Result<(), String> {
    let illegal =
        |c: &char| matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}');
    text.chars().find(illegal).map_or(Ok(()), |c| Err(format!("XML has no {c:?}")))
}
