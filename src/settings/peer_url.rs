//! The URL of a peer's Eureka root.

use std::fmt;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use url::{Host, Url};

/// Where a peer serves Eureka, `http://host:8761/eureka/`, in one spelling: letters of the host are
/// small, a default port is not written, the path ends in a slash (Java adds that too, but takes a
/// blank before a comma into the URL). The credentials in a URL are kept apart: nothing shows them.
///
/// Two are equal if their credentials are too; [`is_same_place`](Self::is_same_place) looks at the
/// rest alone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerUrl {
    place: Url,
    user: Option<String>,
    password: Option<String>,
}

/// Why a text is no URL of a peer; ends a sentence that begins with the text's place. It repeats
/// nothing of the text, where a password may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PeerUrlError {
    /// No scheme, or a foreign one.
    #[error("does not begin with http:// or https://")]
    Scheme,
    /// A part that no server has.
    #[error("has a blank or one of ? # \\ in it")]
    Characters,
    /// What stands for the host is neither a name nor an address.
    #[error("has no valid host name or address")]
    Host,
    /// A user or password of other bytes than text.
    #[error("has credentials that are not UTF-8")]
    Credentials,
    /// Anything else.
    #[error("is no URL ({0}); in a password all but letters and digits is written %XX")]
    Url(#[from] url::ParseError),
}

impl PeerUrl {
    /// The URL without credentials, as lists of replicas show it.
    pub fn as_str(&self) -> &str {
        self.place.as_str()
    }

    /// The URL, without credentials, of what lies below the root: `apps/`.
    pub fn at(&self, path: &str) -> String {
        format!("{}{path}", self.place)
    }

    /// The host name or address; an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        self.place.host_str().unwrap_or_default()
    }

    /// The port, that of the scheme if none is written.
    pub fn port(&self) -> u16 {
        self.place.port_or_known_default().unwrap_or_default()
    }

    /// Whether somebody between this machine and that one can read what is sent there.
    pub fn is_readable_on_the_way(&self) -> bool {
        is_readable_on_the_way(&self.place)
    }

    /// The path, from a slash to a slash.
    pub fn path(&self) -> &str {
        self.place.path()
    }

    /// The user of HTTP Basic, decoded.
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// The password of HTTP Basic, decoded. None also if the URL has a user alone.
    pub fn password(&self) -> Option<&str> {
        self.password.as_deref()
    }

    /// Whether both lead to the same server, whatever the credentials.
    pub fn is_same_place(&self, other: &Self) -> bool {
        self.place == other.place
    }

    /// The URL of another host with this one's scheme and credentials. An IPv6 address is in brackets;
    /// the path begins with a slash.
    pub fn elsewhere(&self, host: &str, port: u16, path: &str) -> Result<Self, PeerUrlError> {
        let other: Self = format!("{}://{host}:{port}{path}", self.place.scheme()).parse()?;
        Ok(Self { user: self.user.clone(), password: self.password.clone(), ..other })
    }
}

impl FromStr for PeerUrl {
    type Err = PeerUrlError;

    /// Blanks around the text do not count.
    fn from_str(text: &str) -> Result<Self, PeerUrlError> {
        let text = text.trim();
        // The parser would take `localhost:8761` for a scheme, and `http:host` for a URL.
        let (scheme, _) = text.split_once("://").ok_or(PeerUrlError::Scheme)?;
        if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            return Err(PeerUrlError::Scheme);
        }
        // It would drop line ends, and encode blanks.
        if text.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '?' | '#' | '\\')) {
            return Err(PeerUrlError::Characters);
        }
        let mut place = Url::parse(text)?;
        let user = decoded(place.username())?.filter(|user| !user.is_empty());
        let password = place.password().map_or(Ok(None), decoded)?;
        let cleared = place.set_username("").and_then(|()| place.set_password(None));
        if cleared.is_err() || !place.host_str().is_some_and(is_host) {
            return Err(PeerUrlError::Host);
        }
        if !place.path().ends_with('/') {
            place.set_path(&format!("{}/", place.path()));
        }
        Ok(Self { place, user, password })
    }
}

/// Whether a URL is of plain HTTP, to another machine.
pub(super) fn is_readable_on_the_way(url: &Url) -> bool {
    let is_here = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    };
    url.scheme() == "http" && !is_here
}

fn decoded(text: &str) -> Result<Option<String>, PeerUrlError> {
    let text = percent_decode_str(text).decode_utf8().map_err(|_| PeerUrlError::Credentials)?;
    Ok(Some(text.into_owned()))
}

/// The parser lets through what no resolver takes, such as a placeholder that was not replaced.
fn is_host(host: &str) -> bool {
    let name = |host: &str| host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    host.starts_with('[') || name(host)
}

impl fmt::Display for PeerUrl {
    /// Without credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for PeerUrl {
    /// Without credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use proptest::prelude::*;

    use super::*;

    fn url(text: &str) -> PeerUrl {
        text.parse().unwrap_or_else(|error| panic!("{text:?} {error}"))
    }

