//! Keys and certificates in PEM (`PemContent`, `PemPrivateKeyParser`).

use pkcs8::{EncryptedPrivateKeyInfoRef, SecretDocument};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::settings::Secret;

/// All certificates, in their order; at least one.
pub(super) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let certificates = certificates.map_err(|error| format!("has no right PEM in it: {error}"))?;
    if certificates.is_empty() {
        return Err("has no certificate in it".to_owned());
    }
    Ok(certificates)
}

/// The first key.
pub(super) fn key(pem: &[u8], password: Option<&Secret>) -> Result<PrivateKeyDer<'static>, String> {
    const ENCRYPTED: [&str; 2] = ["-----BEGIN ENCRYPTED PRIVATE KEY-----", "-----END ENCRYPTED PRIVATE KEY-----"];
    let text = String::from_utf8_lossy(pem);
    if text.contains("Proc-Type: 4,ENCRYPTED") {
        return Err("has a key that is encrypted in an old way: write it anew with openssl pkcs8 -topk8".to_owned());
    }
    let section = ENCRYPTED.map(|mark| text.find(mark));
    let ([Some(begin), Some(end)], [_, mark]) = (section, ENCRYPTED) else {
        return PrivateKeyDer::from_pem_slice(pem).map_err(|error| match error {
            rustls::pki_types::pem::Error::NoItemsFound => "has no private key in it".to_owned(),
            error => format!("has no right PEM in it: {error}"),
        });
    };
    let Some(password) = password else {
        return Err("has an encrypted key in it, and there is no password for it".to_owned());
    };
    let section = text.get(begin..end + mark.len()).unwrap_or_default();
    let (_, document) =
        SecretDocument::from_pem(section).map_err(|error| format!("has no right PEM in it: {error}"))?;
    let key = EncryptedPrivateKeyInfoRef::try_from(document.as_bytes())
        .and_then(|encrypted| encrypted.decrypt(password.reveal()))
        .map_err(|error| format!("has an encrypted key in it that the password does not open: {error}"))?;
    Ok(PrivateKeyDer::Pkcs8(key.as_bytes().to_vec().into()))
}
