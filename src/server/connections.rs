//! Accepting connections and serving requests on them.

use std::convert::Infallible;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use crate::access::Connection;
use crate::access::tls::Port;
use crate::logging::PeerAddress;

use super::exchange::{self, AnswerBody, Exchange, Leftovers};
use super::multiplexed;
use super::secured::{self, Secured};
use super::timed_io::{Patience, TimedIo, Waiting};

/// What a listener's connections share.
#[derive(Clone)]
pub(super) struct Connections {
    /// Asked first, as nearly all requests are for it; none where all go through the router.
    pub(super) api: Option<crate::http::Service>,
    /// Answers everything.
    pub(super) router: Router,
    /// None: plain HTTP.
    pub(super) tls: Option<Arc<Port>>,
    /// When a certificate was last told to be refused; held for that look.
    pub(super) refused: Arc<Mutex<Complaint>>,
    pub(super) patience: Patience,
    /// Bytes of a request's head.
    pub(super) head_limit: usize,
    pub(super) leftovers: Arc<Leftovers>,
    /// One permit a connection; where there is none left, new ones wait in the listener's backlog.
    pub(super) permits: Arc<Semaphore>,
    pub(super) tasks: TaskTracker,
    /// Cancelled when no more requests are to be taken.
    pub(super) draining: CancellationToken,
    /// Cancelled when the time for the running ones is over.
    pub(super) killed: CancellationToken,
}

/// Wait after a failed accept: out of descriptors, as a rule.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);
/// How long a client with many requests at a time may take to say that it sends no more.
const FAREWELL: Duration = Duration::from_secs(1);
/// How often the same complaint is logged.
const COMPLAIN_AGAIN: Duration = Duration::from_mins(1);

impl Connections {
    /// Serves a listener until the drain begins.
    pub(super) async fn serve(self, listener: TcpListener) {
        let (mut full, mut failing) = (Complaint::default(), Complaint::default());
        loop {
            let accepted = tokio::select! {
                () = self.draining.cancelled() => return,
                accepted = self.accept(&listener, &mut full) => accepted,
            };
            match accepted {
                Ok((socket, permit)) => {
                    let connections = self.clone();
                    self.tasks.spawn(async move {
                        connections.talk(socket).await;
                        drop(permit);
                    });
                }
                Err(error) if is_of_that_connection(&error) => {}
                Err(error) => {
                    if failing.is_due() {
                        tracing::warn!(%error, "cannot accept connections, trying again");
                    }
                    tokio::time::sleep(ACCEPT_AGAIN).await;
                }
            }
        }
    }

