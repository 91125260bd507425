//! A body as a tree of elements: what is well-formed XML, and how deep it may go.
//!
//! Java reads into a DOM first (`XStream`'s `DomDriver`). So does this: the order of elements and
//! what is unknown then cost nothing to be lenient about. quick-xml tokenises; what it does not
//! check is checked here, so that what Java's parser refuses is refused: names, characters and
//! references that XML does not have, `]]>` in text, anything beside the one root element.
//! A DOCTYPE is refused, so there are no entities but the five of XML itself.
//!
//! Elements that nobody reads are checked and not kept, and so are those deeper than anything that is
//! read; so no body makes this tree many times as large as itself, or deep, whatever the limit on nesting is set to.

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::names;
use super::source::{Source, quoted, shortened};
use super::text::is_xml_char;
use crate::codec::wanted::Wanted;
use crate::codec::{Limits, ReadError};

/// `instance/dataCenterInfo/metadata/<entry>` is the deepest that anybody reads.
const DEEPEST: usize = 4;

/// Each attribute of an element is compared with all others; no client sends more than a few.
const MOST_ATTRIBUTES: usize = 100;

/// An element as its reader wants it.
pub(super) struct Element {
    /// The name, un-escaped as `XStream` does it.
    pub(super) name: String,
    /// The text directly in it, CDATA sections included, nothing trimmed.
    pub(super) text: String,
    /// The attributes, names as they are.
    pub(super) attributes: Vec<(String, String)>,
    /// The elements directly in it.
    pub(super) children: Vec<Element>,
    /// Where its tag begins in the source.
    pub(super) at: usize,
}

impl Element {
    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The last child of a name: of several it is the one that counts.
    pub(super) fn last(&self, name: &str) -> Option<&Element> {
        self.children.iter().rfind(|child| child.name == name)
    }
}

/// Reads a document into a tree, as far as it is wanted, and gives its root element.
pub(super) fn parse(source: Source<'_>, limits: &Limits, wanted: &'static Wanted) -> Result<Element, ReadError> {
    if let Some((at, c)) = source.0.char_indices().find(|&(_, c)| !is_xml_char(c)) {
        return Err(source.syntax(at, format_args!("XML has no character U+{:04X}", u32::from(c))));
    }
    let mut reader = Reader::from_str(source.0);
    reader.config_mut().enable_all_checks(true);
    let mut builder = Builder {
        source,
        wanted,
        limits,
        values: 0,
        version: XmlVersion::Implicit1_0,
        open: Vec::new(),
        deeper: 0,
        root: None,
    };
    loop {
        let at = offset(reader.buffer_position());
        let event = reader
            .read_event()
            .map_err(|error| source.syntax(offset(reader.error_position()), shortened(&error.to_string())))?;
        if let Event::Eof = event {
            return builder.finish(at);
        }
        builder.take(event, at)?;
    }
}

