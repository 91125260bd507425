//! TLS both ways: where certificates, keys and trust are (`Ssl`, `SslProperties`, `EurekaTlsProperties`).
//!
//! What is in the files is not looked at here, see [`crate::access::tls`](crate::access). A store's type
//! is told by its content, as Java does it; what is written must be one that can be.

mod blocks;
mod bundles;
mod outgoing;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::reader::Reader;
use super::value::{self, Unit};
use super::{ManagementPort, Secret};

use blocks::{MANAGEMENT, SERVER};
use bundles::Bundles;

/// Settings of TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsSettings {
    /// `server.ssl.*`: none is plain HTTP.
    pub server: Option<ServerTls>,
    /// `management.server.ssl.*`: the same for a management port of its own.
    pub management: Option<ServerTls>,
    /// Calls to peers: `eurekad.peers.ssl.bundle`, else `eureka.client.tls.*` if that is enabled, else
    /// `javax.net.ssl.*`.
    pub peers: OutgoingTls,
    /// Calls to regions: `eurekad.regions.ssl.bundle`, else
    /// `eureka.server.remote-region-trust-store`, else as for peers.
    pub regions: OutgoingTls,
    /// `eurekad.ssl.reload-interval`: how often files are looked at. Default 5 s.
    pub reload_interval: Duration,
}

/// TLS of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerTls {
    /// The server's own key and certificate.
    pub keys: KeySource,
    /// Whose certificates of clients are taken.
    pub trust: Option<TrustSource>,
    /// `….client-auth`: default none.
    pub client_auth: ClientAuth,
    /// `….enabled-protocols`.
    pub protocols: Protocols,
}

/// TLS of calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutgoingTls {
    /// The key and certificate that servers are shown who ask for one.
    pub keys: Option<KeySource>,
    /// Whose certificates of servers are taken; none: the system's roots.
    pub trust: Option<TrustSource>,
    /// Versions that may be spoken; default both.
    pub protocols: Protocols,
}

/// Whether clients are asked for a certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientAuth {
    /// No.
    #[default]
    None,
    /// Yes; who has none is let in.
    Want,
    /// Yes; who has none is not.
    Need,
}

/// Versions of TLS. At least one is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocols {
    /// `TLSv1.2`.
    pub v1_2: bool,
    /// `TLSv1.3`.
    pub v1_3: bool,
}

impl Default for Protocols {
    fn default() -> Self {
        Self { v1_2: true, v1_3: true }
    }
}

/// Where a key and the certificates for it are: two texts in PEM, one with both, or a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySource {
    /// The certificate and those between it and its authority, or a store.
    pub certificate: Stored,
    /// The key in PEM; none where it is in [`certificate`](Self::certificate) too.
    pub key: Option<Stored>,
    /// Opens the store.
    pub password: Option<Secret>,
    /// Opens an encrypted key in PEM.
    pub key_password: Option<Secret>,
    /// Which of several keys of a store.
    pub alias: Option<String>,
}

/// Where certificates of authorities are: in PEM, or in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustSource {
    /// PEM with one or several, or a PKCS#12 store.
    pub certificates: Stored,
    /// Opens the store.
    pub password: Option<Secret>,
}

/// Something in a file, and who says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The property that names it.
    pub property: String,
    /// Where it is.
    pub at: Location,
}

/// Where something is (`ResourceLoader`).
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A file; a relative path begins where the server was started.
    File(PathBuf),
    /// In the setting itself, in PEM.
    Text(String),
}

impl fmt::Debug for Location {
    /// Without what may be a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.fmt(f),
            Self::Text(_) => f.write_str("PEM"),
        }
    }
}

impl Default for TlsSettings {
    fn default() -> Self {
        Self {
            server: None,
            management: None,
            peers: OutgoingTls::default(),
            regions: OutgoingTls::default(),
            reload_interval: Duration::from_secs(5),
        }
    }
}

