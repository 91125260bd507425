//! What looks protected and is not, of settings of several concerns. It is said at the start.

use super::peer_url::is_readable_on_the_way;
use super::reader::Reader;
use super::{ClientAuth, CredentialSettings, OwnRoot, PeerUrl, Settings};

/// Warns of certificates that nobody is asked for, and of credentials that are readable on the way.
pub(super) fn warn(settings: &Settings, reader: &mut Reader<'_>) {
    let Settings { http, peers, peer_credentials, regions, region_credentials, security, tls, .. } = settings;
    let mut ports = tls.server.iter().chain(&tls.management);
    if !security.certificates.is_empty() && ports.all(|port| port.client_auth == ClientAuth::None) {
        reader.warn(
            "eurekad.security.certificates has no effect: no client is asked for a certificate \
             (server.ssl.client-auth=want, or need)",
        );
    }
    let own = OwnRoot::of(http);
    let named = peers.dns.iter().chain(&peers.srv).filter_map(|name| name.peer(name.name(), None, &own).ok());
    let peers = peers.listed().into_iter().chain(named);
    warn_of(reader, "peers", peers, peer_credentials);
    warn_of(reader, "regions", regions.regions.iter().map(|region| region.url.clone()), region_credentials);
}

fn warn_of(
    reader: &mut Reader<'_>,
    family: &str,
    servers: impl Iterator<Item = PeerUrl>,
    credentials: &CredentialSettings,
) {
    let has_own = *credentials != CredentialSettings::None;
    let shown = |server: &PeerUrl| (has_own || server.user().is_some()) && server.is_readable_on_the_way();
    let readable: Vec<_> = servers.filter(shown).map(|server| server.to_string()).collect();
    if let Some(first) = readable.first() {
        let more = if readable.len() > 1 { format!(" and {} more", readable.len() - 1) } else { String::new() };
        reader.warn(&format!(
            "credentials for {family} go to {first}{more} without TLS: whoever listens on the way has them; use https://"
        ));
    }
    if let CredentialSettings::OAuth2(oauth2) = credentials
        && is_readable_on_the_way(&oauth2.token_uri)
    {
        reader.warn(&format!(
            "eurekad.{family}.oauth2.client-secret goes to its server without TLS: whoever listens on the way has it; \
             use https://"
        ));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use crate::settings::{Settings, Sources};

    fn warnings(words: &[&str]) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let words: Vec<String> = words.iter().map(|word| format!("--{word}")).collect();
        let examined = Settings::examine(Sources { dir: dir.path(), environment: [], words: &words });
        examined.outcome.unwrap();
        examined.notices.into_iter().map(|notice| notice.text).collect()
    }

    #[test]
    fn certificates_that_nobody_is_asked_for_are_warned_about() {
        let certificates = "eurekad.security.certificates[0].subject=CN=a";
        assert!(warnings(&[certificates])[0].contains("server.ssl.client-auth"));
        let port =
            ["server.ssl.certificate=a", "server.ssl.certificate-private-key=b", "server.ssl.trust-certificate=c"];
        let secured = [&port[..], &[certificates]].concat();
        assert_eq!(warnings(&secured).len(), 1);
        assert_eq!(warnings(&[&secured[..], &["server.ssl.client-auth=want"]].concat()), [""; 0]);
        assert_eq!(warnings(&[&port[..], &["server.ssl.client-auth=want"]].concat()), [""; 0]);
    }

    #[test]
    fn credentials_that_are_readable_on_the_way_are_warned_about() {
        let token = "eurekad.peers.credentials.token=0123456789abcdef";
        for (words, expected) in [
            (
                &["eureka.client.service-url.defaultZone=http://a/eureka/,http://u:hidden@b/eureka/"][..],
                "to http://b/eureka/ ",
            ),
            (
                &["eureka.client.service-url.defaultZone=http://a/,http://b/,https://c/", token],
                "to http://a/ and 1 more ",
            ),
            (&["eurekad.peers.dns=nodes.svc", token], "for peers go to http://nodes.svc:8761/eureka/ "),
            (&["eureka.server.remote-region-urls-with-name.eu=http://u:hidden@b/"], "for regions "),
            (
                &[
                    "eurekad.peers.oauth2.token-uri=http://login.test/",
                    "eurekad.peers.oauth2.client-id=a",
                    "eurekad.peers.oauth2.client-secret=hidden",
                ],
                "eurekad.peers.oauth2.client-secret goes",
            ),
        ] {
            let [warning] = &warnings(words)[..] else { panic!("{words:?}") };
            assert!(warning.contains(expected) && !warning.contains("hidden"), "{warning}");
        }
        for silent in [
            &["eureka.client.service-url.defaultZone=http://a/", "eurekad.regions.credentials.token=0123456789abcdef"]
                [..],
            &["eureka.client.service-url.defaultZone=https://u:p@a/,http://localhost/,http://[::1]/", token],
            &["eureka.client.service-url.defaultZone=http://127.0.0.1:8761/", token],
        ] {
            assert_eq!(warnings(silent), [""; 0], "{silent:?}");
        }
    }
}
