//! `server.ssl.*` and `management.server.ssl.*` (`Ssl`, `WebServerSslBundle`).

use crate::settings::reader::Reader;
use crate::settings::value;

use super::bundles::Bundles;
use super::{
    ClientAuth, KeySource, ServerTls, Stored, TrustSource, client_auth, key_location, location, protocols, secret,
    store_type,
};

/// The names of a block.
pub(super) struct Block {
    root: &'static str,
    enabled: &'static str,
    bundle: &'static str,
    certificate: &'static str,
    private_key: &'static str,
    key_store: &'static str,
    key_store_password: &'static str,
    key_store_type: &'static str,
    key_password: &'static str,
    key_alias: &'static str,
    trust_certificate: &'static str,
    trust_store: &'static str,
    trust_store_password: &'static str,
    trust_store_type: &'static str,
    client_auth: &'static str,
    protocols: &'static str,
}

macro_rules! block {
    ($root:literal) => {
        Block {
            root: $root,
            enabled: concat!($root, ".enabled"),
            bundle: concat!($root, ".bundle"),
            certificate: concat!($root, ".certificate"),
            private_key: concat!($root, ".certificate-private-key"),
            key_store: concat!($root, ".key-store"),
            key_store_password: concat!($root, ".key-store-password"),
            key_store_type: concat!($root, ".key-store-type"),
            key_password: concat!($root, ".key-password"),
            key_alias: concat!($root, ".key-alias"),
            trust_certificate: concat!($root, ".trust-certificate"),
            trust_store: concat!($root, ".trust-store"),
            trust_store_password: concat!($root, ".trust-store-password"),
            trust_store_type: concat!($root, ".trust-store-type"),
            client_auth: concat!($root, ".client-auth"),
            protocols: concat!($root, ".enabled-protocols"),
        }
    };
}

pub(super) const SERVER: Block = block!("server.ssl");
pub(super) const MANAGEMENT: Block = block!("management.server.ssl");

/// A port's block. Like Spring, TLS is on when anything of it is set, unless it says that it is not;
/// a bundle goes before PEM, and that before a store. `java` is what is trusted when nothing is set.
pub(super) fn read(
    reader: &mut Reader<'_>,
    names: &Block,
    bundles: &Bundles,
    java: Option<&TrustSource>,
) -> Option<ServerTls> {
    // All are read, so that all mistakes are told.
    let enabled = reader.get(&[names.enabled], value::boolean);
    let is_set = reader.has_any_below(names.root);
    let bundle = reader.get(&[names.bundle], value::text);
    let (keys, trust) = (keys(reader, names), trust(reader, names));
    let client_auth = reader.get(&[names.client_auth], client_auth).unwrap_or_default();
    let protocols = reader.get(&[names.protocols], protocols);
    if !enabled.unwrap_or(is_set) {
        return None;
    }
    let bundle = match bundle {
        Some(name) => Some(bundles.named(reader, names.bundle, &name)?),
        None => None,
    };
    let (keys, trust, listed) = match bundle {
        Some(bundle) => (bundle.keys.clone(), bundle.trust.clone(), bundle.protocols),
        None => (keys, trust, None),
    };
    let Some(keys) = keys else {
        let root = names.root;
        reader.unfit(
            root,
            &format!("there is no certificate: set {root}.certificate and {root}.certificate-private-key, or {root}.key-store"),
        );
        return None;
    };
    let trust = trust.or_else(|| java.cloned());
    if client_auth != ClientAuth::None && trust.is_none() {
        reader.unfit(
            names.client_auth,
            &format!(
                "whose certificates are taken must be said: set {} or {}",
                names.trust_certificate, names.trust_store
            ),
        );
    }
    Some(ServerTls { keys, trust, client_auth, protocols: protocols.or(listed).unwrap_or_default() })
}

fn keys(reader: &mut Reader<'_>, names: &Block) -> Option<KeySource> {
    let certificate = reader.get(&[names.certificate], location);
    let key = reader.get(&[names.private_key], key_location);
    let store = reader.get(&[names.key_store], location);
    let password = reader.get(&[names.key_store_password], secret);
    let _told_by_its_content = reader.get(&[names.key_store_type], store_type);
    let key_password = reader.get(&[names.key_password], secret);
    let alias = reader.get(&[names.key_alias], value::text);
    let stored = |property: &str, at| Stored { property: property.to_owned(), at };
    match (certificate, key, store) {
        // A text may have both.
        (Some(certificate), key @ Some(_), _) | (Some(certificate), key, None) => Some(KeySource {
            certificate: stored(names.certificate, certificate),
            key: key.map(|key| stored(names.private_key, key)),
            password: None,
            key_password,
            alias: None,
        }),
        (_, _, Some(store)) => {
            Some(KeySource { certificate: stored(names.key_store, store), key: None, password, key_password, alias })
        }
        (None, _, None) => None,
    }
}

fn trust(reader: &mut Reader<'_>, names: &Block) -> Option<TrustSource> {
    let certificate = reader.get(&[names.trust_certificate], location);
    let store = reader.get(&[names.trust_store], location);
    let password = reader.get(&[names.trust_store_password], secret);
    let _told_by_its_content = reader.get(&[names.trust_store_type], store_type);
    let of = |property: &str, at, password| TrustSource {
        certificates: Stored { property: property.to_owned(), at },
        password,
    };
    match (certificate, store) {
        (Some(certificate), _) => Some(of(names.trust_certificate, certificate, None)),
        (None, Some(store)) => Some(of(names.trust_store, store, password)),
        (None, None) => None,
    }
}
