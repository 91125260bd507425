//! Between bytes and model: what clients send is read here, what they get is written here.
//!
//! Readers are lenient as Java's are (and where its leniency is an accident of a token reader, more
//! so); writers give Java's exact keys, order and escapes. Nothing of either leaks into the model.
//!
//! | file | what | Java's classes |
//! | --- | --- | --- |
//! | `document` | what a document shows: [`Document`], [`Shown`] | `Applications`, `Application` |
//! | `limits` | [`Limits`], [`ReadError`] | none: Java has no limits |
//! | `lengths` | how long fields may be | none |
//! | `wanted` | which members are read at all | none |
//! | `json` | full and compact JSON, batches | `EurekaJacksonCodec`, `JacksonJsonMini` |
//! | `xml` | full and compact XML | `XmlXStream`, `Converters`, `JacksonXmlMini` |

mod document;
pub mod json;
mod lengths;
mod limits;
pub mod pieces;
mod wanted;
pub mod xml;

pub use document::{Detail, Document, Format, Group, Shown, StatusDocument};
pub use limits::{Limits, ReadError};
pub(crate) use limits::{quoted, shortened};
