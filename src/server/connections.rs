//! Accepting connections and serving requests on them.

use std::convert::Infallible;
use std::error::Error as _;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use crate::access::{Connection, Limit, OverLimit};
use crate::http::Service;
use crate::logging::PeerAddress;

use super::exchange::{self, Exchange, Leftovers};
use super::per_address::PerAddress;
use super::timed_io::{Patience, TimedIo};

/// What a listener's connections share.
#[derive(Clone)]
pub(super) struct Connections {
    /// Asked first, as nearly all requests are for it; none where all go through the router.
    pub(super) api: Option<Service>,
    /// Answers everything.
    pub(super) router: Router,
    pub(super) patience: Patience,
    /// Bytes of a request's head.
    pub(super) head_limit: usize,
    pub(super) leftovers: Arc<Leftovers>,
    /// One permit a connection; where there is none left, new ones wait in the listener's backlog.
    pub(super) permits: Arc<Semaphore>,
    /// How many each address has.
    pub(super) per_address: PerAddress,
    /// What limits refused.
    pub(super) over_limit: Arc<OverLimit>,
    pub(super) tasks: TaskTracker,
    /// Cancelled when no more requests are to be taken.
    pub(super) draining: CancellationToken,
    /// Cancelled when the time for the running ones is over.
    pub(super) killed: CancellationToken,
}

/// Wait after a failed accept: out of descriptors, as a rule.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);
/// How often the same complaint is logged.
const COMPLAIN_AGAIN: Duration = Duration::from_mins(1);

impl Connections {
    /// Serves a listener until the drain begins.
    pub(super) async fn serve(self, listener: TcpListener) {
        let (mut full, mut failing, mut too_many) = <(Complaint, Complaint, Complaint)>::default();
        loop {
            let accepted = tokio::select! {
                () = self.draining.cancelled() => return,
                accepted = self.accept(&listener, &mut full) => accepted,
            };
            match accepted {
                Ok((socket, permit)) => {
                    let address = socket.peer_addr().ok().map(|address| address.ip().to_canonical());
                    let Some(place) = self.per_address.take(address) else {
                        self.over_limit.count(Limit::ConnectionsPerAddress);
                        if too_many.is_due() {
                            let address = address.map(|address| address.to_string()).unwrap_or_default();
                            tracing::warn!(
                                address,
                                "an address has eurekad.http.max-connections-per-address, more are closed"
                            );
                        }
                        continue;
                    };
                    let connections = self.clone();
                    self.tasks.spawn(async move {
                        connections.talk(socket).await;
                        drop((permit, place));
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
            self.over_limit.count(Limit::Connections);
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
        let (io, waiting) = TimedIo::new(socket, self.patience);
        let (over_limit, waits) = (self.over_limit, Arc::clone(&waiting));
        let (site, leftovers) = (Arc::new((self.api, self.router, from)), self.leftovers);
        let service = service_fn(move |incoming: Request<Incoming>| {
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
        });
        let mut builder = http1::Builder::new();
        builder.max_buf_size(self.head_limit).title_case_headers(true).half_close(true);
        let mut connection = pin!(builder.serve_connection(TokioIo::new(io), service));
        let served = tokio::select! {
            served = connection.as_mut() => served,
            () = self.killed.cancelled() => return,
            () = self.draining.cancelled() => {
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    served = connection => served,
                    () = self.killed.cancelled() => return,
                }
            }
        };
        if let Err(error) = served {
            if error.is_parse_too_large() {
                over_limit.count(Limit::Head);
            } else if waits.is_in_head() && is_late(&error) {
                over_limit.count(Limit::HeadTime);
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

/// Whether an accept failed for one client that is gone already, and not for the server.
fn is_of_that_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}

/// Something that happens again and again and is to be logged now and then.
#[derive(Debug, Default)]
struct Complaint {
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
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::net::SocketAddr;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

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

    /// Serves a port of its own; gives where, and what limits refused.
    async fn served(patience: Duration, per_address: PerAddress) -> (SocketAddr, Arc<OverLimit>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, over_limit) = (listener.local_addr().unwrap(), Arc::new(OverLimit::default()));
        let (tasks, draining) = (TaskTracker::new(), CancellationToken::new());
        let leftovers = Leftovers {
            time: patience,
            bytes: 0,
            tasks: tasks.clone(),
            runtime: tokio::runtime::Handle::current(),
            draining: draining.clone(),
        };
        let connections = Connections {
            api: None,
            router: Router::new(),
            patience: Patience { head: patience, idle: patience, write: patience },
            head_limit: 8 << 10,
            leftovers: Arc::new(leftovers),
            permits: Arc::new(Semaphore::new(10)),
            per_address,
            over_limit: Arc::clone(&over_limit),
            tasks,
            draining,
            killed: CancellationToken::new(),
        };
        connections.tasks.clone().spawn(connections.serve(listener));
        (address, over_limit)
    }

    /// Sends something and reads until the server closes the connection.
    async fn until_closed(address: SocketAddr, bytes: &[u8]) -> String {
        let mut socket = TcpStream::connect(address).await.unwrap();
        let _ = socket.write_all(bytes).await;
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[tokio::test]
    async fn heads_and_connections_that_are_refused_are_counted() {
        let (address, over_limit) = served(Duration::from_millis(100), PerAddress::default()).await;
        let counted = |limits: [Limit; 3]| limits.map(|limit| over_limit.of(limit));
        let limits = [Limit::Head, Limit::HeadTime, Limit::ConnectionsPerAddress];
        let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(20_000));
        assert!(until_closed(address, long.as_bytes()).await.starts_with("HTTP/1.1 431 "));
        assert_eq!(counted(limits), [1, 0, 0]);
        assert_eq!(until_closed(address, b"GET / HTTP/1.1\r\nHo").await, "");
        assert_eq!(counted(limits), [1, 1, 0]);
        let idle = until_closed(address, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await;
        assert!(idle.starts_with("HTTP/1.1 404 "), "{idle}");
        assert_eq!(counted(limits), [1, 1, 0], "being silent is no mistake");

        let (address, over_limit) = served(Duration::from_mins(1), PerAddress::new(Some(1))).await;
        let _kept = TcpStream::connect(address).await.unwrap();
        assert_eq!(until_closed(address, b"").await, "");
        assert_eq!(over_limit.of(Limit::ConnectionsPerAddress), 1);
    }
}
