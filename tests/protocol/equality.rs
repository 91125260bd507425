//! What of an answer has to be the same: status, media type, compression and the comparable body.
//!
//! The text of an error counts only where it is plain text; Java puts pages and stack traces there.

use serde_json::Value;

use super::exchange::Answer;
use super::json_form::{self, shortened};
use super::xml_form::{self, Element};

/// The part of an answer that is compared.
#[derive(Debug)]
pub(crate) struct Comparable {
    status: u16,
    media_type: String,
    compression: String,
    body: Body,
}

#[derive(Debug, PartialEq)]
enum Body {
    Json(Value),
    Xml(Element),
    /// Neither, or unreadable as what it claims to be: then the reason stands in front.
    Text(String),
}

impl Comparable {
    /// Of an answer at this wall time of the server, milliseconds.
    pub(crate) fn of(answer: &Answer, now: i64) -> Self {
        let declared = answer.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default();
        let declared = declared.trim().to_ascii_lowercase();
        let text = answer.text();
        let body = if answer.status >= 400 {
            Body::Text(if declared == "text/plain" { text } else { "(error)".to_owned() })
        } else {
            Body::of(&declared, text, now)
        };
        let untyped = answer.status >= 400 || answer.body.is_empty();
        Self {
            status: answer.status,
            media_type: if untyped { "none".to_owned() } else { declared },
            compression: answer.header("content-encoding").unwrap_or("none").to_owned(),
            body,
        }
    }

    /// The first difference in words, `None` if the answers are the same.
    pub(crate) fn first_difference(&self, got: &Self) -> Option<String> {
        if self.status != got.status {
            return Some(format!("status {}, was {}", got.status, self.status));
        }
        let scalars = [("type", &self.media_type, &got.media_type), ("coding", &self.compression, &got.compression)];
        if let Some((what, want, got)) = scalars.into_iter().find(|(_, want, got)| want != got) {
            return Some(format!("{what} {got}, was {want}"));
        }
        match (&self.body, &got.body) {
            (Body::Json(want), Body::Json(got)) => json_form::first_difference(want, got, ""),
            (Body::Xml(want), Body::Xml(got)) => xml_form::first_difference(want, got, ""),
            (want, got) => (want != got).then(|| format!("body {}, was {}", got.brief(), want.brief())),
        }
    }

    /// The first JSON object whose keys stand in another order. The answers have no difference.
    pub(crate) fn first_key_order_difference(&self, got: &Self) -> Option<String> {
        match (&self.body, &got.body) {
            (Body::Json(want), Body::Json(got)) => json_form::first_key_order_difference(want, got, ""),
            _ => None,
        }
    }
}

impl Body {
    fn of(media_type: &str, text: String, now: i64) -> Self {
        if text.is_empty() {
            return Self::Text(text);
        }
        if !media_type.contains("json") && !media_type.contains("xml") {
            return Self::Text(text);
        }
        // A Java server labels some documents with the other's type. That counts as the type does.
        if text.starts_with('<') {
            match xml_form::parse(&text) {
                Ok(root) => Self::Xml(root.comparable(now)),
                Err(error) => Self::Text(format!("BAD XML {error}: {}", shortened(&text))),
            }
        } else {
            match serde_json::from_str(&text) {
                Ok(value) => Self::Json(json_form::comparable(value, now)),
                Err(error) => Self::Text(format!("BAD JSON {error}: {}", shortened(&text))),
            }
        }
    }

    fn brief(&self) -> String {
        match self {
            Self::Json(value) => shortened(&value.to_string()),
            Self::Xml(root) => format!("<{}>", root.name),
            Self::Text(text) => format!("{:?}", shortened(text)),
        }
    }
}
