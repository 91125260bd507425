//! A private authority, what it signs, and clients that trust it.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};

use crate::sockets::server::SOON;

/// Signs certificates.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Its own certificate.
    pub(crate) pem: String,
}

/// A key and its certificate, in PEM.
#[derive(Clone, Debug)]
pub(crate) struct Signed {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name = called(name);
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// A certificate for these host names and addresses.
    pub(crate) fn sign(&self, names: &[&str]) -> Signed {
        self.sign_until(names, 2999)
    }

    /// One that ends with the beginning of a year.
    pub(crate) fn sign_until(&self, names: &[&str], year: i32) -> Signed {
        let key = KeyPair::generate().unwrap();
        let mut params =
            CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap();
        params.distinguished_name = called(names.first().copied().unwrap_or("nobody"));
        params.not_before = rcgen::date_time_ymd(2000, 1, 1);
        params.not_after = rcgen::date_time_ymd(year, 1, 1);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Signed { certificate: certificate.pem(), key: key.serialize_pem() }
    }
}

fn called(name: &str) -> DistinguishedName {
    let mut called = DistinguishedName::new();
    called.push(DnType::CommonName, name);
    called
}

impl Signed {
    /// Puts them into a folder, as Kubernetes does.
    pub(crate) fn write(&self, folder: &Path) {
        fs::write(folder.join("tls.crt"), &self.certificate).unwrap();
        fs::write(folder.join("tls.key"), &self.key).unwrap();
    }

    /// The certificate's bytes.
    pub(crate) fn der(&self) -> Vec<u8> {
        CertificateDer::from_pem_slice(self.certificate.as_bytes()).unwrap().to_vec()
    }
}

/// The words of a server whose files are in a folder.
pub(crate) fn secured(folder: &Path) -> Vec<String> {
    vec![
        format!("--server.ssl.certificate={}/tls.crt", folder.display()),
        format!("--server.ssl.certificate-private-key=file:{}/tls.key", folder.display()),
    ]
}

/// A client's side of TLS.
pub(crate) struct Client<'a> {
    pub(crate) trusts: &'a Authority,
    pub(crate) shows: Option<&'a Signed>,
    pub(crate) versions: &'static [&'static SupportedProtocolVersion],
    pub(crate) alpn: &'static [&'static [u8]],
}

impl<'a> Client<'a> {
    pub(crate) fn of(trusts: &'a Authority) -> Self {
        Self { trusts, shows: None, versions: rustls::DEFAULT_VERSIONS, alpn: &[] }
    }

    pub(crate) fn config(&self) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.trusts.pem.as_bytes()).unwrap()).unwrap();
        let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_protocol_versions(self.versions)
            .unwrap()
            .with_root_certificates(roots);
        let mut config = match self.shows {
            None => builder.with_no_client_auth(),
            Some(signed) => {
                let chain = vec![CertificateDer::from_pem_slice(signed.certificate.as_bytes()).unwrap()];
                builder
                    .with_client_auth_cert(chain, PrivateKeyDer::from_pem_slice(signed.key.as_bytes()).unwrap())
                    .unwrap()
            }
        };
        config.alpn_protocols = self.alpn.iter().map(|protocol| protocol.to_vec()).collect();
        config
    }

    pub(crate) fn build(&self) -> reqwest::Client {
        let client = reqwest::Client::builder().tls_backend_preconfigured(self.config()).tls_info(true).no_proxy();
        client.timeout(SOON).build().unwrap()
    }
}