    #[test]
    fn all_spellings_of_a_url_are_one() {
        for (written, meant) in [
            ("http://a:8761/eureka/", "http://a:8761/eureka/"),
            ("http://a:8761/eureka", "http://a:8761/eureka/"),
            (" http://a:8761/eureka ", "http://a:8761/eureka/"),
            ("HTTP://Node-1.Example.ORG:8761/Eureka", "http://node-1.example.org:8761/Eureka/"),
            ("http://a", "http://a/"),
            ("http://a:80/eureka", "http://a/eureka/"),
            ("https://a:443/eureka", "https://a/eureka/"),
            ("https://a:80/eureka", "https://a:80/eureka/"),
            ("http://[::1]:8761/eureka", "http://[::1]:8761/eureka/"),
            ("http://[0:0:0:0:0:0:0:1]:8761/eureka", "http://[::1]:8761/eureka/"),
            ("http://10.20.0.1:8761/eureka/v2/", "http://10.20.0.1:8761/eureka/v2/"),
            ("http://docker_name:8761/eureka/", "http://docker_name:8761/eureka/"),
            ("http://node.svc.:8761/eureka/", "http://node.svc.:8761/eureka/"),
            ("http://u:p@a:8761/eureka/", "http://a:8761/eureka/"),
        ] {
            assert_eq!(url(written).to_string(), meant, "{written}");
            assert_eq!(url(written).as_str(), meant, "{written}");
        }
        assert_eq!(url("http://A/x"), url("http://a:80/x/"));
        assert_ne!(url("http://a/x"), url("http://a/X"));
        assert_ne!(url("http://a/x"), url("https://a/x"));
    }

    #[test]
    fn parts() {
        let one = url("https://[::1]/eureka");
        assert_eq!((one.host(), one.port(), one.path()), ("[::1]", 443, "/eureka/"));
        let other = url("http://u:p@a:8761/eureka");
        assert_eq!((other.host(), other.port()), ("a", 8761));
        assert_eq!(other.at("peerreplication/batch/"), "http://a:8761/eureka/peerreplication/batch/");
        let elsewhere = other.elsewhere("[::1]", 80, "/x").unwrap();
        assert_eq!(
            (elsewhere.as_str(), elsewhere.user(), elsewhere.password()),
            ("http://[::1]/x/", Some("u"), Some("p"))
        );
        assert_eq!(other.elsewhere("a b", 80, "/x"), Err(PeerUrlError::Characters));
    }

    #[test]
    fn credentials_are_decoded_and_never_shown() {
        for (written, user, password) in [
            ("http://a/", None, None),
            ("http://@a/", None, None),
            ("http://admin:s3cret@a/", Some("admin"), Some("s3cret")),
            ("http://ad%40min:s%3A%2F%C3%A9@a/", Some("ad@min"), Some("s:/é")),
            ("http://admin:s3:cr@et@a/", Some("admin"), Some("s3:cr@et")),
            ("http://admin:50%off+é@a/", Some("admin"), Some("50%off+é")),
            ("http://admin@a/", Some("admin"), None),
            ("http://:s3cret@a/", None, Some("s3cret")),
        ] {
            let url = url(written);
            assert_eq!((url.user(), url.password()), (user, password), "{written}");
            assert_eq!((url.to_string(), format!("{url:?}")), ("http://a/".to_owned(), "\"http://a/\"".to_owned()));
        }
        assert_ne!(url("http://u:p@a/"), url("http://u:q@a/"));
        assert!(url("http://u:p@a/").is_same_place(&url("http://a/")));
    }

    #[test]
    fn what_is_no_url_says_why() {
        for (written, why) in [
            ("", "does not begin with http:// or https://"),
            ("localhost:8761/eureka/", "does not begin with http:// or https://"),
            ("http:localhost", "does not begin with http:// or https://"),
            ("u:p@localhost:8761/eureka/", "does not begin with http:// or https://"),
            ("ftp://a/", "does not begin with http:// or https://"),
            ("http://a b/", "has a blank or one of ? # \\ in it"),
            ("http://a/?x", "has a blank or one of ? # \\ in it"),
            ("http://a/#x", "has a blank or one of ? # \\ in it"),
            ("http://${NODE}/eureka/", "has no valid host name or address"),
            ("http://%FF:x@a/", "has credentials that are not UTF-8"),
            ("http://", "is no URL (empty host); in a password all but letters and digits is written %XX"),
            ("http://a:x/", "is no URL (invalid port number); in a password all but letters and digits is written %XX"),
            (
                "http://u:p/q@a/",
                "is no URL (invalid port number); in a password all but letters and digits is written %XX",
            ),
        ] {
            assert_eq!(written.parse::<PeerUrl>().unwrap_err().to_string(), why, "{written}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_what_is_shown_reads_the_same(text in "(https?://)?\\PC{0,30}") {
            if let Ok(url) = text.parse::<PeerUrl>() {
                let again: PeerUrl = url.as_str().parse().unwrap();
                prop_assert!(again.is_same_place(&url));
                prop_assert!(url.path().starts_with('/') && url.path().ends_with('/'));
                prop_assert_eq!((again.user(), again.password()), (None, None));
            }
        }

        #[test]
        fn no_password_shows(user in "[a-z]{1,9}", password in "[a-z0-9:@!é]{1,20}~") {
            let url: PeerUrl = format!("http://{user}:{password}@host:8761/eureka").parse().unwrap();
            let shown = format!("{url}{url:?}{}", url.at("apps/"));
            prop_assert!(!shown.contains('~'));
            prop_assert_eq!(url.password(), Some(password.as_str()));
        }
    }
}
