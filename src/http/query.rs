//! Query parameters, decoded as Java decodes them: `+` is a blank, a broken `%` stays as it is.

use std::borrow::Cow;

use http::Uri;

use crate::codec::quoted;
use crate::model::{InstanceStatus, Text, WallMillis};

use super::error::ApiError;

/// The first value of a parameter.
pub(super) fn first<'a>(uri: &'a Uri, name: &str) -> Option<Cow<'a, str>> {
    pairs(uri).find(|(key, _)| key == name).map(|(_, value)| value)
}

/// Every parameter with its first value, in order; one without a name is skipped.
pub(super) fn entries(uri: &Uri) -> Vec<(Text, Text)> {
    let mut entries: Vec<(Text, Text)> = Vec::new();
    for (key, value) in pairs(uri).filter(|(key, _)| !key.is_empty()) {
        if !entries.iter().any(|(known, _)| **known == key) {
            entries.push((Text::from(key), Text::from(value)));
        }
    }
    entries
}

/// A time in milliseconds; 400 when it is no number (Java renews first and answers 500 then).
pub(super) fn millis(uri: &Uri, name: &str) -> Result<Option<WallMillis>, ApiError> {
    let number = |value: Cow<'_, str>| {
        value.parse().map_err(|_| {
            let found = quoted(&value);
            ApiError::BadRequest(format!("cannot read {name}: expected milliseconds since 1970, found {found}"))
        })
    };
    first(uri, name).map(number).transpose()
}

/// A status by its exact name; 400 that lists the names when it is none.
pub(super) fn status(uri: &Uri, name: &str) -> Result<Option<InstanceStatus>, ApiError> {
    let known = |value: Cow<'_, str>| {
        InstanceStatus::from_name(&value).ok_or_else(|| {
            let names = InstanceStatus::names();
            let found = quoted(&value);
            ApiError::BadRequest(format!("cannot read {name}: expected one of {names}, found {found}"))
        })
    };
    first(uri, name).map(known).transpose()
}

/// Every parameter with its value, in order.
pub(super) fn pairs(uri: &Uri) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    let pairs = uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| {
        // Nearly all are written as they are meant.
        if pair.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
            form_urlencoded::parse(pair.as_bytes()).next().unwrap_or_default()
        } else {
            let equals = pair.bytes().position(|byte| byte == b'=').unwrap_or(pair.len());
            (pair[..equals].into(), pair.get(equals + 1..).unwrap_or_default().into())
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    #[test]
    fn decodes_as_java_does() {
        let uri: Uri = "/x?a=1+2&b=%C3%A9&c=&d&=&=x&a=3&e;f=5&g=%zz".parse().unwrap();
        let entries = entries(&uri);
        let entries: Vec<_> = entries.iter().map(|(key, value)| (&**key, &**value)).collect();
        assert_eq!(entries, [("a", "1 2"), ("b", "é"), ("c", ""), ("d", ""), ("e;f", "5"), ("g", "%zz")]);
    }

    #[test]
    fn a_mistake_is_named() {
        let uri: Uri = "/x?value=up&lastDirtyTimestamp=soon".parse().unwrap();
        assert!(status(&uri, "value").unwrap_err().to_string().contains("OUT_OF_SERVICE"));
        assert!(millis(&uri, "lastDirtyTimestamp").unwrap_err().to_string().contains("lastDirtyTimestamp"));
        assert_eq!(millis(&uri, "other").unwrap(), None);
    }

    #[test]
    fn a_mistake_repeats_little_of_what_was_sent_and_no_control_character() {
        let long = "x".repeat(10_000);
        let uri: Uri = format!("/x?value=%1b[31m{long}&lastDirtyTimestamp=%0d%0a{long}").parse().unwrap();
        for error in [status(&uri, "value").unwrap_err(), millis(&uri, "lastDirtyTimestamp").unwrap_err()] {
            let text = error.to_string();
            assert!(text.len() < 300 && !text.contains(char::is_control), "{text:?}");
        }
    }
}
