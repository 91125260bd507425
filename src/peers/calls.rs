//! Requests to peers over HTTP.
//!
//! Connections are kept open between requests. No proxy is asked, whatever `HTTP_PROXY` and its like say,
//! and no redirection followed. Every request says who sends it (see [`super::identity`]) and, as Java's
//! does, that a server sends it. `https` goes by what [`Outgoing`] has in force; a certificate that is not
//! taken is a peer that cannot be reached, with the reason.

use std::error::Error as _;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use reqwest::{Client, RequestBuilder};

use crate::access::tls::Outgoing;
use crate::blocking::off_the_workers;
use crate::settings::{PeerUrl, RegionSettings, ReplicationSettings};

use super::credentials::{Authorization, Credentials};
use super::identity::{Identity, NODE_HEADER};
use super::line::Failure;
use super::turns::{Stream, TURN_HEADER, Turn};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// Shorter bodies are not worth packing: a batch of heartbeats costs less as it is.
const WORTH_PACKING: usize = 128 * 1024;
/// A peer that sends its answer bit by bit is given up after so many read time-outs.
const LONGEST_ANSWER: u32 = 12;

/// An answer, whatever its status.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Its status.
    pub status: StatusCode,
    /// Who answered; none for a Java server.
    pub identity: Option<Identity>,
    /// Its body, unpacked.
    pub body: Bytes,
}

/// Says who this node is at the moment.
pub type OwnIdentity = Arc<dyn Fn() -> Identity + Send + Sync>;

/// See the module.
#[derive(Clone)]
pub struct Calls {
    client: Client,
    credentials: Credentials,
    own: OwnIdentity,
    /// That of all posts.
    stream: Stream,
    /// The number of the last post.
    turns: Arc<AtomicU64>,
}

/// How long what may take.
struct Times {
    connect: Duration,
    /// For each part of an answer.
    read: Duration,
    /// Until an unused connection is closed.
    idle: Duration,
}

impl Calls {
    /// Makes connections to peers.
    pub fn new(settings: &ReplicationSettings, credentials: Credentials, tls: &Outgoing, own: OwnIdentity) -> Self {
        let ReplicationSettings { connect_timeout, read_timeout, idle_timeout, .. } = *settings;
        let times = Times { connect: connect_timeout, read: read_timeout, idle: idle_timeout };
        Self::with_times(&times, true, credentials, tls, own)
    }

    /// Makes connections to remote regions.
    pub fn to_regions(settings: &RegionSettings, credentials: Credentials, tls: &Outgoing, own: OwnIdentity) -> Self {
        let RegionSettings { connect_timeout, read_timeout, idle_timeout, gzip, .. } = *settings;
        let times = Times { connect: connect_timeout, read: read_timeout, idle: idle_timeout };
        Self::with_times(&times, gzip, credentials, tls, own)
    }

    /// Makes connections that may take so long.
    ///
    /// # Panics
    ///
    /// Never: TLS is set up already, and there is nothing else that the client could fail to set up.
    #[expect(clippy::expect_used, reason = "see the docs")]
    fn with_times(times: &Times, gzip: bool, credentials: Credentials, tls: &Outgoing, own: OwnIdentity) -> Self {
        let Times { connect, read, idle } = *times;
        let client = Client::builder()
            // Else the environment would say who reads the credentials in the requests.
            .no_proxy()
            .tls_backend_preconfigured(tls.config())
            .gzip(gzip)
            .connect_timeout(connect)
            .read_timeout(read)
            .timeout(read.saturating_mul(LONGEST_ANSWER).max(Duration::from_mins(1)))
            .pool_idle_timeout(idle)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("eurekad/", env!("CARGO_PKG_VERSION")))
            .build()
            .expect("a client with TLS that is set up");
        Self { client, credentials, own, stream: Stream::random(), turns: Arc::default() }
    }

    /// Sends JSON; packed when it is long and the peer takes that.
    pub async fn post(
        &self,
        peer: &PeerUrl,
        path: &str,
        json: Vec<u8>,
        packs: bool,
        most: usize,
    ) -> Result<Reply, Failure> {
        let turn = Turn { stream: self.stream, number: self.turns.fetch_add(1, Ordering::Relaxed) + 1 };
        let request = self.client.post(peer.at(path)).header(CONTENT_TYPE, JSON).header(TURN_HEADER, turn.header());
        let request = if packs && json.len() >= WORTH_PACKING {
            request
                .header(CONTENT_ENCODING, HeaderValue::from_static("gzip"))
                .body(off_the_workers(move || packed(&json)).await)
        } else {
            request.body(json)
        };
        self.call(peer, request, most).await
    }

    /// Fetches JSON of at most so many bytes, unpacked.
    pub async fn get(&self, peer: &PeerUrl, path: &str, most: usize) -> Result<Reply, Failure> {
        self.call(peer, self.client.get(peer.at(path)), most).await
    }

    async fn call(&self, peer: &PeerUrl, request: RequestBuilder, most: usize) -> Result<Reply, Failure> {
        let own = (self.own)().header();
        let request = request
            .header(ACCEPT, JSON)
            .header(NODE_HEADER, own)
            .header("DiscoveryIdentity-Name", HeaderValue::from_static("DefaultServer"))
            .header("DiscoveryIdentity-Version", HeaderValue::from_static("1.0"));
        let authorization = self.credentials.of(peer, &self.client).await?;
        let send = async |request: RequestBuilder, authorization: &Authorization| {
            authorization.on(request).send().await.map_err(|error| failure(&error))
        };
        let again = if authorization == Authorization::None { None } else { request.try_clone() };
        let mut response = send(request, &authorization).await?;
        if response.status() == StatusCode::UNAUTHORIZED
            && let Some(again) = again
            && let Some(other) = self.credentials.instead_of(&authorization, peer, &self.client).await?
        {
            response = send(again, &other).await?;
        }
        let (status, identity) = (response.status(), Identity::of(response.headers()));
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
            if body.len() + chunk.len() > most {
                return Err(Failure::TooLarge(format!("it has more than {most} bytes")));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Reply { status, identity, body: body.into() })
    }
}

