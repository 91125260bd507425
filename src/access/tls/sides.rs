//! Configurations of rustls for a port and for calls.

use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{ResolvesClientCert, Resumption};
use rustls::crypto::{verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::{NoClientAuth, WebPkiClientVerifier};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{
    ClientConfig, DigitallySignedStruct, Error, ServerConfig, SignatureScheme, SupportedProtocolVersion, version,
};

use crate::access::ClientCertificate;
use crate::settings::{ClientAuth, OutgoingTls, Protocols, ServerTls, TlsSettings};

use super::material::Material;
use super::verifier::Trust;
use super::watched::Watched;
use super::{Mistake, PROVIDER, certificate};

/// The protocols above TLS, the better first.
const ALPN: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// TLS of a port.
#[derive(Debug)]
pub struct Port(Watched<PortSide>);

/// What connections to a port go by.
#[derive(Debug)]
pub struct PortSide {
    config: Arc<ServerConfig>,
    /// Whose certificates of clients are taken.
    trusted: Vec<CertificateDer<'static>>,
}

impl PortSide {
    /// For the handshake.
    pub fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config)
    }
}

impl Port {
    pub(super) fn load(of: &'static str, settings: &ServerTls) -> Result<(Self, Vec<String>), Vec<Mistake>> {
        let (property, client_auth) = (settings.keys.certificate.property.clone(), settings.client_auth);
        let protocols = settings.protocols;
        let make = move |material: Material| {
            let wrong =
                |error: &dyn std::fmt::Display| Mistake { property: property.clone(), problem: error.to_string() };
            let keys = material.keys.ok_or_else(|| wrong(&"there is no certificate"))?;
            let trusted = material.trust.as_ref().map(|trusted| trusted.certificates.clone()).unwrap_or_default();
            let verifier = match (client_auth, material.trust) {
                (ClientAuth::None, _) | (_, None) => Arc::new(NoClientAuth),
                (wish, Some(trusted)) => {
                    let builder = WebPkiClientVerifier::builder_with_provider(trusted.roots, Arc::clone(&PROVIDER));
                    let builder = if wish == ClientAuth::Want { builder.allow_unauthenticated() } else { builder };
                    builder.build().map_err(|error| wrong(&error))?
                }
            };
            let builder = ServerConfig::builder_with_provider(Arc::clone(&PROVIDER));
            let builder = builder.with_protocol_versions(&versions(protocols)).map_err(|error| wrong(&error))?;
            let resolver = Arc::new(SingleCertAndKey::from(keys));
            let mut config = builder.with_client_cert_verifier(verifier).with_cert_resolver(resolver);
            config.alpn_protocols = ALPN.map(<[u8]>::to_vec).to_vec();
            Ok(PortSide { config: Arc::new(config), trusted })
        };
        let (keys, trust) =
            (Some(settings.keys.clone()), settings.trust.clone().filter(|_| client_auth != ClientAuth::None));
        let (watched, odd) = Watched::load(of, keys, trust, Box::new(make))?;
        Ok((Self(watched), odd))
    }

    /// What the next connection goes by.
    pub fn current(&self) -> Arc<PortSide> {
        self.0.current()
    }

    /// How long a client's certificate, which was taken by `taken_by`, is still good; none: it is not, or others are
    /// trusted now.
    pub fn time_left(&self, certificate: &ClientCertificate, taken_by: &PortSide) -> Option<Duration> {
        // It is good in the second that it names, too.
        let end = certificate.end.as_secs().saturating_add(1);
        let left = end.checked_sub(UnixTime::now().as_secs()).filter(|left| *left > 0);
        left.filter(|_| self.current().trusted == taken_by.trusted).map(Duration::from_secs)
    }

