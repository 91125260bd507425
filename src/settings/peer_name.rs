//! A name that is looked up in DNS for peers.

use std::str::FromStr;

use super::http::HttpSettings;
use super::peer_url::{PeerUrl, PeerUrlError};

/// What to look up, and what the URLs of the peers found have in common. Written as a name alone, with
/// a port, or as a URL with credentials: `registry`, `registry:8761`,
/// `http://user:password@registry:8761/eureka/`. A port or path that is not written is that of this
/// server ([`OwnRoot`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerName {
    url: PeerUrl,
    port: Option<u16>,
    has_path: bool,
}

/// Where this server itself serves Eureka.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnRoot {
    /// The port it listens on.
    pub port: u16,
    /// The path, from a slash to a slash.
    pub path: String,
}

impl OwnRoot {
    /// Of the settings of a server that listens.
    pub fn of(http: &HttpSettings) -> Self {
        Self { port: http.port, path: format!("{}/eureka/", http.context_path) }
    }
}

impl PeerName {
    /// The name to look up.
    pub fn name(&self) -> &str {
        self.url.host()
    }

    /// The port, where one is written.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// The URL of a peer found under this name. An IPv6 address is in brackets. A port that was found
    /// with it comes before the one that is written.
    pub fn peer(&self, host: &str, port: Option<u16>, own: &OwnRoot) -> Result<PeerUrl, PeerUrlError> {
        let path = if self.has_path { self.url.path() } else { &own.path };
        self.url.elsewhere(host, port.or(self.port).unwrap_or(own.port), path)
    }
}

impl FromStr for PeerName {
    type Err = PeerUrlError;

    fn from_str(text: &str) -> Result<Self, PeerUrlError> {
        let text = text.trim();
        let url: PeerUrl = if text.contains("://") { text.parse() } else { format!("http://{text}").parse() }?;
        let (_, rest) = text.split_once("://").unwrap_or(("", text));
        let authority = rest.split('/').next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        let after_address = host.rsplit(']').next().unwrap_or_default();
        let port = after_address.contains(':').then(|| url.port());
        Ok(Self { port, has_path: url.path() != "/", url })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn what_is_not_written_is_as_of_this_server() {
        let own = OwnRoot { port: 9761, path: "/registry/eureka/".to_owned() };
        for (written, name, peer) in [
            ("nodes", "nodes", "http://10.0.0.1:9761/registry/eureka/"),
            (" Nodes.svc ", "nodes.svc", "http://10.0.0.1:9761/registry/eureka/"),
            ("nodes:8761", "nodes", "http://10.0.0.1:8761/registry/eureka/"),
            ("nodes:8761/eureka", "nodes", "http://10.0.0.1:8761/eureka/"),
            ("http://nodes", "nodes", "http://10.0.0.1:9761/registry/eureka/"),
            ("http://nodes:80", "nodes", "http://10.0.0.1/registry/eureka/"),
            ("https://u:p@nodes:443/", "nodes", "https://10.0.0.1/registry/eureka/"),
            ("http://u:p@nodes:8761/eureka/", "nodes", "http://10.0.0.1:8761/eureka/"),
            ("http://[::1]/eureka/", "[::1]", "http://10.0.0.1:9761/eureka/"),
            ("_eureka._tcp.nodes.svc", "_eureka._tcp.nodes.svc", "http://10.0.0.1:9761/registry/eureka/"),
        ] {
            let parsed: PeerName = written.parse().unwrap();
            assert_eq!(parsed.name(), name, "{written}");
            let found = parsed.peer("10.0.0.1", None, &own).unwrap();
            assert_eq!(found.as_str(), peer, "{written}");
            assert_eq!(found.password(), written.contains("u:p@").then_some("p"));
            assert_eq!(parsed.peer("[::1]", Some(1), &own).unwrap().port(), 1);
        }
        for written in ["", "a b", "nodes:x", "http://", "tcp://nodes"] {
            assert!(written.parse::<PeerName>().is_err(), "{written}");
        }
    }

    #[test]
    fn the_own_root_follows_the_context_path() {
        let http = HttpSettings { context_path: "/registry".to_owned(), ..HttpSettings::default() };
        assert_eq!(OwnRoot::of(&http), OwnRoot { port: 8761, path: "/registry/eureka/".to_owned() });
        assert_eq!(OwnRoot::of(&HttpSettings::default()).path, "/eureka/");
    }
}
