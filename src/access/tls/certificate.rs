//! Whom a certificate names, and how long it is good for.

use std::net::IpAddr;
use std::time::Duration;

use rustls::pki_types::UnixTime;
use x509_cert::Certificate;
use x509_cert::der::Decode as _;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

use crate::access::ClientCertificate;
use crate::settings::AlternativeName;

/// What the certificate of a client says of it. It was verified; none if it is odd all the same.
pub(super) fn client(der: &[u8]) -> Option<ClientCertificate> {
    let certificate = Certificate::from_der(der).ok()?;
    let subject = certificate.tbs_certificate().subject().to_string();
    let names = certificate.tbs_certificate().get_extension::<SubjectAltName>().ok()?;
    let names = names.map(|(_, SubjectAltName(names))| names.iter().filter_map(name).collect());
    let end = certificate.tbs_certificate().validity().not_after.to_unix_duration();
    Some(ClientCertificate { subject, names: names.unwrap_or_default(), end })
}

fn name(name: &GeneralName) -> Option<AlternativeName> {
    match name {
        GeneralName::DnsName(name) => Some(AlternativeName::Dns(name.to_string())),
        GeneralName::Rfc822Name(name) => Some(AlternativeName::Email(name.to_string())),
        GeneralName::UniformResourceIdentifier(name) => Some(AlternativeName::Uri(name.to_string())),
        GeneralName::IpAddress(bytes) => {
            let bytes = bytes.as_bytes();
            let v4 = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
            v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok().map(AlternativeName::Ip)
        }
        _ => None,
    }
}

/// From when to when a certificate is good.
#[derive(Clone, Debug)]
pub(super) struct Term {
    begin: Duration,
    end: Duration,
    /// The two as people read them.
    written: [String; 2],
}

/// The time for which a certificate is good; none if it cannot be read.
pub(super) fn term(der: &[u8]) -> Option<Term> {
    let certificate = Certificate::from_der(der).ok()?;
    let validity = certificate.tbs_certificate().validity();
    Some(Term {
        begin: validity.not_before.to_unix_duration(),
        end: validity.not_after.to_unix_duration(),
        written: [validity.not_before.to_string(), validity.not_after.to_string()],
    })
}

impl Term {
    pub(super) fn has_begun(&self, now: UnixTime) -> bool {
        now.as_secs() >= self.begin.as_secs()
    }

    pub(super) fn is_over(&self, now: UnixTime) -> bool {
        now.as_secs() > self.end.as_secs()
    }

    /// Ends a sentence that begins with the certificate.
    pub(super) fn problem_now(&self) -> Option<String> {
        let now = UnixTime::now();
        let [begin, end] = &self.written;
        if self.is_over(now) {
            Some(format!("expired on {end}"))
        } else if self.has_begun(now) {
            None
        } else {
            Some(format!("is not good before {begin}"))
        }
    }
}
