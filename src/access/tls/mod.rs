//! TLS both ways: keys, certificates and trust from files, and what rustls makes of them.
//!
//! rustls with ring, TLS 1.2 and 1.3. All mistakes are told at the start with the properties that lead to
//! them. Files are looked at again and again: what is right in them is in force for the next connection,
//! what is wrong leaves the old in force and is told once. No key and no password is shown anywhere.
//!
//! | file | what |
//! | --- | --- |
//! | `content` | what files hold, before anybody understands it |
//! | `pem`, `store`, `ec_key` | keys and certificates from PEM and from PKCS#12 (Java's `KeyStore`) |
//! | `material` | a key with its certificates, and whom to trust |
//! | `certificate` | whom a certificate names, and how long |
//! | `verifier` | whether a server's certificate is to be taken |
//! | `sides` | configurations of rustls for a port and for calls |
//! | `watched` | reading again |

mod certificate;
mod content;
mod ec_key;
mod material;
mod pem;
mod sides;
mod store;
mod verifier;
mod watched;

use std::sync::{Arc, LazyLock};

use rustls::ClientConfig;
use rustls::crypto::CryptoProvider;

use crate::settings::{Notice, ServerTls, SettingsError, SettingsErrors, TlsSettings};

pub use sides::{Outgoing, Port, PortSide};

/// The one provider of cryptography.
static PROVIDER: LazyLock<Arc<CryptoProvider>> = LazyLock::new(|| Arc::new(rustls::crypto::ring::default_provider()));

/// TLS of all ports and calls. The default is plain ports, and calls that trust the system's roots.
#[derive(Clone, Debug, Default)]
pub struct Tls {
    /// That of the API's port; none: plain.
    pub server: Option<Arc<Port>>,
    /// That of a management port of its own; none: plain.
    pub management: Option<Arc<Port>>,
    /// That of calls to peers.
    pub peers: Outgoing,
    /// That of calls to regions.
    pub regions: Outgoing,
}

/// What is wrong with what a property leads to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{property}: {problem}")]
struct Mistake {
    property: String,
    problem: String,
}

impl Tls {
    /// Reads all files; blocks on them. The notices are about what is odd.
    pub fn load(settings: &TlsSettings) -> Result<(Self, Vec<Notice>), SettingsErrors> {
        let (mut mistakes, mut odd) = (Vec::new(), Vec::new());
        let mut port = |name, settings: &Option<_>| {
            let port = Port::load(name, settings.as_ref()?);
            port.map_err(|wrong| mistakes.extend(wrong)).ok().map(|(port, notes)| {
                odd.extend(notes);
                Arc::new(port)
            })
        };
        let (server, management) = (port("server", &settings.server), port("management", &settings.management));
        let mut calls = |name, settings| {
            let calls = Outgoing::load(name, settings);
            calls.map_err(|wrong| mistakes.extend(wrong)).ok().map(|(calls, notes)| {
                odd.extend(notes);
                calls
            })
        };
        let (peers, regions) = (calls("peers", &settings.peers), calls("regions", &settings.regions));
        if let Some(errors) = errors(mistakes) {
            return Err(errors);
        }
        odd.sort();
        odd.dedup();
        let (peers, regions) = (peers.unwrap_or_default(), regions.unwrap_or_default());
        Ok((Self { server, management, peers, regions }, odd.into_iter().map(Notice::warning).collect()))
    }

    /// What a question to a port of this machine goes by that tells nothing secret: any certificate is taken.
    /// Blocks on files.
    pub fn to_own_port(settings: &TlsSettings, port: &ServerTls) -> Result<ClientConfig, String> {
        let told = |mistakes: Vec<Mistake>| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        sides::to_own_port(settings, port).map_err(told)
    }

    /// Looks whether files have changed; blocks on them. `now`: what is wrong is told at once, otherwise
    /// only if it is still wrong at the next look, as files may be half written.
    pub fn look_again(&self, now: bool) {
        for port in self.server.iter().chain(&self.management) {
            port.look_again(now);
        }
        self.peers.look_again(now);
        self.regions.look_again(now);
    }
}

/// Each once: two sides that go by one file are wrong in the same way.
fn errors(mistakes: Vec<Mistake>) -> Option<SettingsErrors> {
    let mut told = Vec::new();
    for mistake in mistakes {
        if !told.contains(&mistake) {
            told.push(mistake);
        }
    }
    let unfit = |Mistake { property, problem }| SettingsError::Unfit { name: property, problem };
    SettingsErrors::of(told.into_iter().map(unfit).collect())
}

#[cfg(test)]
mod tests;
