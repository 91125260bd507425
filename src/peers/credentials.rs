//! What a request to another server proves itself with.
//!
//! Those in the server's own URL win. They go to the servers that the settings name and to nobody else: no
//! redirect is followed, and nothing that a client sent is ever called. (Java knows those in URLs alone, and
//! its replication leaves them out.)
//!
//! A secret in a file is read again when it may be old, and at once when a server refuses it (401). So is a
//! token of OAuth 2 asked for (`oauth2`). Each failure is one of the server that was to be called.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use reqwest::{Client, RequestBuilder};

use crate::blocking::off_the_workers;
use crate::clock::{Clock, Monotonic};
use crate::settings::{CredentialSettings, OutgoingSecret, PeerUrl, text_of_file};

use super::line::Failure;
use super::oauth2::OAuth2;

/// A file is read again after this time.
const READ_AGAIN: Duration = Duration::from_secs(5);

/// What one request is sent with.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Authorization {
    None,
    Basic(String, Option<String>),
    Bearer(Arc<str>),
}

impl Authorization {
    /// A request with it.
    pub(super) fn on(&self, request: RequestBuilder) -> RequestBuilder {
        match self {
            Self::None => request,
            Self::Basic(user, password) => request.basic_auth(user, password.as_deref()),
            Self::Bearer(token) => request.bearer_auth(token),
        }
    }
}

/// Credentials for servers of one kind. Copies share what is known, and change together.
#[derive(Clone)]
pub struct Credentials {
    in_force: Arc<ArcSwap<InForce>>,
    clock: Clock,
}

struct InForce {
    settings: CredentialSettings,
    kind: Kind,
}

enum Kind {
    None,
    Basic(String, Kept),
    Token(Kept),
    OAuth2(Box<OAuth2>),
}

impl Credentials {
    /// None: only those in URLs.
    pub fn none() -> Self {
        Self::new(&CredentialSettings::None, Clock::system())
    }

    /// Those of the settings.
    pub fn new(settings: &CredentialSettings, clock: Clock) -> Self {
        Self { in_force: Arc::new(ArcSwap::from_pointee(InForce::of(settings, &clock))), clock }
    }

    /// Those of other settings, from the next request on. What is the same keeps what is known of it.
    pub fn change(&self, settings: &CredentialSettings) {
        if self.in_force.load().settings != *settings {
            self.in_force.store(Arc::new(InForce::of(settings, &self.clock)));
        }
    }

    /// What a request to this server is sent with. `client` is what tokens are asked for with.
    pub(super) async fn of(&self, server: &PeerUrl, client: &Client) -> Result<Authorization, Failure> {
        self.find(server, client, None).await
    }

    /// What to try again with after a 401; none where that would be the same.
    pub(super) async fn instead_of(
        &self,
        refused: &Authorization,
        server: &PeerUrl,
        client: &Client,
    ) -> Result<Option<Authorization>, Failure> {
        if *refused == Authorization::None {
            return Ok(None);
        }
        let other = self.find(server, client, Some(refused)).await?;
        Ok(Some(other).filter(|other| other != refused))
    }

    async fn find(
        &self,
        server: &PeerUrl,
        client: &Client,
        refused: Option<&Authorization>,
    ) -> Result<Authorization, Failure> {
        if let Some(user) = server.user() {
            return Ok(Authorization::Basic(user.to_owned(), server.password().map(str::to_owned)));
        }
        match &self.in_force.load_full().kind {
            Kind::None => Ok(Authorization::None),
            Kind::Basic(user, password) => {
                let password = password.read(refused.is_some()).await?;
                Ok(Authorization::Basic(user.clone(), Some(password.as_ref().to_owned())))
            }
            Kind::Token(token) => token.read(refused.is_some()).await.map(Authorization::Bearer),
            Kind::OAuth2(oauth2) => {
                let refused = refused.and_then(|refused| match refused {
                    Authorization::Bearer(token) => Some(&**token),
                    _ => None,
                });
                oauth2.token(client, refused).await.map(Authorization::Bearer)
            }
        }
    }
}

impl InForce {
    fn of(settings: &CredentialSettings, clock: &Clock) -> Self {
        let (settings, clock) = (settings.clone(), clock.clone());
        let kind = match settings.clone() {
            CredentialSettings::None => Kind::None,
            CredentialSettings::Basic { username, password } => Kind::Basic(username, Kept::new(password, clock)),
            CredentialSettings::Token(token) => Kind::Token(Kept::new(token, clock)),
            CredentialSettings::OAuth2(settings) => Kind::OAuth2(Box::new(OAuth2::new(settings, clock))),
        };
        Self { settings, kind }
    }
}

/// A secret, with what its file had when it was read last.
pub(super) struct Kept {
    secret: OutgoingSecret,
    /// Held for a copy of a pointer, never while the file is read.
    last: Mutex<Option<(Arc<str>, Monotonic)>>,
    clock: Clock,
}

impl Kept {
    pub(super) fn new(secret: OutgoingSecret, clock: Clock) -> Self {
        Self { secret, last: Mutex::default(), clock }
    }

