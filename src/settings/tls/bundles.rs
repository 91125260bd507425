//! `spring.ssl.bundle.pem.*` and `spring.ssl.bundle.jks.*` (`PemSslBundleProperties`,
//! `JksSslBundleProperties`): keys and trust with a name, for whoever refers to them.

use crate::settings::names::squash;
use crate::settings::reader::Reader;
use crate::settings::value;

use super::{KeySource, Protocols, Stored, TrustSource, key_location, location, protocols, secret, store_type};

/// A bundle.
#[derive(Debug, Default)]
pub(super) struct Bundle {
    /// Squashed, as variables know no dashes.
    name: String,
    certificate: Option<Stored>,
    key: Option<Stored>,
    password: Option<super::Secret>,
    key_password: Option<super::Secret>,
    alias: Option<String>,
    trusted: Option<Stored>,
    trust_password: Option<super::Secret>,
    versions: Vec<String>,
    pub(super) keys: Option<KeySource>,
    pub(super) trust: Option<TrustSource>,
    pub(super) protocols: Option<Protocols>,
}

/// All of them.
#[derive(Debug)]
pub(super) struct Bundles(Vec<Bundle>);

const PEM: &str = "spring.ssl.bundle.pem";
const STORES: &str = "spring.ssl.bundle.jks";

/// What may follow a bundle's name.
const MEMBERS: [&str; 22] = [
    "keystore.certificate",
    "keystore.private-key",
    "keystore.private-key-password",
    "keystore.location",
    "keystore.password",
    "keystore.type",
    "keystore.provider",
    "keystore.verify-keys",
    "truststore.certificate",
    "truststore.private-key",
    "truststore.private-key-password",
    "truststore.location",
    "truststore.password",
    "truststore.type",
    "truststore.provider",
    "truststore.verify-keys",
    "key.alias",
    "key.password",
    "options.enabled-protocols",
    "options.ciphers",
    "protocol",
    "reload-on-update",
];

impl Bundles {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let mut bundles = Self(Vec::new());
        for family in [PEM, STORES] {
            for (key, text) in reader.members(family, value::text) {
                bundles.take(reader, &format!("{family}.{key}"), &key, &text);
            }
        }
        for bundle in &mut bundles.0 {
            bundle.keys = bundle.certificate.take().map(|certificate| KeySource {
                certificate,
                key: bundle.key.take(),
                password: bundle.password.take(),
                key_password: bundle.key_password.take(),
                alias: bundle.alias.take(),
            });
            let password = bundle.trust_password.take();
            bundle.trust = bundle.trusted.take().map(|certificates| TrustSource { certificates, password });
        }
        bundles
    }

    fn take(&mut self, reader: &mut Reader<'_>, property: &str, key: &str, text: &str) {
        let Some((name, member)) = split(key) else {
            if key.contains('.') {
                reader.warn(&format!("{property}: there is no such property of a bundle"));
            } else {
                reader.unfit(property, "a bundle has a name and properties: NAME.keystore.certificate and others");
            }
            return;
        };
        if text.trim().is_empty() {
            return;
        }
        let name = squash(name);
        let at = self.0.iter().position(|bundle| bundle.name == name).unwrap_or_else(|| {
            self.0.push(Bundle { name, ..Bundle::default() });
            self.0.len() - 1
        });
        let Some(bundle) = self.0.get_mut(at) else { return };
        let taken = bundle.set(property, member, text);
        if let Err(expected) = taken {
            reader.unfit(property, &format!("must be {expected}"));
        }
        if member == "options.ciphers" {
            reader
                .warn(&format!("{property} has no effect: ciphers cannot be chosen, all that there are here are safe"));
        }
    }

    /// The bundle of this name; a mistake of the property that names it if there is none.
    pub(super) fn named(&self, reader: &mut Reader<'_>, property: &'static str, name: &str) -> Option<&Bundle> {
        let found = self.0.iter().find(|bundle| bundle.name == squash(name.trim()));
        if found.is_none() {
            reader.unfit(
                property,
                &format!("there is no bundle {name:?}: set {PEM}.{name}.keystore.certificate and others"),
            );
        }
        found
    }
}

impl Bundle {
    fn set(&mut self, property: &str, member: &str, text: &str) -> Result<(), String> {
        let stored = |text| Ok::<_, String>(Some(Stored { property: property.to_owned(), at: location(text)? }));
        match member {
            "keystore.certificate" | "keystore.location" => self.certificate = stored(text)?,
            "keystore.private-key" => {
                self.key = Some(Stored { property: property.to_owned(), at: key_location(text)? });
            }
            "keystore.private-key-password" | "key.password" => self.key_password = Some(secret(text)?),
            "keystore.password" => self.password = Some(secret(text)?),
            "keystore.type" | "truststore.type" => store_type(text)?,
            "truststore.certificate" | "truststore.location" => self.trusted = stored(text)?,
            "truststore.password" => self.trust_password = Some(secret(text)?),
            "key.alias" => self.alias = Some(text.trim().to_owned()),
            "options.enabled-protocols" => {
                self.versions.push(text.to_owned());
                self.protocols = Some(protocols(&self.versions.join(","))?);
            }
            _ => {}
        }
        Ok(())
    }
}

/// Parts a bundle's name, which may have dots, from what follows.
fn split(key: &str) -> Option<(&str, &'static str)> {
    key.match_indices('.').find_map(|(at, _)| {
        let (name, rest) = key.split_at_checked(at)?;
        // The places of a list do not matter.
        let rest = squash(rest.split_once('[').map_or(rest, |(list, _)| list));
        let member = MEMBERS.into_iter().find(|member| squash(member) == rest)?;
        Some((name, member))
    })
}
