//! Patterns of subject alternative names (RFC 5280, 4.2.1.6).
//!
//! A pattern means names of one kind: who may have a URI of any text in a certificate must not pass for a machine
//! by it.

use std::net::IpAddr;

use super::Pattern;

/// A subject alternative name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlternativeName {
    /// The name of a machine.
    Dns(String),
    /// A URI, such as that of SPIFFE.
    Uri(String),
    /// An address of mail.
    Email(String),
    /// A machine's address.
    Ip(IpAddr),
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlternativePattern {
    /// `*.example.org`: one for each label, in lower case.
    Dns(Vec<Pattern>),
    /// `uri:spiffe://example.org/*`, or with `://` in it.
    Uri(Pattern),
    /// `email:*@example.org`.
    Email(Pattern),
    /// `ip:10.0.0.*`.
    Ip(Pattern),
}

const EXPECTED: &str = "a DNS name, or a name of another kind after uri:, email: or ip:, each with or without *";

impl AlternativePattern {
    /// Reads one.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        match text.split_once(':').map(|(kind, name)| (kind.to_ascii_lowercase(), name)) {
            None => Self::dns(text),
            Some((kind, name)) => match kind.as_str() {
                _ if name.trim().is_empty() => Err(EXPECTED.to_owned()),
                "dns" => Self::dns(name),
                "uri" => Ok(Self::Uri(Pattern::exact(name))),
                "email" => Ok(Self::Email(Pattern::exact(name))),
                "ip" => Ok(Self::Ip(Pattern::exact(&address(name)))),
                _ if name.starts_with("//") => Ok(Self::Uri(Pattern::exact(text))),
                _ => Err(EXPECTED.to_owned()),
            },
        }
    }

    fn dns(text: &str) -> Result<Self, String> {
        let name = text.trim();
        let is_other = name.is_empty() || name.contains(['@', ':', '/']) || name.parse::<IpAddr>().is_ok();
        if is_other {
            return Err(EXPECTED.to_owned());
        }
        Ok(Self::Dns(name.to_ascii_lowercase().split('.').map(Pattern::exact).collect()))
    }

    /// Whether a name is one of those it stands for.
    pub fn matches(&self, name: &AlternativeName) -> bool {
        match (self, name) {
            (Self::Dns(patterns), AlternativeName::Dns(name)) => {
                let name = name.to_ascii_lowercase();
                let labels: Vec<&str> = name.split('.').collect();
                labels.len() == patterns.len() && labels.iter().zip(patterns).all(|(label, one)| one.matches(label))
            }
            (Self::Uri(pattern), AlternativeName::Uri(name)) | (Self::Email(pattern), AlternativeName::Email(name)) => {
                pattern.matches(name)
            }
            (Self::Ip(pattern), AlternativeName::Ip(address)) => pattern.matches(&address.to_string()),
            _ => false,
        }
    }
}

/// An address in the one way in which addresses are compared; of a pattern its text.
fn address(text: &str) -> String {
    let text = text.trim();
    text.parse::<IpAddr>().map_or_else(|_| text.to_ascii_lowercase(), |address| address.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn matches(pattern: &str, name: &AlternativeName) -> bool {
        AlternativePattern::parse(pattern).unwrap().matches(name)
    }

    #[test]
    fn a_name_of_another_kind_is_another_name() {
        let dns = |name: &str| AlternativeName::Dns(name.to_owned());
        let uri = |name: &str| AlternativeName::Uri(name.to_owned());
        let email = |name: &str| AlternativeName::Email(name.to_owned());
        let ip = |name: &str| AlternativeName::Ip(name.parse().unwrap());
        for (pattern, matching, other) in [
            ("node-1", dns("NODE-1"), uri("node-1")),
            ("DNS:node-1", dns("node-1"), email("node-1")),
            ("node-*.example.org", dns("node-1.example.org"), uri("node-1.example.org")),
            ("*.example.org", dns("a.example.org"), email("a.example.org")),
            (
                "spiffe://example.org/eureka/*",
                uri("spiffe://example.org/eureka/a/b"),
                dns("spiffe://example.org/eureka/a"),
            ),
            ("uri:urn:node:*", uri("urn:node:1"), dns("urn:node:1")),
            ("email:*@example.org", email("a@example.org"), uri("a@example.org")),
            ("ip:10.0.0.*", ip("10.0.0.7"), dns("10.0.0.7")),
            ("ip:2001:DB8:0::1", ip("2001:db8::1"), ip("2001:db8::2")),
        ] {
            assert!(matches(pattern, &matching), "{pattern} {matching:?}");
            assert!(!matches(pattern, &other), "{pattern} {other:?}");
        }
    }

    #[test]
    fn a_star_of_a_dns_name_ends_at_its_dot() {
        for name in ["a.b.example.org", "example.org", "a.example.org.evil.test", "a.example.com"] {
            assert!(!matches("*.example.org", &AlternativeName::Dns(name.to_owned())), "{name}");
        }
        assert!(!matches("node-*", &AlternativeName::Dns("node-1.evil.test".to_owned())));
    }

    #[test]
    fn a_pattern_of_no_kind_is_a_mistake() {
        for pattern in ["10.0.0.1", "::1", "a@example.org", "other:a", "uri:", "dns:10.0.0.1", "dns:a@b"] {
            assert!(AlternativePattern::parse(pattern).is_err(), "{pattern}");
        }
    }
}
