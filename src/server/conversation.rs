//! A connection from its first byte to its last: the handshake, which HTTP it speaks, its requests, the drain.

use std::convert::Infallible;
use std::error::Error as _;
use std::future::pending;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::response::IntoResponse as _;
use http::header::CONNECTION;
use http::{HeaderValue, Request, Response, StatusCode, Version};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tower::ServiceExt;

use crate::access::tls::Port;
use crate::access::{Connection, Limit, OverLimit};
use crate::logging::PeerAddress;

use super::connections::Connections;
use super::exchange::{self, AnswerBody, Exchange, Leftovers};
use super::multiplexed;
use super::secured::{self, Secured};
use super::timed_io::{TimedIo, Waiting};

/// How long a client with many requests at a time may take to say that it sends no more, and a reader of what has
/// no end to take the end of it.
const FAREWELL: Duration = Duration::from_secs(1);

impl Connections {
    /// Serves a connection until its end.
    pub(super) async fn talk(self, socket: TcpStream) {
        let from = Connection { address: socket.peer_addr().ok().map(PeerAddress), certificate: None };
        match self.tls.clone() {
            None => self.talk_http1(socket, from, pending()).await,
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
            Ok(Some(Secured { stream, certificate, side, is_http2 })) => {
                let over = secured::is_over(certificate.clone(), side, tls);
                from.certificate = certificate;
                if is_http2 {
                    self.talk_http2(stream, from, over).await;
                } else {
                    self.talk_http1(stream, from, over).await;
                }
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

    fn site(&self, from: Connection) -> Site {
        let (api, router) = (self.api.clone(), self.router.clone());
        Site {
            api,
            router,
            from,
            over_limit: Arc::clone(&self.over_limit),
            answers_are_last: Arc::clone(&self.answers_are_last),
        }
    }

    /// Until `over`, too.
    pub(super) async fn talk_http1<S>(self, socket: S, from: Connection, over: impl Future<Output = ()>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (io, waiting) = TimedIo::new(socket, self.patience);
        let (site, leftovers) = (self.site(from), Arc::clone(&self.leftovers));
        let mut builder = http1::Builder::new();
        builder.max_buf_size(self.head_limit).title_case_headers(true).half_close(true);
        let connection = builder.serve_connection(TokioIo::new(io), service(site, leftovers, Arc::clone(&waiting)));
        self.keep(connection, &waiting, http1::Connection::graceful_shutdown, over, pending()).await;
    }

    /// Until `over`, too.
    pub(super) async fn talk_http2<S>(self, socket: S, from: Connection, over: impl Future<Output = ()>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (io, waiting) = TimedIo::multiplexed(socket, self.patience);
        let (site, leftovers) = (self.site(from), Arc::clone(&self.leftovers));
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
        self.keep(connection, &waiting, http2::Connection::graceful_shutdown, over, unused).await;
    }

    /// Serves a connection until its end: the client's, the drain's, that of the time for it, when it is `over`, or
    /// once it is `unused` after one of these, or has nothing but endless answers then.
    async fn keep<C>(
        &self,
        connection: C,
        waiting: &Waiting,
        wind_down: fn(Pin<&mut C>),
        over: impl Future<Output = ()>,
        unused: impl Future<Output = ()>,
    ) where
        C: Future<Output = hyper::Result<()>>,
    {
        let mut connection = pin!(connection);
        let served = tokio::select! {
            served = connection.as_mut() => served,
            () = self.killed.cancelled() => return,
            () = async { tokio::select! { () = self.draining.cancelled() => {}, () = over => {} } } => {
                wind_down(connection.as_mut());
                // An endless answer ends with the drain, unless its reader takes nothing.
                let unread = async {
                    loop {
                        tokio::time::sleep(FAREWELL).await;
                        if waiting.is_endless() {
                            return;
                        }
                    }
                };
                tokio::select! {
                    served = connection => served,
                    () = self.killed.cancelled() => return,
                    () = unused => return,
                    () = unread => return,
                }
            }
        };
        if let Err(error) = served {
            if error.is_parse_too_large() {
                self.over_limit.count(Limit::Head);
            } else if waiting.is_in_head() && is_late(&error) {
                self.over_limit.count(Limit::HeadTime);
            }
            tracing::debug!(%error, "a connection ended");
        }
    }
}

/// Whether a connection ended since its patience did.
fn is_late(error: &hyper::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::TimedOut)
}

/// What answers the requests of a connection, and who asks.
struct Site {
    api: Option<crate::http::Service>,
    /// Answers the rest.
    router: Router,
    from: Connection,
    /// What limits refused.
    over_limit: Arc<OverLimit>,
    answers_are_last: Arc<AtomicBool>,
}

/// Of a request. For HTTP/1 it is hyper's own limit.
const MOST_HEADERS: usize = 100;

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
            let Site { api, router, from, over_limit, answers_are_last } = &*site;
            let is_alone = incoming.version() <= Version::HTTP_11;
            if incoming.headers().len() > MOST_HEADERS {
                over_limit.count(Limit::Head);
                let refused = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE.into_response();
                return Ok(exchange::answer(refused, exchange));
            }
            let request = exchange::request(incoming, Arc::clone(&exchange), leftovers).await;
            let answered = match api {
                Some(api) => api.answer(request, from).await,
                None => Err(request),
            };
            let mut response = match answered {
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
            if is_alone && answers_are_last.load(Ordering::Relaxed) {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(exchange::answer(response, exchange))
        }
    })
}