    /// The secret; as it is now if it is wanted anew. A file that cannot be read any more leaves what it had.
    pub(super) async fn read(&self, anew: bool) -> Result<Arc<str>, Failure> {
        let path = match &self.secret {
            OutgoingSecret::Text(text) => return Ok(text.reveal().into()),
            OutgoingSecret::File(path) => path,
        };
        let (now, last) = (self.clock.mono(), self.last.lock().clone());
        if let Some((secret, at)) = &last
            && !anew
            && now.since(*at) < READ_AGAIN
        {
            return Ok(Arc::clone(secret));
        }
        let file = path.clone();
        let secret = match (off_the_workers(move || secret_in(&file)).await, last) {
            (Ok(secret), _) => secret,
            (Err(error), Some((secret, _))) => {
                tracing::debug!(file = %path.display(), %error, "cannot read a secret again, the last one counts");
                secret
            }
            (Err(error), None) => {
                return Err(Failure::NoCredentials(format!("cannot read {}: {error}", path.display())));
            }
        };
        *self.last.lock() = Some((Arc::clone(&secret), now));
        Ok(secret)
    }
}

fn secret_in(file: &Path) -> io::Result<Arc<str>> {
    let text = text_of_file(file)?;
    if text.is_empty() { Err(io::Error::other("it is empty")) } else { Ok(text.as_str().into()) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::fs;

    use crate::access::tls::Outgoing;
    use crate::settings::Secret;

    use super::*;

    fn client() -> Client {
        Client::builder().tls_backend_preconfigured(Outgoing::default().config()).build().unwrap()
    }

    fn url(text: &str) -> PeerUrl {
        text.parse().unwrap()
    }

    fn bearer(authorization: &Authorization) -> &str {
        let Authorization::Bearer(token) = authorization else { panic!("no token") };
        token
    }

    #[tokio::test(start_paused = true)]
    async fn case_085_a_token_is_read_again_from_its_file_and_at_once_when_it_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("token");
        let settings = CredentialSettings::Token(OutgoingSecret::File(file.clone()));
        let credentials = Credentials::new(&settings, Clock::held(0));
        let (client, peer) = (client(), url("http://peer.test/eureka/"));
        let failure = credentials.of(&peer, &client).await.err().unwrap();
        assert!(failure.to_string().contains("token: "), "{failure}");
        fs::write(&file, "first\n").unwrap();
        let first = credentials.of(&peer, &client).await.unwrap();
        assert_eq!(bearer(&first), "first");
        fs::write(&file, "second").unwrap();
        assert_eq!(bearer(&credentials.of(&peer, &client).await.unwrap()), "first");
        let second = credentials.instead_of(&first, &peer, &client).await.unwrap().unwrap();
        assert_eq!(bearer(&second), "second");
        assert!(credentials.instead_of(&second, &peer, &client).await.unwrap().is_none(), "there is no other");
        fs::write(&file, "third").unwrap();
        tokio::time::advance(READ_AGAIN).await;
        assert_eq!(bearer(&credentials.of(&peer, &client).await.unwrap()), "third");
        fs::remove_file(&file).unwrap();
        tokio::time::advance(READ_AGAIN).await;
        assert_eq!(bearer(&credentials.of(&peer, &client).await.unwrap()), "third");
    }

    #[tokio::test]
    async fn other_settings_count_from_the_next_request_on() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("token");
        fs::write(&file, "in-a-file").unwrap();
        let credentials = Credentials::none();
        let (copy, client, peer) = (credentials.clone(), client(), url("http://peer.test/eureka/"));
        assert!(copy.of(&peer, &client).await.unwrap() == Authorization::None);
        let settings = CredentialSettings::Token(OutgoingSecret::File(file.clone()));
        credentials.change(&settings);
        assert_eq!(bearer(&copy.of(&peer, &client).await.unwrap()), "in-a-file");
        fs::remove_file(&file).unwrap();
        credentials.change(&settings);
        assert_eq!(bearer(&copy.of(&peer, &client).await.unwrap()), "in-a-file", "nothing is different");
        credentials.change(&CredentialSettings::Token(OutgoingSecret::Text(Secret::new("written"))));
        assert_eq!(bearer(&copy.of(&peer, &client).await.unwrap()), "written");
    }

    #[tokio::test]
    async fn those_in_a_url_win() {
        let settings = CredentialSettings::Token(OutgoingSecret::Text(Secret::new("token")));
        let credentials = Credentials::new(&settings, Clock::held(0));
        let (client, own) = (client(), url("http://u:p@peer.test/eureka/"));
        let sent = credentials.of(&own, &client).await.unwrap();
        assert!(sent == Authorization::Basic("u".to_owned(), Some("p".to_owned())));
        assert!(credentials.instead_of(&sent, &own, &client).await.unwrap().is_none());
        assert_eq!(bearer(&credentials.of(&url("http://peer.test/"), &client).await.unwrap()), "token");
        assert!(Credentials::none().of(&url("http://peer.test/"), &client).await.unwrap() == Authorization::None);
    }
}
