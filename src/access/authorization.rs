//! What a request says of who sends it: the header `Authorization`. Cookies say nothing here, so no page of
//! somebody else can make a browser act for its user (beyond what Basic itself allows).

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use zeroize::Zeroizing;

/// Clients leave out the padding now and then.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Credentials as they came, right or wrong.
#[derive(PartialEq, Eq)]
pub(super) enum Credentials {
    /// RFC 7617, in UTF-8 as Spring reads it.
    Basic { user: String, password: Zeroizing<String> },
    /// RFC 6750.
    Bearer(Zeroizing<String>),
}

/// Credentials that say nothing: another scheme, broken, or more than one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unreadable;

impl Credentials {
    /// None if the request has none.
    pub(super) fn of(headers: &HeaderMap) -> Result<Option<Self>, Unreadable> {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let Some(value) = values.next() else { return Ok(None) };
        if values.next().is_some() {
            return Err(Unreadable);
        }
        let (scheme, text) = value.to_str().ok().and_then(|value| value.trim().split_once(' ')).ok_or(Unreadable)?;
        let text = text.trim();
        if scheme.eq_ignore_ascii_case("bearer") {
            return Ok(Some(Self::Bearer(Zeroizing::new(text.to_owned()))));
        }
        if !scheme.eq_ignore_ascii_case("basic") {
            return Err(Unreadable);
        }
        let decoded = Zeroizing::new(BASE64.decode(text).map_err(|_| Unreadable)?);
        let decoded = std::str::from_utf8(&decoded).map_err(|_| Unreadable)?;
        let (user, password) = decoded.split_once(':').ok_or(Unreadable)?;
        Ok(Some(Self::Basic { user: user.to_owned(), password: Zeroizing::new(password.to_owned()) }))
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn of(value: &[u8]) -> Result<Option<Credentials>, Unreadable> {
        let value = HeaderValue::from_bytes(value).map_err(|_| Unreadable)?;
        Credentials::of(&HeaderMap::from_iter([(AUTHORIZATION, value)]))
    }

    fn basic(user: &str, password: &str) -> Credentials {
        Credentials::Basic { user: user.to_owned(), password: Zeroizing::new(password.to_owned()) }
    }

    #[test]
    fn reads_what_clients_send() {
        assert!(Credentials::of(&HeaderMap::new()) == Ok(None));
        assert!(of(b"Basic dXNlcjpwYXNz") == Ok(Some(basic("user", "pass"))));
        assert!(of(b"basic  dTpwOnE= ") == Ok(Some(basic("u", "p:q"))));
        assert!(of(b"Basic dTpwOnE") == Ok(Some(basic("u", "p:q"))));
        assert!(of(b"Basic w6k6w6k=") == Ok(Some(basic("é", "é"))));
        assert!(of(b"Basic Og==") == Ok(Some(basic("", ""))));
        assert!(of(b"bearer abc") == Ok(Some(Credentials::Bearer(Zeroizing::new("abc".to_owned())))));
        for unreadable in ["Basic", "Basic !", "Basic dXNlcg==", "Basic /zov", "Negotiate abc", "", "dXNlcjpwYXNz"] {
            assert!(of(unreadable.as_bytes()) == Err(Unreadable), "{unreadable}");
        }
        let mut twice = HeaderMap::new();
        twice.append(AUTHORIZATION, HeaderValue::from_static("Basic dXNlcjpwYXNz"));
        twice.append(AUTHORIZATION, HeaderValue::from_static("Basic dXNlcjpwYXNz"));
        assert!(Credentials::of(&twice) == Err(Unreadable));
    }

    proptest! {
        #[test]
        fn no_header_panics(value in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = of(&value);
        }

        #[test]
        fn every_user_and_password_comes_through(user in "[^:\\x00-\\x1f]{0,20}", password in "\\PC{0,20}") {
            let header = format!("Basic {}", base64::prelude::BASE64_STANDARD.encode(format!("{user}:{password}")));
            prop_assert!(of(header.as_bytes()) == Ok(Some(basic(&user, &password))));
        }
    }
}
