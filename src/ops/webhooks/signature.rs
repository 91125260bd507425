//! How a receiver knows who sends: a keyed hash of time and body.

use std::fmt::Write as _;

use ring::hmac;

/// When a request was signed, in seconds since 1970. It is part of what is signed, so that an old request cannot
/// be sent again.
pub(super) const TIMESTAMP: &str = "x-eurekad-timestamp";
/// `sha256=` and the hash in hexadecimal.
pub(super) const SIGNATURE: &str = "x-eurekad-signature";

/// The signature's header: HMAC-SHA256 of the time, a full stop and the body.
pub(super) fn of(secret: &str, timestamp: i64, body: &[u8]) -> String {
    format!("sha256={}", hmac_sha256(secret.as_bytes(), &[format!("{timestamp}.").as_bytes(), body]))
}

fn hmac_sha256(key: &[u8], pieces: &[&[u8]]) -> String {
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, key));
    for piece in pieces {
        context.update(piece);
    }
    context.sign().as_ref().iter().fold(String::new(), |mut text, byte| {
        // Writing into memory does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test cases 2 and 6.
    #[test]
    fn is_hmac_sha256() {
        assert_eq!(
            hmac_sha256(b"Jefe", &[b"what do ya want ", b"for nothing?"]),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            hmac_sha256(&[0xaa; 131], &[b"Test Using Larger Than Block-Size Key - Hash Key First"]),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn covers_time_and_body() {
        let signed = of("s", 1, b"{}");
        assert_eq!(signed, format!("sha256={}", hmac_sha256(b"s", &[b"1.{}"])));
        for other in [of("t", 1, b"{}"), of("s", 2, b"{}"), of("s", 1, b"[]")] {
            assert_ne!(signed, other);
        }
    }
}
