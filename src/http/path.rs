//! Which paths are the same.
//!
//! A trailing slash, doubled slashes and matrix parameters (`;x=y`) do not count, as in Tomcat and
//! Jersey. An encoded slash or backslash belongs to its segment (Tomcat refuses it).

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::error::ApiError;

/// The segments of a path, encoded as they came; a path that cannot be decoded is 400.
pub(super) fn segments(path: &str) -> Result<impl Iterator<Item = &str>, ApiError> {
    check_encoding(path)?;
    let has_parameters = path.bytes().any(|byte| byte == b';');
    let segments = path
        .split('/')
        .map(move |segment| if has_parameters { segment.split(';').next().unwrap_or_default() } else { segment });
    Ok(segments.filter(|segment| !segment.is_empty()))
}

/// What an encoded segment says. It was checked before that it can be decoded.
pub(super) fn decoded(segment: &str) -> Cow<'_, str> {
    if segment.contains('%') { percent_decode_str(segment).decode_utf8_lossy() } else { Cow::Borrowed(segment) }
}

/// What may not stand in a path stands there encoded, every `%` is followed by two hex digits, and
/// what comes out is UTF-8 without NUL.
fn check_encoding(path: &str) -> Result<(), ApiError> {
    let wrong = |what: &str| ApiError::BadRequest(format!("cannot read the path: {what}"));
    let mut encoded = false;
    for byte in path.bytes() {
        match byte {
            b'"' | b'\\' | b'|' | b'^' => {
                return Err(wrong("quotes, backslashes, bars and carets must be percent-encoded"));
            }
            b'%' => encoded = true,
            _ => {}
        }
    }
    if !encoded {
        return Ok(());
    }
    let mut decoded = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        let byte = match (first, tail) {
            (b'%', [high, low, after @ ..]) => {
                rest = after;
                hex(*high)
                    .zip(hex(*low))
                    .map(|(high, low)| high * 16 + low)
                    .ok_or_else(|| wrong("broken % encoding"))?
            }
            (b'%', _) => return Err(wrong("broken % encoding")),
            (byte, _) => *byte,
        };
        if byte == 0 {
            return Err(wrong("it contains a NUL"));
        }
        decoded.push(byte);
    }
    std::str::from_utf8(&decoded).map_err(|_| wrong("it is not UTF-8"))?;
    Ok(())
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    fn read(path: &str) -> Result<Vec<String>, ApiError> {
        Ok(segments(path)?.map(|segment| decoded(segment).into_owned()).collect())
    }

    #[test]
    fn cleans_what_clients_write() {
        let expected: [(&str, &[&str]); 7] = [
            ("/eureka/apps", &["eureka", "apps"]),
            ("/eureka/apps/", &["eureka", "apps"]),
            ("//eureka//apps///delta", &["eureka", "apps", "delta"]),
            ("/eureka;v=1/apps;x=y/;z/A", &["eureka", "apps", "A"]),
            ("/eureka/apps/A/a%2Fb%3Bc%C3%A9", &["eureka", "apps", "A", "a/b;c\u{e9}"]),
            ("/", &[]),
            ("", &[]),
        ];
        for (path, cleaned) in expected {
            assert_eq!(read(path).unwrap(), cleaned, "{path}");
        }
    }

    #[test]
    fn refuses_what_cannot_be_decoded() {
        for path in
            ["/eureka/apps/%zz", "/eureka/apps/%", "/eureka/apps/%2", "/eureka/apps/%ff", "/eureka/apps/%00", "/a|b"]
        {
            assert!(matches!(read(path), Err(ApiError::BadRequest(_))), "{path}");
        }
    }
}