    /// What a client's certificates, which were verified, say of it; the first is its own.
    pub fn client(certificates: Option<&[CertificateDer<'_>]>) -> Option<Arc<ClientCertificate>> {
        certificate::client(certificates?.first()?).map(Arc::new)
    }

    pub(super) fn look_again(&self, now: bool) {
        self.0.look_again(now);
    }
}

/// TLS of calls. The default shows no certificate and trusts the system's roots.
#[derive(Clone, Debug)]
pub struct Outgoing {
    watched: Arc<Watched<Side>>,
    protocols: Protocols,
}

/// What calls go by.
#[derive(Debug)]
struct Side {
    keys: Option<Arc<CertifiedKey>>,
    trust: Trust,
}

impl Side {
    fn make(property: &str, material: Material) -> Result<Self, Mistake> {
        let trust = material.trust.map_or(Ok(Trust::System), Trust::these);
        let trust = trust.map_err(|problem| Mistake { property: property.to_owned(), problem })?;
        Ok(Self { keys: material.keys, trust })
    }
}

impl Default for Outgoing {
    fn default() -> Self {
        let side = Side { keys: None, trust: Trust::System };
        let watched = Watched::fixed("calls", side, Box::new(|material| Side::make("", material)));
        Self { watched: Arc::new(watched), protocols: Protocols::default() }
    }
}

impl Outgoing {
    pub(super) fn load(of: &'static str, settings: &OutgoingTls) -> Result<(Self, Vec<String>), Vec<Mistake>> {
        let OutgoingTls { keys, trust, protocols } = settings.clone();
        let property = trust.as_ref().map(|trust| trust.certificates.property.clone()).unwrap_or_default();
        let make = Box::new(move |material| Side::make(&property, material));
        let (watched, odd) = Watched::load(of, keys, trust, make)?;
        Ok((Self { watched: Arc::new(watched), protocols }, odd))
    }

    /// What connections go by, now and when files have changed. Handshakes are whole ones: a session that
    /// is taken up again would show the old certificate, and trust the old one.
    pub fn config(&self) -> ClientConfig {
        let mut config = client(self.protocols, Live(Arc::clone(&self.watched)));
        config.resumption = Resumption::disabled();
        config
    }

    pub(super) fn look_again(&self, now: bool) {
        self.watched.look_again(now);
    }
}

/// What a question to a port of this machine goes by. Any certificate is taken, as the name in it is not
/// that of the loopback: nothing may be told there that is secret.
pub(super) fn to_own_port(settings: &TlsSettings, port: &ServerTls) -> Result<ClientConfig, Vec<Mistake>> {
    let keys = settings.peers.keys.as_ref().unwrap_or(&port.keys);
    let keys = Some(keys.clone()).filter(|_| port.client_auth != ClientAuth::None);
    let make = |material: Material| Ok(Side { keys: material.keys, trust: Trust::Anyones });
    let (watched, _) = Watched::load("own port", keys, None, Box::new(make))?;
    Ok(client(Protocols::default(), Live(Arc::new(watched))))
}

/// # Panics
///
/// Never: there is always a version, and ring has ciphers for each.
#[expect(clippy::expect_used, reason = "see the docs")]
fn client(protocols: Protocols, live: Live) -> ClientConfig {
    let builder = ClientConfig::builder_with_provider(Arc::clone(&PROVIDER))
        .with_protocol_versions(&versions(protocols))
        .expect("a version that ring has ciphers for");
    let live = Arc::new(live);
    builder.dangerous().with_custom_certificate_verifier(Arc::clone(&live) as _).with_client_cert_resolver(live)
}

fn versions(protocols: Protocols) -> Vec<&'static SupportedProtocolVersion> {
    let Protocols { v1_2, v1_3 } = protocols;
    [v1_3.then_some(&version::TLS13), v1_2.then_some(&version::TLS12)].into_iter().flatten().collect()
}

/// Asks at each handshake what is in force.
#[derive(Debug)]
struct Live(Arc<Watched<Side>>);

impl ServerCertVerifier for Live {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.0.current().trust.verify(end_entity, intermediates, name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &PROVIDER.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &PROVIDER.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        PROVIDER.signature_verification_algorithms.supported_schemes()
    }
}

impl ResolvesClientCert for Live {
    fn resolve(&self, _authorities: &[&[u8]], _schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.0.current().keys.clone()
    }

    fn has_certs(&self) -> bool {
        self.0.current().keys.is_some()
    }
}
