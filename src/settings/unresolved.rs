//! Placeholders that lead nowhere, where that is a mistake. Elsewhere they stay as they are written, as in Java.

use super::names::squash;
use super::secrets::is_secret;

/// Whether a value says who may come in, or is a secret by which this server does: a text that everybody can read
/// in the documentation of a deployment must not become one.
pub(super) fn is_of_logins(name: &str) -> bool {
    const ALL: [&str; 7] = [
        "spring.security.user.",
        "eurekad.security.",
        "eurekad.peers.credentials.",
        "eurekad.regions.credentials.",
        "eurekad.peers.oauth2.",
        "eurekad.regions.oauth2.",
        "eurekad.webhooks",
    ];
    const TLS: [&str; 6] = [
        "server.ssl.",
        "management.server.ssl.",
        "spring.ssl.bundle.",
        "eureka.client.tls.",
        "javax.net.ssl.",
        "eureka.server.remote-region-trust-store-",
    ];
    let is_below = |root: &&str| name.starts_with(*root);
    ALL.iter().any(is_below) || TLS.iter().any(is_below) && squash(name).ends_with("password")
}

/// What is wrong with placeholders that lead nowhere. They may be part of a secret.
pub(super) fn nowhere(name: &str, missing: &[String]) -> String {
    if is_secret(name) {
        return "a placeholder in it leads nowhere (a plain ${ is written \\${)".to_owned();
    }
    let missing: Vec<String> = missing.iter().map(|missing| format!("${{{missing}}}")).collect();
    format!("there is nothing for {}", missing.join(", "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::settings::findings::Findings;
    use crate::settings::merged::Merged;
    use crate::settings::sources::{Origin, Written};

    fn word(name: &str, value: &str) -> Written {
        Written { name: name.to_owned(), value: value.to_owned(), origin: Origin::Word }
    }

    #[test]
    fn a_login_with_a_placeholder_that_leads_nowhere_is_a_mistake() {
        for name in [
            "spring.security.user.name",
            "spring.security.user.password",
            "spring.security.user.roles",
            "eurekad.security.users[0].password",
            "eurekad.security.tokens[0].token",
            "eurekad.security.certificates[0].subject",
            "eurekad.security.users[0].apps",
            "eurekad.security.anonymous",
            "eurekad.peers.credentials.password",
            "eurekad.peers.credentials.token",
            "eurekad.regions.credentials.username",
            "eurekad.peers.oauth2.client-secret",
            "eurekad.regions.oauth2.client-id",
            "server.ssl.key-store-password",
            "management.server.ssl.key-password",
            "spring.ssl.bundle.jks.node.truststore.password",
            "eureka.client.tls.trust-store-password",
            "javax.net.ssl.keyStorePassword",
            "eureka.server.remote-region-trust-store-password",
        ] {
            let mut findings = Findings::default();
            Merged::new(&[vec![word(name, "x-${REGISTRY_HIDDEN}")]], &mut findings);
            let (outcome, notices) = findings.conclude();
            let mistakes = outcome.map_err(|mistakes| mistakes.to_string()).unwrap_err();
            assert!(mistakes.starts_with(name) && mistakes.lines().count() == 1, "{mistakes}");
            assert_eq!(is_secret(name), !mistakes.contains("HIDDEN"), "{mistakes}");
            assert_eq!(notices, [], "{name}");
            for (name, right) in [
                (name, r"\${PLAIN}"),
                (name, "${REGISTRY_HIDDEN:x}"),
                ("eureka.instance.metadata-map.password", "${HIDDEN}"),
            ] {
                let mut findings = Findings::default();
                Merged::new(&[vec![word(name, right)]], &mut findings);
                assert_eq!(findings.conclude().0, Ok(()), "{name}={right}");
            }
        }
    }
}
