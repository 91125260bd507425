//! Keys on elliptic curves as Java writes them: without the public half, which ring wants to see.

use pkcs8::PrivateKeyInfoRef;
use pkcs8::der::asn1::{BitString, ContextSpecific, OctetStringRef};
use pkcs8::der::{Any, Decode as _, Encode as _, Tag, TagMode, TagNumber, Tagged as _};
use rustls::pki_types::PrivateKeyDer;
use x509_cert::Certificate;

/// The public half in a key (RFC 5915).
const PUBLIC: TagNumber = TagNumber(1);
/// Keys on elliptic curves (RFC 5480).
const EC: &str = "1.2.840.10045.2.1";

/// The key with its public half, which is that of its certificate; none if it needs none.
pub(super) fn completed(key: &PrivateKeyDer<'_>, certificate: &[u8]) -> Option<PrivateKeyDer<'static>> {
    let PrivateKeyDer::Pkcs8(key) = key else { return None };
    let key = PrivateKeyInfoRef::try_from(key.secret_pkcs8_der()).ok()?;
    if key.algorithm.oid.to_string() != EC {
        return None;
    }
    let mut parts = Vec::<Any>::from_der(key.private_key.as_bytes()).ok()?;
    if parts.iter().any(|part| matches!(part.tag(), Tag::ContextSpecific { number: PUBLIC, .. })) {
        return None;
    }
    let certificate = Certificate::from_der(certificate).ok()?;
    let public = certificate.tbs_certificate().subject_public_key_info().subject_public_key.raw_bytes();
    let public = BitString::from_bytes(public).ok()?;
    let public = ContextSpecific { tag_number: PUBLIC, tag_mode: TagMode::Explicit, value: public };
    parts.push(Any::from_der(&public.to_der().ok()?).ok()?);
    let parts = parts.to_der().ok()?;
    let whole = PrivateKeyInfoRef::new(key.algorithm, OctetStringRef::new(&parts).ok()?);
    Some(PrivateKeyDer::Pkcs8(whole.to_der().ok()?.into()))
}
