//! Whether a server's certificate is to be taken.

use std::sync::{Arc, LazyLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{ServerCertVerified, ServerCertVerifier as _};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, Error, RootCertStore};

use super::material::Trusted;
use super::{PROVIDER, certificate};

/// Whose certificates are taken.
#[derive(Debug)]
pub(super) enum Trust {
    /// Those of the system's authorities (`SSL_CERT_FILE`, `SSL_CERT_DIR`, else where the system has them).
    System,
    /// Those of these authorities.
    These {
        verifier: Arc<WebPkiServerVerifier>,
        /// Certificates that are taken as they are: who signs for himself is no authority for rustls, and
        /// Java takes what is in its store.
        single: Vec<CertificateDer<'static>>,
    },
    /// Anybody's: for a question to this machine that tells nothing.
    Anyones,
}

/// Read when the first server has to be verified: a hundred and more certificates that most nodes never need.
static SYSTEM: LazyLock<Result<Arc<WebPkiServerVerifier>, String>> = LazyLock::new(|| {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let why = found.errors.first().map(|error| format!(" ({error})")).unwrap_or_default();
        return Err(format!("this system has no certificates of authorities{why}, see eureka.client.tls.trust-store"));
    }
    verifier(roots.into())
});

fn verifier(roots: Arc<RootCertStore>) -> Result<Arc<WebPkiServerVerifier>, String> {
    let builder = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&PROVIDER));
    builder.build().map_err(|error| error.to_string())
}

impl Trust {
    pub(super) fn these(trusted: Trusted) -> Result<Self, String> {
        Ok(Self::These { verifier: verifier(trusted.roots)?, single: trusted.certificates })
    }

    pub(super) fn verify(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verifier = match self {
            Self::System => SYSTEM.as_ref().map_err(|problem| Error::General(problem.clone()))?,
            Self::These { single, .. } if single.iter().any(|one| one == end_entity) => {
                return verify_single(end_entity, name, now);
            }
            Self::These { verifier, .. } => verifier,
            Self::Anyones => return Ok(ServerCertVerified::assertion()),
        };
        verifier.verify_server_cert(end_entity, intermediates, name, ocsp, now)
    }
}

fn verify_single(
    certificate: &CertificateDer<'_>,
    name: &ServerName<'_>,
    now: UnixTime,
) -> Result<ServerCertVerified, Error> {
    let term = certificate::term(certificate).ok_or(CertificateError::BadEncoding)?;
    if term.is_over(now) {
        return Err(CertificateError::Expired.into());
    }
    if !term.has_begun(now) {
        return Err(CertificateError::NotValidYet.into());
    }
    rustls::client::verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
    Ok(ServerCertVerified::assertion())
}
