//! Who a node is, whatever URL it is reached by.
//!
//! Each process has an id. It stands, with what the node understands, in a header of every API answer
//! and of every request to a peer. So a node knows itself behind any alias, load balancer or second
//! port, and two nodes on one host know each other apart; Java tells them apart by host name alone
//! (`PeerEurekaNodes.isThisMyUrl`). A server without the header is taken for a Java server.

use std::fmt;
use std::str::FromStr;

use http::{HeaderMap, HeaderName, HeaderValue};
use rand::Rng as _;

/// Its value: `<id>; state=open; digest=1`.
pub const NODE_HEADER: HeaderName = HeaderName::from_static("eurekad-node");

/// The version of the digest exchange that this server speaks.
pub const DIGEST_VERSION: u32 = 1;

/// A process of this program; another one after each start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u64);

impl NodeId {
    /// One that nobody else has.
    pub fn random() -> Self {
        Self(rand::rng().next_u64())
    }

    /// One for a process that is played.
    pub const fn of(number: u64) -> Self {
        Self(number)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for NodeId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text.len() != 16 {
            return Err(());
        }
        u64::from_str_radix(text, 16).map(Self).map_err(|_| ())
    }
}

/// What a node says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Which process it is.
    pub node: NodeId,
    /// Whether it is open for traffic. Until then it has nothing that could be copied.
    pub open: bool,
    /// The version of the digest exchange that it speaks; none for one that speaks none.
    pub digest: Option<u32>,
}

impl Identity {
    /// What this node says.
    pub fn own(node: NodeId, open: bool) -> Self {
        Self { node, open, digest: Some(DIGEST_VERSION) }
    }

    /// What the sender of these says; none if it is a Java server, or says nothing that can be
    /// understood. Words that a later version may add are passed over.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let mut words = headers.get(NODE_HEADER)?.to_str().ok()?.split(';').map(str::trim);
        let node = words.next()?.parse().ok()?;
        let mut identity = Self { node, open: true, digest: None };
        for word in words {
            match word.split_once('=') {
                Some(("state", state)) => identity.open = state == "open",
                Some(("digest", version)) => identity.digest = version.parse().ok(),
                _ => {}
            }
        }
        Some(identity)
    }

    /// The header's value.
    pub fn header(&self) -> HeaderValue {
        let state = if self.open { "open" } else { "opening" };
        let digest = self.digest.map_or_else(String::new, |version| format!("; digest={version}"));
        let text = format!("{}; state={state}{digest}", self.node);
        HeaderValue::from_maybe_shared(text).unwrap_or(HeaderValue::from_static(""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Option<Identity> {
        Identity::of(&HeaderMap::from_iter([(NODE_HEADER, HeaderValue::from_static(text))]))
    }

    #[test]
    fn a_node_says_who_it_is_and_what_it_understands() {
        for identity in [Identity::own(NodeId::of(7), true), Identity::own(NodeId::random(), false)] {
            let headers = HeaderMap::from_iter([(NODE_HEADER, identity.header())]);
            assert_eq!(Identity::of(&headers), Some(identity));
        }
        assert_eq!(Identity::own(NodeId::of(7), true).header(), "0000000000000007; state=open; digest=1");
    }

    #[test]
    fn later_versions_may_say_more_and_nonsense_is_a_java_server() {
        let seven = Identity { node: NodeId::of(7), open: true, digest: None };
        assert_eq!(read("0000000000000007"), Some(seven));
        assert_eq!(read("0000000000000007; zone=a; digest=x;;"), Some(seven));
        let two = Identity { digest: Some(2), open: false, ..seven };
        assert_eq!(read("0000000000000007;digest=2 ; state=draining"), Some(two));
        for nonsense in ["", "7", "seven", "000000000000000g", "00000000000000007", "; state=open"] {
            assert_eq!(read(nonsense), None, "{nonsense:?}");
        }
        assert_eq!(Identity::of(&HeaderMap::new()), None);
    }
}