impl TlsSettings {
    pub(super) fn read(reader: &mut Reader<'_>, management_port: ManagementPort) -> Self {
        let bundles = Bundles::read(reader);
        let java = outgoing::java(reader);
        let server = blocks::read(reader, &SERVER, &bundles, java.trust.as_ref());
        let management = blocks::read(reader, &MANAGEMENT, &bundles, java.trust.as_ref());
        if management.is_some() && !matches!(management_port, ManagementPort::Own(_)) {
            reader.unfit(
                "management.server.ssl",
                "there is no management port of its own (management.server.port), that of the API has server.ssl.*",
            );
        }
        let peers = outgoing::peers(reader, &bundles, java);
        let regions = outgoing::regions(reader, &bundles, &peers);
        let reload_interval =
            reader.get(&["eurekad.ssl.reload-interval"], value::duration(Unit::Seconds, Duration::from_millis(1)));
        Self {
            server,
            management,
            peers,
            regions,
            reload_interval: reload_interval.unwrap_or(Self::default().reload_interval),
        }
    }
}

const A_FILE: &str = "a file (/etc/eureka/tls.crt or file:/etc/eureka/tls.crt)";

/// A place as Spring writes it: a path, `file:/path`, or the text itself.
fn location(text: &str) -> Result<Location, String> {
    let trimmed = text.trim();
    if text.contains("-----BEGIN ") {
        return Ok(Location::Text(text.to_owned()));
    }
    let path = match trimmed.split_once(':') {
        Some(("file", path)) => path.strip_prefix("//").filter(|path| path.starts_with('/')).unwrap_or(path),
        Some(("classpath", _)) => {
            return Err(format!("{A_FILE}: there is no class path here"));
        }
        Some((scheme, _)) if scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric()) => {
            return Err(format!("{A_FILE} or a text in PEM"));
        }
        _ => trimmed,
    };
    Ok(Location::File(PathBuf::from(path)))
}

/// The place of a private key. A key without its first line would be taken for a path, which errors repeat.
fn key_location(text: &str) -> Result<Location, String> {
    /// Bytes; a key is longer, and a path that does not begin at a root is shorter.
    const LONGEST: usize = 128;
    let located = location(text)?;
    match &located {
        Location::File(path) if path.as_os_str().len() > LONGEST && path.is_relative() && !path.starts_with("..") => {
            Err(format!("{A_FILE} or a text in PEM, with its first and its last line"))
        }
        _ => Ok(located),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the shape of all readers of values")]
fn secret(text: &str) -> Result<Secret, String> {
    Ok(Secret::new(text))
}

/// The type of a store; its content tells which it is.
fn store_type(text: &str) -> Result<(), String> {
    let known = ["PKCS12", "JKS", "PEM"].iter().any(|known| text.trim().eq_ignore_ascii_case(known));
    known.then_some(()).ok_or_else(|| "PKCS12 (or PEM)".to_owned())
}

fn client_auth(text: &str) -> Result<ClientAuth, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "none" => Ok(ClientAuth::None),
        "want" => Ok(ClientAuth::Want),
        "need" => Ok(ClientAuth::Need),
        _ => Err("none, want or need".to_owned()),
    }
}

/// Older ones are passed over, if there is one of these.
fn protocols(text: &str) -> Result<Protocols, String> {
    let listed = value::list(text)?;
    let has = |version: &str| listed.iter().any(|name| name.eq_ignore_ascii_case(version));
    let old = |name: &String| ["TLSv1", "TLSv1.1", "SSLv3"].iter().any(|old| name.eq_ignore_ascii_case(old));
    let protocols = Protocols { v1_2: has("TLSv1.2"), v1_3: has("TLSv1.3") };
    let known = listed.iter().filter(|name| !old(name)).count();
    if known == 0 || known > usize::from(protocols.v1_2) + usize::from(protocols.v1_3) {
        return Err("TLSv1.2, TLSv1.3 or both: there is no other version here".to_owned());
    }
    Ok(protocols)
}

#[cfg(test)]
mod tests;