fn offset(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

struct Builder<'a> {
    source: Source<'a>,
    /// What is wanted of the root element.
    wanted: &'static Wanted,
    limits: &'a Limits,
    /// How many elements and attributes are kept.
    values: usize,
    version: XmlVersion,
    /// The open elements that are kept, outermost first, with what is wanted of them.
    open: Vec<(Element, &'static Wanted)>,
    /// How many more are open within the last of them.
    deeper: usize,
    /// The root element, once it is closed.
    root: Option<Element>,
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, at: usize) -> Result<(), ReadError> {
        match event {
            Event::Decl(declaration) if at == 0 => {
                self.version = declaration.xml_version().map_err(|error| self.source.syntax(at, error))?;
                Ok(())
            }
            Event::Decl(_) => Err(self.source.syntax(at, "an XML declaration is not at the very beginning")),
            Event::DocType(_) => Err(self.source.syntax(at, "a DOCTYPE is not allowed")),
            Event::Start(tag) => self.start(&tag, at),
            Event::Empty(tag) => {
                self.start(&tag, at)?;
                self.end();
                Ok(())
            }
            Event::End(_) => {
                self.end();
                Ok(())
            }
            Event::Text(text) if text.contains("]]>") => Err(self.source.syntax(at, "\"]]>\" is in a text")),
            Event::Text(text) => self.text(&text.xml_content(self.version), at, is_blank),
            Event::CData(text) => self.text(&text.xml_content(self.version), at, |_| false),
            Event::GeneralRef(reference) => {
                let c = self.resolve(&reference, at)?;
                self.text(c.encode_utf8(&mut [0; 4]), at, |_| false)
            }
            Event::Comment(_) | Event::PI(_) | Event::Eof => Ok(()),
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>, at: usize) -> Result<(), ReadError> {
        let name = tag.name().0;
        if !names::is_name(name) {
            return Err(self.source.syntax(at, format_args!("an element cannot be named {}", quoted(name))));
        }
        if self.root.is_some() {
            return Err(self.source.syntax(at, format_args!("{} is a second root element", quoted(name))));
        }
        if self.open.len() + self.deeper >= self.limits.nesting_depth {
            let problem = format_args!("more than {} elements within one another", self.limits.nesting_depth);
            return Err(self.source.limit(at, self.path(), problem, "nesting-depth"));
        }
        let attributes = self.attributes(tag, at)?;
        let name = names::unescape(name);
        let wanted = match self.open.last() {
            None => Some(self.wanted),
            Some(_) if self.deeper > 0 || self.open.len() >= DEEPEST => None,
            Some((_, parent)) => (parent.member)(&name),
        };
        let Some(wanted) = wanted else {
            self.deeper += 1;
            return Ok(());
        };
        self.values += 1 + attributes.len();
        if self.values > self.limits.body_values {
            let problem = format_args!("more than {} elements and attributes", self.limits.body_values);
            return Err(self.source.limit(at, self.path(), problem, "body-values"));
        }
        let name = name.into_owned();
        self.open.push((Element { name, text: String::new(), attributes, children: Vec::new(), at }, wanted));
        Ok(())
    }

    /// The reader has seen to it that this ends what was started last.
    fn end(&mut self) {
        if self.deeper > 0 {
            self.deeper -= 1;
        } else if let Some((element, _)) = self.open.pop() {
            match self.open.last_mut() {
                Some((parent, _)) => parent.children.push(element),
                None => self.root = Some(element),
            }
        }
    }

    fn text(&mut self, text: &str, at: usize, allowed_outside: fn(&str) -> bool) -> Result<(), ReadError> {
        match self.open.last_mut() {
            Some((element, _)) if self.deeper == 0 => element.text.push_str(text),
            Some(_) => {}
            None if allowed_outside(text) => {}
            None => return Err(self.source.syntax(at, format_args!("{} is in no element", quoted(text)))),
        }
        Ok(())
    }

    fn attributes(&self, tag: &BytesStart<'_>, at: usize) -> Result<Vec<(String, String)>, ReadError> {
        let ill_formed = || {
            let name = quoted(tag.name().0);
            self.source.syntax(at, format_args!("the attributes of {name} are ill-formed"))
        };
        let mut attributes = Vec::new();
        for (count, attribute) in tag.attributes().enumerate() {
            if count == MOST_ATTRIBUTES {
                let problem = format!("{} has more than {MOST_ATTRIBUTES} attributes", quoted(tag.name().0));
                return Err(self.source.syntax(at, problem));
            }
            let attribute = attribute.map_err(|_| ill_formed())?;
            let value = attribute.normalized_value(self.version).map_err(|_| ill_formed())?;
            let legal = value.chars().all(|c| self.may_be_referred_to(c));
            if !names::is_name(attribute.key.0) || attribute.value.contains('<') || !legal {
                return Err(ill_formed());
            }
            attributes.push((attribute.key.0.to_owned(), value.into_owned()));
        }
        Ok(attributes)
    }

    fn resolve(&self, reference: &BytesRef<'_>, at: usize) -> Result<char, ReadError> {
        let resolved = match &**reference {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => reference.resolve_char_ref().ok().flatten().filter(|&c| self.may_be_referred_to(c)),
        };
        let wrong = || format!("{} is no reference to anything in XML", quoted(&format!("&{};", &**reference)));
        resolved.ok_or_else(|| self.source.syntax(at, wrong()))
    }

    /// XML 1.1 can refer to all control characters but U+0000.
    fn may_be_referred_to(&self, c: char) -> bool {
        is_xml_char(c) || (matches!(self.version, XmlVersion::Explicit1_1) && matches!(c, '\u{1}'..='\u{1F}'))
    }

    /// The way to where the reader is, as far as it is kept.
    fn path(&self) -> String {
        let names: Vec<_> = self.open.iter().map(|(element, _)| shortened(&element.name).to_string()).collect();
        names.join(".")
    }

    fn finish(self, at: usize) -> Result<Element, ReadError> {
        match (self.open.last(), self.root) {
            (Some((open, _)), _) => {
                let name = quoted(&open.name);
                Err(self.source.syntax(at, format_args!("the body ends unexpectedly, within the element {name}")))
            }
            (None, Some(root)) => Ok(root),
            (None, None) => Err(self.source.syntax(at, "there is no element")),
        }
    }
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

#[cfg(test)]
mod tests;