    async fn accept(
        &self,
        listener: &TcpListener,
        full: &mut Complaint,
    ) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
        let permit = if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            permit
        } else {
            if full.is_due() {
                tracing::warn!("the limit of connections is reached (eurekad.http.max-connections), new ones wait");
            }
            Arc::clone(&self.permits).acquire_owned().await.map_err(io::Error::other)?
        };
        let (socket, _) = listener.accept().await?;
        // Whether the client is still there is found out by reading.
        let _ = socket.set_nodelay(true);
        Ok((socket, permit))
    }

    async fn talk(self, socket: TcpStream) {
        let from = Connection { address: socket.peer_addr().ok().map(PeerAddress), certificate: None };
        match self.tls.clone() {
            None => self.talk_http1(socket, from).await,
            // Apart, so that a plain connection takes no memory for it.
            Some(tls) => Box::pin(self.talk_secured(socket, from, tls)).await,
        }
    }

    async fn talk_secured(self, socket: TcpStream, mut from: Connection, tls: Arc<Port>) {
        let greeted = tokio::select! {
            greeted = secured::greet(socket, &tls, self.patience.head) => greeted,
            () = self.draining.cancelled() => return,
        };
        match greeted {
            Ok(Some(Secured { stream, certificate, is_http2 })) => {
                from.certificate = certificate;
                if is_http2 { self.talk_http2(stream, from).await } else { self.talk_http1(stream, from).await }
            }
            Ok(None) => {}
            Err(error) => {
                let address = from.address.map(|address| tracing::field::display(address.0));
                if secured::is_of_a_certificate(&error) && self.refused.lock().is_due() {
                    tracing::info!(address, %error, "a client has no certificate that is taken");
                } else {
                    tracing::debug!(address, %error, "a handshake failed");
                }
            }
        }
    }

    async fn talk_http1<S>(self, socket: S, from: Connection)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (io, waiting) = TimedIo::new(socket, self.patience);
        let (site, leftovers) = ((self.api.clone(), self.router.clone(), from), Arc::clone(&self.leftovers));
        let mut builder = http1::Builder::new();
        builder.max_buf_size(self.head_limit).title_case_headers(true).half_close(true);
        let connection = builder.serve_connection(TokioIo::new(io), service(site, leftovers, waiting));
        self.keep(connection, http1::Connection::graceful_shutdown, std::future::pending()).await;
    }

    async fn talk_http2<S>(self, socket: S, from: Connection)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (io, waiting) = TimedIo::multiplexed(socket, self.patience);
        let (site, leftovers) = ((self.api.clone(), self.router.clone(), from), Arc::clone(&self.leftovers));
        let builder = multiplexed::builder(self.tasks.clone(), self.head_limit);
        let connection = builder.serve_connection(TokioIo::new(io), service(site, leftovers, Arc::clone(&waiting)));
        // The client has its say in the end, and need not say anything.
        let unused = async {
            loop {
                tokio::time::sleep(FAREWELL).await;
                if waiting.is_idle() {
                    return;
                }
            }
        };
        self.keep(connection, http2::Connection::graceful_shutdown, unused).await;
    }

    /// Serves a connection until its end: the client's, the drain's, that of the time for it, or once it is
    /// `unused` during the drain.
    async fn keep<C>(&self, connection: C, wind_down: fn(Pin<&mut C>), unused: impl Future<Output = ()>)
    where
        C: Future<Output = hyper::Result<()>>,
    {
        let mut connection = pin!(connection);
        let served = tokio::select! {
            served = connection.as_mut() => served,
            () = self.killed.cancelled() => return,
            () = self.draining.cancelled() => {
                wind_down(connection.as_mut());
                tokio::select! {
                    served = connection => served,
                    () = self.killed.cancelled() => return,
                    () = unused => return,
                }
            }
        };
        if let Err(error) = served {
            tracing::debug!(%error, "a connection ended");
        }
    }
}

/// What answers the requests of a connection: the API, what answers the rest, and who asks.
type Site = (Option<crate::http::Service>, Router, Connection);

/// Answers the requests of one connection.
fn service(
    site: Site,
    leftovers: Arc<Leftovers>,
    waiting: Arc<Waiting>,
) -> impl Service<
    Request<Incoming>,
    Response = Response<AnswerBody>,
    Error = Infallible,
    Future = impl Future<Output = Result<Response<AnswerBody>, Infallible>> + Send + 'static,
> {
    let site = Arc::new(site);
    service_fn(move |incoming: Request<Incoming>| {
        let (site, leftovers, exchange) = (Arc::clone(&site), Arc::clone(&leftovers), Exchange::begin(&waiting));
        async move {
            let (api, router, from) = &*site;
            let request = exchange::request(incoming, Arc::clone(&exchange), leftovers).await;
            let answered = match api {
                Some(api) => api.answer(request, from).await,
                None => Err(request),
            };
            let response = match answered {
                Ok(response) => response,
                Err(mut request) => {
                    let extensions = request.extensions_mut();
                    extensions.insert(from.clone());
                    if let Some(address) = from.address {
                        extensions.insert(address);
                    }
                    router.clone().oneshot(request).await?
                }
            };
            Ok::<_, Infallible>(exchange::answer(response, exchange))
        }
    })
}

/// Whether an accept failed for one client that is gone already, and not for the server.
fn is_of_that_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}

/// Something that happens again and again and is to be logged now and then.
#[derive(Debug, Default)]
pub(super) struct Complaint {
    last: Option<Instant>,
}

impl Complaint {
    fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let due = self.last.is_none_or(|last| now - last >= COMPLAIN_AGAIN);
        if due {
            self.last = Some(now);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_complaint_is_made_once_a_minute() {
        let mut complaint = Complaint::default();
        assert!(complaint.is_due());
        assert!(!complaint.is_due());
        tokio::time::advance(COMPLAIN_AGAIN / 2).await;
        assert!(!complaint.is_due());
        tokio::time::advance(COMPLAIN_AGAIN / 2).await;
        assert!(complaint.is_due());
        assert!(!complaint.is_due());
    }

    #[test]
    fn a_client_that_is_gone_does_not_hold_up_the_others() {
        assert!(is_of_that_connection(&io::ErrorKind::ConnectionAborted.into()));
        assert!(!is_of_that_connection(&io::Error::from_raw_os_error(24)), "EMFILE");
    }
}
