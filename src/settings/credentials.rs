//! What this server proves itself with to other servers.

use std::path::PathBuf;

use url::Url;

use super::Secret;
use super::reader::Reader;
use super::value;

/// Credentials for peers, or for remote regions. Those in a URL win over these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CredentialSettings {
    /// None.
    #[default]
    None,
    /// HTTP Basic (`…credentials.username`, `.password` or `.password-file`).
    Basic {
        /// The user.
        username: String,
        /// The password.
        password: OutgoingSecret,
    },
    /// A bearer token (`…credentials.token` or `.token-file`).
    Token(OutgoingSecret),
    /// Bearer tokens that a server gives (`…oauth2.*`).
    OAuth2(OAuth2Settings),
}

/// Client credentials of OAuth 2 (RFC 6749, 4.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuth2Settings {
    /// `…oauth2.token-uri`: where tokens are asked for.
    pub token_uri: Url,
    /// `…oauth2.client-id`.
    pub client_id: String,
    /// `…oauth2.client-secret` or `.client-secret-file`.
    pub client_secret: OutgoingSecret,
    /// `…oauth2.scope`: several are parted by blanks. Default none.
    pub scope: Option<String>,
}

/// A secret, or the file that has it and may have another one later. It is never shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutgoingSecret {
    /// The secret.
    Text(Secret),
    /// The file; line ends at its end do not count.
    File(PathBuf),
}

/// The names of one family.
struct Names {
    username: &'static str,
    password: [&'static str; 2],
    token: [&'static str; 2],
    token_uri: &'static str,
    client_id: &'static str,
    client_secret: [&'static str; 2],
    scope: &'static str,
}

macro_rules! names {
    ($root:literal) => {
        Names {
            username: concat!($root, ".credentials.username"),
            password: [concat!($root, ".credentials.password"), concat!($root, ".credentials.password-file")],
            token: [concat!($root, ".credentials.token"), concat!($root, ".credentials.token-file")],
            token_uri: concat!($root, ".oauth2.token-uri"),
            client_id: concat!($root, ".oauth2.client-id"),
            client_secret: [concat!($root, ".oauth2.client-secret"), concat!($root, ".oauth2.client-secret-file")],
            scope: concat!($root, ".oauth2.scope"),
        }
    };
}

const PEERS: Names = names!("eurekad.peers");
const REGIONS: Names = names!("eurekad.regions");

impl CredentialSettings {
    /// Those for peers.
    pub(super) fn for_peers(reader: &mut Reader<'_>) -> Self {
        Self::read(reader, &PEERS)
    }

    /// Those for remote regions.
    pub(super) fn for_regions(reader: &mut Reader<'_>) -> Self {
        Self::read(reader, &REGIONS)
    }

    fn read(reader: &mut Reader<'_>, names: &Names) -> Self {
        let username = reader.get(&[names.username], value::text);
        let password = secret(reader, names.password);
        let token = secret(reader, names.token);
        let token_uri = reader.get(&[names.token_uri], uri);
        let client_id = reader.get(&[names.client_id], value::text);
        let client_secret = secret(reader, names.client_secret);
        let scope = reader.get(&[names.scope], value::text);
        let mut found = Vec::new();
        match (token_uri, client_id, client_secret, scope) {
            (Some(token_uri), Some(client_id), Some(client_secret), scope) => {
                found.push(Self::OAuth2(OAuth2Settings { token_uri, client_id, client_secret, scope }));
            }
            (None, None, None, None) => {}
            _ => mistake(
                reader,
                &[names.token_uri, names.client_id, names.client_secret[0], names.client_secret[1], names.scope],
                "one of token-uri, client-id and client-secret (or client-secret-file), all set or none",
            ),
        }
        found.extend(token.map(Self::Token));
        match (username, password) {
            (Some(username), Some(password)) => found.push(Self::Basic { username, password }),
            (None, None) => {}
            _ => mistake(
                reader,
                &[names.username, names.password[0], names.password[1]],
                "one of username and password (or password-file), both set or neither",
            ),
        }
        if found.len() > 1 {
            mistake(
                reader,
                &[names.username, names.token[0], names.token[1]],
                "the only kind of credentials: a user, a token or oauth2",
            );
        }
        found.pop().unwrap_or_default()
    }
}

/// Says it of the first of these that is set.
fn mistake(reader: &mut Reader<'_>, names: &[&'static str], expected: &str) {
    let _: Option<()> = reader.get(names, |_| Err(expected.to_owned()));
}

/// The text wins over the file.
fn secret(reader: &mut Reader<'_>, [text, file]: [&'static str; 2]) -> Option<OutgoingSecret> {
    let text = reader.get(&[text], value::text).map(|text| OutgoingSecret::Text(Secret::new(text)));
    let file = reader.get(&[file], value::text).map(|path| OutgoingSecret::File(PathBuf::from(path.trim())));
    text.or(file)
}

fn uri(text: &str) -> Result<Url, String> {
    let uri = Url::parse(text.trim()).ok().filter(|uri| ["http", "https"].contains(&uri.scheme()) && uri.has_host());
    let plain = uri.filter(|uri| uri.username().is_empty() && uri.password().is_none());
    plain.ok_or_else(|| "the URL of a token server, without a user (https://login.example/token)".to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::settings::Settings;

    fn read(words: &[&str]) -> (CredentialSettings, CredentialSettings) {
        let settings = Settings::from_words(words).unwrap();
        (settings.peer_credentials, settings.region_credentials)
    }

    #[test]
    fn each_kind_for_peers_and_for_regions() {
        let basic = read(&["--eurekad.peers.credentials.username=u", "--eurekad.peers.credentials.password= p "]);
        let password = OutgoingSecret::Text(Secret::new(" p "));
        assert_eq!(basic, (CredentialSettings::Basic { username: "u".to_owned(), password }, CredentialSettings::None));
        let token = read(&["--eurekad.regions.credentials.token-file=/run/token"]);
        let file = CredentialSettings::Token(OutgoingSecret::File("/run/token".into()));
        assert_eq!(token, (CredentialSettings::None, file));
        let (peers, _) = read(&[
            "--eurekad.peers.oauth2.token-uri=https://login.test/token",
            "--eurekad.peers.oauth2.client-id=eureka",
            "--eurekad.peers.oauth2.client-secret=s",
            "--eurekad.peers.oauth2.scope=a b",
        ]);
        let CredentialSettings::OAuth2(oauth2) = &peers else { panic!("{peers:?}") };
        assert_eq!((oauth2.client_id.as_str(), oauth2.scope.as_deref()), ("eureka", Some("a b")));
        assert!(!format!("{peers:?} {basic:?}").contains("\" p \""));
        assert!(!format!("{peers:?}").contains("\"s\""));
    }

    #[test]
    fn half_of_a_kind_and_two_kinds_are_mistakes() {
        for words in [
            &["--eurekad.peers.credentials.username=u"][..],
            &["--eurekad.peers.credentials.password=p"],
            &["--eurekad.peers.oauth2.client-id=c"],
            &["--eurekad.peers.oauth2.token-uri=http://u:p@a/token"],
            &[
                "--eurekad.peers.credentials.token=t",
                "--eurekad.peers.credentials.username=u",
                "--eurekad.peers.credentials.password=p",
            ],
        ] {
            let mistake = Settings::from_words(words).unwrap_err().to_string();
            assert!(mistake.contains("eurekad.peers."), "{mistake}");
            assert!(!mistake.contains("u:p"), "{mistake}");
        }
    }
}
