//! Keys and certificates in PKCS#12 (`KeyStore`).
//!
//! What keytool and openssl write is read, the ciphers of old versions included.

use p12_keystore::error::Error;
use p12_keystore::{CertificateBag, Pkcs12Archive};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::settings::Secret;

/// What a store holds.
pub(super) struct Store(Pkcs12Archive);

impl Store {
    pub(super) fn open(bytes: &[u8], password: Option<&Secret>) -> Result<Self, String> {
        let archive = Pkcs12Archive::from_pkcs12(bytes, password.map_or("", Secret::reveal));
        archive.map(Self).map_err(|error| match error {
            Error::MacError(_) if password.is_none() => "needs a password".to_owned(),
            Error::MacError(_) | Error::Pkcs5Error(_) | Error::UnpadError => "is not opened by its password".to_owned(),
            Error::UnsupportedEncryptionScheme | Error::UnsupportedMacAlgorithm => {
                "is encrypted in a way that is not read here: write it anew with keytool -importkeystore".to_owned()
            }
            error => format!("is no PKCS#12 store: {error}"),
        })
    }

    /// The key of an alias, or the first, with its certificates up to its authority.
    pub(super) fn keys(
        &self,
        alias: Option<&str>,
    ) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), String> {
        let Self(Pkcs12Archive { keys, certs, .. }) = self;
        let aliases = || keys.iter().filter_map(|key| key.friendly_name.as_deref());
        let key = match alias {
            None => keys.first().ok_or_else(|| "has no private key in it".to_owned())?,
            Some(alias) => {
                let named = |name: &Option<String>| name.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(alias));
                keys.iter().find(|key| named(&key.friendly_name)).ok_or_else(|| {
                    format!("has no private key with the alias {alias:?}, only {:?}", aliases().collect::<Vec<_>>())
                })?
            }
        };
        let id = key.local_key_id.as_ref().map(AsRef::as_ref);
        let own = |cert: &&CertificateBag| id.is_some() && cert.local_key_id.as_deref() == id;
        // A store with one key need not say which certificate is its.
        let first = certs.iter().find(own).or_else(|| certs.first().filter(|_| keys.len() == 1));
        let mut last = first.ok_or_else(|| "has no certificate for its key".to_owned())?;
        let mut chain = vec![&last.cert];
        while last.cert.issuer() != last.cert.subject() {
            let is_next = |cert: &&CertificateBag| cert.cert.subject() == last.cert.issuer();
            let Some(next) = certs.iter().filter(|cert| !cert.trusted).find(is_next) else { break };
            if chain.contains(&&next.cert) {
                break;
            }
            chain.push(&next.cert);
            last = next;
        }
        let chain = chain.into_iter().map(|cert| cert.as_der().to_vec().into()).collect();
        Ok((chain, PrivateKeyDer::Pkcs8(key.key.as_der().to_vec().into())))
    }

    /// The certificates that are to be trusted: those that Java marks so. openssl marks none; then all that
    /// belong to no key, or simply all.
    pub(super) fn trusted(&self) -> Result<Vec<CertificateDer<'static>>, String> {
        let Self(Pkcs12Archive { certs, .. }) = self;
        let some = |wanted: fn(&CertificateBag) -> bool| {
            let some: Vec<_> = certs.iter().filter(|cert| wanted(cert)).collect();
            (!some.is_empty()).then_some(some)
        };
        let trusted = some(|cert| cert.trusted).or_else(|| some(|cert| cert.local_key_id.is_none()));
        let trusted = trusted.or_else(|| some(|_| true)).ok_or_else(|| "has no certificate in it".to_owned())?;
        Ok(trusted.into_iter().map(|cert| cert.cert.as_der().to_vec().into()).collect())
    }
}
