//! TLS of calls to peers and regions: `eureka.client.tls.*` (`TlsProperties`), `javax.net.ssl.*` (JSSE's
//! system properties), bundles by reference.

use crate::settings::reader::Reader;
use crate::settings::value;

use super::bundles::Bundles;
use super::{KeySource, Location, OutgoingTls, Protocols, Secret, Stored, TrustSource, location, secret, store_type};

/// The names of a pair of stores.
struct Stores {
    key_store: &'static str,
    key_store_password: &'static str,
    key_store_type: &'static str,
    trust_store: &'static str,
    trust_store_password: &'static str,
    trust_store_type: &'static str,
}

/// What every JVM goes by.
pub(super) fn java(reader: &mut Reader<'_>) -> OutgoingTls {
    stores(
        reader,
        &Stores {
            key_store: "javax.net.ssl.keyStore",
            key_store_password: "javax.net.ssl.keyStorePassword",
            key_store_type: "javax.net.ssl.keyStoreType",
            trust_store: "javax.net.ssl.trustStore",
            trust_store_password: "javax.net.ssl.trustStorePassword",
            trust_store_type: "javax.net.ssl.trustStoreType",
        },
        None,
    )
}

/// Calls to peers. A bundle counts alone; of the client's block each store that is missing is Java's.
pub(super) fn peers(reader: &mut Reader<'_>, bundles: &Bundles, java: OutgoingTls) -> OutgoingTls {
    let enabled = reader.get(&["eureka.client.tls.enabled"], value::boolean).unwrap_or(false);
    let key_password = reader.get(&["eureka.client.tls.key-password"], secret);
    let client = stores(
        reader,
        &Stores {
            key_store: "eureka.client.tls.key-store",
            key_store_password: "eureka.client.tls.key-store-password",
            key_store_type: "eureka.client.tls.key-store-type",
            trust_store: "eureka.client.tls.trust-store",
            trust_store_password: "eureka.client.tls.trust-store-password",
            trust_store_type: "eureka.client.tls.trust-store-type",
        },
        key_password,
    );
    if let Some(bundle) = bundle(reader, bundles, "eurekad.peers.ssl.bundle") {
        return bundle;
    }
    if !enabled {
        if client != OutgoingTls::default() {
            reader.warn("eureka.client.tls.* has no effect: as in Java, eureka.client.tls.enabled must be true");
        }
        return java;
    }
    OutgoingTls { keys: client.keys.or(java.keys), trust: client.trust.or(java.trust), protocols: client.protocols }
}

/// Calls to regions.
pub(super) fn regions(reader: &mut Reader<'_>, bundles: &Bundles, peers: &OutgoingTls) -> OutgoingTls {
    let password = reader.get(&["eureka.server.remote-region-trust-store-password"], secret);
    let store = reader.get(&["eureka.server.remote-region-trust-store"], location);
    if let Some(bundle) = bundle(reader, bundles, "eurekad.regions.ssl.bundle") {
        return bundle;
    }
    let trust = store.map(|at| TrustSource {
        certificates: Stored { property: "eureka.server.remote-region-trust-store".to_owned(), at },
        // As in `EurekaServerConfigBean`.
        password: password.or_else(|| Some(Secret::new("changeit"))),
    });
    OutgoingTls { trust: trust.or_else(|| peers.trust.clone()), ..peers.clone() }
}

/// None also if the name is a mistake.
fn bundle(reader: &mut Reader<'_>, bundles: &Bundles, property: &'static str) -> Option<OutgoingTls> {
    let name = reader.get(&[property], value::text)?;
    let bundle = bundles.named(reader, property, &name)?;
    let protocols = bundle.protocols.unwrap_or_default();
    Some(OutgoingTls { keys: bundle.keys.clone(), trust: bundle.trust.clone(), protocols })
}

fn stores(reader: &mut Reader<'_>, names: &Stores, key_password: Option<Secret>) -> OutgoingTls {
    let key_store = reader.get(&[names.key_store], location);
    let password = reader.get(&[names.key_store_password], secret);
    let trust_store = reader.get(&[names.trust_store], location);
    let trust_password = reader.get(&[names.trust_store_password], secret);
    for name in [names.key_store_type, names.trust_store_type] {
        let _told_by_its_content = reader.get(&[name], store_type);
    }
    let stored = |property: &str, at: Location| Stored { property: property.to_owned(), at };
    OutgoingTls {
        keys: key_store.map(|at| KeySource {
            certificate: stored(names.key_store, at),
            key: None,
            password,
            key_password,
            alias: None,
        }),
        trust: trust_store
            .map(|at| TrustSource { certificates: stored(names.trust_store, at), password: trust_password }),
        protocols: Protocols::default(),
    }
}
