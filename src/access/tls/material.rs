//! A key with its certificates, and whom to trust: what files hold, understood.

use std::sync::Arc;

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::sign::CertifiedKey;

use crate::settings::{KeySource, Stored, TrustSource};

use super::content::{Content, Form, place};
use super::store::Store;
use super::{Mistake, PROVIDER, certificate, ec_key, pem};

/// What a side goes by.
pub(super) struct Material {
    pub(super) keys: Option<Arc<CertifiedKey>>,
    pub(super) trust: Option<Trusted>,
    /// What is to be said though it is no mistake.
    pub(super) odd: Vec<String>,
}

/// Authorities, and single certificates that are trusted as they are.
pub(super) struct Trusted {
    pub(super) roots: Arc<RootCertStore>,
    pub(super) certificates: Vec<CertificateDer<'static>>,
}

impl Material {
    pub(super) fn understand(
        content: &Content,
        keys: Option<&KeySource>,
        trust: Option<&TrustSource>,
    ) -> Result<Self, Vec<Mistake>> {
        let (mut mistakes, mut odd) = (Vec::new(), Vec::new());
        let keys = keys.zip(content.certificate.as_deref()).and_then(|(source, bytes)| {
            certified(source, bytes, content.key.as_deref(), &mut odd).map_err(|mistake| mistakes.push(mistake)).ok()
        });
        let trust = trust.zip(content.trust.as_deref()).and_then(|(source, bytes)| {
            let trusted = trusted(source, bytes).map_err(|problem| mistake(&source.certificates, &problem));
            trusted.map_err(|mistake| mistakes.push(mistake)).ok()
        });
        if mistakes.is_empty() { Ok(Self { keys, trust, odd }) } else { Err(mistakes) }
    }
}

/// A sentence that begins with the place.
fn mistake(stored: &Stored, problem: &str) -> Mistake {
    Mistake { property: stored.property.clone(), problem: format!("{} {problem}", place(stored)) }
}

fn certified(
    source: &KeySource,
    bytes: &[u8],
    key: Option<&[u8]>,
    odd: &mut Vec<String>,
) -> Result<Arc<CertifiedKey>, Mistake> {
    let KeySource { certificate, key: stored_key, password, key_password, alias } = source;
    let wrong = |problem: String| mistake(certificate, &problem);
    let holds_key = stored_key.as_ref().unwrap_or(certificate);
    let (chain, key) = match Form::of(bytes) {
        Form::Pem => {
            let chain = pem::certificates(bytes).map_err(wrong)?;
            let key = pem::key(key.unwrap_or(bytes), key_password.as_ref().or(password.as_ref()));
            (chain, key.map_err(|problem| mistake(holds_key, &problem))?)
        }
        Form::Pkcs12 => {
            let store = Store::open(bytes, password.as_ref()).map_err(wrong)?;
            store.keys(alias.as_deref()).map_err(wrong)?
        }
        Form::Jks => return Err(wrong(jks(certificate))),
        Form::Unknown => return Err(wrong("is neither PEM nor PKCS#12".to_owned())),
    };
    let foreign = || mistake(holds_key, &format!("has a key that is not that of {}", place(certificate)));
    let signing = if let Some(whole) = chain.first().and_then(|leaf| ec_key::completed(&key, leaf)) {
        PROVIDER.key_provider.load_private_key(whole).map_err(|_| foreign())?
    } else {
        let loaded = PROVIDER.key_provider.load_private_key(key);
        loaded.map_err(|error| mistake(holds_key, &format!("has a key that is of no use: {error}")))?
    };
    let leaf = chain.first().and_then(|leaf| certificate::term(leaf));
    let certified = CertifiedKey::new(chain, signing);
    match certified.keys_match() {
        // Of some kinds of keys it cannot be told.
        Ok(()) | Err(rustls::Error::InconsistentKeys(rustls::InconsistentKeys::Unknown)) => {}
        Err(rustls::Error::InconsistentKeys(_)) => return Err(foreign()),
        Err(error) => return Err(wrong(format!("has a certificate that cannot be read: {error}"))),
    }
    if let Some(problem) = leaf.and_then(|term| term.problem_now()) {
        odd.push(format!("{}: the certificate in {} {problem}", certificate.property, place(certificate)));
    }
    Ok(Arc::new(certified))
}

fn trusted(source: &TrustSource, bytes: &[u8]) -> Result<Trusted, String> {
    let certificates = match Form::of(bytes) {
        Form::Pem => pem::certificates(bytes)?,
        Form::Pkcs12 => Store::open(bytes, source.password.as_ref())?.trusted()?,
        Form::Jks => return Err(jks(&source.certificates)),
        Form::Unknown => return Err("is neither PEM nor PKCS#12".to_owned()),
    };
    let mut roots = RootCertStore::empty();
    for certificate in &certificates {
        roots.add(certificate.clone()).map_err(|error| format!("has a certificate that cannot be read: {error}"))?;
    }
    Ok(Trusted { roots: Arc::new(roots), certificates })
}

fn jks(stored: &Stored) -> String {
    let place = place(stored);
    format!(
        "is a JKS store, which is not read here: convert it with \
         keytool -importkeystore -srckeystore {place} -destkeystore {place}.p12 -deststoretype PKCS12"
    )
}
