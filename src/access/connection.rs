//! What is known of the other end of a connection.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::logging::PeerAddress;
use crate::settings::AlternativeName;

/// Who is at the other end, as far as the connection tells: an extension of every request that goes
/// through a router.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// Where from; none in tests without sockets.
    pub address: Option<PeerAddress>,
    /// What the client proved to own, if it was asked for that (`server.ssl.client-auth`).
    pub certificate: Option<Arc<ClientCertificate>>,
}

impl Connection {
    /// Where from; IPv4 as such, also on a socket for both.
    pub fn ip(&self) -> Option<IpAddr> {
        self.address.map(|PeerAddress(address)| address.ip().to_canonical())
    }
}

/// Whom a client's certificate names. It was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCertificate {
    /// The subject as RFC 4514 writes it: `CN=peer-1,O=Example`.
    pub subject: String,
    /// Its subject alternative names, of the kinds that patterns can mean.
    pub names: Vec<AlternativeName>,
    /// When it ends to be good, since 1970.
    pub end: Duration,
}
