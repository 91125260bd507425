//! XML documents in the form in which two servers' answers may be compared.
//!
//! As `json_form`; besides, the order of metadata and of attributes is free and white space between
//! elements does not count. A document that is not well-formed is one no client can read.

use std::fmt::Write as _;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::json_form::{comparable_scalar, shortened};

/// An element with the text that stands before its first child.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Element {
    pub(crate) name: String,
    /// Sorted by name.
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) text: String,
    pub(crate) children: Vec<Element>,
}

impl Element {
    /// The first child of this name.
    pub(crate) fn child(&self, name: &str) -> Option<&Element> {
        self.children_named(name).next()
    }

    /// All children of this name.
    pub(crate) fn children_named(&self, name: &str) -> impl Iterator<Item = &Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(attribute, _)| attribute == name).map(|(_, value)| value.as_str())
    }

    /// The comparable form; `now` is the server's wall time, milliseconds.
    pub(crate) fn comparable(mut self, now: i64) -> Self {
        self.children = self.children.into_iter().map(|child| child.comparable(now)).collect();
        if !self.children.is_empty() {
            self.text = self.text.trim().to_owned();
        }
        if let Some(form) = comparable_scalar(&self.name, &self.text, now) {
            form.clone_into(&mut self.text);
        }
        if matches!(self.name.as_str(), "applications" | "application" | "metadata") {
            self.children.sort();
        }
        self
    }

    fn brief(&self) -> String {
        let mut text = format!("<{}", self.name);
        for (name, value) in &self.attributes {
            write!(text, " {name}={value:?}").expect("memory");
        }
        write!(text, ">{:?}", shortened(&self.text)).expect("memory");
        if !self.children.is_empty() {
            text.push('(');
            text.push_str(&names(&self.children));
            text.push(')');
        }
        text
    }
}

fn names(elements: &[Element]) -> String {
    elements.iter().map(|element| element.name.as_str()).collect::<Vec<_>>().join(" ")
}

/// The first difference of two comparable elements in words, `None` if they are equal.
pub(crate) fn first_difference(want: &Element, got: &Element, path: &str) -> Option<String> {
    let path = format!("{path}/{}", want.name);
    if (&want.name, &want.attributes, &want.text) != (&got.name, &got.attributes, &got.text) {
        return Some(format!("{path}: {}, was {}", got.brief(), want.brief()));
    }
    if !want.children.iter().map(|child| &child.name).eq(got.children.iter().map(|child| &child.name)) {
        let [added, lacking] = [(got, want), (want, got)].map(|(element, other)| names_beyond(element, other));
        return Some(format!("{path}: children added ({added}), lacking ({lacking}), or in another order"));
    }
    want.children.iter().zip(&got.children).find_map(|(want, got)| first_difference(want, got, &path))
}

/// The names of children that the other element does not have, or not as often.
fn names_beyond(element: &Element, other: &Element) -> String {
    let mut rest: Vec<&str> = other.children.iter().map(|child| child.name.as_str()).collect();
    let beyond = element.children.iter().filter(|child| match rest.iter().position(|name| *name == child.name) {
        Some(at) => {
            rest.swap_remove(at);
            false
        }
        None => true,
    });
    beyond.map(|child| child.name.as_str()).collect::<Vec<_>>().join(" ")
}

/// Reads a document.
///
/// Errors, in words: whatever keeps a strict reader from reading it.
pub(crate) fn parse(text: &str) -> Result<Element, String> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_comments = true;
    // The document itself is the bottom of the stack; the root becomes its child.
    let mut open = vec![Element::default()];
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(tag) => open.push(element(&tag)?),
            Event::Empty(tag) => close(&mut open, element(&tag)?),
            Event::End(_) => {
                let element = open.pop().ok_or("an end without a start")?;
                close(&mut open, element);
            }
            Event::Text(text) => append(&mut open, &text.xml10_content())?,
            Event::CData(text) => append(&mut open, &text.xml10_content())?,
            Event::GeneralRef(reference) => append(&mut open, &resolved(&reference)?.to_string())?,
            Event::DocType(_) => return Err("a document type".to_owned()),
            Event::Comment(_) | Event::PI(_) | Event::Decl(_) => {}
            Event::Eof => break,
        }
    }
    let [document] = open.try_into().map_err(|_| "an element without an end".to_owned())?;
    if !document.text.trim().is_empty() {
        return Err("text outside the root".to_owned());
    }
    let [root] = document.children.try_into().map_err(|roots: Vec<_>| format!("{} roots", roots.len()))?;
    Ok(root)
}

fn close(open: &mut [Element], element: Element) {
    if let Some(parent) = open.last_mut() {
        parent.children.push(element);
    }
}

fn append(open: &mut [Element], text: &str) -> Result<(), String> {
    if let Some(illegal) = text.chars().find(|character| !is_character(*character)) {
        return Err(format!("U+{:04X} is no character of XML", u32::from(illegal)));
    }
    let outside = open.len() == 1;
    match open.last_mut() {
        // What follows a child is layout. Outside the root it would be a fault, so it is kept.
        Some(element) if outside || element.children.is_empty() => element.text.push_str(text),
        _ => {}
    }
    Ok(())
}

fn element(tag: &BytesStart<'_>) -> Result<Element, String> {
    let name = name(tag.name().as_ref())?;
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let value = quick_xml::escape::unescape(&attribute.value).map_err(|error| error.to_string())?.into_owned();
        attributes.push((self::name(attribute.key.as_ref())?, value));
    }
    attributes.sort();
    Ok(Element { name, attributes, ..Element::default() })
}

fn name(name: &str) -> Result<String, String> {
    let mut characters = name.chars();
    let valid = characters.next().is_some_and(starts_name) && characters.all(continues_name);
    if valid { Ok(name.to_owned()) } else { Err(format!("{name:?} is no name")) }
}

fn resolved(reference: &BytesRef<'_>) -> Result<char, String> {
    match reference.resolve_char_ref().map_err(|error| error.to_string())? {
        Some(character) => Ok(character),
        None => match &**reference {
            "amp" => Ok('&'),
            "lt" => Ok('<'),
            "gt" => Ok('>'),
            "quot" => Ok('"'),
            "apos" => Ok('\''),
            unknown => Err(format!("unknown entity {unknown}")),
        },
    }
}

/// `Char` of XML 1.0.
fn is_character(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// `NameStartChar` of XML 1.0.
fn starts_name(character: char) -> bool {
    matches!(character,
        ':' | '_' | 'A'..='Z' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}' | '\u{200D}' | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}'
        | '\u{10000}'..='\u{EFFFF}')
}

/// `NameChar` of XML 1.0.
fn continues_name(character: char) -> bool {
    starts_name(character)
        || matches!(character,
            '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}' | '\u{2040}')
}
