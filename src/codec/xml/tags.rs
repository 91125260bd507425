//! Elements as both forms write them: tags with their attributes, and the text between them.
//!
//! A tag is the name of an element and what may follow it; the name is all up to the first blank.

use std::fmt::Display;
use std::io::Write as _;

use crate::model::{DataCenter, Port};

/// Appends `<tag>`.
pub(super) fn push_start(out: &mut Vec<u8>, tag: &str) {
    out.push(b'<');
    out.extend_from_slice(tag.as_bytes());
    out.push(b'>');
}

/// Appends the end tag that belongs to a tag.
pub(super) fn push_end(out: &mut Vec<u8>, tag: &str) {
    out.extend_from_slice(b"</");
    out.extend_from_slice(tag.split(' ').next().unwrap_or_default().as_bytes());
    out.push(b'>');
}

/// Appends an element with a text that has nothing to escape: a number, a boolean, a fixed word.
pub(super) fn push_plain(out: &mut Vec<u8>, tag: &str, value: impl Display) {
    push_start(out, tag);
    // Writing into memory cannot fail.
    let _ = write!(out, "{value}");
    push_end(out, tag);
}

/// The tag of the plain port.
pub(super) fn port(port: Port) -> &'static str {
    if port.enabled { r#"port enabled="true""# } else { r#"port enabled="false""# }
}

/// The tag of the TLS port.
pub(super) fn secure_port(port: Port) -> &'static str {
    if port.enabled { r#"securePort enabled="true""# } else { r#"securePort enabled="false""# }
}

/// The tag of a data centre. The class of all but Amazon's exists in no library of Java's.
pub(super) fn data_center(data_center: &DataCenter) -> &'static str {
    match data_center {
        DataCenter::Amazon(_) => r#"dataCenterInfo class="com.netflix.appinfo.AmazonInfo""#,
        DataCenter::Own(_) => r#"dataCenterInfo class="com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo""#,
    }
}