fn packed(json: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(json.len() / 8), Compression::fast());
    // Writing into memory does not fail.
    let _ = encoder.write_all(json);
    encoder.finish().unwrap_or_default()
}

/// The innermost cause says what happened; the layers above it name the URL, where credentials were.
pub fn failure(error: &reqwest::Error) -> Failure {
    if error.is_timeout() && !error.is_connect() {
        return Failure::TimedOut;
    }
    let mut cause = error.source();
    while let Some(inner) = cause.and_then(|cause| cause.source()) {
        cause = Some(inner);
    }
    let mut io = cause.and_then(|cause| cause.downcast_ref::<io::Error>());
    // What is wrapped in one of these is no cause of it.
    while let Some(inner) = wrapped(io) {
        io = Some(inner);
    }
    let tls = wrapped::<rustls::Error>(io);
    let text = match (tls, cause) {
        (Some(error), _) => refusal(error),
        (None, Some(cause)) => cause.to_string(),
        (None, None) => "no connection".to_owned(),
    };
    match (error.is_connect(), io.map(io::Error::kind)) {
        (true, Some(io::ErrorKind::ConnectionRefused)) => Failure::NotThere(text),
        (true, _) => Failure::Unreachable(text),
        (false, _) => Failure::BrokenOff(text),
    }
}

fn wrapped<E: std::error::Error + 'static>(error: Option<&io::Error>) -> Option<&E> {
    error?.get_ref()?.downcast_ref()
}

/// Why there is no connection over TLS. What peers do wrong most often is said in other words than rustls'.
fn refusal(error: &rustls::Error) -> String {
    use rustls::{AlertDescription as Alert, CertificateError as Wrong, Error};
    match error {
        Error::InvalidCertificate(Wrong::Expired | Wrong::ExpiredContext { .. }) => {
            format!("its certificate has expired ({error})")
        }
        Error::InvalidCertificate(Wrong::UnknownIssuer) => {
            "its certificate is of an authority that is not trusted here".to_owned()
        }
        Error::InvalidCertificate(Wrong::NotValidForName | Wrong::NotValidForNameContext { .. }) => {
            format!("its certificate is for another name ({error})")
        }
        Error::AlertReceived(Alert::CertificateRequired) => {
            "it wants a certificate of this server, and there is none".to_owned()
        }
        Error::AlertReceived(
            Alert::UnknownCA | Alert::BadCertificate | Alert::CertificateExpired | Alert::CertificateUnknown,
        ) => format!("it does not take the certificate of this server ({error})"),
        Error::InvalidMessage(_) => format!("it does not speak TLS ({error})"),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use crate::peers::NodeId;

    use super::*;

    /// Nobody who breaks off may be taken for one who is not there: it may have something to copy.
    #[tokio::test]
    async fn an_answer_that_breaks_off_is_told_from_a_peer_that_is_not_there() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url: PeerUrl = format!("http://{}/eureka/", listener.local_addr().unwrap()).parse().unwrap();
        let calls = Calls::new(
            &ReplicationSettings::default(),
            Credentials::none(),
            &Outgoing::default(),
            Arc::new(|| Identity::own(NodeId::of(1), true)),
        );
        for answer in ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"app"] {
            let broken = async {
                let (mut peer, _) = listener.accept().await.unwrap();
                let _request = peer.read(&mut [0; 4096]).await.unwrap();
                peer.write_all(answer.as_bytes()).await.unwrap();
            };
            let (reply, ()) = tokio::join!(calls.get(&url, "apps/", 100), broken);
            assert!(matches!(reply, Err(Failure::BrokenOff(_))), "{answer}: {reply:?}");
        }
        drop(listener);
        assert!(matches!(calls.get(&url, "apps/", 100).await, Err(Failure::NotThere(_))));
    }

    #[tokio::test]
    async fn a_name_without_an_address_says_nothing_of_who_is_there() {
        let calls = Calls::new(
            &ReplicationSettings::default(),
            Credentials::none(),
            &Outgoing::default(),
            Arc::new(|| Identity::own(NodeId::of(1), true)),
        );
        // A label longer than any in DNS: nobody need be asked.
        let url: PeerUrl = format!("http://{}.test:8761/eureka/", "a".repeat(64)).parse().unwrap();
        let reply = calls.get(&url, "apps/", 100).await;
        assert!(matches!(reply, Err(Failure::Unreachable(_))), "{reply:?}");
    }
}
